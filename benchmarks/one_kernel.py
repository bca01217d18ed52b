"""The times of chapter 11 or 15, as Markdown: max pooling or attention from the NumPy line to the kernel of
minigluon-accel.

    python benchmarks/one_kernel.py [11-one-kernel or 15-attention-in-one-pass] [--rounds 200]

It runs the Python code of the chapter, and then the steps that the chapter has collected, in turns.
"""

import argparse
import pathlib
import re
import time

DOCS = pathlib.Path(__file__).parents[1] / "docs"


def steps_of(chapter):
    """Return {name: function}."""
    namespace, text = {"__name__": "__main__"}, (DOCS / f"{chapter}.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        exec(block, namespace)
    return namespace["steps"]


def main(chapter="11-one-kernel", rounds=200):
    steps = steps_of(chapter)
    times = {name: [] for name in steps}
    for _ in range(rounds):
        for name, run in steps.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    first = min(times["the NumPy line"])
    print(f"| step | the fastest of {rounds} rounds | times faster than the line |\n|---|---|---|")
    for name, seconds in times.items():
        print(f"| {name} | {min(seconds) * 1e6:.0f} µs | {first / min(seconds):.1f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapter", nargs="?", default="11-one-kernel")
    parser.add_argument("--rounds", type=int, default=200)
    main(**vars(parser.parse_args()))
