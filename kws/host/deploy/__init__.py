# SPDX-License-Identifier: Apache-2.0
"""Firmware onto a real board: a file for each board; `deployment` is what they share."""
