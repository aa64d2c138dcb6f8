"""The pictures of the bench under load: small, middling and large ones, as people send them."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pyvips

SIZES = {"small": (640, 480), "middling": (1800, 1350), "large": (4000, 3000)}
SHARES = {"small": 70, "middling": 25, "large": 5}  # of a hundred


def pictures() -> dict[str, bytes]:
    """Return one JPEG of each size, of noise that was blurred, which is as hard as a photo."""
    made = {}
    with TemporaryDirectory() as folder:
        for name, (width, height) in SIZES.items():
            noise = pyvips.Image.gaussnoise(width, height, mean=128, sigma=60, seed=7)
            path = Path(folder) / f"{name}.jpg"
            noise.gaussblur(2).cast("uchar").write_to_file(str(path))
            made[name] = path.read_bytes()
    return made


def mixed(seed: int) -> random.Random:
    """Return a random source of one person, the same in each run."""
    return random.Random(seed)


def choose(chance: random.Random) -> str:
    """Return the name of a size, by its share."""
    return chance.choices(list(SHARES), weights=list(SHARES.values()))[0]
