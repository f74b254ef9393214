"""Sound from this machine's microphones: live, and recorded as a data set."""
