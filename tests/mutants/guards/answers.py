"""The guards of the API: an answer comes in time and says whose fault it was."""

from tests.mutants.guard import Guard

AWAY = "tests/app/api/test_outages.py"
OTHERS = "tests/system/test_faults_of_others.py"

GUARDS: tuple[Guard, ...] = (
    Guard(
        "a busy row is 503",
        "app/api/database.py",
        "if is_away(error) or is_busy(error):",
        "if is_away(error):",
        (f"{AWAY}::test_a_locked_row_is_503_and_not_500",),
    ),
    Guard(
        "an answer of the API comes in time",
        "app/api/database.py",
        "async with asyncio.timeout(ANSWER_SECONDS):",
        "async with asyncio.timeout(None):",
        (f"{AWAY}::test_when_every_seat_is_taken_the_next_one_hears_503_in_time",),
    ),
    Guard(
        "a silent database costs no seat for ever",
        "app/db.py",
        "    set_wait_callback(_wait)\n",
        "",
        (f"{OTHERS}::test_an_api_whose_database_fell_silent_again_and_again_is_itself_again",),
    ),
    Guard(
        "a log on a full disk costs nobody an answer",
        "app/log.py",
        """        with suppress(OSError):
            self._stream.write(text)
""",
        """        self._stream.write(text)
""",
        ("tests/app/test_log.py::test_a_log_on_a_full_disk_costs_nobody_anything",),
    ),
)
