"""Times are UTC and say so, in whatever zone the sessions of the database are."""

import re
from datetime import datetime

import pytest

from tests.app.api.conftest import Service
from tests.app.api.people import PAGE


@pytest.fixture
def tokyo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have libpq ask for a zone, as a server, a database or a role may have it set."""
    monkeypatch.setenv("PGTZ", "Asia/Tokyo")


@pytest.mark.usefixtures("tokyo")
def test_the_document_the_story_and_the_page_of_operators_tell_utc(service: Service) -> None:
    path = service.upload()["links"]["self"]
    document = service.document(path)
    assert document["created_at"].endswith("Z")
    page = service.client.get(path, headers=PAGE).text
    [(told, shown)] = re.findall(r'<time datetime="([^"]+)">([^<]+)</time>', page)
    began = datetime.fromisoformat(document["created_at"])
    assert datetime.fromisoformat(told).utcoffset() == began.utcoffset()
    assert shown.endswith(f"{datetime.fromisoformat(told):%H:%M:%S}")
    assert abs(datetime.fromisoformat(told) - began).total_seconds() < 60
    operators = service.client.get("/ops", headers=PAGE).text
    [(told, shown)] = re.findall(r'<time datetime="([^"]+)">([^<]+)</time> UTC', operators)
    assert datetime.fromisoformat(told).utcoffset() == began.utcoffset()
    assert shown == f"{datetime.fromisoformat(told):%Y-%m-%d %H:%M:%S}"
