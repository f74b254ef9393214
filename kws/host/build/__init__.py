# SPDX-License-Identifier: Apache-2.0
"""Firmware, built for a board."""
