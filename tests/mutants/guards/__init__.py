"""The guards that Rowmill rests on, each with the text without it and the tests that miss it."""

from tests.mutants.guards import answers, cell, files, leases, uploads

GUARDS = (*leases.GUARDS, *files.GUARDS, *answers.GUARDS, *cell.GUARDS, *uploads.GUARDS)
