"""`threadIdx.y`, and a matrix in one-dimensional memory."""

from .puzzle import Case, Puzzle, many, numbers


def cases():
    for rows, columns in (8, 8), (5, 7), (2, 1):
        a, b = numbers(rows), numbers(columns, seed=1)
        errors = []
        if rows == columns:
            errors = [(a + b[:, None], "a[column] + b[row]: rows and columns are swapped")]
        yield Case(f"{many(rows, 'row')} and {many(columns, 'column')}, one block of 8 x 8 threads", (1,), (8, 8),
                   {"a": a, "b": b, "rows": rows, "columns": columns}, a[:, None] + b, errors)


PUZZLE = Puzzle(
    title="Broadcast: threads in two dimensions",
    cases=cases,
    hints={"broadcast": [
        "int row = threadIdx.y, column = threadIdx.x;",
        "A thread has work if row < rows and column < columns. Both are needed: after the last column the next row "
        "begins, and it belongs to another thread.",
        "A row has `columns` elements, so row `row` begins at row * columns.",
    ]},
)
