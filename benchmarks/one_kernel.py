"""The times of chapter 11, as Markdown: max pooling from the NumPy line to the kernel of minigluon-accel.

    python benchmarks/one_kernel.py

It runs the Python of the chapter, and then the steps that the chapter has collected, by turns.
"""

import pathlib
import re
import time

CHAPTER = pathlib.Path(__file__).parents[1] / "docs" / "11-one-kernel.md"


def steps_of_the_chapter():
    """{name: function}."""
    namespace = {"__name__": "__main__"}
    for block in re.findall(r"^```python\n(.*?)^```$", CHAPTER.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        exec(block, namespace)
    return namespace["steps"]


def main(rounds=200):
    steps = steps_of_the_chapter()
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
    main()
