"""What the walks over all points find is told together."""

from tests.chaos.all_points import together


def test_no_walk_takes_the_place_of_what_another_found() -> None:
    found: list[dict[str, list[str]]] = [
        {"impossible": ["one"], "lost": ["two"]},
        {},
        {"impossible": ["three"]},
    ]
    assert together(found) == {"impossible": ["one", "three"], "lost": ["two"]}
