"""The Dockerfile keeps its rules, and each rule notices when it is broken."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.containers.dockerfile import complaints

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Dockerfile").read_text()


def lint(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            Path(sys.executable).with_name("hadolint"),
            "--no-color",
            "--config",
            ROOT / ".hadolint.yaml",
            "-",
        ],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_dockerfile_keeps_its_rules() -> None:
    assert complaints(TEXT, root=ROOT) == []


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ('CMD ["rowmill", "api"]', "CMD rowmill api", "CMD is not in exec form"),
        ('CMD ["rowmill", "api"]', 'ENTRYPOINT rowmill\nCMD ["api"]', "ENTRYPOINT is not in exec"),
        ('["python", "-m", "worker", "--check"]', "worker --check", "HEALTHCHECK is not in exec"),
        ('CMD ["python", "-m", "worker"]\n', 'CMD ["rowmill", "up"]\n', "its command is not"),
        ('CMD ["rowmill", "api"]', 'CMD ["rowmill", "serve"]', "its command is not"),
        ("AS worker\n", "AS converter\n", "there is no such target"),
        ("USER 10001:10001\nEXPOSE", "EXPOSE", "it runs as root"),
        ("USER 10001:10001\nEXPOSE", "USER rowmill\nEXPOSE", "it runs as root"),
        ("USER 10001:10001\nEXPOSE", "USER 0:0\nEXPOSE", "it runs as root"),
        ("STOPSIGNAL SIGTERM", "STOPSIGNAL SIGKILL", "not stopped by SIGTERM"),
        ("VOLUME /data\n", "", "no VOLUME"),
        ("HEALTHCHECK --interval=15s", "# HEALTHCHECK", "no HEALTHCHECK"),
        ("fonts-dejavu-core", "gcc", "its image has gcc"),
        ("COPY --from=api-packages", "RUN pip install .\nCOPY --from=", "its image has pip"),
        (" --require-hashes -r requirements/build.txt", " -r requirements/build.txt", "unlocked"),
        ("--only-binary :all: --no-binary pyvips", "--no-binary pyvips", "not as a wheel"),
        ("install --no-cache-dir --no-index", "install --no-index", "leaves a cache"),
        ("requirements/worker.txt requirements/", "requirements/none.txt requirements/", "no such"),
        ("COPY app app", "COPY bench bench", ".dockerignore keeps it"),
        ("ROWMILL_PORT=8000", "ROWMILL_PORTS=8000", "ROWMILL_PORTS is not a setting"),
        ("ROWMILL_PORT=8000", "ROWMILL_PORT=http", "is not a whole number"),
    ],
)
def test_a_broken_rule_is_noticed(right: str, wrong: str, complaint: str) -> None:
    assert right in TEXT
    assert complaint in "\n".join(complaints(TEXT.replace(right, wrong), root=ROOT))


def test_hadolint_has_nothing_to_say() -> None:
    found = lint(TEXT)
    assert (found.returncode, found.stdout) == (0, "")


def test_hadolint_would_say_something() -> None:
    found = lint(TEXT.replace('CMD ["rowmill", "api"]', "CMD rowmill api"))
    assert found.returncode == 1
    assert "DL3025" in found.stdout


def test_a_target_installs_its_own_lock_and_no_other() -> None:
    installed = dict(re.findall(r"--wheel-dir (\w+) +-r requirements/(\w+)\.txt", _joined()))
    assert installed == {"api": "api", "worker": "worker"}
    for target in installed:
        packages = _joined().split(f"AS {target}-packages")[1].split("FROM")[0]
        assert re.findall(r"(\w+)/\*\.whl", packages) == [target, "rowmill"]
        assert f"COPY --from={target}-packages" in _joined().split(f"AS {target}\n")[1]


def test_both_targets_stand_on_the_same_base_image() -> None:
    bases = [image for image in re.findall(r"^FROM (\S+)", TEXT, re.MULTILINE) if ":" in image]
    assert len(bases) == 1
    assert re.fullmatch(r"python:3\.\d+-slim-\w+", bases[0])


def _joined() -> str:
    return re.sub(r"\\\n", " ", TEXT)
