"""Kernels of the plugin that refuse their values inside plans, with every kind of view as their input.

    python tests/scripts/refusals.py --minutes 10 --seed 0
    python tests/scripts/refusals.py --minutes 10 --seed 0 --skip 9000      # on from where that one stopped

For each operator of the table, each of its inputs and each of some hostile values it looks for a call that the kernel
leaves to the reference. Each of these runs with every kind of view (of a variable, of a planned value, of one that its
kernel has allocated) in every way to run a graph. What comes of it is what comes of the imperative call.
"""

import argparse
import collections
import functools
import pathlib
import random
import sys
import time
import warnings

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[1])

from campaign.views import difference  # noqa: E402 - after the path
from helpers import refusals, view_calls  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip", type=int, default=0, help="cases at the beginning that are not run")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    draw = random.Random(options.seed)
    calls = refusals.refused_calls(draw)
    print(f"{len(calls)} calls refuse: {dict(collections.Counter(op.name for op, _, _ in calls))}", flush=True)
    cases = [(call, kind, way, results) for call in range(len(calls)) for kind in view_calls.KINDS
             for way in view_calls.WAYS for results in (False, True)]
    draw.shuffle(cases)
    end = time.monotonic() + 60 * options.minutes
    ran = wrong = 0

    @functools.cache
    def wanted(call, way):
        op, arrays, _ = calls[call]
        return view_calls.wanted(way, op, arrays, True, "accel")

    for call, kind, way, results in cases[options.skip:]:
        if time.monotonic() > end:
            break
        op, arrays, _ = calls[call]
        found = view_calls.outcome(way, op, arrays, True, [kind] * len(arrays), results)
        text = difference(found, wanted(call, way), arrays, f"{way} {kind} {op!r}")
        ran, wrong = ran + 1, wrong + (text is not None)
        if text:
            print(text, flush=True)
    print(f"{ran} of {len(cases)} cases, {wrong} findings; the next one is --skip {options.skip + ran}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
