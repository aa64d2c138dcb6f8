"""What the Dockerfile must keep so that its images are small, locked and easy to stop."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.settings import BadSetting, from_environment

COMMANDS = {"api": ["rowmill", "api"], "worker": ["python", "-m", "worker"]}
_COMPILERS = re.compile(r"\b(gcc|g\+\+|clang|make|build-essential|python3?-dev|pip|uv)\b")


@dataclass(frozen=True)
class Line:
    stage: str
    word: str
    rest: str


def complaints(text: str, *, root: Path) -> list[str]:
    """Return what is wrong with a Dockerfile whose build context is `root`."""
    lines = list(_lines(text))
    found = [*_exec_forms(lines), *_locks(lines), *_copies(lines, root)]
    for target in COMMANDS:
        inherited = of_target(lines, target)
        if inherited:
            found += [f"{target}: {wrong}" for wrong in _target(target, inherited)]
        else:
            found.append(f"{target}: there is no such target")
    return found


def parsed(text: str) -> list[Line]:
    """Return a Dockerfile's instructions in order, each with the stage it belongs to."""
    return list(_lines(text))


def of_target(lines: list[Line], target: str) -> list[Line]:
    """Return the instructions that shape a target's image, those of its base stages first."""
    own = [line for line in lines if line.stage == target]
    if not own:
        return []
    return of_target(lines, own[0].rest.split()[0]) + own


def command(line: Line) -> list[str] | None:
    """Return the command of CMD, ENTRYPOINT or HEALTHCHECK, None unless it is in exec form."""
    text = line.rest.rpartition("CMD ")[2] if line.word == "HEALTHCHECK" else line.rest
    try:
        words = json.loads(text)
    except ValueError:
        return None
    return words if isinstance(words, list) and all(isinstance(w, str) for w in words) else None


def environment(lines: list[Line]) -> dict[str, str]:
    """Return what the ENV instructions set."""
    text = " ".join(line.rest for line in lines if line.word == "ENV")
    return dict(re.findall(r"([A-Z_]+)=(\S+)", text))


def _lines(text: str) -> Iterator[Line]:
    kept = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    stage = ""
    for line in re.sub(r"\\\n", " ", kept).splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "FROM":
            stage = rest.split()[-1]
        if word:
            yield Line(stage, word, rest.strip())


def _exec_forms(lines: list[Line]) -> Iterator[str]:
    for line in lines:
        if line.word in {"CMD", "ENTRYPOINT", "HEALTHCHECK"} and command(line) is None:
            yield f"{line.stage}: {line.word} is not in exec form, so a shell would eat SIGTERM"


def _locks(lines: list[Line]) -> Iterator[str]:
    runs = [run for line in lines if line.word == "RUN" for run in line.rest.split("&&")]
    for run in (" ".join(run.split()) for run in runs):
        if not re.search(r"\bpip (--python \S+ )?(install|wheel|download)\b", run):
            continue
        if "--no-cache-dir" not in run:
            yield f"pip leaves a cache: {run}"
        if "--no-index" not in run and not {"--require-hashes", "--only-binary"} <= {*run.split()}:
            yield f"pip fetches something unlocked, or not as a wheel: {run}"


def _copies(lines: list[Line], root: Path) -> Iterator[str]:
    admitted = re.findall(r"^!(\S+)$", (root / ".dockerignore").read_text(), re.MULTILINE)
    for line in lines:
        if line.word == "COPY" and not line.rest.startswith("--from="):
            for source in line.rest.split()[:-1]:
                if not (root / source).exists():
                    yield f"COPY {source}: there is no such file"
                if source.split("/")[0] not in admitted:
                    yield f"COPY {source}: .dockerignore keeps it from the builder"


def _target(target: str, lines: list[Line]) -> Iterator[str]:
    last = {line.word: line for line in lines}
    if "CMD" not in last or command(last["CMD"]) != COMMANDS[target]:
        yield f"its command is not {COMMANDS[target]}"
    if "USER" not in last or not re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", last["USER"].rest):
        yield "it runs as root, or as a user without a number"
    if "HEALTHCHECK" not in last:
        yield "it has no HEALTHCHECK"
    if "STOPSIGNAL" not in last or last["STOPSIGNAL"].rest != "SIGTERM":
        yield "it is not stopped by SIGTERM"
    if "VOLUME" not in last:
        yield "it has no VOLUME"
    for line in lines:
        if line.word == "RUN" and (tool := _COMPILERS.search(line.rest)):
            yield f"its image has {tool[0]} or what that leaves behind"
    yield from _settings(lines)


def _settings(lines: list[Line]) -> Iterator[str]:
    try:
        from_environment(environment(lines))
    except BadSetting as error:
        yield str(error)
