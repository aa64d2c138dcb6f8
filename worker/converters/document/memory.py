"""How much memory pandoc may have, as its Haskell is told: a limit that it keeps and says so."""

import resource

UNBOUND_MEMORY = 2 * 1024**3  # where the machine sets no limit
BESIDE_THE_HEAP = 448 * 1024**2  # the program itself (162 MB), stacks, what is read and written
LEAST_HEAP = 64 * 1024**2


def arguments() -> list[str]:
    """Return the options of Haskell's runtime for the memory of this process.

    Pandoc itself asks for 64 MB at once (-H), which no processor keeps at hand. With the 4 MB that
    are usual for Haskell, and what lives long left alone until there is 64 MB of it (-O), a report
    takes a quarter less time, and no more memory. Near the limit Haskell heeds -M first.
    """
    return ["+RTS", f"-M{heap_bytes()}", "-H4m", "-O64m", "-RTS"]


def heap_bytes() -> int:
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed == resource.RLIM_INFINITY:
        allowed = UNBOUND_MEMORY
    return max(LEAST_HEAP, allowed - BESIDE_THE_HEAP)
