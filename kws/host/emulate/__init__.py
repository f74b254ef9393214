# SPDX-License-Identifier: Apache-2.0
"""Devices without hardware: this machine, QEMU and Renode, and the recordings played to them."""
