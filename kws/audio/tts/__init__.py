# SPDX-License-Identifier: Apache-2.0
"""Words spoken by text-to-speech voices, and words that sound like them."""
