"""Run whole test files once for each instruction set that is built and that this processor has.

    python tests/scripts/instruction_sets.py                              # what computes: minutes for each set
    python tests/scripts/instruction_sets.py --isa avx2 tests/gluon -k Dense      # other arguments are pytest's

All runs on one set's kernels, as on a processor that has no other. In tests/accel each kernel is compared with the
reference for every set in any case, and there 1, 2 and 3 threads must give the same bits: `Twin.check` of
tests/helpers/accel_checks.py. What else is there, and the rest of the library, sees one set alone.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ["tests/accel", "tests/ops", "tests/gluon", "tests/hybrid", "tests/rnn", "tests/optimizer", "tests/autograd",
           "tests/symbol", "tests/executor", "tests/module", "tests/ndarray"]


def main():
    try:
        from minigluon_accel import engine
    except ImportError as error:
        sys.exit(f"there is nothing to choose from without minigluon-accel: {error}")
    usable = [name for name, (built, has) in engine.isas().items() if built and has]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--isa", action="append", choices=usable, help="one of them alone; may be given several times")
    options, arguments = parser.parse_known_args()
    codes = {}
    for isa in options.isa or usable:
        print(f"{isa}:", flush=True)
        tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(arguments or FOLDERS)]
        codes[isa] = subprocess.run(tests, cwd=ROOT, env={**os.environ, "MINIGLUON_ACCEL_ISA": isa}).returncode
    words = {0: "passed", None: "not run: not chosen, not built or not here"}
    for isa in engine.isas():
        print(f"{isa:10} {words.get(codes.get(isa), 'failed')}")
    return max(codes.values())


if __name__ == "__main__":
    sys.exit(main())
