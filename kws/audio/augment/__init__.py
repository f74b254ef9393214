# SPDX-License-Identifier: Apache-2.0
"""What happens to a clip in training: one file an effect."""
