"""Where PCM comes from: files, data sets, text-to-speech; and what is done to it in training."""
