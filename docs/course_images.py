"""Draw the pictures of the course that are not those of a chapter: `python docs/course_images.py [FOLDER]`.

Each goes to the folder of its step in minigluon/learn/steps, or with FOLDER to a folder of that name there.
"""

import sys
from pathlib import Path

from drawing import Drawing

STEPS = Path(__file__).parent.parent / "minigluon" / "learn" / "steps"
CELL = 38


def grid(drawing, left, top, rows, kind, faded=(), title=""):
    """A matrix of small numbers, and its name above it. faded: the rows that are there in thought only."""
    if title:
        drawing.text(left, top - 10, title, 13, "ink")
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            x, y = left + j * CELL, top + i * CELL
            drawing.box(x, y, CELL - 4, CELL - 4, kind, dashed=i in faded, radius=4)
            drawing.text(x + CELL / 2 - 2, y + 22, value, 13, "muted" if i in faded else "ink", anchor="middle")


def broadcasting():
    """Forward, a row is used twice; backward, what it gets is added up."""
    drawing = Drawing(760, 330, "broadcast_add of (2, 3) and (3,): stretched on the way there, summed on the way back")
    drawing.text(24, 34, "forward: lhs + rhs", 15, "array", bold=True)
    grid(drawing, 24, 76, [[1, 2, 3], [4, 5, 6]], "array", title="lhs (2, 3)")
    drawing.text(158, 116, "+", 18)
    grid(drawing, 188, 76, [[10, 20, 30], [10, 20, 30]], "array", faded={1}, title="rhs (3,), stretched")
    drawing.text(322, 116, "=", 18)
    grid(drawing, 352, 76, [[11, 22, 33], [14, 25, 36]], "array", title="out (2, 3)")
    drawing.text(490, 98, "the second row of rhs is\nthe first one once more:\neach number is used twice", 13, "muted")
    drawing.text(24, 204, "backward: the gradient of rhs", 15, "tape", bold=True)
    grid(drawing, 24, 244, [[1, 2, 3], [4, 5, 6]], "tape", title="g (2, 3)")
    drawing.arrow(152, 280, 228, 280)
    drawing.text(158, 270, "sum over", 12, "muted")
    drawing.text(158, 300, "axis 0", 12, "muted")
    grid(drawing, 240, 262, [[5, 7, 9]], "tape", title="its gradient (3,)")
    drawing.text(490, 268, "used twice, so it gets\nboth gradients, added", 13, "muted")
    return drawing


def plan_lines():
    """Three lines of a plan, and the slots that they read and write."""
    drawing = Drawing(760, 350, "A plan: lines with the numbers of slots, and one list of values for a run")
    drawing.text(24, 32, "lines: written once", 15, "ops", bold=True)
    rows = [("matrix product", "reads 0 1", "writes 3"), ("relu", "reads 3", "writes 4"),
            ("matrix product", "reads 4 2", "writes 5")]
    for number, (kernel, operands, targets) in enumerate(rows):
        top = 52 + number * 88
        drawing.labelled(24, top, 240, "ops", f"{number}  {kernel}", f"{operands}   {targets}")
        drawing.arrow(264, top + 26, 394, 202 + 46 * number, "ops")
        if number:
            drawing.arrow(60, top - 36, 60, top - 2)
    drawing.text(400, 32, "values: a list for one run", 15, "array", bold=True)
    slots = [("x", "the caller's: put in", "array"), ("weight of layer 0", "the caller's", "array"),
             ("weight of layer 1", "the caller's", "array"), ("layer 0", "a view of the block", "backend"),
             ("relu", "a view of the same bytes", "backend"),
             ("layer 1, the result", "allocated for this run", "gluon")]
    for number, (name, owner, kind) in enumerate(slots):
        top = 44 + number * 46
        drawing.text(400, top + 24, number, 14, "muted")
        drawing.box(420, top, 316, 40, kind)
        drawing.text(432, top + 17, name, 13, kind, bold=True)
        drawing.text(432, top + 33, owner, 12)
    drawing.text(24, 336, "A run is a loop over the lines: kernel(operands(values), targets(values))", 13, "muted")
    return drawing


PICTURES = {"s02_gradients/broadcasting.svg": broadcasting, "s16_executor/lines.svg": plan_lines}


def main(folder=STEPS):
    for path, draw in PICTURES.items():
        target = Path(folder) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(draw().svg(), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
