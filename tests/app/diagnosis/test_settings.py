"""Settings that Rowmill counts on are told as they are, and what it costs where one is off."""

import pytest

from app import db
from app.diagnosis import server

GOOD = {
    "autovacuum": "on",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "track_counts": "on",
    "pool_pre_ping": "on",
    "idle_in_transaction_session_timeout": "60000ms",
}


def test_settings_are_those_of_the_server_and_not_of_the_transaction(
    sessions: db.Sessions,
) -> None:
    with sessions() as session:
        found = server.read(session)
    assert found["autovacuum"] in {"on", "off"}
    assert found["idle_in_transaction_session_timeout"] == "0ms"
    assert found["pool_pre_ping"] == "on"


def test_a_setting_that_is_off_is_said_with_what_it_costs() -> None:
    for name in GOOD:
        bad = GOOD | {name: "off" if name != "idle_in_transaction_session_timeout" else "0ms"}
        [finding] = server.findings(bad)
        assert finding.state == "warning"
        assert finding.says.startswith(f"{name} is off")


def test_each_setting_is_told_with_what_it_is() -> None:
    [well] = server.findings(GOOD)
    assert well.state == "ok"
    assert all(f"{name} {value}" in well.says for name, value in GOOD.items())
    [ill] = server.findings(GOOD | {"fsync": "off"})
    assert "autovacuum on" in ill.says


@pytest.mark.parametrize("word", ["on", "remote_apply", "remote_write", "local"])
def test_what_this_servers_own_disk_has_before_the_answer_is_safe(word: str) -> None:
    [finding] = server.findings(GOOD | {"synchronous_commit": word})
    assert (finding.state, f"synchronous_commit {word}" in finding.says) == ("ok", True)
