"""The tables of the benchmark, one file for each."""
