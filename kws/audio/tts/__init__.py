# SPDX-License-Identifier: Apache-2.0
"""Text-to-speech data sets, and words that sound like the keywords."""
