# SPDX-License-Identifier: Apache-2.0
"""A board's serial port: finding it, reading its lines, showing them."""
