"""Results on their way out: pieces of 1 MiB, a zip, and Starlette's FileResponse."""

from collections.abc import Iterator
from functools import partial

from bench.ingest_measures import (
    MIB,
    Cost,
    Plan,
    Target,
    caption,
    fetch,
    line,
    measured,
    median,
    server,
)

TARGET_CPU = 0.5
WAYS = {
    "FileResponse, 64 KiB": "/theirs",
    "Rowmill, 1 MiB": "/ours",
    "Rowmill, as a zip, first": "/zip",
    "Rowmill, as a zip, again": "/zip",
}


def downloads(plan: Plan) -> Iterator[Target]:
    print(f"Downloads of {plan.size // MIB} MiB, median of {plan.rounds}\n{caption()}")
    seen: dict[str, list[Cost]] = {title: [] for title in WAYS}
    for _ in range(plan.rounds):
        with server("downloads", plan.folder, "--file", str(plan.source)) as (port, process):
            fetch(port, "/small")
            for title, path in WAYS.items():
                seen[title].append(
                    measured(process, partial(_whole, port, path, plan.size), size=plan.size)
                )
    for title, costs in seen.items():
        print(line(title, median(costs)))
    print(flush=True)
    ours, theirs = median(seen["Rowmill, 1 MiB"]), median(seen["FileResponse, 64 KiB"])
    yield Target(
        f"download: {ours.cpu:.2f} CPU-s/GB at {ours.rate:.0f} MB/s, {theirs.cpu / ours.cpu:.1f} "
        f"times less than FileResponse; at most {TARGET_CPU}",
        ours.cpu <= TARGET_CPU,
    )


def _whole(port: int, path: str, size: int) -> None:
    got = fetch(port, path)
    if got < size:
        raise RuntimeError(f"{path} ended after {got} bytes of {size}")
