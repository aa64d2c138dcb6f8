"""A file that comes in several requests: one at a time may write, and what came is never lost."""
