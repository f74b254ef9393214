"""Firmware on its way to a real board: one file a board, `flow` is what they share."""
