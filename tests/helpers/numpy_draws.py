"""Drawn calls of every function of the table of `mx.np`: shapes with zero lengths and scalars, types, arguments."""

import math

import numpy as onp
from hypothesis import strategies as st

__all__ = ["DRAWS", "Call"]

FLOATS = ("float32", "float64")
TYPES = (*FLOATS, "int32", "int64", "uint8", "bool")
SHAPES = st.lists(st.integers(0, 3), max_size=3).map(tuple)


class Call:
    """A drawn call: arrays, and the arguments, in which `Call.X` stands for the next array."""

    X = object()

    def __init__(self, arrays, *args, **keywords):
        self.arrays, self.args, self.keywords = [onp.asarray(a) for a in arrays], args, keywords

    def __call__(self, function, arrays):
        given = iter(arrays)
        args = [self._filled(x, given) for x in self.args]
        return function(*args, **{key: self._filled(x, given) for key, x in self.keywords.items()})

    def _filled(self, value, given):
        if value is Call.X:
            return next(given)
        if isinstance(value, (list, tuple)) and any(part is Call.X for part in value):
            return [next(given) if part is Call.X else part for part in value]
        return value

    def __repr__(self):
        def text(value):
            if isinstance(value, (list, tuple)):
                return f"[{', '.join(map(text, value))}]"
            return "x" if value is Call.X else repr(value)
        shapes = ", ".join(f"{a.dtype}{a.shape}" for a in self.arrays)
        return f"x: {shapes}; ({', '.join(map(text, self.args))}, {self.keywords})"


X = Call.X


def numbers(draw, shape, dtype=None, low=0.2, high=0.9, types=FLOATS):
    """Distinct numbers in a type: floats between the bounds, integers from 0."""
    dtype = draw(st.sampled_from(types)) if dtype is None else dtype
    count = math.prod(shape)
    order = onp.random.RandomState(draw(st.integers(0, 99))).permutation(count)
    if dtype == "bool":
        return (order % 2).astype(bool).reshape(shape)
    if onp.dtype(dtype).kind != "f":
        return (order % 7 + 1).astype(dtype).reshape(shape)
    return (low + (high - low) * (order + 0.5) / max(1, count)).astype(dtype).reshape(shape)


def axis_of(draw, shape, none=True):
    axes = [*range(-len(shape), len(shape))]
    return draw(st.sampled_from(([None] if none else []) + axes)) if axes or none else None


def with_axes(draw, least=1):
    """A shape that has at least so many axes."""
    return draw(st.lists(st.integers(0, 3), min_size=least, max_size=3).map(tuple))


def broadcasting(draw, count=2):
    """Shapes that broadcast to one."""
    full = draw(SHAPES)
    shapes = []
    for _ in range(count):
        part = full[draw(st.integers(0, len(full))):]
        shapes.append(tuple(1 if draw(st.booleans()) else n for n in part))
    return shapes


def unary(low=0.2, high=0.9, types=FLOATS, **options):
    def of(draw):
        arguments = {key: draw(st.sampled_from(values)) for key, values in options.items()}
        return Call([numbers(draw, draw(SHAPES), None, low, high, types)], X, **arguments)
    return of


def binary(types=TYPES, with_numbers=True):
    def of(draw):
        shapes = broadcasting(draw)
        arrays = [numbers(draw, s, None, low, low + 1, types) for s, low in zip(shapes, (0.3, 1.35), strict=True)]
        kind = draw(st.sampled_from(["arrays", "left", "right"] if with_numbers else ["arrays"]))
        number = draw(st.sampled_from([2, 3]))
        if kind == "arrays":
            return Call(arrays, X, X)
        return Call(arrays[:1], number, X) if kind == "left" else Call(arrays[:1], X, number)
    return of


