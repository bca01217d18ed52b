"""The image in chapter 14: the grid of a launch, a block and its tiles, computed as on the page."""

from drawing import Drawing

__all__ = ["IMAGES"]

N, TILE = 10, 4                     # the same values as on the page
BLOCK, THREAD = (1, 2), (2, 1)      # (row, column) of the drawn block, and of the thread within the block
STEP = 1                            # the tiles in shared memory
CELL = 22


def tiles():
    """Draw both factors, the result in its grid of blocks, and one thread in one block."""
    blocks = -(-N // TILE)
    side = blocks * TILE * CELL
    drawing = Drawing(2 * side + 260, 2 * side + 190, "A grid of blocks over the result of a matrix product")
    left, top, right, below = 40, 70 + side, 100 + side, 70 + side
    rows, columns = _span(BLOCK[0]), _span(BLOCK[1])
    depth = _span(STEP)
    drawing.text(right, 34, f"b, {N} x {N}", 14, bold=True)
    _matrix(drawing, right, 50, lambda i, j: None if j not in columns else "tape" if i in depth else "array")
    drawing.text(left, below - 12, f"a, {N} x {N}", 14, bold=True)
    _matrix(drawing, left, top, lambda i, j: None if i not in rows else "tape" if j in depth else "array")
    drawing.text(right, below - 4, f"y: a grid of {blocks} x {blocks} blocks of {TILE} x {TILE} threads", 14, bold=True)
    _matrix(drawing, right, top + 14, lambda i, j: "ops" if i in rows and j in columns else None)
    for i in range(blocks):
        for j in range(blocks):
            drawing.path(_frame(right + j * TILE * CELL, top + 14 + i * TILE * CELL, TILE * CELL), "base", arrow=False)
    row, column = rows[THREAD[0]], columns[THREAD[1]]
    x, y = right + column * CELL, top + 14 + row * CELL
    drawing.box(x + 2, y + 2, CELL - 4, CELL - 4, "symbol", radius=3)
    bottom = top + side + 50
    who = f"thread ({THREAD[1]},{THREAD[0]},0) of block ({BLOCK[1]},{BLOCK[0]},0)"
    drawing.text(left, bottom, f"{who}: row {BLOCK[0]} · {TILE} + {THREAD[0]} = {row}, "
                               f"column {BLOCK[1]} · {TILE} + {THREAD[1]} = {column}", 13)
    drawing.text(left, bottom + 24, "blue: what its block reads from a and b; purple: the two tiles now in shared "
                                    "memory", 13, "muted")
    drawing.text(left, bottom + 48, "dashed: threads beyond the border, which have no element", 13, "muted")
    return drawing


def _span(block):
    """Return the rows (or columns) of a block, including those beyond the border."""
    return range(block * TILE, (block + 1) * TILE)


def _matrix(drawing, x, y, kind):
    """Draw a cell for each element and, with dashed lines, for each thread beyond the border. kind(row, column): the
    cell's color or None."""
    length = -(-N // TILE) * TILE
    for i in range(length):
        for j in range(length):
            inside = i < N and j < N
            color = kind(i, j)
            if inside or color is not None:
                drawing.box(x + j * CELL + 1, y + i * CELL + 1, CELL - 2, CELL - 2, color or "base", not inside, 2)


def _frame(x, y, side):
    return f"M {x} {y} L {x + side} {y} L {x + side} {y + side} L {x} {y + side} Z"


IMAGES = {"gpu-tiles": tiles}
