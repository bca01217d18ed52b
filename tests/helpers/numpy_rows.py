"""Arguments for every function of the table of `mx.np`, and NumPy's function of that name."""

import numpy as onp

from minigluon.numpy.table import FUNCTIONS

# The arguments after the shapes of the arrays; rows that are not here take one array of any shape.
# name: (shapes, further arguments, keywords); shapes None: any.
PAIRS = [(2, 3), (3,)]
SQUARE = [(3, 3)]
BINARY = ["add", "subtract", "multiply", "divide", "true_divide", "floor_divide", "mod", "remainder", "power",
          "maximum", "minimum", "hypot", "copysign", "arctan2", "equal", "not_equal", "greater", "greater_equal",
          "less", "less_equal", "logical_and", "logical_or", "logical_xor", "ldexp", "logaddexp"]
CASES = {
    **dict.fromkeys(BINARY, (PAIRS, (), {})),
    **dict.fromkeys(["around", "round", "round_"], (None, (1,), {})), "clip": (None, (-0.5, 0.5), {}),
    "full_like": (None, (3,), {}),
    "reshape": ([(2, 6)], ((3, -1),), {}), "swapaxes": ([(2, 3, 4)], (0, -1), {}),
    "moveaxis": ([(2, 3, 4)], (0, -1), {}), "expand_dims": (None, (0,), {}), "squeeze": ([(1, 3, 1)], (), {}),
    "broadcast_to": ([(3, 1)], ((2, 3, 4),), {}), "broadcast_arrays": (PAIRS, (), {}),
    "transpose": ([(2, 3, 4)], ((1, 2, 0),), {}), "tile": (None, (2,), {}), "repeat": (None, (2,), {}),
    "flipud": ([(2, 3)], (), {}), "fliplr": ([(2, 3)], (), {}), "rot90": ([(2, 3)], (), {}),
    "roll": ([(2, 3)], (1,), {"axis": 1}), "diag": ([(3, 4)], (1,), {}), "trace": ([(3, 4)], (), {}),
    "diagonal": ([(2, 3, 4)], (1,), {"axis1": 0, "axis2": 2}), "tril": ([(2, 3, 4)], (1,), {}),
    "triu": ([(3, 4)], (-1,), {}), "pad": ([(2, 3)], (((1, 0), (2, 2)),), {}), "dot": ([(2, 3), (3, 4)], (), {}),
    "matmul": ([(2, 1, 4, 3), (5, 3, 2)], (), {}), "inner": ([(2, 3), (4, 3)], (), {}), "outer": (PAIRS, (), {}),
    "tensordot": ([(2, 3, 4), (4, 3, 2)], (), {"axes": ([1, 2], [1, 0])}), "vdot": ([(2, 3), (6,)], (), {}),
    "kron": ([(2, 3), (1, 2)], (), {}), "cross": ([(2, 3), (3,)], (), {}), "append": (PAIRS[1:] * 2, (), {}),
    "split": ([(4, 3)], (2,), {}), "array_split": ([(5, 3)], (3,), {}), "vsplit": ([(4, 3)], ([1, 3],), {}),
    "hsplit": ([(3, 4)], (2,), {}), "dsplit": ([(1, 2, 4)], (2,), {}), "average": ([(2, 3)], (), {"axis": 1}),
    "diff": ([(2, 4)], (2,), {}), "ediff1d": ([(5,)], (), {}), "rint": ([(3, 2)], (), {}),
    "ptp": ([(3, 2)], (), {"axis": 0}), "sort": ([(3, 4)], (), {"axis": 0}), "argsort": ([(3, 4)], (), {}),
    "argmax": ([(3, 4)], (), {"axis": 1}), "argmin": ([(3, 4)], (), {}), "linalg.norm": ([(3, 4)], (), {}),
    **dict.fromkeys(["linalg.det", "linalg.slogdet", "linalg.inv", "linalg.cholesky", "linalg.eigh",
                     "linalg.eigvalsh"], (SQUARE, (), {})), "linalg.solve": ([(3, 3), (3, 2)], (), {}),
    "percentile": ([(3, 4)], (30,), {"axis": 1}), "quantile": ([(3, 4)], ([0.2, 0.7],), {"axis": 0, "keepdims": True}),
    "insert": ([(3, 4)], ([0, 2], 5.0), {"axis": 1}), "delete": ([(3, 4)], ([0, -1],), {"axis": 1}),
    "resize": ([(2, 3)], ((4, 4),), {}), "polyval": ([(3,), (2, 2)], (), {}), "cumprod": ([(3, 4)], (1,), {}),
    "linalg.svd": ([(2, 3, 4)], (), {}), "linalg.pinv": ([(4, 3)], (), {}), "linalg.qr": ([(3, 4)], (), {}),
    "linalg.tensorinv": (SQUARE, (1,), {}), "linalg.tensorsolve": ([(3, 1, 3), (3, 1)], (), {}),
    "linalg.matrix_power": (SQUARE, (3,), {}), "matrix_transpose": ([(2, 3, 4)], (), {}),
    "vecdot": ([(2, 3, 4), (2, 3, 1)], (), {"axis": 1}), "astype": (None, ("float64",), {}),
    "nanvar": ([(3, 4)], (1,), {"ddof": 1}),
    "nanstd": ([(3, 4)], (0,), {}), "trapz": ([(3, 4), (4,)], (), {}), "cov": ([(3, 4), (2, 4)], (), {}),
    "corrcoef": ([(3, 4)], (), {}), "linalg.trace": ([(2, 3, 4)], (), {}),
    "linalg.diagonal": ([(2, 3, 4)], (), {"offset": 1}),
    "linalg.matrix_norm": ([(2, 3, 4)], (), {"ord": "nuc"}), "linalg.svdvals": ([(2, 3, 4)], (), {}),
    "linalg.vector_norm": ([(2, 3, 4)], (), {"axis": 1, "ord": 3}),
}
JOINS = ("linalg.multi_dot", "concatenate", "stack", "vstack", "row_stack", "hstack", "dstack", "column_stack")
RENAMED = {"trapz": "trapezoid" if hasattr(onp, "trapezoid") else "trapz",
           "alltrue": "all", "sometrue": "any", "product": "prod", "row_stack": "vstack", "round_": "round",
           "amax": "max", "amin": "min"}
