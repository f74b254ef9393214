# SPDX-License-Identifier: Apache-2.0
"""Where the recordings of words lie, and what their names say."""
