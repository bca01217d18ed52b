"""A loop over tiles, and zeros beyond the edge."""

from .puzzle import Case, Puzzle, numbers
from .traffic import reads_at_most

TILE = 8


def cases():
    for rows, depth, columns in (8, 8, 8), (10, 20, 12), (5, 3, 17):
        a, b = numbers(rows, depth), numbers(depth, columns, seed=1)
        grid = -(-columns // TILE), -(-rows // TILE)
        errors = [(a[:, :TILE] @ b[:TILE], "only the product of the first tiles")] * (depth > TILE)
        yield Case(f"{rows} x {depth} times {depth} x {columns}, {grid[0]} x {grid[1]} blocks of 8 x 8 threads", grid,
                   (TILE, TILE), {"a": a, "b": b, "rows": rows, "depth": depth, "columns": columns}, a @ b, errors)


PUZZLE = Puzzle(
    title="Tiled product: each number is fetched once for each tile",
    cases=cases,
    rules=[reads_at_most(lambda grid: grid[0], "a"), reads_at_most(lambda grid: grid[1], "b")],
    hints={"tiled_product": [
        "for (int start = 0; start < depth; start += TILE), with two tiles: __shared__ float left[TILE][TILE], "
        "right[TILE][TILE];",
        "Thread (tx, ty) fetches a[row][start + tx] and b[start + ty][column], each with a guard of its own, else 0.",
        "Two barriers in each round: after fetching, and after the loop that adds left[ty][k] * right[k][tx].",
    ]},
)
