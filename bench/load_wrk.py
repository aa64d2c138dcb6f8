"""The third table of the bench under load: how often one API process can say how far a file is."""

import asyncio
import re
import shutil
import subprocess

import psutil

from bench.load_people import People
from bench.load_sites import rowmill, until_done
from tests import plain
from tests.postgres import Server

WRK_SECONDS = 5


def requests(server: Server, files: dict[str, bytes]) -> None:
    wrk = shutil.which("wrk")
    if wrk is None:
        print("\nRequests a second: left out, no wrk (apt install wrk)")
        return
    print(f"\n{'wrk, one API process':28}{'requests/s':>12}{'for each CPU':>14}")
    with rowmill(server, apis=1) as site:
        people = People(site.urls, files, site.form)
        (path,) = asyncio.run(people.send("small", count=1, at_once=1))
        until_done(site)
        url = site.urls[0] + path
        etag = plain.get(url).headers["etag"]
        for name, headers in (
            ("the document", []),
            ("If-None-Match, 304", ["-H", f"If-None-Match: {etag}"]),
        ):
            api = psutil.Process(site.house.processes[0].pid)
            before = sum(api.cpu_times()[:2])
            told = subprocess.run(
                [wrk, "-t1", "-c16", f"-d{WRK_SECONDS}s", *headers, url],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            if "Non-2xx" in told or "Socket errors" in told:
                raise RuntimeError(f"not every answer was good:\n{told}")
            used = sum(api.cpu_times()[:2]) - before
            (answered,) = map(int, re.findall(r"(\d+) requests in", told))
            print(f"{name:28}{answered / WRK_SECONDS:>12.0f}{answered / used:>14.0f}")
