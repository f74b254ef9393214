"""From a trained model to a bundle: int8 TFLite, C array, settings, op resolver, arena size."""
