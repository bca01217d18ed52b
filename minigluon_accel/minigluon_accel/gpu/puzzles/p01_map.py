"""`threadIdx.x`: the index of a thread, and of its element."""

from .puzzle import Case, Puzzle, many, numbers


def cases():
    for n in 4, 32, 7:
        x = numbers(n)
        yield Case(f"{many(n, 'number')}, one block of {many(n, 'thread')}", (1,), (n,), {"x": x}, x + 10,
                   [(x[0] + 10 + 0 * x, "x[0] + 10 everywhere: the thread index is missing in x[...]")])


PUZZLE = Puzzle(
    title="Map: one thread for one element",
    cases=cases,
    hints={"map": [
        "threadIdx.x is the index of the thread. Give it a short name: int i = threadIdx.x;",
        "Element i of x is x[i]. One thread reads one element, and writes one.",
    ]},
)
