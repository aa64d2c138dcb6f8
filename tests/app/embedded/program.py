"""A program that starts one embedded server and waits, for tests that end it in unkind ways.

It prints one line of JSON, then ends politely at the end of its standard input.
"""

import json
import os
import pwd
import sys
from pathlib import Path

from app.embedded import EmbeddedFailed, Server, binaries, initdb, leftover, place
from app.embedded import server as embedded_server
from app.embedded.account import Account


def main(data: str, options: dict[str, str]) -> int:
    # Processes are killed here, machines are not: what the kernel has is safe.
    initdb.OPTIONS.append("--no-sync")
    embedded_server.SETTINGS["fsync"] = "off"
    place.ELSEWHERE = Path(options.get("elsewhere", place.ELSEWHERE))
    leftover.ENDS_BY_ITSELF_SECONDS = float(options.get("patience", "5"))
    said: list[str] = []
    server = Server(Path(data), log=Path(options["log"]), say=said.append)
    if "become" in options:
        _become(pwd.getpwnam(options["become"]))
    try:
        process = server.start()
    except EmbeddedFailed as error:
        _tell({"failed": str(error)})
        return 1
    _tell({"url": server.url, "pid": process.pid, "runs_as": server.runs_as, "said": said})
    sys.stdin.read()
    server.stop()
    return 0


def _become(user: pwd.struct_passwd) -> None:
    """Be that user from here on; the modules are in memory and the binaries within reach."""
    programs = binaries.programs_for(Account(user.pw_name, user.pw_uid, user.pw_gid))
    binaries._package = lambda: programs.parents[1]
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)


def _tell(facts: object) -> None:
    sys.stdout.write(f"{json.dumps(facts)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], json.loads(sys.argv[2])))
