"""A newer release than this one, made of a copy of the tree: it adds, as every release does."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from alembic.config import Config
from alembic.script import ScriptDirectory

from tests.system.house import ROOT

PARTS = ("app", "worker", "alembic", "tests/plugin")
VERSION = "9.9.9"

# What the newer release has at the end of its modules. A name that stands there twice is the newer
# one for everybody who imports it.
_ADDED = {
    "app/failures.py": """
CATALOGUE["bad_dream"] = Failure("The file had a bad dream.", "Let it sleep.")
_older_failure = failure


def failure(code: str, detail: str | None = None) -> dict[str, Any]:
    return _older_failure(code, detail) | {"since": "9.9.9"}
""",
    "app/models.py": """
Job.mood = mapped_column(Text, nullable=True)
""",
    "app/intake.py": """
_older_payload = Order.payload.fget
Order.payload = property(lambda self: _older_payload(self) | {"mood": "fresh"})
""",
    "worker/kept.py": """
_older_written = written


def written(report: Report) -> str:
    return json.dumps(json.loads(_older_written(report)) | {"version": 2, "mood": "done"})
""",
    "worker/attempt.py": """
_older_result = _result


def _result(*given: Any, **named: Any) -> dict[str, Any]:
    return _older_result(*given, **named) | {"mood": "done"}
""",
    "app/formats/image.py": """
class _NewerOptions(ImageOptions):
    mood: str | None = None


IMAGE = Family(**(vars(IMAGE) | {"options": _NewerOptions}))
""",
    "tests/plugin/rowmill_misbehave.py": """
_DOZE = Format("doze", "Doze", "application/x-doze", ("doze",))
MISBEHAVE = Family(
    **(vars(MISBEHAVE) | {"targets": ("nap", "doze"), "formats": (*MISBEHAVE.formats, _DOZE)})
)
""",
    "tests/plugin/rowmill_misbehave_convert.py": """
_older_convert = convert


def convert(source: Path, target: Path, **named: Any) -> Converted | Refused:
    if named["target_format"] == "doze" and named["options"].get("how") == "refuse":
        return Refused("bad_dream")
    return _older_convert(source, target, **named)
""",
    "app/web/static/start.js": """
// As of 9.9.9.
""",
}
_WORD = ('    AGAIN = "again"\n', '    AGAIN = "again"\n    DREAM = "dream"\n')
_RULE = """
MOVES[Move.DREAM] = _rule("running", "running", "worker", "lease")
"""
# Whoever claims, a dream is written into the events: a row that the older release does not know.
_REVISION = '''
"""What a newer release adds."""

from alembic import op

revision = "newer"
down_revision = {head!r}
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE jobs ADD COLUMN mood text")
    op.execute("CREATE INDEX jobs_mood ON jobs (mood) WHERE mood IS NOT NULL")
    op.execute("ALTER TABLE events DROP CONSTRAINT events_move")
    op.execute("ALTER TABLE events ADD CONSTRAINT events_move CHECK (move <> '') NOT VALID")
    op.execute("ALTER TABLE events VALIDATE CONSTRAINT events_move")
    op.execute("""
        CREATE FUNCTION dream() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO events (job_id, move, attempt, worker, lease_id)
            VALUES (NEW.id, 'dream', NEW.attempts, NEW.locked_by, NEW.lease_id);
            RETURN NULL;
        END $$
    """)
    op.execute("""
        CREATE TRIGGER dream AFTER UPDATE OF status ON jobs FOR EACH ROW
        WHEN (NEW.status = 'running' AND OLD.status = 'queued') EXECUTE FUNCTION dream()
    """)


def downgrade() -> None:
    pass
'''
_FAMILY = """
from dataclasses import replace

from rowmill_misbehave import MISBEHAVE

SIESTA = replace(MISBEHAVE, kind="siesta", sources=("bmp",), targets=("doze",), formats=())
"""


@dataclass(frozen=True)
class Release:
    """A tree that processes of a house can be started from."""

    root: Path

    @property
    def settings(self) -> dict[str, str]:
        """What makes a process of a house one of this release."""
        path = f"{self.root / 'tests' / 'plugin'}:{self.root}"
        return {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"}


@contextmanager
def newer_release() -> Iterator[Release]:
    """Yield a release that knows a revision, a kind, a pair, options, failures and moves more."""
    with TemporaryDirectory(prefix="rmnewer-", dir="/tmp") as folder:
        root = Path(folder)
        unwanted = shutil.ignore_patterns("__pycache__")
        for part in PARTS:
            shutil.copytree(ROOT / part, root / part, ignore=unwanted)
        _add_to(root)
        yield Release(root)


def _add_to(root: Path) -> None:
    for name, text in _ADDED.items():
        path = root / name
        path.write_text(path.read_text() + text)
    states = root / "app" / "states.py"
    known = states.read_text()
    assert _WORD[0] in known
    states.write_text(known.replace(*_WORD) + _RULE)
    (root / "alembic" / "versions" / "newer.py").write_text(_REVISION.format(head=_head()))
    (root / "tests" / "plugin" / "rowmill_siesta.py").write_text(_FAMILY)
    _describe(root / "tests" / "plugin" / "rowmill_siesta-1.dist-info", "rowmill-siesta", "1")
    entry = "[rowmill.converters]\nsiesta = rowmill_siesta:SIESTA\n"
    (root / "tests" / "plugin" / "rowmill_siesta-1.dist-info" / "entry_points.txt").write_text(
        entry
    )
    _describe(root / f"rowmill-{VERSION}.dist-info", "rowmill", VERSION)


def _describe(folder: Path, name: str, version: str) -> None:
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def _head() -> str | None:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "alembic"))
    return ScriptDirectory.from_config(config).get_current_head()
