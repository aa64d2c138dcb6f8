"""The process that makes cells, and the worker's side of it."""
