"""The guards of uploads: one at a time writes, what is promised is there, a part is no whole."""

from tests.mutants.guard import Guard

TUS = "tests/app/api/resumable"
TAKEOVER = f"{TUS}/test_takeover.py"
ROOM = f"{TUS}/test_room.py"
LENGTH = f"{TUS}/test_length.py"
WHOLE = "tests/app/api/test_uploads.py"
KEYS = "tests/app/api/test_idempotency.py"
TAKEN_OVER = "test_a_key_that_nobody_holds_any_more_can_be_taken_over_and_not_be_bound_by_the_first"
HOLD = "tests/app/api/test_idempotency_hold.py"
TABS = "tests/browser/test_tabs.py"
IN_LANES = "test_three_are_sent_at_a_time_by_all_tabs_together_and_none_is_called_halfway"
HELD = "test_two_answers_are_held_for_all_tabs_together_and_the_others_come_at_once"

GUARDS: tuple[Guard, ...] = (
    Guard(
        "one at a time writes to an upload",
        "app/ingest/resumable/part.py",
        "fcntl.LOCK_EX | fcntl.LOCK_NB",
        "fcntl.LOCK_SH | fcntl.LOCK_NB",
        ("tests/app/ingest/test_resumable.py::test_one_at_a_time_has_the_file",),
    ),
    Guard(
        "a newcomer ends whoever writes here",
        "app/ingest/resumable/turns.py",
        "            holder.release(Reason.TAKEN_OVER)\n",
        "",
        (f"{TAKEOVER}::test_a_new_patch_takes_over_too",),
    ),
    Guard(
        "a newcomer raises the epoch for those who write elsewhere",
        "app/ingest/resumable/turns.py",
        "                await self._call(upload_id)\n",
        "",
        (f"{TAKEOVER}::test_who_does_not_let_go_in_time_is_423",),
    ),
    Guard(
        "whoever waits for another process asks again",
        "app/ingest/resumable/turns.py",
        "asks = time.monotonic() + ASK_SECONDS",
        "asks = ends + PATIENCE_SECONDS",
        (f"{TAKEOVER}::test_who_read_the_raised_epoch_for_its_own_is_asked_again",),
    ),
    Guard(
        "a raised epoch ends who wrote by the one before",
        "app/api/resumable/rows.py",
        "WHERE writer_epoch = mine.epoch AND deleted_at IS NULL\n",
        "WHERE deleted_at IS NULL\n",
        (f"{TAKEOVER}::test_who_read_the_raised_epoch_for_its_own_is_asked_again",),
    ),
    Guard(
        "room is promised by one at a time",
        "app/api/resumable/rows.py",
        "    session.execute(select(func.pg_advisory_xact_lock(_RESERVING)))\n",
        "",
        (f"{ROOM}::test_two_processes_that_create_at_once_do_not_promise_the_same_room",),
    ),
    Guard(
        "no more room is promised than there is",
        "app/api/resumable/rows.py",
        "    if total > free:\n",
        "    if False:\n",
        (f"{ROOM}::test_two_processes_that_create_at_once_do_not_promise_the_same_room",),
    ),
    Guard(
        "what open uploads have declared is owed",
        "app/ingest/room.py",
        "for one in self._promises) + self.set_aside",
        "for one in self._promises)",
        (f"{ROOM}::test_what_open_uploads_declared_is_not_given_to_others",),
    ),
    Guard(
        "bytes for another offset are refused",
        "app/api/resumable/routes.py",
        "        _refuse_gap(at, stands=turn.part.size)\n",
        "",
        (f"{TUS}/test_protocol.py::test_bytes_for_another_offset_are_409_with_the_true_one",),
    ),
    Guard(
        "a length is declared after all that can be refused",
        "app/api/resumable/routes.py",
        "        refuse_too_long(parts, request, turn, row)\n",
        "",
        (f"{LENGTH}::test_a_body_that_is_refused_by_its_headers_brings_no_length_either",),
    ),
    Guard(
        "a limit that was lowered takes no byte more",
        "app/api/resumable/bringing.py",
        "return max(0, whole - turn.part.size)",
        "return whole - turn.part.size",
        (f"{LENGTH}::test_what_outgrew_the_limit_before_it_was_lowered_gets_no_byte_more",),
    ),
    Guard(
        "of a header that comes twice neither is taken",
        "app/api/resumable/headers.py",
        "    if len(lines) > 1:\n",
        "    if False:\n",
        (f"{TUS}/test_lines.py::test_a_header_that_comes_twice_is_refused_and_neither_is_taken",),
    ),
    Guard(
        "a part is not taken for a whole file",
        "app/api/uploads.py",
        "    refuse_partial(request)\n",
        "",
        (f"{WHOLE}::test_what_is_said_to_be_a_part_is_not_taken_for_a_whole_file",),
    ),
    Guard(
        "a key is one request's as long as it is held",
        "app/api/idempotency.py",
        "            if is_held:\n",
        "            if False:\n",
        (f"{KEYS}::test_while_the_first_is_under_way_the_second_is_told_to_wait",),
    ),
    Guard(
        "the hold of a key is renewed",
        "app/api/idempotency.py",
        "values(held_until=longer)",
        "values(held_until=Key.held_until)",
        (f"{HOLD}::test_a_key_is_held_as_long_as_its_request_takes",),
    ),
    Guard(
        "a key that was taken over is bound by its holder alone",
        "app/api/idempotency.py",
        "Key.digest == self.digest, Key.holder == self.holder",
        "Key.digest == self.digest",
        (f"{KEYS}::{TAKEN_OVER}",),
    ),
    Guard(
        "three files are sent at a time by all tabs together",
        "app/web/static/lanes.js",
        "navigator.locks.request(lane,",
        "navigator.locks.request(`${lane} of ${performance.timeOrigin}`,",
        (f"{TABS}::{IN_LANES}",),
    ),
    Guard(
        "two answers are held for all tabs together",
        "app/web/static/holds.js",
        "navigator.locks.request(hold,",
        "navigator.locks.request(`${hold} of ${performance.timeOrigin}`,",
        (f"{TABS}::{HELD}",),
    ),
)
