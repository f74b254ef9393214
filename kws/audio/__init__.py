# SPDX-License-Identifier: Apache-2.0
"""Sound: files, data sets, recording, text-to-speech, augmentation."""
