"""A converter whose import takes for ever, and says so in the first folder of the import path."""

import sys
import time
from pathlib import Path

(Path(sys.path[0]) / "importing").touch()
time.sleep(3600)
