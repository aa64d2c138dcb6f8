"""What docker-compose.yml must keep to start as it is, stop well and give little away."""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from app.settings import BadSetting, Settings, from_environment
from worker.drain import LAST_WORDS_SECONDS

OURS = ("migrate", "api", "worker")
COMMANDS = {"migrate": ["rowmill", "migrate"], "api": None, "worker": None}
_WORKER_ITSELF = 1024**3
_UNITS = {"b": 1, "k": 1024, "m": 1024**2, "g": 1024**3}
_TIMES = {"s": 1, "m": 60, "h": 3600}
_READY = {
    "migrate": {"database": "service_healthy"},
    "api": {"database": "service_healthy", "migrate": "service_completed_successfully"},
    "worker": {"database": "service_healthy", "migrate": "service_completed_successfully"},
}


def complaints(text: str) -> list[str]:
    """Return what is wrong with a compose file."""
    file = read(text)
    services = file["services"]
    ours = {name: services[name] for name in OURS}
    found = [f"${{{name}}} has no default" for name in re.findall(r"\$\{(\w+)\}", text)]
    found += [f"{name}: {wrong}" for name in OURS for wrong in _misread(ours[name])]
    if found:
        return found
    for name, service in ours.items():
        rules = [*_confined(service), *_settings(service), *_starts(name, service)]
        found += [f"{name}: {wrong}" for wrong in rules]
    found += [f"database: {wrong}" for wrong in _database(services["database"])]
    found += [f"api: {wrong}" for wrong in _published(services["api"])]
    found += [f"worker: {wrong}" for wrong in _limits(services["worker"])]
    return found + list(_reachable(file))


def read(text: str) -> dict[str, Any]:
    """Return the file as compose reads it where no variable is set."""
    file: dict[str, Any] = yaml.safe_load(re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text))
    return file


def variables(text: str) -> set[str]:
    """Return the variables that an operator may set for compose itself."""
    return set(re.findall(r"\$\{(\w+)", text))


def _misread(service: dict[str, Any]) -> Iterator[str]:
    try:
        _of(service)
    except BadSetting as error:
        yield str(error)


def _database(service: dict[str, Any]) -> Iterator[str]:
    if not re.fullmatch(r"postgres:18(-\w+)?", service["image"]):
        yield "it is not PostgreSQL 18"
    if "idle_in_transaction_session_timeout=" not in " ".join(service["command"]):
        yield "a forgotten transaction would stay open"
    if not isinstance(service["command"], list):
        yield "its command is not a list"
    if "healthcheck" not in service:
        yield "nobody knows when it is ready"
    if not any(str(volume).endswith(":/var/lib/postgresql") for volume in service["volumes"]):
        yield "its data would not outlive the container"


def _confined(service: dict[str, Any]) -> Iterator[str]:
    if not re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", str(service.get("user"))):
        yield "it may run as root"
    if service.get("cap_drop") != ["ALL"] or "cap_add" in service:
        yield "it keeps capabilities"
    if service.get("security_opt") != ["no-new-privileges:true"]:
        yield "it may gain privileges"
    if service.get("read_only") is not True:
        yield "its root file system can be written"
    if not any(re.match(r"/tmp:.*noexec.*size=", mount) for mount in service.get("tmpfs", [])):
        yield "it has no small /tmp"
    if service.get("privileged") or any("docker.sock" in str(v) for v in service["volumes"]):
        yield "it owns the host"
    if service.get("init") is not True:
        yield "nobody buries its orphans"


def _settings(service: dict[str, Any]) -> Iterator[str]:
    settings = _of(service)
    if settings.database_url is None:
        yield "it has no DATABASE_URL"
    if f"files:{settings.data}" not in service["volumes"]:
        yield "its data folder is not the volume that all share"
    # After the grace a worker still tells the database whose jobs it gives back.
    needed = settings.grace_seconds + LAST_WORDS_SECONDS
    if _seconds(service.get("stop_grace_period", "10s")) <= needed:
        yield "stop_grace_period is not longer than ROWMILL_GRACE_SECONDS"


def _starts(name: str, service: dict[str, Any]) -> Iterator[str]:
    if service.get("command") != COMMANDS[name]:
        yield "its command is not the one of its image, or not a list"
    waits = {of: wait["condition"] for of, wait in service.get("depends_on", {}).items()}
    if waits != _READY[name]:
        yield "it does not wait for what it needs"
    target = "worker" if name == "worker" else "api"
    if service["build"]["target"] != target or service["image"] != f"rowmill-{target}":
        yield f"its image is not the target {target}"
    if (service["restart"] == "no") != (name == "migrate"):
        yield "it is started again when it should not be, or the other way round"


def _published(service: dict[str, Any]) -> Iterator[str]:
    port = _of(service).port
    if service["ports"] != [f"127.0.0.1:8000:{port}"]:
        yield "it is not published on 127.0.0.1:8000"
    if "mem_limit" not in service or "pids_limit" not in service:
        yield "it has no limit on memory or processes"


def _limits(service: dict[str, Any]) -> Iterator[str]:
    if not {"cpus", "mem_limit", "memswap_limit", "pids_limit"} <= service.keys():
        yield "it has no limit on CPU, memory, swap or processes"
        return
    if "ROWMILL_SLOTS" in service["environment"]:
        yield "ROWMILL_SLOTS hides its CPU quota"
    needed = max(1, int(service["cpus"])) * _of(service).memory_limit_bytes + _WORKER_ITSELF
    if not needed <= _bytes(service["mem_limit"]) == _bytes(service["memswap_limit"]):
        yield "its memory is too small for its slots, or it swaps"


def _reachable(file: dict[str, Any]) -> Iterator[str]:
    inside = {name for name, network in file["networks"].items() if (network or {}).get("internal")}
    for name, service in file["services"].items():
        if "container_name" in service:
            yield f"{name}: a name hinders scaling"
        if name == "api":
            continue
        if not {*service.get("networks", ["default"])} <= inside:
            yield f"{name}: it reaches a network that is not internal"
        if "ports" in service:
            yield f"{name}: it publishes a port"


def _of(service: dict[str, Any]) -> Settings:
    given = {name: str(value) for name, value in service["environment"].items()}
    return from_environment(given)


def _seconds(text: str) -> float:
    return float(text[:-1]) * _TIMES[text[-1]]


def _bytes(text: str) -> float:
    return float(text[:-1]) * _UNITS[text[-1]]
