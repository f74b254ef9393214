# SPDX-License-Identifier: Apache-2.0
"""Sound: files, data sets, microphones, text-to-speech, and augmentation for training."""
