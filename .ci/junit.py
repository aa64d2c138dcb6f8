# ruff: noqa: INP001, S314, T201 -- a script that reads what our own pytest has just written
"""Fail unless the report of pytest that is named has tests and none of them was skipped."""

import sys
from xml.etree import ElementTree as ET


def main() -> str | None:
    """Return why the report proves nothing, or None."""
    cases = list(ET.parse(sys.argv[1]).iter("testcase"))
    skipped = [case for case in cases if case.find("skipped") is not None]
    for case in skipped:
        print(f"Skipped: {case.get('classname')}::{case.get('name')}")
    if not cases:
        return "The report has no test: where nothing ran, nothing is proven."
    if skipped:
        count = f"{len(skipped)} of {len(cases)} tests"
        return f"{count} were skipped: a test that does not run proves nothing."
    return None


if __name__ == "__main__":
    sys.exit(main())
