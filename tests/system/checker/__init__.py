"""Looks at rows, events, files and processes of a house, and finds what cannot be."""

from contextlib import suppress

from tests.polling import poll
from tests.system.checker import files, remains, rows
from tests.system.house import House

PATIENCE_SECONDS = 20.0

__all__ = ["abandoned", "faults"]


def faults(house: House) -> list[str]:
    """Return a sentence for everything that contradicts the promises; it should be empty.

    What is kept of an attempt until it is recorded goes a moment after that, and so does its
    folder; a spawner needs a second to see that its worker has died.
    """
    with suppress(AssertionError):
        poll(lambda: not files.kept(house) and not remains.left(house), seconds=PATIENCE_SECONDS)
    return [*rows.faults(house), *files.faults(house), *remains.left(house)]


def abandoned(house: House) -> list[str]:
    """Return a sentence for each folder of a worker that is over; a sweep deletes them in time.

    What a worker left that was killed while it tried its converters goes after an hour.
    """
    names = remains.names_of_the_living(house)
    return [
        f"the scratch folder of {folder.name} is left"
        for folder in (house.data / "scratch").glob("*/*/")
        if folder.name not in names and not folder.name.startswith(".trial-")
    ]
