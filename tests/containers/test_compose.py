"""The compose file keeps its rules, fits its schema, and each rule notices when it is broken."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import COMMANDS as CLI
from tests.containers import compose
from tests.containers.compose import complaints

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text()


def fits_the_schema(path: Path) -> bool:
    checker = Path(sys.executable).with_name("check-jsonschema")
    command = [str(checker), "--builtin-schema", "vendor.compose-spec", str(path)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_the_compose_file_keeps_its_rules() -> None:
    assert complaints(TEXT) == []


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("cap_drop: [ALL]\n  sec", "cap_drop: [NET_RAW]\n  sec", "keeps capabilities"),
        ("user: ", "# user: ", "may run as root"),
        ('"10001:10001"', '"0:0"', "may run as root"),
        ("  read_only: true\n", "", "can be written"),
        ('  security_opt: ["no-new-privileges:true"]\n  tmp', "  tmp", "gain privileges"),
        ("noexec,", "", "no small /tmp"),
        ("init: true", "init: false", "buries"),
        ('["files:/data"]', '["/var/run/docker.sock:/run/docker.sock"]', "owns the host"),
        ("ROWMILL_DATA: /data", "ROWMILL_DATA: /srv", "not the volume"),
        ("ROWMILL_DATA: /data", "ROWMILL_DATAS: /data", "ROWMILL_DATAS is not a setting"),
        ("DATABASE_URL: postgresql:", "DATABASE_URL: mysql:", "must begin with postgresql"),
        ("DATABASE_URL: ", "DATABASE: ", "no DATABASE_URL"),
        ("ROWMILL_GRACE_SECONDS: 30", "ROWMILL_GRACE_SECONDS: 40", "not longer"),
        ("ROWMILL_GRACE_SECONDS: 30", "ROWMILL_LEASE_SECONDS: 20", "must be at most half"),
        ("stop_grace_period: 45s", "stop_grace_period: 30s", "not longer"),
        ("  stop_grace_period: 45s\n", "", "not longer"),
        ("[rowmill, migrate]", "rowmill migrate", "not a list"),
        ("[rowmill, migrate]", "[rowmill, upgrade]", "not the one of its image"),
        ("service_completed_successfully", "service_started", "does not wait"),
        ("service_healthy", "service_started", "does not wait"),
        ("target: worker", "target: api", "not the target worker"),
        ('restart: "no"', "restart: always", "started again"),
        ("${ROWMILL_HOST:-127.0.0.1}", "${ROWMILL_HOST:-0.0.0.0}", "not published on 127"),
        ("${ROWMILL_PORT:-8000}", "${ROWMILL_PORT}", "has no default"),
        ("    pids_limit: 256\n", "", "no limit on memory or processes"),
        ("    pids_limit: 512\n", "", "no limit on CPU"),
        ("    mem_limit: ${W", "    # mem_limit: ${W", "no limit on CPU"),
        ("WORKER_CPUS:-1", "WORKER_CPUS:-2", "too small for its slots"),
        ("memswap_limit: ${WORKER_MEMORY:-3g}", "memswap_limit: 9g", "swaps"),
        ("networks: [inside]\n    # A", "networks: [outside]\n    # A", "worker: it reaches"),
        ("inside: {internal: true}", "inside:", "database: it reaches"),
        (
            "    networks: [inside]\n    health",
            '    ports: ["5432:5432"]\n    health',
            "database: ",
        ),
        (
            "image: rowmill-worker",
            "image: rowmill-worker\n    container_name: w",
            "hinders scaling",
        ),
        ("postgres:18-bookworm", "postgres:14", "not PostgreSQL 18"),
        ("idle_in_transaction_session_timeout=60s", "work_mem=8MB", "forgotten transaction"),
        ("database:/var/lib/postgresql", "database:/var/lib/postgresql/data", "outlive"),
    ],
)
def test_a_broken_rule_is_noticed(right: str, wrong: str, complaint: str) -> None:
    assert right in TEXT
    assert complaint in "\n".join(complaints(TEXT.replace(right, wrong)))


def test_the_worker_is_given_no_number_of_slots() -> None:
    grown = TEXT.replace(
        "environment: *environment\n    # No", "environment: {ROWMILL_SLOTS: 4}\n    #"
    )
    assert any("hides its CPU quota" in complaint for complaint in complaints(grown))


def test_it_fits_the_schema_of_compose(tmp_path: Path) -> None:
    assert fits_the_schema(ROOT / "docker-compose.yml")
    broken = tmp_path / "docker-compose.yml"
    broken.write_text(TEXT.replace("healthcheck:", "healthchecks:"))
    assert not fits_the_schema(broken)


def test_the_commands_it_names_exist() -> None:
    named = [command[1] for command in compose.COMMANDS.values() if command]
    assert {*named} <= {*CLI}


def test_what_compose_itself_reads_is_little() -> None:
    chosen = {"OFFICE", "POSTGRES_PASSWORD", "ROWMILL_HOST", "ROWMILL_PORT"}
    chosen |= {"WORKER_CPUS", "WORKER_MEMORY"}
    assert compose.variables(TEXT) == chosen
