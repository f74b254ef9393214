# SPDX-License-Identifier: Apache-2.0
"""A model of a whole window to its twin that computes only what is new, with the same bits."""
