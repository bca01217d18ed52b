"""Attributes that Python calls equal: 0.0 and -0.0, 1 and 1.0 and True. Each call has the operator of its own."""

import inspect
from contextlib import suppress

import numpy as np
import pytest

from minigluon import gluon, nd, npx
from minigluon import np as mx_np
from minigluon.base import MXNetError
from minigluon.common.nest import flatten
from minigluon.ndarray import register
from minigluon.numpy.plans import OFTEN
from minigluon.numpy.table import FUNCTIONS
from minigluon.ops import REGISTRY
from minigluon.ops.fields import MISSING, Floats

pytestmark = pytest.mark.once

CLASSES = sorted(set(REGISTRY.values()), key=lambda cls: cls.name)
REQUIRED = {bool: True, int: 1, float: 1.0}
VALUES = [0.0, -0.0, 0, -0.0, False, np.float32(-0.0), 0.0, 1, 1.0, True, 2 ** 53, 2.0 ** 53, 2 ** 53 + 1, 2.0 ** 53,
          np.float32(0.1), 0.1, float("nan"), -0.0]


def settings():
    """Yield (operator, attribute, whether it is a tuple, values for the attributes that it requires)."""
    for cls in CLASSES:
        required = {}
        for field in cls.fields.values():
            if field.default is MISSING:
                kind, _, choices = field.kind()
                required[field.name] = choices[0] if choices else REQUIRED.get(kind, "float32" if "type" in field.name
                                                                               else (1,))
        for field in cls.fields.values():
            if field.kind()[0] in (float, Floats):
                yield cls, field.name, field.kind()[0] is Floats, required


SETTINGS = list(settings())


@pytest.fixture
def calls(monkeypatch):
    """The operators that functions of `nd` would run."""
    operators = []
    monkeypatch.setattr(register, "invoke", lambda op, inputs, out=None, hidden=False: operators.append(op))
    monkeypatch.setattr(register, "create_as_called", lambda op, kwargs, out: operators.append(op))
    return operators


def text_of(op):
    return type(op).__name__, repr(op.attributes)


def attributes_of(cls, name, is_tuple, required, value):
    return {**required, name: (1.0, value) if is_tuple else value}


@pytest.mark.parametrize("how", ["by name", "by position"])
def test_a_call_has_its_own_operator(calls, how):
    count = 0
    for cls, name, is_tuple, required in SETTINGS:
        compute = register.make_function(cls)
        for value in VALUES:
            attributes = attributes_of(cls, name, is_tuple, required, value)
            by_position = [attributes.get(field.name, field.default) for field in cls.fields.values()]
            try:
                expected = cls(**attributes)
                arrays = [nd.zeros(1)] * len(expected.list_arguments())
                compute(*arrays, *by_position) if how == "by position" else compute(*arrays, **attributes)
            except MXNetError:          # a tuple of another kind, or another number of arrays
                continue
            assert text_of(calls.pop()) == text_of(expected), (cls.name, name, value)
            count += 1
    assert count > 1500


def test_an_operator_tells_the_signs_of_zeros_in_tuples():
    for cls, name, is_tuple, required in SETTINGS:
        operators = []
        for value in (0.0, -0.0, float("nan"), float("nan")):
            with suppress(MXNetError):          # NaN as a probability
                operators.append(cls(**attributes_of(cls, name, is_tuple, required, value)))
                assert str(flatten(getattr(operators[-1], name))[0][-1]) == str(value), cls.name
        assert operators[2:3] == operators[3:]


def test_a_truth_value_is_any_number_equal_to_0_or_1():
    """Also the first call of a function: its memo finds an operator under each equal key."""
    for cls in CLASSES:
        for field in cls.fields.values():
            if field.kind()[0] is bool and field.default is not MISSING:
                for value in (1.0, np.float32(1), 1, True, np.bool_(True), "1", "true"):
                    assert field.parse(value, cls.name) is True, (cls.name, field.name)
                with pytest.raises(MXNetError, match=f"{field.name} is 0.5, expected True or False"):
                    field.parse(0.5, cls.name)
            if field.kind()[2] and field.kind()[2][0] in (0, 1, 2):
                assert type(field.parse(float(field.kind()[2][0]), cls.name)) is int
    x = nd.ones((2, 3))
    assert register.make_function(REGISTRY["sum"])(x, axis=1, keepdims=1.0).shape == (2, 1)


X = [-1.0, -0.0, 0.0, 2.0]


def bits(results):
    return [(np.asarray(x.asnumpy()).dtype, np.asarray(x.asnumpy()).tobytes())
            for x in (results if isinstance(results, list) else [results])]


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_a_function_of_numpy_has_the_plan_of_its_own_arguments(dtype):
    """After many calls with one value, a call with an equal one gives what it gives at first."""
    count = 0
    for name, row in FUNCTIONS.items():
        parameters = list(row.signature.parameters.values())
        if row.random or name.startswith("_") or name.startswith("linalg."):
            continue
        compute = getattr(mx_np, name)
        for parameter in parameters[1:]:
            if parameter.name in ("out", "ctx", "dtype", "order", "where"):
                continue
            others = {p.name: 1 for p in parameters[1:] if p.default is inspect.Parameter.empty}
            for value, other in [(0.0, -0.0), (1, 1.0), (True, 1.0), ((0.0, 1.0), (-0.0, 1.0))]:
                x = mx_np.array(X, dtype=dtype)
                try:
                    expected = bits(compute(x, **{**others, parameter.name: other}))
                    for _ in range(OFTEN):
                        compute(x, **{**others, parameter.name: value})
                except Exception:       # a value that this parameter cannot have
                    continue
                assert bits(compute(x, **{**others, parameter.name: other})) == expected, (name, parameter.name, other)
                count += 1
    assert count > 40


def test_clip_of_zeros():
    x = nd.array(X)
    for low, expected in [(0.0, 0.0), (-0.0, -0.0), (0, 0.0), (-0.0, -0.0)]:
        for result in (nd.clip(x, low, 1), nd.clip(x, a_min=low, a_max=1), x.clip(a_min=low, a_max=1),
                       mx_np.clip(x.as_np_ndarray(), low, 1)):
            assert str(result.asnumpy()[0]) == str(np.float32(expected))
    for slope in (0.0, -0.0, 0, -0.0):
        assert str(npx.leaky_relu(x.as_np_ndarray(), slope=slope).asnumpy()[0]) == str(np.float32(-1 * float(slope)))


class Times(gluon.HybridBlock):
    traces = 0

    def hybrid_forward(self, F, x, factor):
        Times.traces += 1
        return F.broadcast_mul(x, F.ones_like(x)) * factor


def test_an_argument_of_a_hybridized_block():
    x, net = nd.array([1.0]), Times()
    net.hybridize()
    assert [str(net(x, factor).asnumpy()[0]) for factor in (0.0, -0.0, 0.0, np.float32(-0.0))] == [
        "0.0", "-0.0", "0.0", "-0.0"]
    before = Times.traces
    for _ in range(5):
        net(x, float("nan"))
    assert Times.traces == before + 1
