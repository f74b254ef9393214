# SPDX-License-Identifier: Apache-2.0
"""`kws selftest`: asks a board for its figures and says what is wrong with it."""
