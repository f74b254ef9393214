# SPDX-License-Identifier: Apache-2.0
"""PCM to spectrogram through the core. No other room calls the core's frontend."""
