# SPDX-License-Identifier: Apache-2.0
"""How well a model does on clips, and what conversion changes."""
