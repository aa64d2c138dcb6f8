"""The people of the bench under load: each sends a picture, asks until it is ready, and again."""

import asyncio
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import aiohttp

from bench.load_pictures import choose, mixed

ASK_SECONDS = 1.0
ENDS = {"ready", "failed"}


@dataclass
class Seen:
    """What people saw: seconds that each good answer took, and the answers that were not."""

    posts: list[float] = field(default_factory=list)
    gets: list[float] = field(default_factory=list)
    finished: int = 0
    bad: list[str] = field(default_factory=list)


class People:
    """People who spread over some API processes; `form` are the fields besides the file."""

    def __init__(self, urls: Sequence[str], files: dict[str, bytes], form: dict[str, str]) -> None:
        self.seen = Seen()
        self._urls = urls
        self._files = files
        self._form = form

    async def look(self, paths: Sequence[str], *, count: int, seconds: float) -> None:
        """Let `count` people ask for uploads that are there already, and do nothing else."""
        ends = time.monotonic() + seconds

        async def one(session: aiohttp.ClientSession, number: int) -> None:
            chance = mixed(number)
            while time.monotonic() < ends:
                await self._get(session, number, paths[number % len(paths)])
                await asyncio.sleep(_pause(chance))

        await self._all(one, count)

    async def send_and_wait(self, *, count: int, seconds: float) -> None:
        """Let `count` people send and wait, over and over, until the time is up."""
        ends = time.monotonic() + seconds

        async def one(session: aiohttp.ClientSession, number: int) -> None:
            chance = mixed(number)
            await asyncio.sleep(_pause(chance))
            while time.monotonic() < ends:
                path = await self._post(session, number, choose(chance))
                while path is not None and time.monotonic() < ends:
                    if await self._get(session, number, path) in ENDS:
                        self.seen.finished += 1
                        break
                    await asyncio.sleep(_pause(chance))

        await self._all(one, count)

    async def send(self, size: str, *, count: int, at_once: int) -> list[str]:
        """Send `count` files of one size, `at_once` at a time; return the paths that were told."""
        paths: list[str] = []
        left = iter(range(count))

        async def one(session: aiohttp.ClientSession, number: int) -> None:
            for _ in left:
                path = await self._post(session, number, size)
                if path is not None:
                    paths.append(path)

        await self._all(one, at_once)
        return paths

    async def statuses(self, paths: Sequence[str]) -> dict[str, str]:
        """Ask once for each upload; one that cannot be had now is `unknown`."""
        found: dict[str, str] = {}
        left = iter(paths)

        async def one(session: aiohttp.ClientSession, number: int) -> None:
            for path in left:
                found[path] = await self._get(session, number, path) or "unknown"

        await self._all(one, 8)
        return found

    async def _all(self, one: object, count: int) -> None:
        assert callable(one)
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as session:
            await asyncio.gather(*(one(session, number) for number in range(count)))

    async def _post(self, session: aiohttp.ClientSession, number: int, size: str) -> str | None:
        body = aiohttp.FormData(self._form)
        body.add_field("file", self._files[size], filename=f"{size}.jpg", content_type="image/jpeg")
        began = time.perf_counter()
        try:
            async with session.post(self._url(number) + "/uploads", data=body) as answer:
                told = await answer.json(content_type=None)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            self.seen.bad.append(repr(error))
            return None
        if answer.status >= 400:
            self.seen.bad.append(f"{answer.status}: {told}")
            return None
        self.seen.posts.append(time.perf_counter() - began)
        return f"/uploads/{told['id']}"

    async def _get(self, session: aiohttp.ClientSession, number: int, path: str) -> str | None:
        began = time.perf_counter()
        try:
            async with session.get(self._url(number) + path) as answer:
                told = await answer.json(content_type=None)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            self.seen.bad.append(repr(error))
            return None
        if answer.status >= 400:
            self.seen.bad.append(f"{answer.status}: {told}")
            return None
        self.seen.gets.append(time.perf_counter() - began)
        return str(told["status"])

    def _url(self, number: int) -> str:
        return self._urls[number % len(self._urls)]


def percentile(values: Sequence[float], share: int) -> float:
    """Return the value in milliseconds below which this many of a hundred lie."""
    if len(values) < 2:
        return float("nan")
    return statistics.quantiles(values, n=100, method="inclusive")[share - 1] * 1000


def pair(values: Sequence[float], width: int) -> str:
    """Return median and p99, in two columns of a table."""
    return f"{percentile(values, 50):>{width}.1f}{percentile(values, 99):>7.1f}"


def _pause(chance: random.Random) -> float:
    return ASK_SECONDS * chance.uniform(0.5, 1.5)
