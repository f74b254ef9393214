# SPDX-License-Identifier: Apache-2.0
"""Clips on which a model is trained and evaluated."""
