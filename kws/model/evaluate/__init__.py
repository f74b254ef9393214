# SPDX-License-Identifier: Apache-2.0
"""Evaluation of a model on clips and on streams."""
