"""The rows of gpu.py as Markdown.

    python benchmarks/gpu_table.py OUT/gpu.jsonl ...            prints the tables of several runs as of one
    python benchmarks/gpu_table.py OUT/gpu.jsonl --page         puts them into benchmarks/gpu-results.md
"""

import argparse
import pathlib
import statistics

from minigluon.tools.bench import journal
from minigluon.tools.bench.table import bytes_text, range_text, time_text

__all__ = ["kernels", "markdown", "put_into"]

PAGE = pathlib.Path(__file__).parent / "gpu-results.md"
MARKS = "<!-- tables -->\n", "<!-- end of tables -->\n"

# (nets, minigluon's best hybridized time by the best time of these modes of PyTorch, at most)
GOALS = [(("mlp", "lenet"), ["eager"], 0.5), (("alexnet", "resnet", "bert-mini"), ["eager", "compile", "graph"], 1.3)]


def markdown(rows):
    """Return the text of all tables for which there are rows."""
    return "\n".join([*head(rows), *times(rows), "", *goals(rows), *left_out(rows), *chosen(rows), *operators(rows),
                      *kernels(rows)]) + "\n"


def of_kind(rows, kind):
    return [row for row in rows if row["kind"] == kind]


def head(rows):
    """Yield the date, the GPU and the software."""
    runs, libraries = of_kind(rows, "run"), of_kind(rows, "library")
    ours = next((row["facts"] for row in libraries if row["library"] == "minigluon"), None)
    days = sorted({run["date"][:10] for run in runs})
    yield (f"{' to '.join(dict.fromkeys([days[0], days[-1]]))}, "
           + (f"{ours['card']}, driver {ours['driver']}, PyCUDA {ours['PyCUDA']}, kernels by "
              f"{ours['compiler of kernels']}; " if ours else "")
           + f"{runs[-1]['processor']}, {runs[-1]['cores']} cores; "
           + "; ".join({row["library"]: row["version"] for row in libraries}.values()) + ".")
    yield ""
    if ours and ours["emulated"]:
        yield "**Emulated: no card took part. These numbers say that the script works, and nothing else.**\n"
    if any(run["quick"] for run in runs):
        yield "Quick: sizes and rounds are small, so these numbers mean nothing.\n"
    for row in libraries:
        if row["facts"]["card"] is None:
            yield f"{row['library']} finds no card, and takes no part.\n"
        if row["rates"]:
            products, layer = (f"{row['rates'][what] / 1e12:.3g} TFLOP/s" for what in ("products", "layer"))
            yield f"PyTorch, {row['precision']}: matrix products at {products}, a convolution at {layer}.\n"


def times(rows):
    memory = {key(row): row["bytes"] for row in of_kind(rows, "memory")}
    found = {key(row): row for row in of_kind(rows, "time")}
    order = {program: place for place, program in enumerate(dict.fromkeys(name[:2] for name in found))}
    yield "| program | precision | library | median | range | / PyTorch eager | device memory |"
    yield "|---|---|---|---|---|---|---|"
    for name, row in sorted(found.items(), key=lambda item: order[item[0][:2]]):
        seconds, ratio, taken = row["seconds"], row["of_eager"], memory.get(name)
        yield (f"| {row['program']} | {row['precision']} | {row['library']} {row['mode']} "
               f"| {time_text(statistics.median(seconds))} | {range_text(min(seconds), max(seconds))} "
               f"| {'' if ratio is None else f'{ratio:.2f}'} | {'' if taken is None else bytes_text(taken)} |")


def key(row):
    return row["program"], row["precision"], row["library"], row["mode"]


def goals(rows):
    """Yield for each program the goal, and whether it was reached; nothing without PyTorch."""
    medians = {}
    for row in of_kind(rows, "time"):
        program = medians.setdefault((row["program"], row["precision"]), {})
        program[row["library"], row["mode"]] = statistics.median(row["seconds"])
    for (program, precision), found in medians.items():
        ours = [found[name] for name in (("minigluon", "hybridized"), ("minigluon", "one call")) if name in found]
        for nets, modes, limit in GOALS:
            theirs = [found["torch", mode] for mode in modes if ("torch", mode) in found]
            if program.split()[0] in nets and ours and theirs:
                ratio = min(ours) / min(theirs)
                yield (f"- {program}, {precision}: {ratio:.2f} of PyTorch {' / '.join(modes)}, at most {limit} was the "
                       f"goal: {'yes' if ratio <= limit else '**no**'}")


def left_out(rows):
    found = {key(row) for row in of_kind(rows, "time")}
    for row in [row for row in of_kind(rows, "left out") if key(row) not in found]:
        yield (f"- {row['library']} {row['mode']} could not run {row['program']} ({row['precision']}): "
               f"{(row['reason'].splitlines() or [''])[0][:300]}")


# -- who computes, and single operators ------------------------------------------------------------------------------


