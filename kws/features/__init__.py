"""PCM to spectrogram through the core: the only door to it."""
