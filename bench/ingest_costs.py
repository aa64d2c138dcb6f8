"""Bodies in one request: Rowmill's way to the disk, FastAPI's UploadFile, and a floor."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from bench.ingest_measures import (
    MIB,
    Cost,
    Plan,
    Target,
    ask,
    caption,
    line,
    measured,
    median,
    peak_rss,
    server,
)

TARGET_RATIO = 0.65
TARGET_RSS = 200_000_000
_BOUNDARY = "-" * 24 + "0123456789abcdef"


@dataclass(frozen=True)
class Case:
    title: str
    server: str
    path: str


CASES = (
    Case("floor: recv, write", "floor", "/raw"),
    Case("Rowmill, raw", "rowmill", "/raw"),
    Case("Rowmill, multipart", "rowmill", "/multipart"),
    Case("UploadFile, copied", "uploadfile", "/multipart"),
)


def costs(plan: Plan) -> Iterator[Target]:
    print(f"{plan.size // MIB} MiB, median of {plan.rounds}, each with fsync\n{caption()}")
    for sha256 in (False, True):
        seen = _rounds(plan, sha256=sha256)
        for case in CASES:
            print(line(case.title, median(seen[case.title]), "sha256" if sha256 else ""))
        print(flush=True)
        yield _ratio(seen["Rowmill, multipart"], seen["UploadFile, copied"], sha256=sha256)


def memory(plan: Plan) -> Iterator[Target]:
    for path in ("/raw", "/multipart"):
        with server("rowmill", plan.folder, "--sha256") as (port, process):
            with ThreadPoolExecutor(8) as clients:
                sent = [clients.submit(_send, port, path, plan, plan.parallel) for _ in range(8)]
                for future in sent:
                    future.result()
            rss = peak_rss(process)
        yield Target(
            f"8 parallel uploads of {plan.parallel // MIB} MiB to {path}: peak {rss / 1e6:.0f} MB, "
            f"under {TARGET_RSS / 1e6:.0f}",
            rss < TARGET_RSS,
        )


def _rounds(plan: Plan, *, sha256: bool) -> dict[str, list[Cost]]:
    """Go through all cases once a round, so that a busy minute strikes them alike."""
    seen: dict[str, list[Cost]] = {case.title: [] for case in CASES}
    for _ in range(plan.rounds):
        for case in CASES:
            seen[case.title].append(_measure(case, plan, sha256=sha256))
    return seen


def _measure(case: Case, plan: Plan, *, sha256: bool) -> Cost:
    options = ["--sha256"] if sha256 else []
    with server(case.server, plan.folder, *options) as (port, process):
        _send(port, case.path, plan, MIB)  # imports and first pages are not the question
        return measured(process, lambda: _send(port, case.path, plan, plan.size), size=plan.size)


def _send(port: int, path: str, plan: Plan, size: int) -> None:
    kind, frame = "application/octet-stream", (b"", b"")
    if path == "/multipart":
        kind, mark = f"multipart/form-data; boundary={_BOUNDARY}", f"--{_BOUNDARY}".encode()
        part = b'Content-Disposition: form-data; name="file"; filename="source"'
        frame = (mark + b"\r\n" + part + b"\r\n\r\n", b"\r\n" + mark + b"--\r\n")
    request = f"POST {path} HTTP/1.1\r\nContent-Type: {kind}"
    ask(port, request, plan.source, size=size, frame=frame)


def _ratio(ours: list[Cost], theirs: list[Cost], *, sha256: bool) -> Target:
    """Tell the ratio of the medians, and how far single rounds lie apart: busy machines vary."""
    ratio = median(ours).cpu / median(theirs).cpu
    each = [our.cpu / their.cpu for our, their in zip(ours, theirs, strict=True)]
    return Target(
        f"multipart / UploadFile{', sha256' if sha256 else ''}: {ratio:.2f} "
        f"(rounds {min(each):.2f} to {max(each):.2f}), at most {TARGET_RATIO}",
        ratio <= TARGET_RATIO,
    )
