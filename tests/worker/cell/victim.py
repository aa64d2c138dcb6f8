"""A process with secrets, in place of the worker, that a probe may attack.

    python victim.py UID DUMPABLE

It becomes the user UID, says where in its memory which bytes lie, and ends with its stdin.
"""

import ctypes
import json
import os
import sys

BYTES = b"sixteen secrets."
PR_SET_DUMPABLE = 4


def main() -> None:
    uid, dumpable = map(int, sys.argv[1:])
    if uid != os.getuid():
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0)
    kept = ctypes.create_string_buffer(BYTES)
    print(json.dumps({"address": ctypes.addressof(kept), "bytes": BYTES.decode()}), flush=True)  # noqa: T201
    sys.stdin.read()


if __name__ == "__main__":
    main()
