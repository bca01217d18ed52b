"""The time of small calls of `mx.np` compared with `mx.nd`: `python tests/scripts/np_speed.py [--above 1.1] [words]`.

Each row is one operator, alone and inside `autograd.record()`: microseconds of `nd`, of `np`, and their ratio. Both are
measured in turns; the minimum of many turns counts. --above shows only ratios above a number; words select rows. Where
`np` does more than the function of `nd` of that name, the statement of `nd` does this, too: the indices of `argmax`
become int64, those of `take` are checked, and `reshape` copies.
"""

import argparse
import timeit

import minigluon as mx
from minigluon import autograd, npx

NP, ND = mx.np, mx.nd
# name: (statement of nd, statement of np); one statement for both if they are equal
ROWS = {
    "exp": ("F.exp(x)", None), "log": ("F.log(x)", None), "tanh": ("F.tanh(x)", None), "abs": ("F.abs(x)", None),
    "square": ("F.square(x)", None), "-x": ("-x", None), "relu": ("nd.relu(x)", "npx.relu(x)"),
    "sigmoid": ("nd.sigmoid(x)", "npx.sigmoid(x)"), "sign": ("F.sign(x)", None), "floor": ("F.floor(x)", None),
    "x + y": ("x + y", None), "x - y": ("x - y", None), "x * y": ("x * y", None), "x / y": ("x / y", None),
    "x + 1": ("x + 1", None), "2 * x": ("2 * x", None), "1 - x": ("1 - x", None), "1 / x": ("1 / x", None),
    "x ** 2": ("x ** 2", None), "x % 2": ("x % 2", None), "x + row": ("x + r", None), "x * s": ("x * s", None),
    "add": ("F.add(x, y)", None), "multiply": ("F.multiply(x, y)", None), "maximum": ("F.maximum(x, y)", None),
    "maximum 0": ("F.maximum(x, 0)", None), "power": ("F.power(x, 2)", None), "hypot": ("F.hypot(x, y)", None),
    "x == y": ("x == y", None), "x > 0": ("x > 0", None), "x <= y": ("x <= y", None),
    "greater": ("F.greater(x, y)", None), "logical_and": ("F.logical_and(x, y)", None),
    "sum": ("x.sum()", None), "F.sum": ("F.sum(x)", None), "sum axis": ("x.sum(axis=1)", None),
    "sum keepdims": ("x.sum(axis=1, keepdims=True)", None), "mean": ("x.mean()", None),
    "mean axis": ("x.mean(axis=0)", None), "max": ("x.max()", None), "max axis": ("x.max(axis=1)", None),
    "min": ("x.min()", None), "prod": ("x.prod()", None),
    "argmax": ("x.argmax(axis=1).astype('int64')", "x.argmax(axis=1)"),
    "argmin": ("nd.argmin(x, axis=1).astype('int64')", "np.argmin(x, axis=1)"),
    "norm": ("nd.norm(x)", "np.linalg.norm(x)"), "reshape": ("x.reshape((5, 4)).copy()", "x.reshape((5, 4))"),
    "reshape -1": ("x.reshape(-1).copy()", "x.reshape(-1)"),
    "reshape lengths": ("x.reshape(2, 10).copy()", "x.reshape(2, 10)"), "T": ("x.T", None),
    "transpose": ("F.transpose(x)", None),
    "transpose axes": ("x.transpose((1, 0))", None), "swapaxes": ("x.swapaxes(0, 1)", None),
    "expand_dims": ("F.expand_dims(x, axis=1)", None), "squeeze": ("F.squeeze(x1)", None),
    "broadcast_to": ("r.broadcast_to((4, 5))", None), "flip": ("F.flip(x, axis=1)", None),
    "concat": ("nd.concat(x, y, dim=0)", "np.concatenate((x, y), axis=0)"),
    "concat list": ("nd.concat(*[x, y], dim=1)", "np.concatenate([x, y], axis=1)"),
    "stack": ("nd.stack(x, y)", "np.stack([x, y])"),
    "split": ("nd.split(x, num_outputs=2, axis=0)", "np.split(x, 2)"), "tile": ("F.tile(x, (2, 1))", None),
    "repeat": ("x.repeat(2, axis=0)", None), "clip": ("x.clip(0, 1)", None), "F.clip": ("F.clip(x, 0, 1)", None),
    "x[0]": ("x[0]", None), "x[1:3]": ("x[1:3]", None), "x[:, 1]": ("x[:, 1]", None), "x[1, 2]": ("x[1, 2]", None),
    "x[mask]": ("nd.contrib.boolean_mask(x, m)", "x[m]"), "x[list]": ("x[[0, 2]]", None), "x[i]": ("x[i]", None),
    "take": ("nd.take(x, i, axis=0, mode='raise')", "np.take(x, i, axis=0)"),
    "x.take": ("x.take(i, axis=0, mode='raise')", "x.take(i, axis=0)"),
    "where": ("F.where(c, x, y)", None), "pick": ("nd.pick(x, k)", "npx.pick(x, k)"),
    "one_hot": ("nd.one_hot(i, 5)", "npx.one_hot(i, 5)"), "dot": ("F.dot(x, w)", None),
    "matmul": ("nd.dot(x, w)", "x @ w"), "batch_dot": ("nd.batch_dot(b, b)", "npx.batch_dot(b, b)"),
    "cumsum": ("F.cumsum(x, axis=1)", None), "sort": ("x.sort(axis=1)", "np.sort(x, axis=1)"),
    "argsort": ("x.argsort(axis=1)", None), "topk": ("nd.topk(x, k=2)", "npx.topk(x, k=2)"),
    "zeros": ("F.zeros((4, 5))", None), "ones": ("F.ones((4, 5))", None), "full": ("F.full((4, 5), 2)", None),
    "arange": ("F.arange(5)", None), "array": ("F.array([1, 2])", None), "zeros_like": ("F.zeros_like(x)", None),
    "ones_like": ("F.ones_like(x)", None), "normal": ("nd.random.normal(0, 1, (4, 5))",
                                                      "np.random.normal(0, 1, (4, 5))"),
    "uniform": ("nd.random.uniform(0, 1, (4, 5))", "np.random.uniform(0, 1, (4, 5))"),
    "astype": ("x.astype('float64')", None), "copy": ("x.copy()", None), "asnumpy": ("x.asnumpy()", None),
    "item": ("s.asscalar()", "s.item()"), "float": ("float(s)", None), "detach": ("x.detach()", None),
    "x[:] = 1": ("t[:] = 1", None), "x[0] = y": ("t[0] = r", None), "iadd": ("t.__iadd__(1)", None),
    "imul": ("t.__imul__(y)", None), "softmax": ("nd.softmax(x)", "npx.softmax(x)"),
    "log_softmax": ("nd.log_softmax(x)", "npx.log_softmax(x)"),
    "fully_connected": ("nd.FullyConnected(x, w2, bias, num_hidden=3)",
                        "npx.fully_connected(x, w2, bias, num_hidden=3)"),
    "layer_norm": ("nd.LayerNorm(x, r, r)", "npx.layer_norm(x, r, r)"),
    "embedding": ("nd.Embedding(i, x, input_dim=4, output_dim=5)", "npx.embedding(i, x, input_dim=4, output_dim=5)"),
    "activation": ("nd.Activation(x, act_type='relu')", "npx.activation(x, act_type='relu')"),
    "dropout": ("nd.Dropout(x, p=0.5)", "npx.dropout(x, p=0.5)"), "shape": ("x.shape", None), "size": ("x.size", None),
    "len": ("len(x)", None), "dtype": ("x.dtype", None),
}
NOT_RECORDED = {"x[:] = 1", "x[0] = y", "iadd", "imul"}


