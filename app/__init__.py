"""Rowmill's service: HTTP in front, rows behind."""
