"""Compare a report of `minigluon bench` with its limits, and print them as Markdown.

    minigluon bench --torch-python ... --mxnet-python ... && python benchmarks/limits.py minigluon-out/bench.json

Exits with 1 if a limit is exceeded. A limit whose library was not measured is listed without a number. The last ones
are about all programs: minigluon's best mode compared with the best mode of the best other library, and the geometric
means.
"""

import json
import statistics
import sys

from minigluon.tools.bench.report import median_ratio
from minigluon.tools.bench.standing import mean_ratio, standings

BEST = "best"           # the mode of a library with the smallest median
IMPERATIVE, HYBRIDIZED, RECOMPUTE = "imperative", "hybridized", "recompute"

# For the reference, on NumPy: (program, mode, the library and mode to divide by, the maximum)
REFERENCE = [
    ("mlp forward", IMPERATIVE, ("torch", "eager"), 0.9),
    ("lenet train step", IMPERATIVE, ("torch", "eager"), 3),
    ("mlp forward", HYBRIDIZED, ("numpy", "raw"), 1.3),
    ("mlp forward", HYBRIDIZED, ("torch", "eager"), 1),
    ("mlp forward", HYBRIDIZED, ("mxnet", "hybridized"), 1),
    ("lenet train step", HYBRIDIZED, ("reference", IMPERATIVE), 0.8),
    ("deep mlp train step", RECOMPUTE, ("reference", IMPERATIVE), 1),
]
# For minigluon-accel.
ACCELERATED = [
    ("mlp forward", HYBRIDIZED, ("torch", BEST), 0.5),
    ("mlp forward", HYBRIDIZED, ("mxnet", "static"), 0.35),
    ("mlp forward", IMPERATIVE, ("torch", "eager"), 0.7),
    ("lenet train step", BEST, ("torch", BEST), 0.5),
    ("lenet train step", BEST, ("mxnet", BEST), 0.35),
    ("lenet forward", HYBRIDIZED, ("torch", "eager"), 0.4),
    ("lenet256 train step", BEST, ("torch", BEST), 0.6),
    ("lenet256 train step", BEST, ("mxnet", BEST), 0.42),
    ("lenet256 forward", HYBRIDIZED, ("torch", "eager"), 0.48),
    ("alexnet forward", HYBRIDIZED, ("torch", "eager"), 0.8),
    ("alexnet train step", BEST, ("torch", "eager"), 0.9),
    ("resnet train step", BEST, ("torch", "eager"), 1),
    ("lstm train step", HYBRIDIZED, ("torch", BEST), 1),
    ("lstm train step", HYBRIDIZED, ("mxnet", BEST), 0.7),
    ("gru train step", HYBRIDIZED, ("torch", BEST), 1),
    ("gru train step", HYBRIDIZED, ("mxnet", BEST), 0.7),
]
# For memory in arrays: (program, mode, the maximum of its ratio to imperative minigluon)
ARRAYS = [("lenet train step", HYBRIDIZED, 0.6), ("deep mlp train step", RECOMPUTE, 0.6)]
# For minigluon-accel compared with the best of all others: {kind: (maximum per program, maximum geometric mean)}.
AHEAD = {"forward": (1, 0.8), "training": (0.8, 0.6)}
PAGES = 256 * 1024          # bytes: a process may grow by this much for reasons unrelated to the program


def limits(report):
    """Yield (what, limit, measured or None). If a plugin accelerates minigluon, its limits come first."""
    rows = {(row["program"], row["library"], row["mode"]): row for row in report["rows"]}
    programs = list(dict.fromkeys(row["program"] for row in report["rows"]))
    # The version shows a plugin; the reference may have been left out.
    accelerated = "reference" in report["libraries"] or " on " in (report["libraries"].get("minigluon") or "")
    own = "reference" if accelerated else "minigluon"

    if accelerated:
        for program, mode, other, limit in ACCELERATED:
            yield time_limit(rows, program, ("minigluon", mode), other, limit)
        for program in programs:
            yield memory_limit(rows, program)
    for program, mode, other, limit in REFERENCE:
        yield time_limit(rows, program, (own, mode), (own, other[1]) if other[0] == "reference" else other, limit)
    for program in sorted(set(programs) - {"lenet train step"}):
        yield time_limit(rows, program, (own, HYBRIDIZED), (own, IMPERATIVE), 1)
    for program, mode, limit in ARRAYS:
        pair = rows.get((program, "minigluon", mode)), rows.get((program, "minigluon", IMPERATIVE))
        peaks = [row["peak_bytes"] for row in pair if row and row["peak_bytes"]]
        measured = peaks[0] / peaks[1] if len(peaks) == 2 else None
        yield f"arrays, {program}: minigluon {mode} / imperative", limit, measured
    if accelerated:
        yield from ahead_limits(report)


def ahead_limits(report):
    """Yield the limits of each program that another library has run, and of the means."""
    found = standings(report)
    for kind, (each, mean) in AHEAD.items():
        for standing in found:
            if standing.kind == kind:
                yield (f"time, {standing.program}: minigluon best ({standing.mode}) / best of all ({standing.other})",
                       each, standing.ratio)
        yield f"geometric mean, {kind}: minigluon best / best of all", mean, mean_ratio(found, kind)


def time_limit(rows, program, own, other, limit):
    """Return the limit on the ratio of two times of the same program."""
    above, below = find(rows, program, *own), find(rows, program, *other)
    measured = median_ratio(above["seconds"], below["seconds"]) if above and below else None
    return f"time, {program}: {name_of(own, above)} / {name_of(other, below)}", limit, measured


def name_of(asked, row):
    """Return a name such as 'torch best (frozen)' for ("torch", BEST)."""
    return " ".join(asked) + (f" ({row['mode']})" if row and asked[1] == BEST else "")


def find(rows, program, library, mode):
    """Return the row, or None."""
    if mode != BEST:
        return rows.get((program, library, mode))
    found = [row for (p, lib, _), row in rows.items() if (p, lib) == (program, library)]
    return min(found, key=lambda row: statistics.median(row["seconds"]), default=None)


def memory_limit(rows, program):
    """Return the limit on the peak memory of hybridized minigluon divided by PyTorch's."""
    own, other = rows.get((program, "minigluon", HYBRIDIZED)), rows.get((program, "torch", "eager"))
    measured = None
    if own and other and None not in (own["resident_bytes"], other["resident_bytes"]):
        measured = max(own["resident_bytes"], PAGES) / max(other["resident_bytes"], PAGES)
    return f"peak memory, {program}: minigluon hybridized / torch eager", 1, measured


def main(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    exceeded = []
    print("| | at most | measured |\n|---|---|---|")
    for what, limit, measured in limits(report):
        if measured is not None and measured > limit:
            exceeded.append(what)
        print(f"| {what} | {limit} | {mark(limit, measured)} |")
    print(f"\n{len(exceeded)} limits are exceeded." if exceeded else "\nAll limits that were measured are held.")
    return 1 if exceeded else 0


def mark(limit, measured):
    """Return the number, as '**0.50**' if the limit is met."""
    if measured is None:
        return "not measured"
    return f"{measured:.2f}, NOT held" if measured > limit else f"**{measured:.2f}**"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
