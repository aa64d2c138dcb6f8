"""A converter whose import crashes the whole process."""

import os

os.abort()
