"""The machine's own troubles are no fault of the picture, and importing starts nothing."""

import json
from pathlib import Path

import pytest

from tests import samples
from tests.python import python
from worker.converters.image import convert, trial
from worker.converters.image.trial import try_pairs
from worker.converters.limits import Limits


def test_importing_starts_no_thread() -> None:
    """The spawner forks after it; a second thread would make every cell a gamble."""
    code = "import os, worker.converters.image\nprint(len(os.listdir('/proc/self/task')))"

    assert python(code) == "1"


def test_after_importing_libvips_reads_nothing_at_all(tmp_path: Path) -> None:
    picture = tmp_path / "a.png"
    picture.write_bytes(samples.sample("png"))
    code = (
        "import pyvips, worker.converters.image\n"
        f"for read in (pyvips.Image.new_from_file, pyvips.Image.pngload, pyvips.Image.csvload):\n"
        f"    try: read({str(picture)!r}); print('read')\n"
        "    except pyvips.Error: print('blocked')"
    )

    assert python(code).split() == ["blocked"] * 3


@pytest.mark.parametrize("name", ["png", "svg", "jpg", "gif"])
def test_one_loader_is_allowed_and_the_others_are_not(tmp_path: Path, name: str) -> None:
    for source in ("png", "svg", "jpg", "gif"):
        (tmp_path / f"a.{source}").write_bytes(samples.sample(source))
    code = (
        "import pyvips\nfrom worker.converters.image import loaders\n"
        "loaders.allow('svg')\n"
        f"loaders.allow({name!r})\n"
        "for source in ('png', 'svg', 'jpg', 'gif'):\n"
        f"    try: pyvips.Image.new_from_file({str(tmp_path)!r} + '/a.' + source); print(source)\n"
        "    except pyvips.Error: pass"
    )

    assert python(code).split() == [name]


@pytest.mark.parametrize(
    "target", ["jpg", "png", "webp", "avif", "tiff", "gif", "bmp", "ico", "pdf"]
)
def test_a_full_disk_is_raised_and_not_blamed_on_the_picture(tmp_path: Path, target: str) -> None:
    source = tmp_path / "input.png"
    source.write_bytes(samples.encoded(samples.noise((200, 200)), "png"))
    code = (
        "import resource, signal\nfrom pathlib import Path\n"
        "from worker.converters.image import convert\n"
        "from worker.converters.limits import Limits\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n"
        f"    print(convert(Path({str(source)!r}), Path({str(tmp_path)!r}, 'output'),"
        f" source_format='png', target_format={target!r}, options={{}}, limits=Limits(),"
        " progress=lambda value, stage: None))\n"
        "except OSError as error: print('OSError', error)"
    )

    said = python(code)

    assert said.startswith("OSError [Errno 27]")  # by which the cell names the failure
    assert "File too large" in said


def test_too_little_memory_is_raised_and_not_blamed_on_the_picture(tmp_path: Path) -> None:
    source = tmp_path / "input.png"
    source.write_bytes(samples.encoded(samples.flag((6000, 6000)), "png"))
    code = (
        "import resource\nfrom pathlib import Path\n"
        "from worker.converters.image import convert\n"
        "from worker.converters.limits import Limits\n"
        "size = int(open('/proc/self/statm').read().split()[0]) * 4096\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size + 90 * 2**20,) * 2)\n"
        "try:\n"
        f"    print(convert(Path({str(source)!r}), Path({str(tmp_path)!r}, 'output'),"
        " source_format='png', target_format='bmp', options={}, limits=Limits(),"
        " progress=lambda value, stage: None))\n"
        "except MemoryError: print('MemoryError')"
    )

    assert python(code) == "MemoryError"


def test_a_header_that_promises_more_than_fits_is_no_lack_of_memory(tmp_path: Path) -> None:
    """Pillow asks for as many bytes as a Photoshop file says there are."""
    source = tmp_path / "input.psd"
    content = samples.encoded(samples.flag(), "psd", profile=bytes(100))
    source.write_bytes(content[:30] + b"\x7f\xff\xff\xff" + content[34:])
    code = (
        "import resource\nfrom pathlib import Path\n"
        "from worker.converters.image import convert\n"
        "from worker.converters.limits import Limits\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
        f"print(convert(Path({str(source)!r}), Path({str(tmp_path)!r}, 'output'),"
        " source_format='psd', target_format='png', options={}, limits=Limits(),"
        " progress=lambda value, stage: None).code)"
    )

    assert python(code) == "corrupt_input"


@pytest.mark.parametrize(
    ("options", "said"),
    [({}, "0.7 GB"), ({"lossless": True}, "1.0 GB"), ({"quality": 95}, "1.0 GB")],
)
def test_what_avif_would_need_is_asked_for_beforehand(
    tmp_path: Path, options: dict[str, object], said: str
) -> None:
    """Its encoder fails wherever memory ends, and that looks like a damaged picture."""
    source = tmp_path / "input.png"
    source.write_bytes(samples.encoded(samples.flag((3000, 3000)), "png"))
    code = (
        "import resource\nfrom pathlib import Path\n"
        "from worker.converters.image import convert\n"
        "from worker.converters.limits import Limits\n"
        "size = int(open('/proc/self/statm').read().split()[0]) * 4096\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size + 600 * 2**20,) * 2)\n"
        f"refused = convert(Path({str(source)!r}), Path({str(tmp_path)!r}, 'output'),"
        f" source_format='png', target_format='avif', options={options!r}, limits=Limits(),"
        " progress=lambda value, stage: None)\n"
        "print(refused.code, refused.detail)"
    )

    told = python(code)

    assert told.startswith("memory_limit AVIF takes about ")
    assert said in told
    assert "9,000,000 pixels" in told


def test_the_trial_says_what_works(tmp_path: Path) -> None:
    target = tmp_path / "output.json"

    facts = trial(tmp_path / "input.none", target).facts

    assert set(facts["pairs"]) >= {"heic", "svg", "png"}
    assert all(reason is None for targets in facts["pairs"].values() for reason in targets.values())
    assert json.loads(target.read_text()) == facts["pairs"]
    assert [left.name for left in tmp_path.iterdir()] == ["output.json"]


def test_the_trial_says_what_does_not_work(tmp_path: Path) -> None:
    """With room for 600 bytes no file of some formats can be written."""
    code = (
        "import resource, signal, json\nfrom pathlib import Path\n"
        "from worker.converters.image.trial import try_pairs\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))\n"
        f"print(json.dumps(try_pairs(Path({str(tmp_path)!r}))))"
    )

    pairs = json.loads(python(code))

    assert pairs["png"]["png"] is None
    assert "OSError" in pairs["png"]["pdf"]


def test_a_third_party_reads_the_limits_as_the_worker_sends_them() -> None:
    assert Limits(**json.loads('{"max_pixels": 5}')).max_pixels == 5
    assert callable(convert)
    assert callable(try_pairs)
