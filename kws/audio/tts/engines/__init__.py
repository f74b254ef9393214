# SPDX-License-Identifier: Apache-2.0
"""The text-to-speech engines: what voices each has, and how each says a word."""
