"""Densities of distributions on the GPU."""

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - sets the environment, and skips where there is no GPU backend
from helpers.gpu_checks import GPU, agree
from hypothesis import given, settings
from hypothesis import strategies as st
from minigluon_accel.gpu import launch
from op_cases import CASES

import minigluon as mx
from minigluon import autograd, nd

# name -> (low, high) of each parameter
LAWS = {"uniform": [(0, 0.5), (1, 2)], "normal": [(-1, 1), (0.5, 2)], "gamma": [(0.5, 3), (0.5, 2)],
        "exponential": [(0.5, 2)], "poisson": [(0.5, 9)], "negative_binomial": [(1, 4), (0.2, 0.8)],
        "generalized_negative_binomial": [(1, 4), (0.2, 0.8)]}


def arguments(name, lead, each, dtype, seed=0):
    rng = np.random.default_rng(seed)
    whole = name not in ("uniform", "normal", "gamma", "exponential")
    samples = rng.integers(0, 8, (*lead, *each)) if whole else rng.uniform(0.1, 2, (*lead, *each))
    return [np.asarray(a).astype(dtype) for a in (samples, *[rng.uniform(*ends, lead) for ends in LAWS[name]])]


@pytest.mark.parametrize("case", [c for c in CASES if c.op.startswith(("_random_pdf", "_pdf"))], ids=lambda c: c.id)
def test_rows_of_the_table(case):
    for dtype in "float64", "float32", "float16":
        agree(case.op, *case.inputs(dtype), **case.attrs)


@pytest.mark.parametrize("name", LAWS)
@settings(deadline=None, max_examples=12)
@given(data=st.data())
def test_shapes(name, data):
    lead = data.draw(st.sampled_from([(), (1,), (3,), (2, 3), (0,)]))
    each = data.draw(st.sampled_from([(), (4,), (5, 2), (0,), (700,)]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch, "MAX_BLOCKS", 2)
        agree(f"_random_pdf_{name}", *arguments(name, lead, each, "float64"), is_log=data.draw(st.booleans()))


@pytest.mark.parametrize(("lead", "each", "length"), [((), (), 3), ((2,), (5,), 4), ((0,), (2,), 3), ((2, 2), (0,), 3),
                                                      ((3,), (2, 40), 1)])
def test_vectors(lead, each, length):
    rng = np.random.default_rng(0)
    x = rng.uniform(0.1, 1, (*lead, *each, length))
    x /= x.sum(-1, keepdims=True)
    alpha = rng.uniform(0.5, 3, (*lead, length))
    for is_log in False, True:
        agree("_random_pdf_dirichlet", x, alpha, is_log=is_log)
    for dtype in "float64", "float32", "float16":
        agree("_pdf_spread", alpha.astype(dtype), x.astype(dtype), event=1)
        agree("_pdf_collect", x.astype(dtype), alpha.astype(dtype), event=1)
        agree("_pdf_collect", x.astype(dtype), np.ones(lead, dtype), event=0)


def gradients(ctx, name, arrays, is_log):
    arrays = [nd.array(a, ctx=ctx, dtype=a.dtype) for a in arrays]
    for a in arrays:
        a.attach_grad()
    with autograd.record():
        y = getattr(nd, f"_random_pdf_{name}")(*arrays, is_log=is_log)
    y.backward()
    return [a.grad.asnumpy() for a in arrays]


@pytest.mark.parametrize("name", [*LAWS, "dirichlet"])
@pytest.mark.parametrize("is_log", [False, True])
def test_gradients(name, is_log):
    if name == "dirichlet":
        rng = np.random.default_rng(0)
        arrays = [rng.dirichlet(np.ones(3), (2, 4)), rng.uniform(0.5, 3, (2, 3))]
    else:
        arrays = arguments(name, (2,), (5,), "float64")
    found, wanted = gradients(GPU, name, arrays, is_log), gradients(mx.cpu(), name, arrays, is_log)
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-13)
