"""Draw the course's own pictures, which do not come from a chapter: `python docs/course_images.py [FOLDER]`.

Each is written to the folder of its step in minigluon/tools/learn/steps, or to a folder of the same name in FOLDER if
that is given.
"""

import sys
from pathlib import Path

from drawing import Drawing

STEPS = Path(__file__).parent.parent / "minigluon" / "tools" / "learn" / "steps"
CELL = 38


def grid(drawing, left, top, rows, kind, faded=(), title=""):
    """Draw a matrix of small numbers with its name above it. faded: the rows that exist only conceptually."""
    if title:
        drawing.text(left, top - 10, title, 13, "ink")
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            x, y = left + j * CELL, top + i * CELL
            drawing.box(x, y, CELL - 4, CELL - 4, kind, dashed=i in faded, radius=4)
            drawing.text(x + CELL / 2 - 2, y + 22, value, 13, "muted" if i in faded else "ink", anchor="middle")


def broadcasting():
    """Draw a row that is used twice in the forward pass, and its two gradients, which are summed in the backward
    pass."""
    drawing = Drawing(760, 330, "broadcast_add of (2, 3) and (3,): stretched forward, summed backward")
    drawing.text(24, 34, "forward: lhs + rhs", 15, "array", bold=True)
    grid(drawing, 24, 76, [[1, 2, 3], [4, 5, 6]], "array", title="lhs (2, 3)")
    drawing.text(158, 116, "+", 18)
    grid(drawing, 188, 76, [[10, 20, 30], [10, 20, 30]], "array", faded={1}, title="rhs (3,), stretched")
    drawing.text(322, 116, "=", 18)
    grid(drawing, 352, 76, [[11, 22, 33], [14, 25, 36]], "array", title="out (2, 3)")
    drawing.text(490, 98, "the second row of rhs\nrepeats the first one:\neach number is used twice", 13, "muted")
    drawing.text(24, 204, "backward: the gradient of rhs", 15, "tape", bold=True)
    grid(drawing, 24, 244, [[1, 2, 3], [4, 5, 6]], "tape", title="g (2, 3)")
    drawing.arrow(152, 280, 228, 280)
    drawing.text(158, 270, "sum over", 12, "muted")
    drawing.text(158, 300, "axis 0", 12, "muted")
    grid(drawing, 240, 262, [[5, 7, 9]], "tape", title="its gradient (3,)")
    drawing.text(490, 268, "used twice, so it gets\nboth gradients, added", 13, "muted")
    return drawing


def plan_lines():
    """Draw three lines of a plan, and the slots that they read and write."""
    drawing = Drawing(760, 350, "A plan: lines with the indices of slots, and one list of values for a run")
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


def taps():
    """Draw a row with padding, and the elements that three windows see at each tap of a size-three kernel."""
    drawing = Drawing(760, 330, "kernel 3, stride 2, padding 1: what three windows see at each tap is a slice")
    row = [0, 5, 2, 7, 1, 4, 0]
    drawing.text(24, 34, "one row of data with padding 1: kernel 3, stride 2, so 3 windows", 15, "array", bold=True)
    for tap in range(3):
        top = 60 + tap * 64
        seen = set(range(tap, tap + 5, 2))
        drawing.text(24, top + 22, f"tap {tap}", 13, "tape", bold=True)
        for i, value in enumerate(row):
            drawing.box(100 + i * CELL, top, CELL - 4, CELL - 4, "tape" if i in seen else "base",
                        dashed=i in (0, 6), radius=4)
            drawing.text(100 + i * CELL + CELL / 2 - 2, top + 22, value, 13, "ink" if i in seen else "muted",
                         anchor="middle")
        drawing.arrow(376, top + 17, 428, top + 17)
        drawing.text(440, top + 22, f"row[{tap}:{tap + 5}:2] = " + ", ".join(str(row[i]) for i in sorted(seen)), 13)
    drawing.text(24, 276, "result = weight[0] · first slice + weight[1] · second slice + weight[2] · third slice", 13)
    drawing.text(24, 304, "three products for all windows at once, however long the row is", 13, "muted")
    return drawing


