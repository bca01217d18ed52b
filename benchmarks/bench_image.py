"""Draw a summary: `python benchmarks/bench_image.py bench.json` writes bench-summary.svg next to the file.

Each program has a bar from 1, the best mode of the best other library, to minigluon's best mode. The best are on top.
"""

import json
import math
import sys
from pathlib import Path

from minigluon.tools.bench.standing import mean_ratio, standings

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
from drawing import Drawing

__all__ = ["draw"]

LINE, TOP, COLUMN, NAME, BAR = 19, 92, 356, 136, 84         # pixels: of a program; above all; a column and its parts
LOW, HIGH = 1 / 8, 4                                        # ratios at the ends of the axis; bars end there
SECTIONS = [("forward passes, batch 1", lambda name: name.endswith("batch 1 forward") or name == "mlp forward"),
            ("forward passes, larger batches", lambda name: name.endswith("forward")),
            ("train steps", lambda name: True)]


def draw(report):
    """Return the Drawing."""
    columns, rest = [], standings(report)
    for title, belongs in SECTIONS:
        columns.append((title, [found for found in rest if belongs(found.program)]))
        rest = [found for found in rest if not belongs(found.program)]
    columns = [(title, found) for title, found in columns if found]
    height = TOP + LINE * max(len(found) for _, found in columns) + 56
    drawing = Drawing(COLUMN * len(columns) + 20, height, "Time of minigluon by that of the best other library")
    drawing.text(20, 28, "Time of minigluon / time of the best of " + others(report), 14, bold=True)
    drawing.text(20, 48, "each in its best mode; left of the line minigluon is faster; logarithmic", 11, "muted")
    for number, (title, found) in enumerate(columns):
        section(drawing, 20 + number * COLUMN, title, found)
    means = {kind: mean_ratio(standings(report), kind) for kind in ("forward", "training")}
    said = ", ".join(f"{name} {means[kind]:.2f}" for kind, name in (("forward", "forward"), ("training", "train steps"))
                     if means[kind])
    threads = report["settings"]["threads"]
    drawing.text(20, height - 16, f"geometric means: {said}; {report['date'][:10]}, {report['machine']['processor']}, "
                 f"threads: {threads or report['machine']['cores']}", 11, "muted")
    return drawing


def others(report):
    """Return the names of the measured libraries, such as 'PyTorch, ONNX Runtime'."""
    names = {"torch": "PyTorch", "mxnet": "MXNet", "onnxruntime": "onnxruntime", "openvino": "OpenVINO", "jax": "JAX"}
    return ", ".join(name for library, name in names.items() if library in report["libraries"])


def section(drawing, x, title, found):
    """Draw a column: title, names, bars, ratios and the name of the best other library."""
    drawing.text(x, TOP - 18, title, 12, bold=True)
    one = place(x, 1)
    drawing.path(f"M {one:g} {TOP - 8} V {TOP + LINE * len(found)}", arrow=False, width=1)
    for number, standing in enumerate(found):
        y, end = TOP + LINE * number, place(x, standing.ratio)
        drawing.text(x, y + 12, standing.program.removesuffix(" forward").removesuffix(" batch 1")
                     .removesuffix(" train step"), 11)
        kind = "backend" if standing.ratio <= 1 else "gluon"
        drawing.box(min(one, end), y + 2, max(abs(end - one), 1), LINE - 7, kind, radius=2)
        drawing.text(x + NAME + BAR + 38, y + 12, f"{standing.ratio:.2f}", 11, kind, anchor="end", bold=True)
        drawing.text(x + NAME + BAR + 44, y + 12, standing.other.split(" ")[0], 11, "muted")


def place(x, ratio):
    """Return the position of a ratio on the logarithmic axis."""
    ratio = min(max(ratio, LOW), HIGH)
    return x + NAME + BAR * math.log(ratio / LOW) / math.log(HIGH / LOW)


def main(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    Path(path).with_name("bench-summary.svg").write_text(draw(report).svg(), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
