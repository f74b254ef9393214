# SPDX-License-Identifier: Apache-2.0
"""`kws studio`: the commands on one page, from a word to a board."""