def chances():
    """Draw the steps from scores to a loss and its gradient, for two items."""
    drawing = Drawing(760, 250, "softmax cross entropy: scores, probabilities, the loss, and its gradient")
    columns = [("scores", [["2", "1", "0"], ["0", "3", "0"]], "array"),
               ("probabilities", [[".67", ".24", ".09"], [".05", ".91", ".05"]], "backend"),
               ("its gradient", [["-.33", ".24", ".09"], [".05", "-.09", ".05"]], "tape")]
    for number, (title, rows, kind) in enumerate(columns):
        left = 24 + number * 190
        drawing.text(left, 44, title, 14, kind, bold=True)
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                x, y = left + j * 50, 62 + i * 50
                drawing.box(x, y, 44, 40, kind, radius=4)
                drawing.text(x + 22, y + 25, value, 13, anchor="middle")
    drawing.text(594, 44, "label, loss", 14, bold=True)
    drawing.text(594, 87, "0   -log .67 = .41", 13)
    drawing.text(594, 137, "1   -log .91 = .10", 13)
    drawing.text(24, 200, "The gradient of the scores is the probabilities, minus 1 at the label:", 13)
    drawing.text(24, 222, "The correct class is pulled up, the others are pushed down, by their probabilities.", 13,
                 "muted")
    return drawing


def simplified():
    """Draw a graph before and after the pass, with the removed nodes and the reasons for their removal."""
    drawing = Drawing(760, 420, "Simplify: eight operators before, four after")
    drawing.text(24, 32, "before", 15, "symbol", bold=True)
    drawing.text(500, 32, "after", 15, "symbol", bold=True)

    def nodes(rows, edges):
        for x, y, text, kind in rows:
            drawing.box(x, y, 112, 32, kind, dashed=kind == "base")
            drawing.text(x + 56, y + 21, text, 13, "muted" if kind == "base" else kind, anchor="middle")
        for start, end in edges:
            drawing.arrow(rows[start][0] + 56, rows[start][1] + 32, rows[end][0] + 56, rows[end][1] - 2)

    nodes([(150, 50, "x", "array"), (24, 120, "* 1", "base"), (24, 186, "exp", "symbol"), (150, 120, "exp", "base"),
           (276, 120, "tanh", "base"), (276, 186, "ones_like", "base"), (88, 254, "add", "symbol"),
           (276, 254, "Flatten", "base"), (180, 330, "multiply", "symbol")],
          [(0, 1), (1, 2), (0, 3), (0, 4), (4, 5), (2, 6), (3, 6), (5, 7), (6, 8), (7, 8)])
    nodes([(530, 50, "x", "array"), (530, 140, "exp", "symbol"), (460, 330, "multiply", "symbol"),
           (460, 240, "add", "symbol"), (612, 240, "ones (2, 3)", "backend")],
          [(0, 1), (3, 2), (4, 2)])
    drawing.arrow(576, 172, 500, 238)
    drawing.arrow(596, 172, 530, 238)
    drawing.text(24, 392, "dashed: * 1 by a rule, exp because it is a duplicate, tanh because only its shape is\n"
                 "used, ones_like because it is a constant, Flatten because its input is flat already", 13, "muted")
    return drawing


def row_major():
    """Draw a matrix, and its numbers in memory."""
    drawing = Drawing(760, 240, "Row-major order: a matrix of shape (2, 3), and its six numbers in memory")
    rows = [[1, 2, 3], [4, 5, 6]]
    grid(drawing, 24, 60, rows, "array", title="x, of shape (2, 3)")
    drawing.arrow(152, 94, 260, 94)
    grid(drawing, 280, 76, [rows[0] + rows[1]], "array", title="in memory: rows are contiguous")
    for place in range(6):
        drawing.text(280 + place * CELL + CELL / 2 - 2, 130, place, 12, "muted", anchor="middle")
    drawing.text(280, 150, "place = i * 3 + j", 13, "muted")
    drawing.text(24, 202, "The 6 is in row i = 1, column j = 2: place 1 * 3 + 2 = 5. Place 6 is not yours.", 13)
    return drawing


PICTURES = {
    "s02_gradients/broadcasting.svg": broadcasting,
    "s07_layers/taps.svg": taps,
    "s08_losses/chances.svg": chances,
    "s13_simplify/simplify.svg": simplified,
    "s16_executor/lines.svg": plan_lines,
    "s17_kernel/row-major.svg": row_major,
}


def main(folder=STEPS):
    for path, draw in PICTURES.items():
        target = Path(folder) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(draw().svg(), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
