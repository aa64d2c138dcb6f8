"""Code that turns one format into another: file in, file out, progress; no database, no HTTP."""
