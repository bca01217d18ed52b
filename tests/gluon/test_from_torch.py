"""gluon.utils.load_torch: PyTorch's state dicts, here as NumPy arrays. The numbers are PyTorch's 2.13."""

import numpy as np
import pytest

from minigluon import gluon, nd
from minigluon.base import ArgumentError, MXNetError
from minigluon.gluon import nn, rnn

pytestmark = pytest.mark.once


def filled(*shape):
    """0, 0.01, 0.02, ..., as torch.arange(n).reshape(shape) / 100."""
    return (np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 100).astype(np.float32)


def small_net():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(2, 2, in_channels=1), nn.BatchNorm(), nn.Dense(2))
    return net


def state_of(conv="0", norm="1", dense="2"):
    return {f"{conv}.weight": filled(2, 1, 2, 2), f"{conv}.bias": filled(2), f"{norm}.weight": filled(2) + 1,
            f"{norm}.bias": filled(2), f"{norm}.running_mean": filled(2), f"{norm}.running_var": filled(2) + 1,
            f"{norm}.num_batches_tracked": np.array(3), f"{dense}.weight": filled(2, 8), f"{dense}.bias": filled(2)}


def test_a_net_gets_the_values_and_says_which():
    net = small_net()
    rows = gluon.utils.load_torch(net, state_of())
    assert [(row.source, row.target) for row in rows] == [
        ("0.weight", "0.weight"), ("0.bias", "0.bias"), ("1.weight", "1.gamma"), ("1.bias", "1.beta"),
        ("1.running_mean", "1.running_mean"), ("1.running_var", "1.running_var"), ("2.weight", "2.weight"),
        ("2.bias", "2.bias")]
    assert rows[6].shape == (2, 8)
    out = net(nd.arange(9).reshape((1, 1, 3, 3)) / 10)
    np.testing.assert_allclose(out.asnumpy(), [EXPECTED], rtol=1e-5)


# the same of torch.nn.Sequential(Conv2d(1, 2, 2), BatchNorm2d(2), Flatten(), Linear(8, 2)).eval()
EXPECTED = [0.0270318, 0.08070322]


def test_the_gates_of_an_lstm():
    net = rnn.LSTM(2, input_size=3, bidirectional=True)
    state = {}
    for side in ("", "_reverse"):
        state |= {f"weight_ih_l0{side}": filled(8, 3), f"weight_hh_l0{side}": filled(8, 2),
                  f"bias_ih_l0{side}": filled(8), f"bias_hh_l0{side}": filled(8)}
    rows = gluon.utils.load_torch(net, state)
    assert [row.target for row in rows][:5] == ["l0_i2h_weight", "l0_h2h_weight", "l0_i2h_bias", "l0_h2h_bias",
                                                "r0_i2h_weight"]
    out = net(nd.ones((2, 1, 3)))
    np.testing.assert_allclose(out.asnumpy()[0, 0], LSTM, rtol=1e-5)


LSTM = [0.14570753, 0.18803966, 0.23311433, 0.30139896]


def test_a_module_may_stand_elsewhere_where_only_one_fits():
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=2), nn.Dense(2, in_units=5))
    rows = gluon.utils.load_torch(net, {"b.weight": filled(2, 5), "b.bias": filled(2), "a.weight": filled(3, 2),
                                        "a.bias": filled(3)})
    assert [row.source for row in rows] == ["a.weight", "a.bias", "b.weight", "b.bias"]


def test_what_does_not_fit_is_refused_and_nothing_changes():
    net = small_net()
    net.initialize()
    net(nd.zeros((1, 1, 3, 3)))
    before = net[0].weight.data().asnumpy()
    state = state_of()
    state["2.weight"] = filled(3, 8)
    with pytest.raises(MXNetError) as error:
        gluon.utils.load_torch(net, state)
    assert str(error.value) == ("load_torch: layer 2 has 2.weight (2, 8), 2.bias (2,), but module 2 of the state dict "
                                "has 2.weight (3, 8), 2.bias (2,)")
    np.testing.assert_array_equal(net[0].weight.data().asnumpy(), before)
    with pytest.raises(MXNetError) as error:
        gluon.utils.load_torch(net, {**state_of(), "3.weight": filled(1)})
    assert str(error.value) == ("load_torch: no layer matches these entries of the state dict, and perhaps others "
                                "after them: 3.weight (1,)")
    with pytest.raises(MXNetError) as error:
        gluon.utils.load_torch(net, {})
    assert str(error.value) == ("load_torch: layer 0 has 0.weight (2, 1, 2, 2), 0.bias (2,), but the state dict has "
                                "no more modules")
    with pytest.raises(ArgumentError) as error:
        gluon.utils.load_torch(net, [1])
    assert str(error.value) == ("load_torch: state_dict must be a dict as returned by module.state_dict(), found list")
