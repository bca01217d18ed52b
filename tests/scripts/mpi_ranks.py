"""Training, files, metrics and random numbers of 2, 3, 4, ... processes, compared with one process, and 'dist_async':

    python tests/scripts/mpi_ranks.py --minutes 1

It needs mpirun and mpi4py, and prints a line for each number of processes. A difference is an AssertionError.
"""

import argparse
import contextlib
import itertools
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "kvstore")]

import test_mpi_async  # noqa: E402
from test_mpi_estimator import check  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1)
    end = time.monotonic() + 60 * parser.parse_args().minutes
    for ranks in itertools.cycle((2, 3, 4)):
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            check(ranks)
            test_mpi_async.check(ranks)
        print(f"{ranks} processes: equal to one, and dist_async is right, {time.monotonic() - begin:.1f} s", flush=True)
        if time.monotonic() > end and ranks == 4:
            break


if __name__ == "__main__":
    main()
