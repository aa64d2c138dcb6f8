"""`python -m worker` runs a worker; with `--check` it says whether one of this host lives."""

import sys


def main() -> int:
    """Run what was asked for; the parts are imported then, because a check comes often."""
    if "--check" in sys.argv[1:]:
        from worker.health import check

        return check()
    from worker.start import run

    return run()


if __name__ == "__main__":
    sys.exit(main())
