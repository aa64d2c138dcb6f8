"""A converter family for tests: it asks to read the data of everybody."""

import os

from app.formats.family import Family, Format, Needs, Options

GREEDY = Family(
    kind="greedy",
    convert="rowmill_misbehave_convert:convert",
    sources=("png",),
    targets=("greed",),
    options=Options,
    default_targets={},
    formats=(Format("greed", "Greed", "application/x-greed", ("greed",)),),
    needs=Needs(reads=(os.environ.get("ROWMILL_DATA", "/nowhere"),)),
)
