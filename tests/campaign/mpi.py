"""Faults of one process among several: the job ends within its limit, and a message names the process."""

import json
import random
import re

from helpers import ROOT
from helpers.mpi import missing  # noqa: F401 - for the test of fronts
from helpers.mpi import run as mpirun
from helpers.mpi_faults import FAULTS

SECONDS = 30.0          # a start, the limit below, and what a machine with other work takes
IN_CI = 1               # a start is slow; tests/kvstore/test_mpi_faults.py has many faults in one
WAITS = 3               # MINIGLUON_MPI_TIMEOUT

DIFFERENT = "the processes are not at the same call of their store: .*process {rank}: "
ENDED = "process {rank} of {count} has ended, while process"
ERROR = "process {rank} of {count} raised an error, which ends the job:"
HANGS = r"has waited \d+ s for process {rank} of {count} \(pid \d+ on "
SIGNAL = "process rank {rank} with PID .* exited on signal {number}"
EXPECTED = {
    "fewer steps": ENDED, "exit 0": ENDED, "exit 3": f"{ENDED}|\\[\\[\\d+,1\\],{{rank}}\\]",
    "end beside a thread": f"{ENDED}|{DIFFERENT}|process {{rank}} of {{count}} ends, which ends the job: ",
    "caught and ended": f"{DIFFERENT}|{ENDED}",
    "error": ERROR, "kind of keys": ERROR, "none": ERROR, "interrupt": ERROR, "error in a thread": ERROR,
    "sleep": HANGS, "spin": HANGS, "stopped": HANGS, "stopped before numbers": HANGS, "another collective": HANGS,
    "killed": SIGNAL.replace("{number}", "9"), "crash": SIGNAL.replace("{number}", "11"),
    "vanished": "process rank {rank} with PID .* on\nnode .* exiting improperly",
    "vanished with 3": r"\[\[\d+,1\],{rank}\]\n *Exit code: +3",
}


def case(seed):
    draw = random.Random(seed)
    count = draw.choice([2, 2, 3, 4])
    return {"fault": list(FAULTS)[seed % len(FAULTS)], "count": count, "rank": draw.randrange(count),
            "at": draw.randrange(12)}


def run(case):
    result = mpirun(case["count"], ROOT / "tests" / "helpers" / "mpi_faults.py", json.dumps(case), limit=SECONDS,
                    MINIGLUON_MPI_TIMEOUT=str(WAITS))
    return finding(case, result)


def finding(case, result):
    """What is wrong with the end of a job, or None."""
    said = f": {result.stdout[-1000:]}{result.stderr[-3000:]}"
    if result.returncode is None:
        return f"it had not ended after {SECONDS} s{said}"
    if case["fault"] == "none at all":
        all_done = result.stdout.replace("\n", "") == "done" * case["count"]      # lines of processes may come mixed
        return None if result.returncode == 0 and all_done else f"it fails{said}"
    if result.returncode == 0:
        return f"exit code 0{said}"
    expected = EXPECTED.get(case["fault"], DIFFERENT).format(**case)
    if not re.search(expected, re.sub(r"\bprocesses (\d[\d, and]*\d)", _each, result.stderr)):
        return f"no message that names process {case['rank']}{said}"
    return None


def _each(ranks):
    """'processes 0, 2 and 3' as 'process 0: process 2: process 3', the last with what follows it."""
    return ": ".join(f"process {number}" for number in re.findall(r"\d+", ranks[1]))


def smaller(case):
    if case["count"] > 2:
        yield {**case, "count": 2, "rank": case["rank"] % 2}
    if case["at"]:
        yield {**case, "at": 0}
