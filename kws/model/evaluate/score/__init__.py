# SPDX-License-Identifier: Apache-2.0
"""From sound to scores: streams and clips are made and played to a model."""
