"""The address that a person is told is one that works."""

import pytest

from app.cli.listen import address, listen
from app.settings import BadSetting, Settings


@pytest.mark.parametrize(
    ("host", "told"),
    [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1")],
)
def test_a_person_is_told_an_address_that_works_here(host: str, told: str) -> None:
    with listen(Settings(host=host, port=0)) as door:
        assert address(door) == f"http://{told}:{door.getsockname()[1]}"


def test_a_name_that_nobody_knows_is_a_bad_setting() -> None:
    with pytest.raises(BadSetting, match=r"ROWMILL_HOST='nowhere\.invalid'"):
        listen(Settings(host="nowhere.invalid", port=0))