def reduction(types=TYPES, keepdims=True, least=0, **options):
    """least: the shortest length of an axis; 2 needs an axis."""
    def of(draw):
        shape = draw(st.lists(st.integers(least, 3), min_size=least // 2, max_size=3).map(tuple))
        axis = axis_of(draw, shape)
        if len(shape) > 1 and draw(st.booleans()):
            axis = draw(st.sampled_from([(0, -1), *([()] if least < 2 else [])]))
        arguments = {key: draw(st.sampled_from(values)) for key, values in options.items()}
        if keepdims:
            arguments["keepdims"] = draw(st.booleans())
        return Call([numbers(draw, shape, types=types)], X, axis=axis, **arguments)
    return of


def along(types=TYPES, none=True, least=0, **options):
    """A function with `axis`, None or an integer."""
    def of(draw):
        shape = with_axes(draw, least) if least else draw(SHAPES)
        arguments = {key: draw(st.sampled_from(values)) for key, values in options.items()}
        if shape or none:
            arguments["axis"] = axis_of(draw, shape, none)
        return Call([numbers(draw, shape, types=types)], X, **arguments)
    return of


def reshape(draw):
    shape = draw(SHAPES)
    target = list(draw(st.permutations(shape)))
    if target and draw(st.booleans()):
        target = [math.prod(target[:2]), *target[2:]]
    if target and 0 not in target and draw(st.booleans()):
        target[0] = -1
    return Call([numbers(draw, shape, types=TYPES)], X, tuple(target))


def transpose(draw):
    shape = draw(SHAPES)
    axes = draw(st.one_of(st.none(), st.permutations(range(len(shape)))))
    return Call([numbers(draw, shape, types=TYPES)], X, None if axes is None else tuple(axes))


def two_axes(draw):
    shape = with_axes(draw)
    return Call([numbers(draw, shape, types=TYPES)], X, axis_of(draw, shape, False), axis_of(draw, shape, False))


def expand_dims(draw):
    shape = draw(SHAPES)
    return Call([numbers(draw, shape, types=TYPES)], X, draw(st.integers(-len(shape) - 1, len(shape))))


def squeeze(draw):
    shape = tuple(draw(st.lists(st.integers(0, 2), max_size=3)))
    ones = [i for i, n in enumerate(shape) if n == 1]
    return Call([numbers(draw, shape, types=TYPES)], X, axis=draw(st.sampled_from([None, *ones])))


def broadcast_to(draw):
    [shape] = broadcasting(draw, 1)
    longer = (draw(st.integers(0, 2)),) if draw(st.booleans()) else ()
    target = (*longer, *[draw(st.integers(0, 3)) if n == 1 else n for n in shape])
    return Call([numbers(draw, shape, types=TYPES)], X, target)


def several(draw):
    shapes = broadcasting(draw, draw(st.integers(1, 3)))
    return Call([numbers(draw, s) for s in shapes], *[X] * len(shapes))


def joined(least=0, first=False):
    def of(draw):
        shape, count = with_axes(draw, least) if least else draw(SHAPES), draw(st.integers(1, 3))
        axis = draw(st.integers(-len(shape), len(shape) - 1)) if least else None
        shapes = [shape] * count
        if least and not first:
            shapes = [(*shape[:axis % len(shape)], draw(st.integers(0, 3)), *shape[axis % len(shape) + 1:])
                      for _ in range(count)]
        arrays = [numbers(draw, s, types=TYPES) for s in shapes]
        return Call(arrays, [X] * count, **({} if axis is None else {"axis": axis}))
    return of


def append(draw):
    call = joined(1)(draw)
    return Call(call.arrays[:1] * 2, X, X, axis=draw(st.sampled_from([None, call.keywords["axis"]])))


def split(name, axis=None, even=True):
    def of(draw):
        least = {None: 1, 0: 2, 1: 1, 2: 3}[axis]
        shape = with_axes(draw, least)
        position = axis_of(draw, shape, False) if axis is None else 0 if len(shape) == 1 else axis
        n = shape[position]
        counts = [k for k in range(1, n + 1) if n % k == 0] if even else [1, 2, 4]
        parts = draw(st.sampled_from([*(counts or [1]), [1, 2], [0, 5], [2]]))
        return Call([numbers(draw, shape, types=TYPES)], X, parts, **({"axis": position} if axis is None else {}))
    return of


def tile(draw):
    reps = draw(st.one_of(st.integers(0, 3), st.lists(st.integers(0, 2), min_size=1, max_size=3).map(tuple)))
    return Call([numbers(draw, draw(SHAPES), types=TYPES)], X, reps)


def repeat(draw):
    shape = draw(SHAPES)
    axis = axis_of(draw, shape)
    n = math.prod(shape) if axis is None else shape[axis]
    return Call([numbers(draw, shape, types=TYPES)], X, draw(st.sampled_from(
        [0, 1, 2, 3, *([[i % 3 for i in range(n)]] if n else [])])), axis=axis)


def roll(draw):
    shape = draw(SHAPES)
    axis = axis_of(draw, shape)
    return Call([numbers(draw, shape, types=TYPES)], X, draw(st.integers(-4, 4)), axis=axis)


def rot90(draw):
    shape = with_axes(draw, 2)
    axes = draw(st.sampled_from([(0, 1), (1, 0), (-1, 0)] + ([(0, 2), (2, 1)] if len(shape) > 2 else [])))
    return Call([numbers(draw, shape, types=TYPES)], X, draw(st.integers(-5, 5)), axes)


def flip(draw):
    shape = draw(SHAPES)
    axis = axis_of(draw, shape)
    return Call([numbers(draw, shape, types=TYPES)], X, (0, -1) if len(shape) > 1 and draw(st.booleans()) else axis)


def matrices(least=2, types=TYPES, **options):
    def of(draw):
        arguments = {key: draw(st.sampled_from(values)) for key, values in options.items()}
        return Call([numbers(draw, with_axes(draw, least), types=types)], X, **arguments)
    return of


def diag(draw):
    shape = draw(st.lists(st.integers(0, 3), min_size=1, max_size=2).map(tuple))
    return Call([numbers(draw, shape, types=TYPES)], X, draw(st.integers(-2, 2)))


def diagonal(draw):
    shape = with_axes(draw, 2)
    first = draw(st.integers(0, len(shape) - 1))
    second = draw(st.sampled_from([i for i in range(len(shape)) if i != first]))
    return Call([numbers(draw, shape, types=TYPES)], X, draw(st.integers(-3, 3)), first, second - len(shape))


def pad(draw):
    shape = draw(SHAPES)
    mode = draw(st.sampled_from(["constant", "edge", "reflect", "symmetric"]))
    pairs = [(draw(st.integers(0, 2)), draw(st.integers(0, 2))) for _ in shape]
    widths = draw(st.sampled_from([0, 1, 2, pairs]))
    return Call([numbers(draw, shape, types=TYPES)], X, widths if shape else 0, mode,
                **({"constant_values": 2} if mode == "constant" else {}))


def dot(draw):
    k = draw(st.integers(0, 3))
    left, right = draw(SHAPES), draw(SHAPES)
    if left and right:
        left = (*left[:-1], k)
        right = (*right[:-2], k, right[-1]) if len(right) > 1 else (k,)
    dtypes = draw(st.sampled_from([FLOATS, ("int32", "int64", "float32")]))
    return Call([numbers(draw, left, types=dtypes), numbers(draw, right, types=dtypes)], X, X)


def matmul(draw):
    k, n, m = draw(st.integers(0, 3)), draw(st.integers(0, 3)), draw(st.integers(0, 3))
    left, right = broadcasting(draw)
    left = (k,) if draw(st.booleans()) and not left else (*left[-1:], n, k)
    right = (k,) if draw(st.booleans()) and not right else (*right[-1:], k, m)
    types = draw(st.sampled_from([FLOATS, ("int32", "int64", "uint8")]))
    return Call([numbers(draw, left, types=types), numbers(draw, right, types=types)], X, X)


def inner(draw):
    k = draw(st.integers(0, 3))
    left, right = (draw(SHAPES) for _ in range(2))
    if left and right:
        left, right = (*left[:-1], k), (*right[:-1], k)
    return Call([numbers(draw, left), numbers(draw, right)], X, X)


def outer(draw):
    return Call([numbers(draw, draw(SHAPES)), numbers(draw, draw(SHAPES))], X, X)


def tensordot(draw):
    left = with_axes(draw, 2)
    count = draw(st.integers(0, 2))
    right = (*left[len(left) - count:], draw(st.integers(0, 3)))
    axes = count if draw(st.booleans()) else ([*range(len(left) - count, len(left))], [*range(count)])
    return Call([numbers(draw, left), numbers(draw, right)], X, X, axes=axes)


def vdot(draw):
    shape = draw(SHAPES)
    return Call([numbers(draw, shape), numbers(draw, draw(st.sampled_from([shape, (math.prod(shape),)])))], X, X)


def cross(draw):
    left, right = ((*s, 3) for s in broadcasting(draw))
    return Call([numbers(draw, left), numbers(draw, right)], X, X)


def where(draw):
    shapes = broadcasting(draw, 3)
    arrays = [numbers(draw, shapes[0], draw(st.sampled_from(["bool", "int32"])))]
    arrays += [numbers(draw, s) for s in shapes[1:]]
    if draw(st.booleans()):
        return Call(arrays[:2], X, *draw(st.sampled_from([(X, 2), (0.5, X)])))
    return Call(arrays, X, X, X)


def take(draw):
    shape = draw(st.lists(st.integers(1, 3), max_size=3).map(tuple))
    axis = axis_of(draw, shape)
    n = math.prod(shape) if axis is None else shape[axis]
    mode = draw(st.sampled_from(["raise", "wrap", "clip"]))
    low, high = (-n, n - 1) if mode == "raise" else (-5, 5)
    indices = onp.array(draw(st.lists(st.integers(low, high), max_size=4)), "int64")
    if indices.size % 2 == 0 and draw(st.booleans()):
        indices = indices.reshape(2, -1)
    return Call([numbers(draw, shape, types=TYPES), indices], X, X, axis=axis, mode=mode)


def average(draw):
    shape = with_axes(draw)
    axis = axis_of(draw, shape)
    x = numbers(draw, shape)
    if draw(st.booleans()):
        return Call([x], X, axis=axis)
    return Call([x, numbers(draw, shape if axis is None else (shape[axis],))], X, axis=axis, weights=X)


def diff(draw):
    shape = with_axes(draw)
    return Call([numbers(draw, shape)], X, draw(st.integers(0, 2)), axis_of(draw, shape, False))


def squares(batch=True, positive=True):
    def of(draw):
        front = draw(st.sampled_from([(), (2,), (0,)])) if batch else ()
        n = draw(st.integers(1, 3))
        a = numbers(draw, (*front, n, n))
        return Call([(a @ a.swapaxes(-1, -2) + onp.eye(n)).astype(a.dtype) if positive else a], X)
    return of


def solve(draw):
    [a] = squares()(draw).arrays
    n = a.shape[-1]
    shape = draw(st.sampled_from([(n,), (3, 1, n, 2), *([(n, 2)] if a.ndim == 2 else [])]))
    return Call([a, numbers(draw, shape)], X, X)


def norm(draw):
    shape = with_axes(draw)
    axis = axis_of(draw, shape)
    orders = [None] if axis is None else [None, 1, 2, 3]
    return Call([numbers(draw, shape)], X, ord=draw(st.sampled_from(orders)), axis=axis, keepdims=draw(st.booleans()))


def special(draw):
    shape = draw(SHAPES)
    values = numbers(draw, shape)
    if values.size:
        values.ravel()[:3] = onp.array([onp.nan, onp.inf, -onp.inf])[:values.size]
    return Call([values], X)


def with_nan(of, fraction=3):
    """Calls with NaN in place of some floats."""
    def draw_with_nan(draw):
        call = of(draw)
        if call.arrays[0].dtype.kind == "f" and draw(st.booleans()):
            call.arrays[0].ravel()[draw(st.integers(0, 2))::fraction] = onp.nan
        return call
    return draw_with_nan


def trapz(draw):
    shape = with_axes(draw)
    axis = axis_of(draw, shape, False)
    y = numbers(draw, shape)
    points = draw(st.sampled_from([None, shape, (shape[axis],)]))
    if points is None:
        return Call([y], X, dx=draw(st.sampled_from([1.0, 0.5])), axis=axis)
    return Call([y, numbers(draw, points)], X, X, axis=axis)


def cov(draw):
    shape = draw(st.sampled_from([(4,), (1, 4), (3, 4), (2, 1)]))
    arguments = {"bias": draw(st.booleans()), "ddof": draw(st.sampled_from([None, 0, 1]))}
    if draw(st.booleans()) and shape != (2, 1):
        return Call([numbers(draw, shape), numbers(draw, shape)], X, X, **arguments)
    rowvar = shape == (1, 4) or draw(st.booleans())         # a single row differs between versions of NumPy
    if draw(st.booleans()) and shape[-1] == 4 and (rowvar or len(shape) == 1 or shape[0] == 1):
        weights = onp.array([1, 2, 1, 3])
        if draw(st.booleans()):
            return Call([numbers(draw, shape), weights, numbers(draw, (4,))], X, fweights=X, aweights=X, **arguments)
        return Call([numbers(draw, shape), weights], X, fweights=X, **arguments)
    return Call([numbers(draw, shape)], X, rowvar=rowvar, **arguments)


def corrcoef(draw):
    shape = draw(st.sampled_from([(4,), (1, 4), (3, 4)]))
    return Call([numbers(draw, shape)], X, rowvar=shape == (1, 4) or draw(st.booleans()))


def astype(draw):
    return Call([numbers(draw, draw(SHAPES), types=TYPES)], X, draw(st.sampled_from(["float64", "int32", "bool"])))


def vecdot(draw):
    shapes = [(*s, 3) for s in broadcasting(draw)]
    return Call([numbers(draw, s) for s in shapes], X, X)


def insert(draw):
    return Call([numbers(draw, (3, 2))], X, draw(st.sampled_from([1, -1, [0, 2]])), 5.0, axis=0)


def delete(draw):
    return Call([numbers(draw, (3, 2))], X, draw(st.sampled_from([1, -1, [0, 2]])), axis=0)


def resize(draw):
    return Call([numbers(draw, draw(SHAPES))], X, draw(SHAPES))


def quantile(scale):
    def of(draw):
        call = reduction(FLOATS, least=1)(draw)
        return Call(call.arrays, X, draw(st.sampled_from([0.25 * scale, [0.1 * scale, 0.9 * scale]])), **call.keywords)
    return of


def matrix_power(draw):
    return Call(squares()(draw).arrays, X, draw(st.integers(-2, 4)))


def polyval(draw):
    return Call([numbers(draw, (draw(st.integers(1, 3)),)), numbers(draw, draw(SHAPES))], X, X)


def einsum(draw):
    i, j, k = (draw(st.integers(0, 3)) for _ in range(3))
    shapes = {"ij,jk->ik": [(i, j), (j, k)], "ij,j": [(i, j), (j,)], "bii->bi": [(k, i, i)], "ij->": [(i, j)],
              "...i,i->...": [(*draw(SHAPES)[:2], i), (i,)], "i,j->ij": [(i,), (j,)], "ijk->kij": [(i, j, k)]}
    formula = draw(st.sampled_from(sorted(shapes)))
    return Call([numbers(draw, shape) for shape in shapes[formula]], formula, *[X] * len(shapes[formula]))


def interp(draw):
    return Call([numbers(draw, draw(SHAPES)), onp.array([0.1, 0.37, 0.58, 0.95]), numbers(draw, (4,))], X, X, X)


def multi_dot(draw):
    lengths = [draw(st.integers(1, 3)) for _ in range(4)]
    arrays = [numbers(draw, lengths[i:i + 2]) for i in range(draw(st.integers(2, 3)))]
    return Call(arrays, [X] * len(arrays))


def tensorinv(draw):
    n = draw(st.integers(1, 2))
    a = numbers(draw, (2 * n, 2, n), types=["float64"])
    return Call([a + 2 * onp.eye(2 * n).reshape(a.shape)], X, 1)


ELEMENTWISE = """
    abs absolute arcsin arccos arctan arcsinh arctanh cbrt ceil cos cosh deg2rad degrees exp expm1 fabs fix floor log
    log10 log1p log2 negative rad2deg radians reciprocal rint sign sin sinh sqrt square tan tanh trunc"""
DRAWS = {
    **dict.fromkeys(ELEMENTWISE.split(), unary()),
    "arccosh": unary(1.2, 3), "copy": unary(types=TYPES), "ravel": unary(types=TYPES), "zeros_like": unary(types=TYPES),
    "ones_like": unary(types=TYPES), **dict.fromkeys(["around", "round", "round_"], unary(decimals=[0, 1, 3])),
    "full_like": unary(types=TYPES, fill_value=[0, 3]), "clip": unary(a_min=[None, 0.3], a_max=[0.6, 0.8]),
    "logical_not": unary(types=TYPES), "diagflat": unary(types=TYPES, k=[0, -1, 2]),
    **dict.fromkeys(["isfinite", "isinf", "isnan", "isneginf", "isposinf", "nan_to_num"], special),
    **dict.fromkeys(["nansum", "nanprod"], with_nan(reduction(TYPES[:4]))), "nanmean": with_nan(reduction(FLOATS)),
    **dict.fromkeys(["nancumsum", "nancumprod"], with_nan(along(TYPES[:4]))),
    **dict.fromkeys(["nanmax", "nanmin"], with_nan(reduction(TYPES[:4]))),
    "nanvar": with_nan(reduction(FLOATS, ddof=[0, 1])), "nanstd": with_nan(reduction(FLOATS, least=3, ddof=[0, 1]), 4),
    "trapz": trapz, "cov": cov, "corrcoef": corrcoef, "vecdot": vecdot, "matrix_transpose": matrices(2),
    "astype": astype, "logaddexp": binary(FLOATS),
    **dict.fromkeys(["add", "multiply", "maximum", "minimum", "equal", "not_equal", "greater", "greater_equal", "less",
                     "less_equal", "logical_and", "logical_or", "logical_xor"], binary()),
    **dict.fromkeys(["subtract", "floor_divide", "mod", "remainder"], binary(TYPES[:4])),
    **dict.fromkeys(["divide", "true_divide", "power", "hypot", "copysign", "arctan2"], binary(FLOATS)),
    "ldexp": binary(FLOATS, False),
    **dict.fromkeys(["sum", "prod", "product", "max", "min", "amax", "amin", "all", "any", "alltrue", "sometrue"],
                    reduction()),
    "mean": reduction(FLOATS, least=1), "var": reduction(FLOATS, ddof=[0, 1]),
    "std": reduction(FLOATS, least=2, ddof=[0, 1]), "median": reduction(FLOATS, least=1),
    "ptp": reduction(FLOATS), "percentile": quantile(100), "quantile": quantile(1), "polyval": polyval,
    "einsum": einsum, "interp": interp, "linalg.multi_dot": multi_dot, "linalg.tensorinv": tensorinv,
    **dict.fromkeys(["argmax", "argmin", "sort", "argsort", "cumsum", "cumprod"], along(TYPES[:4])),
    "reshape": reshape, "transpose": transpose, "swapaxes": two_axes, "moveaxis": two_axes, "expand_dims": expand_dims,
    "squeeze": squeeze, "broadcast_to": broadcast_to, "broadcast_arrays": several,
    **dict.fromkeys(["atleast_1d", "atleast_2d", "atleast_3d"], several),
    "concatenate": joined(1), "stack": joined(1, True), "append": append,
    **dict.fromkeys(["vstack", "row_stack", "hstack", "dstack", "column_stack"], joined()),
    "split": split("split"), "array_split": split("array_split", even=False), "vsplit": split("vsplit", 0),
    "hsplit": split("hsplit", 1), "dsplit": split("dsplit", 2), "tile": tile, "repeat": repeat, "roll": roll,
    "rot90": rot90, "flip": flip, "flipud": matrices(1), "fliplr": matrices(2), "diag": diag, "diagonal": diagonal,
    "trace": diagonal, "tril": matrices(k=[0, -1, 1, 5]), "triu": matrices(k=[0, -1, 1, 5]), "pad": pad, "dot": dot,
    "matmul": matmul, "inner": inner, "outer": outer, "tensordot": tensordot, "vdot": vdot, "kron": outer,
    "cross": cross, "where": where, "take": take, "average": average, "diff": diff, "ediff1d": unary(),
    "insert": insert, "delete": delete, "resize": resize, "linalg.norm": norm, "linalg.matrix_power": matrix_power,
    "linalg.solve": solve, "linalg.vector_norm": reduction(FLOATS, ord=[1, 2]),
    **dict.fromkeys(["linalg.diagonal", "linalg.trace"], matrices(2, offset=[0, -1, 1, 5])),
    **dict.fromkeys(["linalg.det", "linalg.slogdet", "linalg.inv", "linalg.cholesky", "linalg.eigh", "linalg.eigvalsh"],
                    squares()),
}
