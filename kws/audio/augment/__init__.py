# SPDX-License-Identifier: Apache-2.0
"""Augmentation of training clips: one file per effect."""
