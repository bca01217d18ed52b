"""Gradients that pass over steps."""

import pytest

from minigluon import autograd, nd


@pytest.mark.parametrize(("name", "attributes", "slope"), [
    ("round_ste", {}, 1), ("sign_ste", {}, 1), ("gradientmultiplier", {"scalar": -0.5}, -0.5)])
def test_gradients_pass_steps(name, attributes, slope):
    x = nd.array([-1.5, 0, 0.4])
    x.attach_grad()
    with autograd.record():
        y = (getattr(nd.contrib, name)(x, **attributes) * nd.array([1, 2, 3])).sum()
    y.backward()
    assert x.grad.asnumpy().tolist() == [slope, 2 * slope, 3 * slope]
