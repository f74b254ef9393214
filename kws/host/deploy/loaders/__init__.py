# SPDX-License-Identifier: Apache-2.0
"""Ways into a board's flash: the protocols of bootloaders, a bootloader's drive, a debug probe."""
