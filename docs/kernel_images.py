"""Images of kernels and of their execution, for chapters 11, 12 and 15. All numbers shown are computed."""

import numpy as np
from drawing import Drawing

__all__ = ["IMAGES"]

CELL = 46


def _cells(drawing, x, y, values, kinds, width=CELL, height=28):
    """Draw a row of boxes with a value in each. kinds: one color for all boxes, or one for each box."""
    for number, value in enumerate(values):
        kind = kinds if isinstance(kinds, str) else kinds[number]
        drawing.box(x + number * width, y, width - 3, height, kind, radius=3)
        drawing.text(x + number * width + (width - 3) / 2, y + 19, value, 12, anchor="middle")


# -- chapter 11 --------------------------------------------------------------------------------------------------------

def pooling_lines():
    """Draw rows of two images in memory, and the lines that their windows form."""
    drawing = Drawing(980, 300, "Consecutive rows of images form lines of windows")
    drawing.text(30, 34, "memory: consecutive rows of 24 numbers", 14, bold=True)
    names = ["channel 0, row 0", "row 1", "row 2", "row 3", "...", "row 23", "channel 1, row 0", "row 1"]
    x, ends = 30, []
    for name in names:
        width = 140 if "channel" in name else 50 if name == "..." else 110
        drawing.box(x, 50, width - 4, 34, "array" if name != "..." else "base", radius=3)
        drawing.text(x + (width - 4) / 2, 72, name, 12, anchor="middle")
        ends.append((x, x + width - 4))
        x += width
    for number, first in enumerate((0, 2, 6)):
        left, right = ends[first][0], ends[first + 1][1]
        middle = (left + right) / 2
        drawing.path(f"M {left} 92 L {left} 100 L {right} 100 L {right} 92", "ops", arrow=False)
        drawing.arrow(middle, 100, middle, 162, "ops")
        drawing.box(middle - 100, 164, 200, 34, "ops", radius=3)
        drawing.text(middle, 186, f"line {(0, 1, 12)[number]}: 12 windows", 12, anchor="middle")
    drawing.text(30, 222, "two rows form one line of windows, whatever their channel and image", 14, bold=True)
    drawing.text(30, 246, "64 images of 20 channels of 24 x 24: 64 · 20 · 12 = 15360 lines. The loop has no axes.", 13)
    drawing.text(30, 270, "parts: some of the lines each; the number of parts depends on the size", 13, "muted")
    return drawing


def pooling_lanes():
    """Draw how two rows of eight numbers become four maxima."""
    draw = np.random.default_rng(2)
    upper, lower = draw.integers(0, 100, (2, 8))
    rows = np.maximum(upper, lower)
    even, odd = rows[::2], rows[1::2]
    found = np.maximum(even, odd)
    pairs = ["array", "tape"] * 4
    drawing = Drawing(860, 390, "A line of windows in registers")
    for y, values, kinds, label, what in [
            (40, upper, pairs, "upper row", "load: 8 numbers at any address"),
            (80, lower, pairs, "lower row", ""),
            (150, rows, pairs, "down", "the larger of both lanes i, eight at once"),
            (230, even, "array", "even lanes", "a shuffle: lanes 0 2 4 6"),
            (270, odd, "tape", "odd lanes", "a shuffle: lanes 1 3 5 7"),
            (340, found, "ops", "across", "the larger again: four windows, stored at once")]:
        drawing.text(30, y + 19, label, 13, bold=True)
        _cells(drawing, 130, y, values, kinds)
        if what:
            drawing.text(130 + CELL * len(values) + 20, y + 19, what, 12, "muted")
    for x, top, bottom in ((310, 112, 148), (220, 180, 228), (220, 302, 338)):
        drawing.arrow(x, top, x, bottom)
    return drawing


# -- chapter 12 --------------------------------------------------------------------------------------------------------