def arrays_of(make):
    """Return the arrays that the statements use. make: `np.array` or `nd.array`."""
    data = {"x": [[0.5 + 0.1 * i + j for j in range(5)] for i in range(4)], "r": [1.0, 2, 3, 4, 5], "s": [2.0],
            "i": [0, 2], "k": [0, 1, 2, 3], "m": [1, 0, 1, 0], "x1": [[[1.0, 2, 3]]], "bias": [0.0, 1, 2]}
    data |= {"y": [[1.0] * 5] * 4, "t": [[1.0] * 5] * 4, "w": [[1.0] * 3] * 5, "w2": [[1.0] * 5] * 3,
             "b": [[[1.0] * 3] * 3] * 2}
    arrays = {name: make(values) for name, values in data.items()}
    for name in ("x", "y", "r", "w", "w2", "x1", "b", "bias"):
        arrays[name].attach_grad()
    arrays["c"] = arrays["x"] > 2
    if make is NP.array:
        arrays["m"] = arrays["m"].astype("bool")
    return arrays


def timer(statement, module):
    """Return a timer of a statement, and the number of calls for a turn of about a millisecond."""
    names = {**arrays_of(module.array), "F": module, "nd": ND, "np": NP, "npx": npx}
    measured = timeit.Timer(statement, globals=names)
    for _ in range(40):                     # a plan is made after 16 calls
        measured.timeit(1)
    return measured, max(3, int(1e-3 / max(min(measured.repeat(5, 3)) / 3, 1e-7)))


def measured(statement, other, recorded, turns):
    """Return the seconds of one call of each statement."""
    with autograd.record() if recorded else autograd.pause():
        timers = [timer(statement, ND), timer(other or statement, NP)]
        best = [1.0, 1.0]
        for _ in range(turns):
            for i, (each, number) in enumerate(timers):
                best[i] = min(best[i], each.timeit(number) / number)
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--above", type=float, default=0)
    parser.add_argument("--turns", type=int, default=150)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    npx.set_np()
    counts = {}
    for name, (statement, other) in ROWS.items():
        if options.words and not any(word in name for word in options.words):
            continue
        for recorded in (False, True)[:1 if name in NOT_RECORDED else 2]:
            times = measured(statement, other, recorded, options.turns)
            ratio = times[1] / times[0]
            counts.setdefault(recorded, []).append(ratio)
            if ratio > options.above:
                kind = "recorded" if recorded else "        "
                print(f"{name:18}{kind} {times[0] * 1e6:8.2f} {times[1] * 1e6:8.2f} {ratio:6.2f}", flush=True)
    for recorded, ratios in counts.items():
        print(f"{'recorded' if recorded else 'alone'}: {len(ratios)} rows, {sum(ratio > 1.1 for ratio in ratios)} "
              f"above 1.1; median {sorted(ratios)[len(ratios) // 2]:.2f}")


if __name__ == "__main__":
    main()
