# SPDX-License-Identifier: Apache-2.0
"""Makes a model incremental: it computes only new rows, with bit-exact results."""
