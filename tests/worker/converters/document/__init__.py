"""Documents through real cells, and their results seen through other readers."""
