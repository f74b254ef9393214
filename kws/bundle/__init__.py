"""The bundle: what conversion writes and every later command reads."""
