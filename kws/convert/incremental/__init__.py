# SPDX-License-Identifier: Apache-2.0
"""Makes a model incremental: it computes only what is new, with the same bits."""
