"""The settings that LibreOffice starts with: nothing runs, nothing is fetched, nothing is asked."""

from pathlib import Path

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
"""
_TAIL = "</oor:items>\n"
_HIDDEN = """<item oor:path="/org.openoffice.Office.Views/Windows">
<node oor:name="{window}" oor:op="replace">
<prop oor:name="Visible" oor:op="fuse"><value>false</value></prop></node></item>
"""
# What is never looked at. Debian's packages for machines without a display leave descriptions of
# such windows out. For the line above a sheet where one types, that ends in "no such file", and no
# sheet can be opened at all; the sidebars do without, and take 40 ms of each conversion.
_FORMULA_LINE = "26100"
_SIDEBARS = tuple(f"{program}/10336" for program in ("swriter", "scalc", "simpress", "sdraw"))
_ITEM = (
    '<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse">'
    "<value>{value}</value></prop></item>\n"
)

_SCRIPTING = "Office.Common/Security/Scripting"
SETTINGS = (
    # What a document points to elsewhere is not loaded; no document is of a trusted place. Of an
    # OpenDocument file whose manifest lacks a part, which is repaired, only the cell keeps it out.
    (_SCRIPTING, "BlockUntrustedRefererLinks", "true"),
    ("Office.Calc/Content/Update", "Link", "1"),  # never
    ("Office.Writer/Content/Update", "Link", "0"),  # never
    # Nothing that a document brings along is run.
    (_SCRIPTING, "DisableMacrosExecution", "true"),
    (_SCRIPTING, "MacroSecurityLevel", "3"),
    ("Office.Java/VirtualMachine", "Enable", "false"),
    # Nobody is there to be welcomed, asked or told.
    ("Setup/Office", "ooSetupInstCompleted", "true"),
    ("Office.Common/Misc", "FirstRun", "false"),
    ("Office.Common/Misc", "ShowTipOfTheDay", "false"),
    ("Office.Common/Misc", "CrashReport", "false"),
    ("Office.Common/Load", "ShowOfficeUpdateDialog", "false"),
    # Seen by a later version than this one: its trial of how well it draws takes half of a second.
    ("Setup/Product", "ooSetupLastVersion", "99.9"),
    # A conversion that ended early is started anew, never continued.
    ("Office.Recovery/RecoveryInfo", "Enabled", "false"),
    ("Office.Recovery/AutoSave", "Enabled", "false"),
    # The source lies elsewhere, where no lock can be left.
    ("Office.Common/Misc", "UseLocking", "false"),
    ("Office.Common/Misc", "UseDocumentOOoLockFile", "false"),
)

RECALCULATES = ("Office.Calc/Formula/Load", "OOXMLRecalcMode", "0")  # always
UNDRAWN = ("Office.Common/Save/Document", "GenerateThumbnail", "false")


def write(profile: Path, *, recalculates: bool, thumbnails: bool = True) -> None:
    """Write the profile into a folder that does not exist yet.

    A workbook keeps what its formulas came to; with `recalculates` they are worked out anew. An
    OpenDocument file gets a small picture of its first page, unless `thumbnails` is False.
    """
    recalculated = (RECALCULATES,) if recalculates else ()
    settings = (*SETTINGS, *recalculated, *(() if thumbnails else (UNDRAWN,)))
    user = profile / "user"
    user.mkdir(parents=True)
    items = [_ITEM.format(path=path, name=name, value=value) for path, name, value in settings]
    items += [_HIDDEN.format(window=window) for window in (_FORMULA_LINE, *_SIDEBARS)]
    (user / "registrymodifications.xcu").write_text(_HEAD + "".join(items) + _TAIL)
