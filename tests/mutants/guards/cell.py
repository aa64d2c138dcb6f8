"""The guards of the cell, around what a conversion may do and what is believed of it."""

from tests.mutants.guard import Guard

BIRTH = "tests/worker/cell/test_birth.py"
DEATHS = "tests/worker/spawner/test_deaths.py"
OWNS = "tests/worker/spawner/test_what_a_cell_owns.py"
PADS = "tests/worker/cell/test_pads.py"
SELFTEST = "tests/worker/cell/test_selftest.py"

GUARDS: tuple[Guard, ...] = (
    Guard(
        "no link is followed to a result",
        "worker/cell/result.py",
        "flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK",
        "flags = os.O_RDONLY | os.O_NONBLOCK",
        (
            "tests/worker/cell/test_result.py::test_anything_else_is_refused_and_leaves_nothing_open",
        ),
    ),
    Guard(
        "nobody looks into a worker",
        "worker/start.py",
        "    make_undumpable()  # its environment holds the database's password\n",
        "",
        ("tests/system/test_worker.py::test_nobody_can_look_into_a_running_worker",),
    ),
    Guard(
        "the filter knows the architecture",
        "worker/cell/seccomp.py",
        "        *bpf.unless_equal(AUDIT_ARCHITECTURES[architecture], foreign),\n",
        "",
        ("tests/worker/cell/test_seccomp.py::test_the_calls_of_another_architecture_kill",),
    ),
    Guard(
        "a cell dies with the spawner that made it",
        "worker/cell/birth.py",
        "    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)\n",
        "",
        (f"{DEATHS}::test_a_spawner_killed_in_the_middle_breaks_the_job_and_leaves_nothing",),
    ),
    Guard(
        "a cell ends whose spawner died before it could ask for a signal",
        "worker/cell/birth.py",
        """    if os.getppid() != parent:  # it died before the line above, and no signal will come
        os._exit(1)
""",
        "",
        (f"{BIRTH}::test_a_child_whose_parent_was_gone_before_it_could_ask_for_a_signal_ends",),
    ),
    Guard(
        "a cell has no descriptor of the spawner",
        "worker/cell/birth.py",
        """    os.closerange(OUT + 1, os.sysconf("SC_OPEN_MAX"))\n""",
        "",
        (f"{OWNS}::test_it_has_four_descriptors_and_a_program_it_starts_has_three",),
    ),
    Guard(
        "the memory of a cell and of its programs is limited",
        "worker/cell/limits.py",
        "    _limit(resource.RLIMIT_AS, task.memory_bytes)\n",
        "",
        (f"{PADS}::test_memory_is_limited_in_every_process_of_a_cell_of_any_family",),
    ),
    Guard(
        "a cell is the first to die when memory runs out",
        "worker/cell/birth.py",
        """    _write("/proc/self/oom_score_adj", b"1000")\n""",
        "",
        (f"{OWNS}::test_it_dies_first_when_memory_runs_out",),
    ),
    Guard(
        "nothing that a cell starts gains privileges",
        "worker/cell/confine.py",
        "    prctl(PR_SET_NO_NEW_PRIVS, 1)",
        "    pass",
        (f"{OWNS}::test_nothing_that_it_starts_gains_privileges",),
    ),
    Guard(
        "a cell tries whether its walls hold",
        "worker/cell/confine.py",
        "    selftest.check(canaries if files else [])\n",
        "",
        (f"{SELFTEST}::test_a_layer_that_does_not_hold_ends_the_cell_unread",),
    ),
    Guard(
        "a file cannot pass for a missing sandbox",
        "worker/spawner/verdict.py",
        "    if ending.code in {UNCONFINED, CRAMPED} and not hearsay.confined:",
        "    if ending.code in {UNCONFINED, CRAMPED}:",
        (f"{SELFTEST}::test_a_file_cannot_pass_for_a_missing_sandbox",),
    ),
    Guard(
        "no variable is in the log, where a password may be",
        "app/log.py",
        "show_locals=False",
        "show_locals=True",
        ("tests/app/test_log.py::test_a_secret_in_a_variable_is_in_no_traceback",),
    ),
)
