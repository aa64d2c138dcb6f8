"""Many results as one zip, which is made while it is sent and is nowhere as a whole."""
