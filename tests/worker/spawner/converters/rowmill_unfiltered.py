"""The converter that misbehaves, in a spawner whose cells have no system call filter.

Whoever got past the filter could make processes: what it leaves has to be ended all the same.
"""

import importlib

from worker.cell import seccomp, selftest

convert = importlib.import_module("rowmill_misbehave_convert").convert

seccomp.apply = lambda leave: None
selftest.check = lambda outside: None
