"""What bytes alone do not show, the name does: through the door, by a worker, to a true outcome."""

from pathlib import Path

import httpx
import pytest

from tests.postgres import Server
from tests.system.house import house_on
from tests.worker.converters.office import documents

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


def test_an_odd_table_is_converted_and_a_document_cut_short_is_called_damaged(
    postgres: Server, tmp_path: Path
) -> None:
    with house_on(postgres, tmp_path, ROWMILL_KINDS="table,document") as house:
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


def _put(client: httpx.Client, name: str, content: bytes, **wishes: str) -> httpx.Response:
    """Send a file and wait until its job has ended; return the result, or why there is none."""
    answer = client.put(f"/uploads/{name}", content=content, params={"wait": "30", **wishes})
    assert answer.status_code == 303, (name, answer.text)
    return client.get(answer.headers["location"])
