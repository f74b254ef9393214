"""The report of an evaluation: one HTML file, with plots."""
