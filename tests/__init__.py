"""The tests of Rowmill, in the order of its tree."""
