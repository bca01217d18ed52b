"""The process in which cases run: one JSON line in, one JSON line out, until its input ends.

It is a process of its own so that a crash, a hang or a hunger for memory is a finding like any other.
"""

import faulthandler
import importlib
import json
import os
import pathlib
import sys
import time
import warnings

AGAIN = 3       # a case that took too long runs this often, and the least time counts
WAITING = 10    # how much longer a case may last than it may work: for other processes and for files
QUEUED = pathlib.Path("/proc/self/schedstat")       # of Linux; its second number counts nanoseconds


def seconds_queued():
    """How long this thread has waited for a processor of a busy machine; 0 where that is unknown."""
    return int(QUEUED.read_text().split()[1]) / 1e9 if QUEUED.exists() else 0.0


def seconds_and_finding(front, case):
    """One run of a case: what this process worked, or a part of its duration, of which a busy machine took nothing."""
    began, worked = time.perf_counter() - seconds_queued(), time.process_time()
    try:
        finding = front.run(case)
    except Exception as error:          # whatever it is, no front lets it out on purpose
        finding = f"{type(error).__name__}: {error}"
    lasted = time.perf_counter() - seconds_queued() - began
    return max(time.process_time() - worked, lasted / WAITING), finding


def judge(front, case):
    """What is wrong with a case, or None."""
    took, finding = seconds_and_finding(front, case)
    tries = 1
    while finding is None and took > front.SECONDS and tries < AGAIN:
        again, finding = seconds_and_finding(front, case)
        took, tries = min(took, again), tries + 1
    if finding is None and took > front.SECONDS:
        return f"took {took:.2f} s, and may take {front.SECONDS} s"
    return finding


def serve(name):
    """Answer cases of one front."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)                       # what a case prints must not stand among the answers
    warnings.simplefilter("ignore")
    front = importlib.import_module(name)
    for line in sys.stdin:
        asked = json.loads(line)
        case = front.case(asked["seed"]) if "seed" in asked else asked["case"]
        faulthandler.dump_traceback_later(30 + WAITING * front.SECONDS)     # where it hangs, for the driver to show
        answer = {"case": case, "finding": judge(front, case)}
        faulthandler.cancel_dump_traceback_later()
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    sys.path[0] = os.path.dirname(sys.path[0])          # tests/, where helpers and this package are
    serve(sys.argv[1])
