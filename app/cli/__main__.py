"""`python -m app.cli` is the same as `rowmill`."""

import sys

from app.cli import main

sys.exit(main())
