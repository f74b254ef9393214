"""`kws listen --web`: what is heard, on a page of this machine."""
