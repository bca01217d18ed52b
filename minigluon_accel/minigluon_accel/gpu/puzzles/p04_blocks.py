"""`blockIdx.x` and `blockDim.x`: the index of a thread among the threads of all blocks."""

from .puzzle import Case, Puzzle, many, numbers


def cases():
    for n, count in (64, 2), (70, 3), (5, 1):
        x = numbers(n)
        yield Case(f"{many(n, 'number')}, {many(count, 'block')} of 32 threads", (count,), (32,), {"x": x, "n": n},
                   x + 10)


PUZZLE = Puzzle(
    title="Blocks: more elements than a block has threads",
    cases=cases,
    hints={"blocks": [
        "How many threads do the blocks before this one have together? blockIdx.x blocks, blockDim.x threads in each.",
        "int i = blockIdx.x * blockDim.x + threadIdx.x; and the guard of the second puzzle.",
    ]},
)
