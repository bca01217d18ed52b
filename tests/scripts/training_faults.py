"""Faults of one process while it trains: each job ends in time with a message that names the process, or goes on.

    python tests/scripts/training_faults.py [NAME ...]

It needs mpirun and mpi4py, and prints a line for each fault and their number. The campaign `mpi` has other faults.
"""

import contextlib
import re
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers import ROOT
from helpers.mpi import run
from helpers.mpi_training_faults import EXPECTED

PROGRAM = ROOT / "tests" / "helpers" / "mpi_training_faults.py"
SECONDS = 120


def main(names):
    wrong = 0
    for name in names:
        ends, pattern = EXPECTED[name]
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            result = run(2, PROGRAM, name, limit=SECONDS, MINIGLUON_MPI_TIMEOUT="6")
        printed = result.stdout + result.stderr
        right = result.returncode is not None and (result.returncode == 0) is ends and re.search(pattern, printed)
        wrong += not right
        print(f"{name}: {'as expected' if right else 'WRONG'}, {time.monotonic() - begin:.1f} s", flush=True)
        if not right:
            print(f"exit status {result.returncode}\n{printed[-3000:]}", flush=True)
    print(f"{len(names)} faults, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(EXPECTED)))
