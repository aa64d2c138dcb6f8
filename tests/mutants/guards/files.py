"""The guards of files and their rows: nothing is lost, nothing is swept too early."""

from tests.mutants.guard import Guard

DURABILITY = "tests/app/storage/test_durability.py"
AWAY = "tests/app/api/test_outages.py"
INTAKE = "tests/app/test_intake.py"
ADOPTION = "tests/worker/test_adoption.py"

GUARDS: tuple[Guard, ...] = (
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
        "a full disk is not taken for what a library lacks",
        "worker/trials.py",
        "return result if _is_whole(result) or (was_room and has_room(place)) else NO_ROOM",
        "return result",
        ("tests/worker/test_retrial.py::test_what_there_is_no_room_to_try_is_tried_again",),
    ),
    Guard(
        "what has found itself unconfined offers nothing again",
        "worker/desk.py",
        "        self._renewed = lambda: None\n",
        "",
        ("tests/worker/test_retrial.py::test_who_has_withdrawn_offers_nothing_again",),
    ),
)
