"""Fixtures of all tests of the diagnosis."""

from tests.app.diagnosis.roles import role

__all__ = ["role"]
