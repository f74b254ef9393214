# SPDX-License-Identifier: Apache-2.0
"""The text-to-speech engines and their voices."""
