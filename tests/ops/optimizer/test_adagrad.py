"""GroupAdaGrad. Numbers are those of MXNet 1.9.1."""

import pytest
from helpers.weight_updates import close, numbers

import minigluon as mx
from minigluon import nd


def test_group_adagrad():
    optimizer = mx.optimizer.create("groupadagrad", learning_rate=0.1)
    weight = numbers((3, 4), 0)
    history = optimizer.create_state(0, weight)
    assert history.shape == (3, 1)
    for step in range(2):
        optimizer.update(0, weight, numbers((3, 4), 20 + step), history)
    close([weight], [0.0184647, 1.1445652, -0.3134066, -1.0638039, 0.5871385, 0.9206320, -0.8243753, -0.7081996,
    1.0104706,
                     0.4538298, -1.1274176, -0.1633067], rtol=2e-6)
    close([history], [1.0132625, 1.0145522, 1.0016305], rtol=1e-6)
    with pytest.raises(mx.base.ArgumentError, match=r"^GroupAdaGrad: weight 0 has the shape \(3,\), expected two "
                                                    r"axes: it has one step size per row. Use AdaGrad for others.$"):
        optimizer.create_state(0, nd.ones(3))
    with pytest.raises(mx.base.ArgumentError, match="^GroupAdaGrad: the weight decay of 0 is 0.1, which is not "
                                                    "supported: set wd=0$"):
        mx.optimizer.contrib.GroupAdaGrad(wd=0.1).update(0, weight, weight, history)