WITHOUT_GRADIENT = {"ldexp", "argsort", "argmax", "argmin", "linalg.eigh", "empty_like", "full_like", "ones_like",
                    "zeros_like"}
IN_NUMPY_2 = {"matrix_transpose": lambda x: onp.swapaxes(x, -1, -2),
              "vecdot": lambda x1, x2, axis=-1: (x1 * x2).sum(axis), "astype": lambda x, dtype: x.astype(dtype),
              "linalg.trace": lambda x, offset=0: onp.trace(x, offset, -2, -1),
              "linalg.diagonal": lambda x, offset=0: onp.diagonal(x, offset, -2, -1),
              "linalg.matrix_norm": lambda x, ord: onp.linalg.norm(x, ord, (-2, -1)),
              "linalg.svdvals": lambda x: onp.linalg.svd(x, compute_uv=False),
              "linalg.vector_norm": lambda x, axis=None, keepdims=False, ord=2: (onp.abs(x) ** ord).sum(
                  axis, keepdims=keepdims) ** (1 / ord)}
NAMES = sorted(name for name in FUNCTIONS if not name.startswith("_"))


def numpys(name):
    if name == "empty_like":
        return onp.zeros_like
    if name == "ldexp":         # NumPy's takes integers as exponents
        return lambda x1, x2: x1 * 2 ** x2
    if name == "linalg.eigh":   # the eigenvectors' signs are free
        return lambda a: (onp.linalg.eigh(a)[0], onp.abs(onp.linalg.eigh(a)[1]))
    if name == "linalg.svd":
        return _svd
    if name in IN_NUMPY_2 and not hasattr(onp.linalg if "." in name else onp, name.rpartition(".")[2]):
        return IN_NUMPY_2[name]
    function = onp
    for part in RENAMED.get(name, name).split("."):
        function = getattr(function, part)
    return function


def _svd(a):
    u, s, v = onp.linalg.svd(a, full_matrices=False)
    largest = onp.take_along_axis(v, abs(v).argmax(-1)[..., None], -1)
    return u * onp.sign(largest).swapaxes(-1, -2), s, v * onp.sign(largest)


def arrays_for(name, seed):
    """Return the arrays, and a function that calls `function` with them."""
    rng = onp.random.default_rng(seed)
    if name in JOINS:
        shape = (3, 3) if name == "linalg.multi_dot" else (3,) if name in ("hstack", "column_stack") else (2, 3)
        arrays = [rng.uniform(0.2, 0.9, shape) for _ in range(2)]
        return arrays, lambda function, xs: function(list(xs))
    if name == "take":
        return [rng.uniform(0.2, 0.9, (4, 3))], None
    if name == "einsum":
        arrays = [rng.uniform(0.2, 0.9, s) for s in ((2, 3, 3), (3, 4), (2, 4))]
        return arrays, lambda function, xs: function("bii,ij,bj->bj", *xs)
    if name == "interp":
        arrays = [rng.uniform(0.2, 0.9, (2, 3)), onp.array([0.3, 0.5, 0.8]), rng.uniform(0.2, 0.9, 3)]
        return arrays, lambda function, xs: function(*xs)
    if name == "where":
        arrays = [rng.uniform(0.2, 0.9, s) for s in ((2, 3), (3,))]
        return arrays, lambda function, xs: function(xs[0] > 0.5, *xs)
    shapes, args, keywords = CASES.get(name) or (None, (), {})
    shapes = shapes or [[(2, 3), (4,), (3, 1, 2)][seed % 3]]
    low, high = (1.2, 3) if name == "arccosh" else (0.2, 0.9)
    arrays = [rng.uniform(low, high, shape) for shape in shapes]
    if name.startswith("linalg.") and shapes == SQUARE:
        arrays = [a @ a.T + onp.eye(3) for a in arrays]
    return arrays, lambda function, xs: function(*xs, *args, **keywords)


def flat(results):
    return list(results) if isinstance(results, (list, tuple)) else [results]
