# SPDX-License-Identifier: Apache-2.0
"""Real boards: a file for each; `deployment` writes their firmware, `monitor` shows their lines."""
