"""Write the measured part of engines.md from reports of `minigluon bench`; the picture also shows the first one.

    python benchmarks/engines_page.py bench.json bench-one-thread.json

Each report becomes a section: minigluon's results, program by program, and the limits that are met. A test writes the
page again from the reports in the same folder and compares.
"""

import json
import sys
from pathlib import Path

import bench_image
import limits

from minigluon.tools.bench.standing import best, mean_ratio, standings
from minigluon.tools.bench.table import time_text

HERE = Path(__file__).parent
PAGE = HERE / "engines.md"
BEGIN, END = "<!-- measured: written by engines_page.py -->\n", "<!-- end of what was measured -->\n"
KINDS = {"forward": "forward passes", "training": "train steps"}
ENGINES = {"torch": "PyTorch", "onnxruntime": "onnxruntime", "openvino": "OpenVINO", "jax": "JAX"}


def page(text, reports):
    """Return the page's text with a new measured part. reports: {file name: report}."""
    before, _, rest = text.partition(BEGIN)
    lines = []
    for name, report in reports.items():
        lines += [*section(name, report), ""]
    return before + BEGIN + "\n".join(["", *lines]) + END + rest.partition(END)[2]


def section(name, report):
    """Yield the lines of one report."""
    threads = report["settings"]["threads"]
    yield f"## On {threads} thread{'' if threads == 1 else 's'}"
    yield ""
    for kind, title in KINDS.items():
        yield from summary(report, kind, title)
    yield "Each library in its best mode, the median over all rounds; the ratio is the median of the ratios per round."
    yield ""
    yield f"| program | minigluon | {' | '.join(ENGINES.values())} | / the best other | limit |"
    yield "|---|" + "---|" * (len(ENGINES) + 3)
    for kind in KINDS:
        yield from rows(report, kind)
    yield ""
    yield from memory(report)
    machine, libraries = report["machine"], report["libraries"]
    yield (f"{report['date'][:10]}, {machine['processor']}, {machine['cores']} cores, Python {machine['python']}; "
           + "; ".join(libraries[library] for library in ["minigluon", *ENGINES] if library in libraries)
           + f". All rounds are in [{name}]({name}).")


def summary(report, kind, title):
    """Yield a sentence: how many limits are met, and the mean."""
    found = [standing for standing in standings(report) if standing.kind == kind]
    if found:
        each, mean = limits.AHEAD[kind]
        held = sum(standing.ratio <= each for standing in found)
        yield (f"{held} of {len(found)} {title} take at most {each} x the time of the best other library; the "
               f"geometric mean is {limits.mark(mean, mean_ratio(found, kind))} (limit {mean}).")
        yield ""


def rows(report, kind):
    """Yield the rows of the table, the best first."""
    for standing in standings(report):
        if standing.kind == kind:
            times = [best(report, standing.program, [library]) for library in ["minigluon", *ENGINES]]
            cells = [time_text(row["median"]) if row else "-" for row in times]
            limit = limits.AHEAD[kind][0]
            yield f"| {standing.program} | {' | '.join(cells)} | {limits.mark(limit, standing.ratio)} | {limit} |"


def memory(report):
    """Yield lines about the memory of train steps, hybridized and as one call; none if it was not measured."""
    found = {(row["program"], row["library"], row["mode"]): row["resident_bytes"] for row in report["rows"]
             if row.get("resident_bytes")}
    programs = [program for program, library, mode in found if (library, mode) == ("torch", "eager")
                and program.endswith("train step")]
    if programs:
        yield "Peak memory of a train step divided by PyTorch's (limit 1): as three calls, and as one, a `TrainStep`."
        yield ""
        yield "| program | hybridized | one call |"
        yield "|---|---|---|"
        for program in programs:
            cells = [share(found, program, mode) for mode in ("hybridized", "one call")]
            yield f"| {program} | {' | '.join(cells)} |"
        yield ""


def share(found, program, mode):
    """Return minigluon's memory divided by PyTorch's; limits.py explains the minimum."""
    own = found.get((program, "minigluon", mode))
    return limits.mark(1, max(own, limits.PAGES) / max(found[program, "torch", "eager"], limits.PAGES)) if own else "-"


def main(*paths):
    reports = {Path(path).name: json.loads(Path(path).read_text(encoding="utf-8")) for path in paths}
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), reports), encoding="utf-8")
    bench_image.main(paths[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
