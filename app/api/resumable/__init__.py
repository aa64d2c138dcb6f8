"""Uploads in several requests, as tus 1.0 has it: one set of handlers, one dialect of headers."""
