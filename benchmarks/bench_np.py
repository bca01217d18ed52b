"""Small calls of `mx.np` compared with those of `mx.nd`, on 4 x 4 arrays: each pair takes turns within one run.

    python benchmarks/bench_np.py [--rounds 60] [--recorded]
    pytest benchmarks/bench_np.py --benchmark-columns=median,iqr,rounds --benchmark-group-by=param:name

The script prints Markdown: for each call the medians of both, and the median of their ratios, the largest first.
"""

import argparse
import contextlib
import datetime
import statistics
import timeit

import pytest

import minigluon as mx
from minigluon import autograd, np, npx
from minigluon.common import hardware as machine

NUMBER = 200            # calls of a round

# name: (with x, y, i in mx.nd, the same in mx.np)
CALLS = {
    "x + y": ("x + y", "x + y"),
    "x + 1": ("x + 1", "x + 1"),
    "1 - x": ("1 - x", "1 - x"),
    "x > y": ("x > y", "x > y"),
    "-x": ("-x", "-x"),
    "x += 1": ("z.__iadd__(1)", "z.__iadd__(1)"),
    "add": ("nd.add(x, y)", "np.add(x, y)"),
    "maximum": ("nd.maximum(x, 0)", "np.maximum(x, 0)"),
    "exp": ("nd.exp(x)", "np.exp(x)"),
    "clip": ("nd.clip(x, 0, 1)", "np.clip(x, 0, 1)"),
    "sum": ("nd.sum(x)", "np.sum(x)"),
    "x.sum of an axis": ("x.sum(axis=1, keepdims=True)", "x.sum(axis=1, keepdims=True)"),
    "mean": ("nd.mean(x, axis=1)", "np.mean(x, axis=1)"),
    "argmax": ("nd.argmax(x, axis=1)", "np.argmax(x, axis=1)"),
    "norm": ("nd.norm(x)", "np.linalg.norm(x)"),
    "dot": ("nd.dot(x, y)", "np.dot(x, y)"),
    "x @ y": ("x @ y", "x @ y"),
    "batch_dot": ("nd.batch_dot(b, b)", "npx.batch_dot(b, b)"),
    "x.reshape": ("x.reshape(2, 8)", "x.reshape(2, 8)"),
    "expand_dims": ("nd.expand_dims(x, axis=0)", "np.expand_dims(x, axis=0)"),
    "x.T": ("x.T", "x.T"),
    "swapaxes": ("x.swapaxes(0, 1)", "x.swapaxes(0, 1)"),
    "concatenate": ("nd.concat(x, y, dim=1)", "np.concatenate([x, y], axis=1)"),
    "stack": ("nd.stack(x, y)", "np.stack([x, y])"),
    "where": ("nd.where(x, x, y)", "np.where(x, x, y)"),
    "x[0]": ("x[0]", "x[0]"),
    "x[1:3]": ("x[1:3]", "x[1:3]"),
    "x[:, 1]": ("x[:, 1]", "x[:, 1]"),
    "x[0] = 1": ("z.__setitem__(0, 1)", "z.__setitem__(0, 1)"),
    "zeros": ("nd.zeros((4, 4))", "np.zeros((4, 4))"),
    "ones_like": ("nd.ones_like(x)", "np.ones_like(x)"),
    "array": ("nd.array([1.0, 2.0])", "np.array([1.0, 2.0])"),
    "normal": ("nd.random.normal(0, 1, shape=(4, 4))", "np.random.normal(0, 1, size=(4, 4))"),
    "astype": ("x.astype('float64')", "x.astype('float64')"),
    "item": ("x[0, 1].asscalar()", "x[0, 1].item()"),
    "relu": ("nd.relu(x)", "npx.relu(x)"),
    "softmax": ("nd.softmax(x)", "npx.softmax(x)"),
    "one_hot": ("nd.one_hot(i, depth=3)", "npx.one_hot(i, depth=3)"),
    "fully_connected": ("nd.FullyConnected(x, y, i4, num_hidden=4)", "npx.fully_connected(x, y, i4, num_hidden=4)"),
}
WRITES = ("x += 1", "x[0] = 1")          # of the array on the tape these are errors


def functions():
    """Return {name: (a function for nd, one for np)}."""
    arrays = {"x": mx.nd.array([[0.1 * (4 * i + j) for j in range(4)] for i in range(4)]), "y": mx.nd.ones((4, 4)),
              "z": mx.nd.ones((4, 4)), "b": mx.nd.ones((2, 4, 4)), "i": mx.nd.array([0, 1]), "i4": mx.nd.ones(4)}
    names = ({"nd": mx.nd, **arrays},
             {"np": np, "npx": npx, **{name: x.copy().as_np_ndarray() for name, x in arrays.items()}})
    for each in names:
        for array in (each["x"], each["y"]):
            array.attach_grad()
    return {name: tuple(eval(f"lambda: {code}", space) for code, space in zip(codes, names, strict=True))
            for name, codes in CALLS.items()}


@pytest.mark.parametrize("interface", ["nd", "np"])
@pytest.mark.parametrize("name", CALLS)
def test_call(benchmark, name, interface):
    call = functions()[name][interface == "np"]
    for _ in range(20):         # creates kernels and plans
        call()
    benchmark(call)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--recorded", action="store_true", help="measure inside autograd.record()")
    options = parser.parse_args()
    rows = []
    with autograd.record() if options.recorded else contextlib.nullcontext():
        for name, pair in functions().items():
            if options.recorded and name in WRITES:
                continue
            times = [[timeit.timeit(call, number=NUMBER) / NUMBER for call in pair] for _ in range(options.rounds)][1:]
            nd_time, np_time = (statistics.median(column) * 1e6 for column in zip(*times, strict=True))
            rows.append((statistics.median([theirs / ours for ours, theirs in times]), name, nd_time, np_time))
    ratios = [row[0] for row in rows]
    print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores, minigluon {mx.__version__}; "
          f"medians of {options.rounds} rounds; {sum(ratio <= 1.1 for ratio in ratios)} of {len(ratios)} ratios are at "
          f"most 1.1; geometric mean {statistics.geometric_mean(ratios):.2f}\n")
    print("| call | nd, µs | np, µs | ratio |\n|---|---|---|---|")
    for ratio, name, nd_time, np_time in sorted(rows, reverse=True):
        print(f"| {name} | {nd_time:.2f} | {np_time:.2f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
