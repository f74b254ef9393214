# SPDX-License-Identifier: Apache-2.0
"""`kws selftest`: measures a board and reports its faults."""
