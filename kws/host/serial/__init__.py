"""A board's serial port: finding it, reading its lines, showing them."""
