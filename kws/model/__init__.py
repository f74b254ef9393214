"""The model zoo, training and evaluation. Needs the extra `kws[train]` (TensorFlow)."""
