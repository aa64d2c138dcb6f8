"""Describes the pane of a comment, which Debian's packages for machines without a display lack.

LibreOffice makes one for each comment of a text that it opens, shown or not, and takes a text whose
panes it cannot make for one that it cannot read. It asks for descriptions in a single folder: so
ours has what other parts of its windows need as well, as it was installed.
"""

import os
import shutil
from pathlib import Path
from urllib.parse import quote

_DESCRIPTIONS = Path("config/soffice.cfg")
_PANE = "modules/swriter/ui/annotation.ui"
_OTHERS = ("modules/simpress", "sfx", "svt", "svx", "vcl")

# What LibreOffice looks for by name in a pane, and no more.
_DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<interface>
<object class="GtkMenu" id="menu">
<child><object class="GtkMenuItem" id="deleteby"/></child></object>
<object class="GtkBox" id="Annotation">
<child><object class="GtkScrolledWindow" id="scrolledwindow"><child><object class="GtkViewport">
<child><object class="GtkDrawingArea" id="editview"/></child></object></child></object></child>
<child><object class="GtkLabel" id="author"/></child>
<child><object class="GtkLabel" id="date"/></child>
<child><object class="GtkLabel" id="resolved"/></child>
<child><object class="GtkMenuButton" id="menubutton">
<property name="popup">menu</property></object></child>
</object></interface>
"""


def describe(folder: Path, *, place: Path) -> None:
    """Have LibreOffice find descriptions in `folder`, which does not exist yet, if it lacks ours.

    `place` is where its programs are. To be called before it starts.
    """
    home = place.parent.resolve()
    installed = home / "share" / _DESCRIPTIONS
    if (installed / _PANE).exists():
        return
    for part in _OTHERS:
        _copy(installed / part / "ui", folder / _DESCRIPTIONS / part / "ui")
    pane = folder / _DESCRIPTIONS / _PANE
    pane.parent.mkdir(parents=True)
    pane.write_text(_DESCRIPTION, encoding="utf-8")
    # A piece of an address that begins with LibreOffice's own folder.
    os.environ["BRAND_SHARE_SUBDIR"] = quote(os.path.relpath(folder, home))


def _copy(installed: Path, own: Path) -> None:
    own.mkdir(parents=True)
    for description in installed.glob("*.ui"):
        shutil.copyfile(description, own / description.name)
