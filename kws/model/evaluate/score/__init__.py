# SPDX-License-Identifier: Apache-2.0
"""From sound to scores: makes streams and clips, and plays them to a model."""
