"""The guards that Rowmill rests on, each with the text without it and the tests that miss it."""

from tests.mutants.guard import Guard

RACES = "tests/app/queue/test_races.py"
MOVES = "tests/app/queue/test_moves.py"
CLAIM = "tests/app/queue/test_claim.py"
FAULTS = "tests/system/test_faults.py"
OUTAGES = "tests/system/test_outages.py"
LOST_ANSWERS = "tests/system/test_lost_answers.py"
DURABILITY = "tests/app/storage/test_durability.py"
AWAY = "tests/app/api/test_outages.py"
INTAKE = "tests/app/test_intake.py"
OTHERS = "tests/system/test_faults_of_others.py"
ADOPTION = "tests/worker/test_adoption.py"
FLOOR = "tests/worker/test_floor.py"
BEHIND = "tests/app/queue/test_floor.py"

GUARDS: tuple[Guard, ...] = (
    Guard(
        "the lease in each finishing statement",
        "app/queue/ending.py",
        ".where(Job.lease_id == ending.c.lease_id, Job.status == word(Status.RUNNING))",
        ".where(Job.status == word(Status.RUNNING))",
        (
            f"{RACES}::test_a_finish_after_a_new_claim_changes_nothing",
            f"{RACES}::test_a_late_release_retry_or_failure_changes_nothing_either",
        ),
    ),
    Guard(
        "SKIP LOCKED in the claim",
        "app/queue/claiming.py",
        ".with_for_update(skip_locked=True)",
        ".with_for_update()",
        (f"{CLAIM}::test_two_sessions_that_claim_at_once_get_disjoint_jobs_and_neither_waits",),
    ),
    Guard(
        "a lost worker claims nothing",
        "app/queue/claiming.py",
        "        .where(us.exists())\n",
        "",
        (f"{CLAIM}::test_a_worker_that_is_lost_or_unknown_gets_nothing",),
    ),
    Guard(
        "a beat in flight wins against the rescue",
        "app/queue/rescuing.py",
        """        .order_by(Worker.name)
        .with_for_update(key_share=True, skip_locked=True)
""",
        """        .order_by(Worker.name)
""",
        (f"{RACES}::test_a_beat_whose_transaction_is_open_wins_against_a_rescue",),
    ),
    Guard(
        "misses are counted, and no clock is asked",
        "app/queue/rescuing.py",
        'Worker.missed >= bindparam("misses", type_=Integer)',
        "Worker.heartbeat < func.now() - func.make_interval("
        '0, 0, 0, 0, 0, 0, 2 * bindparam("misses", type_=Integer))',
        (f"{OUTAGES}::test_a_worker_that_slept_through_an_outage_is_not_lost_at_once",),
    ),
    Guard(
        "losses are counted to an end",
        "app/queue/rescuing.py",
        "_SPENT = Job.losses + 1 >= MOST_LOSSES",
        "_SPENT = Job.losses < 0",
        (f"{MOVES}::test_the_first_loss_costs_no_pause_and_the_fifth_is_the_end",),
    ),
    Guard(
        "a record that was made is not made again",
        "worker/record.py",
        "standings |= queue.standing(session, move, left)",
        "standings |= dict.fromkeys((one.lease_id for one in left), Standing.LOST)",
        ("tests/worker/test_record.py::test_an_answer_that_was_lost_is_already",),
    ),
    Guard(
        "a lease that no slot knows is given back",
        "worker/pulse.py",
        "        self._release_unknown(seat, held)\n",
        "",
        (f"{LOST_ANSWERS}::test_a_job_whose_claim_got_no_answer_is_given_back_at_the_next_beat",),
    ),
    Guard(
        "the cell of a lost lease is killed",
        "worker/pulse.py",
        "        self._end_lost(held)\n",
        "",
        (f"{FAULTS}::test_a_cancelled_jobs_cell_is_killed_at_the_next_beat",),
    ),
    Guard(
        "the bytes are synced before the name",
        "app/storage/disk.py",
        "        for source in moves:\n            durable.sync_file(source)\n",
        "",
        (f"{DURABILITY}::test_publishing_syncs_the_bytes_before_the_name",),
    ),
    Guard(
        "the folder is synced after the name",
        "app/storage/durable.py",
        """
    for folder in dict.fromkeys(target.parent for target in moves.values()):
        sync_folder(folder)
""",
        "",
        (f"{DURABILITY}::test_storing_syncs_the_new_folder_then_the_name_then_the_old_place",),
    ),
    Guard(
        "an orphan is old",
        "app/storage/disk.py",
        " and found.st_mtime < before:",
        ":",
        ("tests/app/storage/test_disk.py::test_a_walk_yields_the_old_files_of_its_area_only",),
    ),
    Guard(
        "nothing is swept in the wrong house",
        "worker/janitor.py",
        "                self._storage.check_house(self._house)\n",
        "",
        ("tests/worker/test_janitor.py::test_in_the_wrong_house_nothing_is_swept",),
    ),
    Guard(
        "an upload and its job are one transaction",
        "app/intake.py",
        "    place(session, arrival.upload_id, ",
        "    session.commit()\n    place(session, arrival.upload_id, ",
        (f"{INTAKE}::test_a_failure_at_any_table_leaves_nothing",),
    ),
    Guard(
        "an upload is written once",
        "app/intake.py",
        "    if not _inserted(session, arrival):\n        return False\n",
        "    _inserted(session, arrival)\n",
        (f"{INTAKE}::test_the_same_rows_sent_again_change_nothing",),
    ),
    Guard(
        "a file that a sweep may take gets no row",
        "app/api/reception.py",
        "if is_new and time.time() - written > settings.orphan_seconds / 2:",
        "if False:",
        (f"{AWAY}::test_a_file_that_a_sweep_may_take_is_not_given_a_row",),
    ),
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
    Guard(
        "what has come whole is no orphan before its row says so",
        "worker/sweep.py",
        "keys.parse_incoming_key(key) or keys.parse_source_key(key)",
        "keys.parse_incoming_key(key)",
        ("tests/worker/test_sweep.py::test_a_file_that_still_arrives_is_no_orphan",),
    ),
    Guard(
        "an adopted result has a name of its new lease",
        "worker/adoption.py",
        """result = {"storage_key": _result_key(job), **told, "facts": outcome.facts}""",
        """earlier = keys.result_key(job.upload_id, job.number, lease)
    result = {"storage_key": earlier, **told, "facts": outcome.facts}""",
        (f"{ADOPTION}::test_a_finished_result_gets_a_name_of_the_next_lease_too",),
    ),
    Guard(
        "an adopted result is looked at under its new name",
        "worker/adoption.py",
        "        _compare(storage.path(mine), told)\n",
        "        pass\n",
        ("tests/worker/test_adoption_trust.py::test_a_result_that_changed_since_is_not_adopted",),
    ),
    Guard(
        "an outcome has its name after its result",
        "worker/adoption.py",
        "storage.publish_all(made | _drafted(report, place))",
        "storage.publish_all(_drafted(report, place) | made)",
        (f"{ADOPTION}::test_a_crash_between_the_names_leaves_a_result_and_no_outcome",),
    ),
    Guard(
        "an outcome is kept before it is recorded",
        "worker/adoption.py",
        "storage.publish_all(made | _drafted(report, place))",
        "storage.publish_all(made)",
        (f"{ADOPTION}::test_a_finished_result_gets_a_name_of_the_next_lease_too",),
    ),
    Guard(
        "who has lost its lease deletes its own names only",
        "worker/adoption.py",
        "        done = [_outcome_key(report.job), _result_key(report.job)]\n",
        "        done = [_outcome_key(report.job), _result_key(report.job), *report.left]\n",
        (f"{ADOPTION}::test_an_adopter_that_loses_its_lease_leaves_the_first_ones_names",),
    ),
    Guard(
        "each sweep there is a look from the start of the line",
        "worker/floor.py",
        "return Look({} if now >= self._full_due else dict(self._floors), now)",
        "return Look(dict(self._floors), now)",
        (
            f"{FLOOR}::test_while_jobs_are_found_there_is_a_full_look_each_sweep",
            f"{BEHIND}::test_a_worker_that_finds_nothing_looks_again_from_the_start",
        ),
    ),
    Guard(
        "a full look that was cut short proves nothing of a line's end",
        "worker/floor.py",
        "        seen = {} if is_cut else self._floors\n",
        "        seen = self._floors\n",
        (f"{FLOOR}::test_a_full_look_that_filled_all_slots_says_only_that_nothing_older_waits",),
    ),
)
