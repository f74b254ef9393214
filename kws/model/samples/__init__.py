"""Which clips a model learns from and is evaluated on."""
