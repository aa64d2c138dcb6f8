"""Says whether this machine has what a cell is made of."""

import platform

from worker.cell import landlock, seccomp, syscalls


def lacks(*, isolated_outside: bool) -> str | None:
    """Return what is missing, as a sentence with a way out for operators; None if nothing is."""
    machine = platform.machine()
    if machine not in syscalls.ARCHITECTURES:
        known = " and ".join(syscalls.ARCHITECTURES)
        return f"The sandbox knows the processors {known}, not {machine}: use one of these."
    if not seccomp.is_available():
        return (
            "The kernel takes no seccomp filters, without which nothing can be converted: "
            "it needs CONFIG_SECCOMP_FILTER."
        )
    if not landlock.abi() and not isolated_outside:
        return (
            "The kernel has no Landlock, without which nothing can be converted: use Linux 5.13 "
            "or newer with landlock among its security modules (lsm=), or, if something else "
            "keeps this worker from the files of others, set ROWMILL_SANDBOX=external."
        )
    return None
