"""The spawner's program, started as `python -I …/worker/spawner/__main__.py {…}` by the worker.

Isolated Python looks at no environment and no folder of its own accord: the worker's import path
comes as an argument.
"""

import json
import sys


def main() -> None:
    told = json.loads(sys.argv[1])
    sys.path[:] = told["path"]
    from worker.spawner.serve import run

    run(told["control"], worker=told["worker"], converters=told["converters"])


if __name__ == "__main__":
    main()
