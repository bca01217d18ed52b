"""A guard: `if (i < n)`."""

from .puzzle import Case, Puzzle, many, numbers


def cases():
    for n in 20, 32, 1:
        x = numbers(n)
        yield Case(f"{many(n, 'number')}, one block of 32 threads", (1,), (32,), {"x": x, "n": n}, x + 10)


PUZZLE = Puzzle(
    title="Guard: more threads than elements",
    cases=cases,
    hints={"guard": [
        "The elements have the indices 0 to n - 1. Which comparison is true for these i, and for no other?",
        "if (i < n), and then the line of the first puzzle.",
    ]},
)
