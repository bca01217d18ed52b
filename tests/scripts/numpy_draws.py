"""Draw calls of every function of `mx.np`, and compare each with NumPy, for a number of minutes.

    python tests/scripts/numpy_draws.py --minutes 10
    python tests/scripts/numpy_draws.py --minutes 1 --seed 5 -k split

Each round draws 20 calls of each function: shapes with zero lengths and scalars, types, arguments; results and
gradients, imperative, hybridized and as symbols. Failures are printed with the smallest call that has them.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers.numpy_checks import check
from helpers.numpy_draws import DRAWS
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from minigluon import npx


def failures_of(name, number, examples=20):
    """The messages of the failures among the drawn calls of a function."""
    @seed(number)
    @settings(max_examples=examples, deadline=None, database=None, phases=[Phase.generate, Phase.shrink],
              suppress_health_check=list(HealthCheck))
    @given(st.data())
    def draw(data):
        check(name, data.draw(st.composite(lambda draw: DRAWS[name](draw))()), is_thorough=True)

    try:
        draw()
    except Exception as error:
        notes = " ".join(note for note in getattr(error, "__notes__", []) if note.startswith("Draw"))
        return [f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:300]} {notes}"]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-k", metavar="WORD", default="", help="only functions that have this word in their names")
    args = parser.parse_args()
    npx.set_np()
    end, rounds, failed = time.monotonic() + 60 * args.minutes, 0, set()
    names = [name for name in sorted(DRAWS) if args.k in name]
    while time.monotonic() < end:
        for name in names:
            for message in failures_of(name, args.seed + rounds):
                if name not in failed:
                    print(message, flush=True)
                failed.add(name)
        rounds += 1
    print(f"{rounds} rounds of 20 calls of {len(names)} functions: {len(failed)} functions have failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
