"""Rowmill's worker: claims rows, converts files, records outcomes."""
