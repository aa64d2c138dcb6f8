"""What bytes alone do not show, the name does: through the door, by a worker, to a true outcome."""

from pathlib import Path

import httpx
import pytest

from tests.polling import poll
from tests.postgres import Server
from tests.system.house import House, house_on
from tests.worker.converters.office import documents
from tests.worker.converters.pdf import documents as pdfs

pytestmark = pytest.mark.system

TABLE = "id,name\n1,{}nn\n2,Bob\n"
ODD = {
    "a nul": (TABLE.format("A\0").encode(), {}),
    "utf-16 without a mark": (TABLE.format("A").encode("utf-16-le"), {}),
    "utf-16 as it is told": (TABLE.format("A").encode("utf-16-be"), {"encoding": "utf-16-be"}),
    "utf-16 with a nul": (("\ufeff" + TABLE.format("A\0")).encode("utf-16-le"), {}),
}
CUT = {"docx": "html", "odt": "md", "xlsx": "csv", "ods": "csv"}
PARTS = (0.04, 0.6)
SECRET, WRONG = "hunter2-of-the-house", "hunter3-of-the-house"


def test_an_odd_table_is_converted_a_short_document_damaged_and_a_password_in_no_log(
    postgres: Server, tmp_path: Path
) -> None:
    said = {"ROWMILL_KINDS": "table,document,pdf", "ROWMILL_LOG_LEVEL": "debug"}
    with house_on(postgres, tmp_path, **said) as house:
        house.api()
        house.worker()
        with house.client() as client:
            for case, (content, options) in ODD.items():
                answer = _put(client, "table.csv", content, to="ndjson", **options)
                assert answer.text.count("\n") == 2, (case, answer.text)
                assert '"name":"A' in answer.text, (case, answer.text)
            for name, target in CUT.items():
                whole = documents.sample(name)
                for part in PARTS:
                    answer = _put(client, f"a.{name}", whole[: int(len(whole) * part)], to=target)
                    assert answer.json()["error"]["code"] == "corrupt_input", (name, answer.text)
            _send_passwords(client)
        _assert_no_password_in_the_logs(house)


def _put(client: httpx.Client, name: str, content: bytes, **wishes: str) -> httpx.Response:
    """Send a file and wait until its job has ended; return the result, or why there is none."""
    answer = client.put(f"/uploads/{name}", content=content, params={"wait": "30", **wishes})
    assert answer.status_code == 303, (name, answer.text)
    return client.get(answer.headers["location"])


def _send_passwords(client: httpx.Client) -> None:
    """Open a locked document by a password in the query and in a form; try a wrong one in both."""
    locked = pdfs.locked(pdfs.document("Hello"), user=SECRET)
    for password, told in ((SECRET, "Hello"), (WRONG, "password_wrong")):
        wishes = {"to": "txt", "password": password}
        assert told in _put(client, "a.pdf", locked, **wishes).text
        answer = client.post("/uploads?wait=30", data=wishes, files={"file": ("a.pdf", locked)})
        assert answer.status_code == 303, answer.text
        assert told in client.get(answer.headers["location"]).text


def _assert_no_password_in_the_logs(house: House) -> None:
    api, worker = house.processes
    refused = len(CUT) * len(PARTS) + 2
    poll(lambda: len(worker.lines("job.refused")) == refused, why=house.logs)
    for process in (api, worker):
        assert "hunter" not in process.log.read_text()
