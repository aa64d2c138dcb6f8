"""The guards of claims, leases and lines: who may work on a job, and who may say how it ended."""

from tests.mutants.guard import Guard

RACES = "tests/app/queue/test_races.py"
MOVES = "tests/app/queue/test_moves.py"
CLAIM = "tests/app/queue/test_claim.py"
FAULTS = "tests/system/test_faults.py"
OUTAGES = "tests/system/test_outages.py"
LOST_ANSWERS = "tests/system/test_lost_answers.py"
OTHERS = "tests/app/queue/test_faults_of_others.py"
DATABASE = "tests/app/test_db.py"
HANDOVER = "tests/worker/test_handover.py"
FLOOR = "tests/worker/test_floor.py"
BEHIND = "tests/app/queue/test_floor.py"

GUARDS: tuple[Guard, ...] = (
    Guard(
        "the lease in each finishing statement",
        "app/queue/ending.py",
        ".where(Job.lease_id == ending.c.lease_id, Job.status == word(Status.RUNNING))",
        ".where(Job.status == word(Status.RUNNING))",
        (
            f"{RACES}::test_a_finish_behind_a_new_claim_of_a_rescued_job_is_lost",
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
        "a worker may miss all sweeps but one",
        "app/queue/rescuing.py",
        'Worker.missed >= bindparam("misses", type_=Integer)',
        'Worker.missed + 1 >= bindparam("misses", type_=Integer)',
        (f"{OTHERS}::test_a_worker_that_beats_at_the_last_moment_keeps_its_job",),
    ),
    Guard(
        "with a beat nothing is missed",
        "worker/beat.py",
        "heartbeat=func.now(), missed=0,",
        "heartbeat=func.now(),",
        (f"{OTHERS}::test_a_worker_that_beats_at_the_last_moment_keeps_its_job",),
    ),
    Guard(
        "losses are counted to an end",
        "app/queue/rescuing.py",
        "_SPENT = Job.losses + 1 >= MOST_LOSSES",
        "_SPENT = Job.losses < 0",
        (f"{MOVES}::test_the_first_loss_costs_no_pause_and_the_fifth_is_the_end",),
    ),
    Guard(
        "retries of a crowd spread out",
        "app/queue/parts.py",
        "* (0.5 + func.random())",
        "* 1.0",
        (f"{MOVES}::test_retries_that_began_together_do_not_come_back_together",),
    ),
    Guard(
        "TCP gives up what is not acknowledged",
        "app/db.py",
        '        "tcp_user_timeout": 20_000,\n',
        "",
        (f"{DATABASE}::test_a_network_that_is_gone_is_noticed_by_tcp",),
    ),
    Guard(
        "TCP asks an idle end whether it is there",
        "app/db.py",
        """        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
""",
        "",
        (f"{DATABASE}::test_a_network_that_is_gone_is_noticed_by_tcp",),
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
    Guard(
        "a handover waits for nobody",
        "app/queue/handing_over.py",
        "of=Job, key_share=True, skip_locked=True",
        "of=Job, key_share=True",
        (f"{HANDOVER}::test_who_holds_a_job_is_not_waited_for",),
    ),
    Guard(
        "a job with options waits for the family whose they are",
        "app/queue/handing_over.py",
        'Job.payload["options"] == literal({}, JSONB), ~Job.payload.has_key("secrets")',
        "",
        (f"{HANDOVER}::test_a_job_with_options_waits_for_the_family_whose_they_are",),
    ),
    Guard(
        "a handover is told",
        "app/queue/handing_over.py",
        ".add_cte(noted(moved, Move.HAND_OVER, detail=families))",
        "",
        (f"{HANDOVER}::test_a_job_that_nobody_can_do_goes_to_the_family_that_lives",),
    ),
)
