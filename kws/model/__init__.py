# SPDX-License-Identifier: Apache-2.0
"""The model zoo, training and evaluation. Needs the extra `kws[train]` (TensorFlow)."""
