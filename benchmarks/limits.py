"""Hold a report of `minigluon bench` against the limits that were set, and print them as Markdown.

    minigluon bench --torch-python ... --mxnet-python ... && python benchmarks/limits.py minigluon-out/bench.json

Ends with 1 if a limit is exceeded. A limit whose library was not measured is listed without a number.
"""

import json
import sys

from minigluon.bench.report import median_ratio

IMPERATIVE, HYBRIDIZED, RECOMPUTE = [("minigluon", mode) for mode in ("imperative", "hybridized", "recompute")]

# (program, whose time, by whose time, at most)
TIMES = [
    ("mlp forward", IMPERATIVE, ("torch", "eager"), 0.9),
    ("lenet train step", IMPERATIVE, ("torch", "eager"), 3),
    ("mlp forward", HYBRIDIZED, ("numpy", "raw"), 1.3),
    ("mlp forward", HYBRIDIZED, ("torch", "eager"), 1),
    ("mlp forward", HYBRIDIZED, ("mxnet", "hybridized"), 1),
    ("lenet train step", HYBRIDIZED, IMPERATIVE, 0.8),
    ("deep mlp train step", RECOMPUTE, IMPERATIVE, 1),
]
# (program, whose memory, by that of imperative minigluon at most)
MEMORY = [("lenet train step", HYBRIDIZED, 0.6), ("deep mlp train step", RECOMPUTE, 0.6)]


def limits(report):
    """Yields (what, limit, measured or None)."""
    rows = {(row["program"], row["library"], row["mode"]): row for row in report["rows"]}

    def ratio(program, above, below):
        above, below = rows.get((program, *above)), rows.get((program, *below))
        return median_ratio(above["seconds"], below["seconds"]) if above and below else None

    for program, above, below, limit in TIMES:
        yield f"time, {program}: {' '.join(above)} / {' '.join(below)}", limit, ratio(program, above, below)
    others = {row["program"] for row in report["rows"]} - {program for program, above, below, _ in TIMES
                                                           if (above, below) == (HYBRIDIZED, IMPERATIVE)}
    for program in sorted(others):
        yield f"time, {program}: minigluon hybridized / imperative", 1, ratio(program, HYBRIDIZED, IMPERATIVE)
    for program, mode, limit in MEMORY:
        pair = rows.get((program, *mode)), rows.get((program, *IMPERATIVE))
        measured = pair[0]["peak_bytes"] / pair[1]["peak_bytes"] if all(pair) else None
        yield f"peak memory, {program}: {' '.join(mode)} / imperative", limit, measured


def main(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    kept = True
    print("| | at most | measured |\n|---|---|---|")
    for what, limit, measured in limits(report):
        kept &= measured is None or measured <= limit
        mark = "not measured" if measured is None else f"{measured:.2f}" if measured > limit else f"**{measured:.2f}**"
        print(f"| {what} | {limit} | {mark} |")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
