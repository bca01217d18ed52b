"""The types and shapes that graphs with functions of `mx.np` infer are those that they compute."""

import numpy as onp
import pytest
from helpers.numpy_rows import CASES, JOINS

import minigluon as mx
from minigluon import gluon, np, npx, sym
from minigluon.base import MXNetError
from minigluon.numpy.nodes import host_functions
from minigluon.numpy.table import FUNCTIONS
from minigluon.ops.shapes import Spec

pytestmark = pytest.mark.once
TYPES = ("float32", "float64", "float16", "int32", "int64", "bool")


@pytest.fixture(autouse=True)
def numpy_mode():
    npx.set_np()
    yield
    npx.reset_np()


def symbols_of(name, types):
    """Return (symbols that the function makes of variables x0, x1 ..., their shapes) for inputs of these types."""
    function = sym.np
    for part in name.split("."):
        function = getattr(function, part)
    shapes, args, keywords = CASES.get(name) or (None, (), {})
    shapes = shapes or [(2, 3)]
    if name == "interp":
        shapes = [(2,), (3,), (3,)]
    elif name in JOINS:
        shapes = [(3,)] * 2 if name in ("hstack", "column_stack") else [(2, 3)] * 2
    elif name in ("where", "take"):
        shapes, keywords = ([(2, 3)] * 3, {}) if name == "where" else ([(2, 3), (4,)], {"axis": 1})
    inputs = [sym.var(f"x{i}").as_np_ndarray() for i in range(len(shapes))]
    made = function(inputs, *args, **keywords) if name in JOINS else function(*inputs, *args, **keywords)
    return made if isinstance(made, list) else [made], shapes


@pytest.mark.parametrize("name", sorted(name for name in FUNCTIONS if name[0] != "_"))
def test_types_of_rows(name):
    """The table of types against what the rows write out, for all types and mixtures of the first with float32."""
    for first in TYPES:
        for second in {first, "float32"}:
            made, shapes = symbols_of(name, None)
            dtypes = [onp.dtype(first if i == 0 else second) for i in range(len(shapes))]
            node = made[0].heads[0][0]
            try:
                variables, graph = node.op.expansion([Spec(s, d) for s, d in zip(shapes, dtypes, strict=True)])
                written = sym.Group([mx.sym.Symbol([head]) for head in graph.heads]).infer_type()[1]
            except MXNetError:
                continue            # the row refuses these types
            known = {f"x{i}": dtype for i, dtype in enumerate(dtypes)}
            assert sym.Group(made).infer_type(**known)[1] == written, (name, first, second)


ARGUMENTS = {"percentile": (50,), "quantile": (0.5,), "insert": (1, 2.0), "delete": (1,), "resize": ((2, 2),),
             "interp": None, "polyval": None}
PAIRS = ("bitwise_and", "bitwise_or", "bitwise_xor", "lcm", "gcd", "fmod", "fmax", "fmin", "float_power", "heaviside",
         "isclose", "allclose", "array_equal", "array_equiv", "left_shift", "right_shift", "polyadd", "polymul", "isin",
         "setdiff1d", "union1d", "intersect1d", "setxor1d", "correlate", "searchsorted", "digitize", "linalg.lstsq")
ONE = ("linalg.eigvals", "linalg.svd", "linalg.pinv", "linalg.qr", "linalg.eig", "linalg.cond", "cumprod", "median",
       "nansum", "nanmean", "nanmax", "nanstd", "nanargmax", "count_nonzero", "flatnonzero", "argwhere", "unique", "i0",
       "modf", "frexp", "signbit", "spacing", "positive", "real", "vander", "cov", "corrcoef", "unwrap", "bitwise_not",
       "invert", "trapz", "histogram_bin_edges", "poly", "roots", "linalg.matrix_rank")


@pytest.mark.parametrize("name", [n for n in sorted({*PAIRS, *ONE, *ARGUMENTS} - {"interp", "polyval"})
                                  if n in host_functions.NAMES])
def test_types_and_shapes_of_functions_of_numpy(name):
    """Nodes that NumPy computes: their types and shapes are told before they run, as far as they do not depend on
    values."""
    for dtype in ("float32", "float64", "int32"):
        shape = (3, 3) if name.startswith("linalg.") or name in ("cov", "corrcoef") else (4,)
        inputs = [sym.var(f"x{i}").as_np_ndarray() for i in range(2 if name in PAIRS else 1)]
        arrays = {f"x{i}": np.array(onp.arange(1 + i, 1 + i + onp.prod(shape)).reshape(shape).astype(dtype) ** (1 + i))
                  for i in range(len(inputs))}
        function = sym.np
        for part in name.split("."):
            function = getattr(function, part)
        made = function(*inputs, *(ARGUMENTS.get(name) or ()))
        graph = sym.Group(made if isinstance(made, list) else [made])
        try:
            results = graph.eval(**arrays)
        except (MXNetError, TypeError, ValueError, onp.linalg.LinAlgError):
            continue                # NumPy refuses the type
        types = graph.infer_type(**{key: x.dtype for key, x in arrays.items()})[1]
        assert [onp.dtype(t) for t in types] == [x.dtype for x in results], (name, dtype)
        if name not in host_functions.DYNAMIC:
            assert graph.infer_shape(**{key: x.shape for key, x in arrays.items()})[1] == [x.shape for x in results]


def test_executors_have_the_types_and_shapes():
    a = sym.var("a").as_np_ndarray()
    graph = sym.Group([(a > 1).sum(), a.argmax(axis=1), sym.np.mean(a, axis=0), a / 2])
    types, shapes = [onp.int64, onp.int64, onp.float32, onp.float32], [(), (2,), (3,), (2, 3)]
    assert graph.infer_type(a="int32")[1] == types
    assert graph.infer_shape(a=(2, 3)) == ([(2, 3)], shapes, [])
    executor = graph.simple_bind(mx.cpu(), a=(2, 3), type_dict={"a": "int32"})
    executor.arg_dict["a"][:] = 3
    bound = graph.bind(mx.cpu(), {"a": np.array(onp.full((2, 3), 3, "int32"))})
    for outputs in (executor.forward(), bound.forward(), graph.eval(a=np.array(onp.full((2, 3), 3, "int32")))):
        assert [y.dtype for y in outputs] == types
        assert [y.shape for y in outputs] == shapes
        assert outputs[0].asnumpy() == 6


def test_an_executor_has_gradients():
    a = sym.var("a").as_np_ndarray()
    x, grad = np.array([1.0, 4.0]), np.zeros(2)
    executor = sym.np.sqrt(a).sum().bind(mx.cpu(), [x], [grad])
    executor.forward(is_train=True)
    executor.backward(np.ones(()))
    assert grad.tolist() == [0.5, 0.25]


class Chosen(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.np.sum(x[x > 1]) + F.np.unique(x).sum() + F.np.cumsum(x)


def test_shapes_that_depend_on_values():
    net = Chosen()
    x = np.array([0.5, 2, 2, 4])
    expected = net(x)
    net.hybridize()
    assert (net(x) == expected).all()
