"""Firmware, built for a board."""
