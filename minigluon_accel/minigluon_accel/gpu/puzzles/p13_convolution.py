"""A tile with more elements than there are threads to fetch them."""

from .puzzle import Case, Puzzle, numbers
from .traffic import reads_at_most

TILE = 8


def cases():
    w = numbers(3, 3, seed=1)
    for height, width in (10, 10), (13, 21), (4, 3):
        x = numbers(height, width)
        grid = -(-(width - 2) // TILE), -(-(height - 2) // TILE)
        yield Case(f"an image of {height} x {width}, {grid[0]} x {grid[1]} blocks of 8 x 8 threads", grid, (TILE, TILE),
                   {"x": x, "w": w, "height": height, "width": width}, _convolved(x, w),
                   [(_convolved(x, w[::-1, ::-1]), "the result of the flipped filter: weight w[i][j] meets x[row + "
                                                   "i][column + j]"),
                    (_convolved(x, w.T), "what w[j][i] gives: rows and columns of the filter are swapped")])


def _convolved(x, w):
    height, width = x.shape
    return sum(w[i, j] * x[i:height - 2 + i, j:width - 2 + j] for i in range(3) for j in range(3))


PUZZLE = Puzzle(
    title="Convolution: a tile with a halo in two dimensions",
    cases=cases,
    rules=[reads_at_most(4, "x")],
    hints={"convolution": [
        "The index of a thread in its block is ty * TILE + tx. for (int i = that; i < SIDE * SIDE; i += TILE * TILE).",
        "tile[i / SIDE][i % SIDE] is x at row top + i / SIDE and column left + i % SIDE, if that is inside of x.",
        "After the barrier thread (tx, ty) adds w[i * 3 + j] * tile[ty + i][tx + j]. A row of out has width - 2 "
        "elements.",
    ]},
)