def executor():
    """Draw a plan as Python stores it, and the numeric arrays into which a program turns it."""
    drawing = Drawing(1040, 440, "From the lines of a plan to a program without Python")
    drawing.text(30, 36, "the plan, in Python", 15, bold=True)
    drawing.text(560, 36, "the program, in C", 15, bold=True)
    drawing.labelled(30, 54, 440, "backend", "lines: [(kernel, slots of its operands)]",
                     "0 (Call matrix product,   (0, 1, 2, 7))\n1 (Call relu,             (7, 8))\n"
                     "2 (function,              (8, 3, 9))\n3 (Call matrix product,   (9, 4, 5, 6))", size=12)
    drawing.labelled(30, 190, 440, "array", "values: a list for one run",
                     "0 data   1 weight   2 bias   3 ...\n7 8 9 views of the block   6 a new result", size=12)
    drawing.labelled(560, 54, 450, "ops", "phases: run, fields, parts",
                     "of all lines, in order\nfirst_phase: where each line begins", size=12)
    drawing.labelled(560, 140, 450, "ops", "slots: operands of all lines",
                     "aliases replaced by the value itself\nfirst_slot: where each line begins", size=12)
    drawing.labelled(560, 226, 450, "array", "addresses: of `values`, fetched once for a run",
                     "io: those of one line, for its kernel", size=12)
    drawing.arrow(470, 80, 560, 80, "backend")
    drawing.arrow(470, 128, 560, 160, "backend")
    drawing.arrow(470, 240, 560, 250, "array")
    drawing.text(30, 318, "a run", 15, bold=True)
    x = 30
    for kind, title, width in (("ops", "run(values, 0)", 190), ("ops", "lines 0 1 in C", 190),
                               ("backend", "line 2 in Python", 190), ("ops", "run(values, 3)", 190),
                               ("ops", "line 3 in C", 160)):
        drawing.labelled(x, 336, width - 14, kind, title, size=12)
        if x > 30:
            drawing.arrow(x - 14, 351, x, 351)
        x += width
    drawing.text(30, 400, "For a line that is not a Call, or whose kernel declines, the program returns the line's\n"
                          "index: Python runs it, and calls the program again for the rest.", 13, "muted")
    return drawing


def threads():
    """Draw a ticket, and two threads that use it to take parts."""
    drawing = Drawing(980, 300, "Two threads take the parts of a kernel")
    drawing.text(30, 36, "the ticket: one 64-bit word, replaced atomically or not at all", 14, bold=True)
    for x, width, text in ((30, 260, "job 41"), (290, 200, "6 parts"), (490, 200, "next: 2")):
        drawing.box(x, 52, width - 4, 32, "symbol", radius=3)
        drawing.text(x + width / 2, 73, text, 13, anchor="middle")
    order = {"caller": [0, 2, 3, 5], "worker": [1, 4]}
    starts = {"caller": 120, "worker": 230}
    for y, (name, taken) in zip((120, 180), order.items()):
        drawing.text(30, y + 22, name, 13, bold=True)
        x = starts[name]
        for part in taken:
            width = 300 if part == 4 else 150
            drawing.box(x, y, width - 6, 34, "ops", radius=3)
            drawing.text(x + (width - 6) / 2, y + 22, f"part {part}", 12, anchor="middle")
            x += width
    drawing.text(30, 250, "Any free thread takes the next part. A worker that wakes late takes fewer, or none.\nThe "
                          "bounds of a part do not depend on who takes it, and neither does the result.", 13, "muted")
    return drawing


# -- chapter 15 --------------------------------------------------------------------------------------------------------

def attention_blocks():
    """Draw one query and nine keys in three blocks: the maximum, the sum and the result after each block."""
    scores = np.array([[1, 3, 2], [0, 5, 1], [4, 2, 3]])
    values = np.array([[10, 20, 30], [40, 50, 60], [70, 80, 90]])
    drawing = Drawing(1040, 380, "softmax over blocks of keys, without ever having the whole row of scores")
    drawing.text(30, 34, "one query: nine scores, three at a time", 14, bold=True)
    largest, total, result = -np.inf, 0.0, 0.0
    for number, (some, its) in enumerate(zip(scores, values, strict=True)):
        x = 30 + number * 340
        drawing.text(x, 66, f"block {number}", 13, bold=True)
        for y, row, kind, label in ((80, some, "array", "scores"), (118, its, "tape", "values")):
            _cells(drawing, x, y, row, kind)
            drawing.text(x + 3 * CELL + 12, y + 19, label, 12, "muted")
        before, largest = largest, max(largest, some.max())
        factor, weights = np.exp(before - largest), np.exp(some - largest)
        total, result = total * factor + weights.sum(), result * factor + weights @ its
        lines = (f"sums so far times {factor:.3f}\nthis block's weights: " + ", ".join(f"{w:.3f}" for w in weights)
                 if number else "this block's weights: " + ", ".join(f"{w:.3f}" for w in weights) + "\n ")
        drawing.labelled(x, 166, 306, "ops", f"largest score so far: {largest}", lines, size=12)
        drawing.labelled(x, 250, 306, "backend", "kept for the query: three numbers",
                         f"largest {largest}, sum {total:.3f}\nweighted values {result:.2f}", size=12)
        drawing.arrow(x + 69, 148, x + 69, 164)
        drawing.arrow(x + 153, 233, x + 153, 248)
        if number:
            drawing.arrow(x - 32, 290, x - 4, 290)
    drawing.text(30, 350, f"the result: {result:.2f} / {total:.3f} = {result / total:.3f}, the same as softmax of all "
                 "nine scores", 13, bold=True)
    every = np.exp(scores - scores.max())
    assert np.isclose(result / total, (every * values).sum() / every.sum())
    return drawing


IMAGES = {"pooling-lines": pooling_lines, "pooling-lanes": pooling_lanes, "executor": executor, "threads": threads,
          "attention-blocks": attention_blocks}
