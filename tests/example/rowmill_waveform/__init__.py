"""A converter family of its own package: the example that CONTRIBUTING.md shows."""
