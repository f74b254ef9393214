# SPDX-License-Identifier: Apache-2.0
"""Converts PCM to spectrograms with the core. No other package calls the core's frontend."""
