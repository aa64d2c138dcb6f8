"""A worker's row is entered once, and says what the worker offers now."""

from dataclasses import replace

from sqlalchemy import Engine, select

from app import db
from app.models import Worker
from worker import registry
from worker.offers import Offers


def test_a_worker_that_enters_again_changes_what_it_offers(engine: Engine) -> None:
    sessions = db.sessions_of(engine)
    offers = Offers({"image": 2}, {"image": {"png": ["jpg"]}}, sandbox="external")
    for given in (offers, replace(offers, problems=["one"]), offers.withdrawn("it does not hold")):
        with sessions.begin() as session:
            registry.enter(session, name="w-1", offers=given, slots=2)
    with sessions.begin() as session:
        [row] = session.scalars(select(Worker)).all()
        assert row.offers == {
            "kinds": {},
            "pairs": {},
            "problems": ["it does not hold"],
            "reasons": {"image": "this worker cannot isolate conversions"},
            "sandbox": "external",
        }
