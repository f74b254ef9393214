# SPDX-License-Identifier: Apache-2.0
"""Devices without hardware: this machine and emulators, and the recordings played to them."""
