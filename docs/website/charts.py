"""Charts of the times in the measurement pages' tables, narrow enough for a phone."""

import re
from itertools import groupby

from drawing import Drawing

__all__ = ["text", "write_charts"]

COLORS = {"minigluon": "array", "reference": "symbol", "numpy": "base", "torch": "ops", "mxnet": "backend"}
SECONDS = {"s": 1, "ms": 1e-3, "µs": 1e-6}
WIDTH, MARGIN, ROW, TOP = 320, 8, 36, 12
ROWS = r".*\n\|[-|]*\n((?:\|.*\n)+)"         # the rows of a table, below its header
LIBRARY_TABLE = re.compile(r"^\| program \| library \| median \|" + ROWS, re.MULTILINE)
ZOO_TABLE = re.compile(r"^\| program \| minigluon \| mxnet \| torch \| / mxnet \|" + ROWS, re.MULTILINE)

INTRODUCTION = """# Measurements, drawn

Times of one run: the medians in the tables of [the measurements](README.md) and of [the model zoo](zoo.md), which name
the machine, the versions, the ranges, and the commands that measure them again. A shorter bar is faster. Bars start at
0, and each picture has its own scale.

*reference* is minigluon without minigluon-accel.
"""

ZOO = """
## The model zoo

Minigluon's time divided by that of MXNet, and by that of PyTorch. Left of the line, minigluon is faster.
"""


def write_charts(root, folder):
    """Write the charts for the pages of the repository `root` to the folder `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    drawings = {program: times(program, rows) for _, programs in sections(root) for program, rows in programs}
    drawings |= {f"zoo {kind}": ratios(kind, rows) for kind, rows in zoo(root).items()}
    for name, drawing in drawings.items():
        (folder / f"{file_name(name)}.svg").write_text(drawing.svg(), encoding="utf-8")


def text(root):
    """Return the Markdown of the page that shows the charts."""
    parts = [INTRODUCTION]
    for title, programs in sections(root):
        parts.append(f"\n## {title}\n")
        for program, rows in programs:
            said = ", ".join(f"{name} {time}" for name, time in rows)
            parts.append(picture(program, program, f"Time of one run of {program}: {said}"))
    parts.append(ZOO)
    for kind, rows in zoo(root).items():
        said = "; ".join(f"{net} {mxnet} and {torch}" for net, mxnet, torch in rows)
        parts.append(picture(f"Zoo, {kind}", f"zoo {kind}", f"Minigluon's time by MXNet's and by PyTorch's: {said}"))
    return "".join(parts)


def picture(title, name, said):
    """Return a heading with a picture. said: the description for screen readers."""
    brackets = str.maketrans({"[": r"\[", "]": r"\]"})
    return f"\n### {title}\n\n![{said.translate(brackets)}](charts/{file_name(name)}.svg)\n"


def sections(root):
    """Yield (title, [(program, [(library and mode, time)])]) for each table of times for several libraries."""
    page = (root / "benchmarks" / "README.md").read_text(encoding="utf-8")
    for table in LIBRARY_TABLE.finditer(page):
        title = re.findall(r"^## (.*)", page[:table.start()], re.MULTILINE)[-1]
        rows = [cells(line) for line in table[1].splitlines()]
        yield title, [(program, [(row[1], row[2]) for row in of_program])
                      for program, of_program in groupby(rows, key=lambda row: row[0])]


def zoo(root):
    """Return {'forward' or 'train step': [(network, time relative to MXNet, time relative to PyTorch)]}, where all
    three were measured."""
    page = (root / "benchmarks" / "zoo.md").read_text(encoding="utf-8")
    found = {}
    for line in ZOO_TABLE.search(page)[1].splitlines():
        program, *_, by_mxnet, by_torch = cells(line)
        network, kind = program.split(" ", 1)
        if by_mxnet:
            found.setdefault(kind, []).append((network, by_mxnet, by_torch))
    return found


def cells(line):
    """Return the cells of a table row."""
    return [cell.strip() for cell in line.strip("|").split("|")]


def file_name(program):
    return re.sub(r"[^\w.]+", "-", program).strip("-")


def seconds(time):
    """Return the seconds in a string such as '28.6 µs'."""
    number, unit = time.split()
    return float(number) * SECONDS[unit]


def times(program, rows):
    """Draw a program's picture, with each library's name and time above its bar."""
    longest = max(seconds(time) for _, time in rows)
    drawing = Drawing(WIDTH, TOP + ROW * len(rows), f"Time of one run: {program}")
    for number, (name, time) in enumerate(rows):
        y = TOP + ROW * number
        drawing.text(MARGIN, y + 10, name, 13, bold=name.startswith("minigluon"))
        drawing.text(WIDTH - MARGIN, y + 10, time, 13, anchor="end", bold=name.startswith("minigluon"))
        bar(drawing, y + 16, 9, seconds(time) / longest, COLORS[name.split()[0]])
    return drawing


def ratios(kind, rows):
    """Draw a picture of many networks, with the ratios next to each name and two bars below it."""
    longest = max(1, *(float(ratio) for _, *both in rows for ratio in both))
    drawing = Drawing(WIDTH, 2 * TOP + ROW * (len(rows) + 1), f"Minigluon's time by that of others: {kind}")
    drawing.text(WIDTH - MARGIN - 70, TOP + 10, "by MXNet's", 12, "backend", anchor="end")
    drawing.text(WIDTH - MARGIN, TOP + 10, "PyTorch's", 12, "ops", anchor="end")
    for number, (network, *both) in enumerate(rows):
        y = TOP + ROW * number + 22
        drawing.text(MARGIN, y + 10, network, 13)
        for place, (ratio, kind) in enumerate(zip(both, ("backend", "ops"), strict=True)):
            drawing.text(WIDTH - MARGIN - 70 * (1 - place), y + 10, ratio, 13, kind, anchor="end")
            bar(drawing, y + 15 + 7 * place, 6, float(ratio) / longest, kind)
    one = MARGIN + (WIDTH - 2 * MARGIN) / longest
    drawing.path(f"M {one:g} {TOP + 18} V {drawing.height - TOP / 2:g}", arrow=False, width=1)
    return drawing


def bar(drawing, y, height, share, kind):
    """Draw a bar from the left margin that covers a share of the width."""
    drawing.box(MARGIN, y, (WIDTH - 2 * MARGIN) * share, height, kind, radius=1)
