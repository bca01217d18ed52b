"""Coalesced accesses, and shared memory banks."""

from .puzzle import Case, Puzzle, numbers
from .traffic import coalesced, no_bank_conflicts

TILE = 32


def cases():
    for height, width in (32, 32), (40, 33), (3, 70):
        x = numbers(height, width)
        grid = -(-width // TILE), -(-height // TILE)
        errors = [(x, "x itself: nothing is transposed. "
                   "Read the tile by columns: tile[tx][ty]")] if height == width else []
        yield Case(f"{height} rows and {width} columns, {grid[0]} x {grid[1]} blocks of 32 x 32 threads", grid,
                   (TILE, TILE), {"x": x, "height": height, "width": width}, x.T.copy(), errors)


PUZZLE = Puzzle(
    title="Transpose without bank conflicts",
    cases=cases,
    rules=[coalesced, no_bank_conflicts],
    hints={"transpose": [
        "In both accesses of global memory tx counts columns: x[row * width + column] and out[row * height + column].",
        "For out: row = blockIdx.x * TILE + ty, column = blockIdx.y * TILE + tx. The blocks are swapped, tx and ty "
        "are not.",
        "The tile does the transposing: written tile[ty][tx], read tile[tx][ty]. Declare it with TILE + 1 columns.",
    ]},
)
