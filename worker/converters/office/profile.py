"""The settings that LibreOffice starts with: nothing runs, nothing is fetched, nothing is asked."""

from pathlib import Path

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
"""
_TAIL = """<item oor:path="/org.openoffice.Office.Views/Windows">
<node oor:name="{line}" oor:op="replace">
<prop oor:name="Visible" oor:op="fuse"><value>false</value></prop></node></item>
</oor:items>
"""
# The line above a sheet where one types. Shown, it ends in "no such file" on Debian, whose packages
# for machines without a display leave its description out: then no sheet can be opened at all.
_FORMULA_LINE = 26100
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


def write(profile: Path) -> None:
    """Write the profile into a folder that does not exist yet."""
    user = profile / "user"
    user.mkdir(parents=True)
    items = (_ITEM.format(path=path, name=name, value=value) for path, name, value in SETTINGS)
    (user / "registrymodifications.xcu").write_text(
        _HEAD + "".join(items) + _TAIL.format(line=_FORMULA_LINE)
    )