def chosen(rows):
    """Yield the kernels of each net by provider, from rows of the kind "kernel by"."""
    times, ways = {}, []
    for row in of_kind(rows, "kernel by"):
        way, net = row["by"], (row["net"], row["precision"])
        ways += [way] * (way not in ways)
        step = row["operator"], str(row["shapes"])
        found = times.setdefault(net, {}).setdefault(way, {})
        found[step] = found.get(step, 0) + row["seconds"]
    if len(ways) < 2:
        return
    yield "\n## Which kernels are used: all kernels of a train step\n"
    yield f"| net | precision | {' | '.join(ways)} | fastest of each |"
    yield "|---" * (3 + len(ways)) + "|"
    for (net, precision), found in times.items():
        steps, missing = found[ways[0]], float("inf")
        best = sum(min(found[way].get(step, missing) for way in found) for step in steps)
        sums = [time_text(sum(found[way].values())) if way in found else "" for way in ways]
        yield f"| {net} | {precision} | {' | '.join(sums)} | {time_text(best)} |"


def operators(rows):
    """Yield single operators, as measured by gpu_operators.py; compared with PyTorch, the slowest ones first."""
    found = {}
    for row in of_kind(rows, "operator"):
        found.setdefault(row["operator"], {})[row["library"]] = row
    if not found:
        return
    libraries = [name for name in ("minigluon", "torch") if any(name in own for own in found.values())]
    yield "\n## Single operators\n"
    yield "| operator |" + "".join(f" {name} | GB/s |" for name in libraries) + " ratio |" * (len(libraries) > 1)
    yield "|---" * (1 + 2 * len(libraries) + (len(libraries) > 1)) + "|"
    for name, own in sorted(found.items(), key=lambda item: -ratio_of(item[1])):
        yield (f"| {name} |" + "".join(operator_cells(own.get(library)) for library in libraries)
               + f" {ratio_of(own):.2f} |" * (len(libraries) > 1))
    yield ""
    for row in [row for row in of_kind(rows, "operator") if "error" in row]:
        yield f"- {row['operator']}, {row['library']}: {row['error']}"


def ratio_of(own):
    """Return minigluon's time divided by PyTorch's, 0 if one is missing."""
    ours, theirs = (own.get(library, {}).get("seconds") for library in ("minigluon", "torch"))
    return ours / theirs if ours and theirs else 0


def operator_cells(row):
    if row is None or "seconds" not in row:
        return " | |"
    rate = f"{4 * row['moved'] / row['seconds'] / 1e9:.0f}" if row["moved"] else ""
    return f" {time_text(row['seconds'])} | {rate} |"


# -- kernels ----------------------------------------------------------------------------------------------------------


def kernels(rows):
    """Yield the peaks, then the operators of each net, the slowest first."""
    found = {}
    for row in of_kind(rows, "kernel"):
        found.setdefault((row["net"], row["precision"]), {})[row["number"]] = row
    for row in {row["precision"]: row for row in of_kind(rows, "peaks")}.values():
        yield f"\n## Kernels, {row['precision']}\n"
        yield f"The card's peak: {row['bytes_from']}: {row['bytes'] / 1e9:.0f} GB/s; {row['flops_from']}: " \
              f"{row['flops'] / 1e12:.3g} TFLOP/s."
        yield "\n| copy of | " + " | ".join(bytes_text(int(size)) for size in row["copies"]) + " |"
        yield "|---|" + "---|" * len(row["copies"])
        yield "| GB/s, read and written | " + " | ".join(f"{rate / 1e9:.0f}" for rate in row["copies"].values()) + " |"
        for (net, precision), steps in found.items():
            if precision == row["precision"]:
                yield from of_net(net, list(steps.values()))


def of_net(net, steps):
    total, least = sum(row["seconds"] for row in steps), sum(row["least"] for row in steps)
    yield f"\n### {net}\n\n{len(steps)} steps, {time_text(total)}, {least / total:.0%} of the peak.\n"
    yield "| operator | inputs | time | of all | rate | of the peak |\n|---|---|---|---|---|---|"
    groups = {}
    for row in steps:
        groups.setdefault((row["operator"], str(row["shapes"])), []).append(row)
    for group in sorted(groups.values(), key=lambda group: -sum(row["seconds"] for row in group)):
        seconds = sum(row["seconds"] for row in group)
        if seconds >= 0.01 * total:
            flops, moved = (sum(row[what] for row in group) / seconds / 1e9 for what in ("flops", "bytes"))
            rate = f"{flops:.0f} GFLOP/s" if group[0]["by_flops"] else f"{moved:.1f} GB/s"
            shapes = " ".join("x".join(map(str, shape)) or "()" for shape in group[0]["shapes"][:2])
            yield (f"| {group[0]['operator']} | {f'{len(group)} x ' if len(group) > 1 else ''}{shapes} "
                   f"| {time_text(seconds)} | {seconds / total:.0%} | {rate} "
                   f"| {sum(row['least'] for row in group) / seconds:.0%} |")


def put_into(page, text):
    """Return the page with this text between its marks."""
    before, _, rest = page.partition(MARKS[0])
    return before + MARKS[0] + text + MARKS[1] + rest.partition(MARKS[1])[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE.jsonl")
    parser.add_argument("--page", action="store_true", help="insert them into benchmarks/gpu-results.md")
    args = parser.parse_args()
    text = markdown([row for path in args.files for row in journal.rows(path)])
    if args.page:
        PAGE.write_text(put_into(PAGE.read_text(encoding="utf-8"), text), encoding="utf-8")
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
