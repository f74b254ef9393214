"""`kws listen`: the live microphone through the device's pipeline."""
