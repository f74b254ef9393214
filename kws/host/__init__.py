"""Be a device (run) or talk to one (build, emulate)."""
