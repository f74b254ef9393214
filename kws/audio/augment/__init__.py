"""What happens to a clip in training, one file an effect."""
