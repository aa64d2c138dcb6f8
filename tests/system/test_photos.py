"""Photos as cameras make them, sent with the line of README.md: WebP, upright, in their size."""

import subprocess
from pathlib import Path

import pillow_heif
import pytest
from PIL import Image, ImageChops, ImageOps, ImageStat

from tests.polling import poll
from tests.postgres import Server
from tests.readme import ADDRESS, examples
from tests.system.house import house_on

pytestmark = [pytest.mark.system, pytest.mark.corpus]

PHOTOS = {"real-heic.heic": (1440, 960), "exif-landscape-6.jpg": (1800, 1200)}


def test_photos_of_cameras_come_back_by_curl_as_webp_and_upright(
    postgres: Server, tmp_path: Path, corpus: Path
) -> None:
    with house_on(postgres, tmp_path, ROWMILL_KINDS="image", ROWMILL_LEASE_SECONDS="60") as house:
        worker = house.start_worker()
        house.api()
        poll(lambda: worker.lines("worker.entered"), why=worker.log.read_text)
        for name, size in PHOTOS.items():
            made = sent_by_curl(corpus / name, f"http://127.0.0.1:{house.api_port}", tmp_path)
            with Image.open(made, formats=["WEBP"]) as image:
                assert image.size == size
                assert image.getexif().get(0x0112, 1) == 1
                assert alike(image, as_a_person_sees_it(corpus / name))


def sent_by_curl(photo: Path, address: str, folder: Path) -> Path:
    """Do what README.md shows first, with this photo and for WebP; return what was saved."""
    shown = examples()[0].command
    command = shown.replace("photo.heic", str(photo)).replace("to=jpg", "to=webp")
    subprocess.run(
        ["bash", "-c", command.replace(ADDRESS, address)], cwd=folder, check=True, timeout=120
    )
    return folder / "photo.jpg"


def as_a_person_sees_it(photo: Path) -> Image.Image:
    if photo.suffix == ".heic":
        heif = pillow_heif.open_heif(photo)  # which turns it as the file says
        return Image.frombytes(
            heif.mode, heif.size, bytes(heif.data), "raw", heif.mode, heif.stride
        )
    with Image.open(photo) as image:
        return ImageOps.exif_transpose(image)


def alike(one: Image.Image, other: Image.Image) -> bool:
    """Whether two pictures are the same from afar; the other way up they are not."""
    small = [image.convert("RGB").resize((30, 20)) for image in (one, other)]
    upright, turned = (
        ImageChops.difference(small[0], two) for two in (small[1], _turned(small[1]))
    )
    return _mean(upright) < 6 < _mean(turned)


def _turned(image: Image.Image) -> Image.Image:
    return image.transpose(Image.Transpose.ROTATE_180)


def _mean(image: Image.Image) -> float:
    return sum(ImageStat.Stat(image).mean) / 3
