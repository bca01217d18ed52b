"""Draw operators on inputs that do not fit, and report those that do anything but fail or give NumPy's result.

    python tests/tools/misfits.py [--draws 100000] [--minutes 10] [--seed 1] [--backend accel] [name of an operator ...]

It draws in rounds, each in a process of its own, so that a crash is a finding like any other. Prints each finding with
the seed of its round, the number of draws, and what came of them; the exit status is 1 when there was a finding.
`tests/tools/sanitize.py` builds a plugin under which a crash says where it is.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time
import warnings
from collections import Counter

HERE = pathlib.Path(__file__)
PER_ROUND = 10          # draws of each operator


def round_of(seed, backend, names):
    """In a process of its own: one line of JSON for each operator, after a line that says which comes."""
    sys.path.insert(0, str(HERE.parents[1]))
    warnings.simplefilter("ignore")
    from helpers.misfits import draw, valid_calls

    from minigluon.backend import available
    kernels = available()[backend]
    for cls in valid_calls():
        if names and cls.name not in names:
            continue
        print(cls.name, flush=True)
        try:
            print(json.dumps({"came": draw(seed, cls, kernels, PER_ROUND)}), flush=True)
        except Exception as error:          # a finding, whatever it is
            print(json.dumps({"finding": f"{cls.name}, seed {seed}: {type(error).__name__}: {error}"}), flush=True)


def run_round(seed, backend, names):
    """(what came of its draws, its findings)"""
    command = [sys.executable, str(HERE), "--round", "--seed", str(seed), "--backend", backend, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    came, findings, last = Counter(), [], "nothing"
    for line in done.stdout.splitlines():
        if line.startswith("{"):
            result = json.loads(line)
            came.update(result.get("came", {}))
            findings += [result["finding"]] if "finding" in result else []
        else:
            last = line
    if done.returncode:
        findings.append(f"{last}, seed {seed}: the process ended with {done.returncode}\n{done.stderr[-2000:]}")
    return came, findings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--draws", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--backend", default="accel")
    parser.add_argument("--round", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.round:
        round_of(options.seed, options.backend, options.names)
        return 0
    end, seed, came, findings = time.monotonic() + 60 * options.minutes, options.seed, Counter(), 0
    while came.total() < options.draws and time.monotonic() < end:
        more, found = run_round(seed, options.backend, options.names)
        came, seed, findings = came + more, seed + 1, findings + len(found)
        print(*found, sep="\n", end="\n" if found else "", flush=True)
        if not more:
            break
    print(f"{came.total()} draws, seeds {options.seed} to {seed - 1}, {findings} findings: {dict(came)}")
    return int(findings > 0)


if __name__ == "__main__":
    sys.exit(main())
