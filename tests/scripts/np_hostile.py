"""Symbol files of `mx.np` with drawn attributes, and calls with drawn arguments: each runs, or raises an MXNetError.

    python tests/scripts/np_hostile.py --minutes 5 [--seed 0]

Prints each other exception once, and the counts. The exit status is 1 if there was one, or if one took over 10 seconds.
"""

import argparse
import collections
import random
import resource
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers import numpy_hostile

from minigluon import npx

SECONDS = 10
MEMORY = 8 << 30


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    npx.set_np()
    draw, end, counts, problems = random.Random(args.seed), time.time() + 60 * args.minutes, {}, {}
    last = collections.deque(maxlen=1)
    while time.time() < end:
        kind = draw.choice([numpy_hostile.file, numpy_hostile.call])
        signal.alarm(SECONDS)
        try:
            shown, problem = kind(draw, last.append)
        except KeyboardInterrupt:
            shown, problem = last[-1], f"over {SECONDS} seconds"
        signal.alarm(0)
        counts[kind.__name__] = counts.get(kind.__name__, 0) + 1
        if problem is not None and problem not in problems:
            problems[problem] = shown
            print(f"{shown}\n    {problem}", flush=True)
    total = ", ".join(f"{count} {kind}s" for kind, count in sorted(counts.items()))
    print(f"{total}: {len(problems)} exceptions that are not MXNetErrors")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
