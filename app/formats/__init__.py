"""What converts to what, by which options, and what a file is: pure data and pure functions."""
