"""The images of chapter 0, drawn from the objects that its code creates. `make_images.py` draws them."""

import io
import re
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path

import numpy as np
from drawing import Drawing, text_width

__all__ = ["IMAGES"]

PAGE = Path(__file__).parent / "0-the-whole-thing.md"
LEFT_OUT = "## Training", "## Is it right, and is it faster?"       # they need real digits and take a long time


@cache
def chapter():
    """Return the names that the chapter's code has defined after its last block, without any training."""
    # A batch of placeholder digits, and no gradients from the tape for comparison.
    found = {"__name__": "chapter", "images": np.zeros((32, 64)), "labels": np.zeros((32, 10)),
             "tape_step": lambda x, y: []}
    text = PAGE.read_text(encoding="utf-8").split("## Where it is in minigluon")[0]
    for section in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        if not section.startswith(LEFT_OUT):
            for block in re.findall(r"^```python\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL):
                with redirect_stdout(io.StringIO()):
                    exec(compile(block, PAGE.name, "exec"), found)
    return found


def whole_thing():
    """Draw one call of the chapter's network with F=nd and with F=sym, side by side, with the outcome of each."""
    code, (width, left, right, wide) = chapter(), (780, 20, 400, 360)
    head = code["loss"](code["net"](code["data"]), code["label"])
    symbols = [value for value in code["behind"]([head]) if value.inputs]
    with code["record"]():
        label = code["NDArray"](np.zeros((32, 10)))
        head = code["loss"](code["net"](code["NDArray"](np.zeros((32, 64)))), label)
    arrays = [value for value in code["behind"]([head]) if value.inputs]

    drawing = Drawing(width, 0, "One network, read twice")
    drawing.box(left, 20, 740, 66, "gluon")
    drawing.text(left + 14, 45, "def hybrid_forward(self, F, x):", 15, "gluon", bold=True)
    drawing.text(left + 14, 71, "    return self.output(F.relu(self.hidden(x)))", 15)
    top = 130
    for x, kind, title in (left, "array", "F = nd: compute"), (right, "symbol", "F = sym: record"):
        drawing.arrow(x + wide / 2, 86, x + wide / 2, top, kind)
        drawing.box(x, top, wide, 44 + 24 * len(arrays), kind)
        drawing.text(x + 14, top + 26, title, 15, kind, bold=True)
    for row, (array, symbol) in enumerate(zip(arrays, symbols, strict=True)):
        y = top + 54 + 24 * row
        name = _name(array)
        drawing.text(left + 14, y, name, 14)
        drawing.text(left + wide - 14, y, f"numbers {array.numbers.shape}", 14, "muted", anchor="end")
        drawing.text(right + 14, y, f"{name}({', '.join(_short(source) for source in symbol.inputs)})", 14)
    y = top + 44 + 24 * len(arrays)
    for x, kind in (left, "array"), (right, "symbol"):
        drawing.arrow(x + wide / 2, y, x + wide / 2, y + 34, kind)
    drawing.box(left, y + 34, 740, 40, "ops")
    drawing.text(width / 2, y + 59, "gradients(F, loss, parameters)", 15, "ops", anchor="middle", bold=True)
    plan, before, after = code["plan"], len(code["behind"](code["heads"])), len(code["behind"](code["simple"]))
    for x, kind in (left, "array"), (right, "symbol"):
        drawing.arrow(x + wide / 2, y + 74, x + wide / 2, y + 108, kind)
    drawing.labelled(left, y + 108, wide, "array", "arrays: the gradients of this batch",
                     "All of it is worked out again\nfor the next batch.", size=15)
    drawing.labelled(right, y + 108, wide, "symbol", f"a graph of {before} values",
                     f"simplified: {after} values", size=15)
    drawing.arrow(right + wide / 2, y + 161, right + wide / 2, y + 188, "symbol")
    drawing.labelled(right, y + 188, wide, "backend", f"a plan of {len(plan.steps)} steps",
                     f"in {plan.memory.nbytes / 1000:.0f} kB instead of {8 * sum(plan.sizes.values()) / 1000:.0f} kB,\n"
                     "ready to run for every batch", size=15)
    drawing.height = y + 285
    return drawing


def _name(value):
    return type(value.op).__name__.rstrip("_")


def _short(symbol):
    """Return the name of a symbol in the picture: its name without the owner's prefix, or its operator."""
    if symbol.op is None:
        return symbol.name.removeprefix("net0_")
    return repr(symbol) if _name(symbol) == "constant" else _name(symbol)


def memory():
    """Draw the positions of the plan's results over its steps, as planned and with separate memory for each result."""
    code = chapter()
    plan = code["plan"]
    steps = list(plan.sizes)
    lives = code["lifetimes"](steps, code["simple"])
    stacked, end = {}, 0
    for value in steps:
        stacked[value] = slice(end, end + plan.sizes[value])
        end += plan.sizes[value]
    scale, left, right = 330 / end, 20, 760
    step = (right - left) / (len(steps) + 1)

    drawing = Drawing(780, 0, "Memory: each result in its own, and as planned")
    y = 40
    for title, places in ("each result in its own memory", stacked), ("as planned", plan.places):
        size = max(piece.stop for piece in places.values())
        drawing.text(left, y, f"{title}: {8 * size} bytes", 15, bold=True)
        bottom = y + 16 + size * scale
        drawing.path(f"M {left} {bottom:g} L {right} {bottom:g}", "muted", arrow=False)
        for value, piece in places.items():
            (first, last), height = lives[value], (piece.stop - piece.start) * scale
            x, width = left + first * step, (last - first + 1) * step
            drawing.box(x, bottom - piece.stop * scale, width, height, _kind(value), radius=min(4, height / 2))
            if height > 16 and text_width(_name(value)) + 8 < width:
                drawing.text(x + 5, bottom - piece.start * scale - height / 2 + 5, _name(value), 13)
        y = bottom + 44
    drawing.text(left, y - 16, "from left to right: steps; upward: bytes; violet: the gradients, kept to the end", 13,
                 "muted")
    drawing.height = y
    return drawing


def _kind(value):
    """Return the color of a result: a head of the graph, or an intermediate result."""
    return "tape" if value in chapter()["simple"] else "array"


IMAGES = {"whole-thing": whole_thing, "whole-thing-memory": memory}
