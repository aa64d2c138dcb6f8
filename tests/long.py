"""How many rounds of what could go on for ever: few in every run, TIMES as many at length.

More rounds are more tests, of other seeds, never longer ones: each keeps within its time.
"""

import os

TIMES = int(os.environ.get("TEST_TIMES") or 1)
SEEDS = range(TIMES)
