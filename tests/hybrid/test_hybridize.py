"""hybridize(): a block called as a graph gives what it gives imperatively. The trace, arguments, results."""


import numpy as np
import pytest
from helpers.hybrid_twins import Lambda, array, both, close, equal, hybrid, mlp, twins, variable

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import ArgumentError, MXNetError
from minigluon.gluon import nn

# -- the trace ----------------------------------------------------------------------------------------------------


def test_python_runs_once_and_with_symbols(capsys):
    """The example of a well-known tutorial: what a hybridized block prints, it prints once."""
    class Net(nn.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.hidden = nn.Dense(10)
                self.output = nn.Dense(2)

        def hybrid_forward(self, F, x):
            print("F:", F.__name__)
            print("x:", x)
            x = F.relu(self.hidden(x))
            print("hidden:", type(x).__name__)
            return self.output(x)

    net = Net()
    net.initialize()
    x = array(1, 4)
    net(x)
    net(x)
    printed = capsys.readouterr().out
    assert printed.count("F: minigluon.ndarray") == printed.count("hidden: NDArray") == 2
    net.hybridize()
    net(x)
    printed = capsys.readouterr().out.splitlines()
    # One trace for the graph. The first, imperative, calls have already made the parameters.
    assert printed == ["F: minigluon.symbol", "x: <Symbol data>", "hidden: Symbol"]
    net(x)
    net(array(7, 4))
    assert capsys.readouterr().out == ""


def test_one_trace_for_new_shapes_dtypes_devices_and_modes():
    net = hybrid(lambda F, x: F.softmax(x * 2) + 1)
    for shape in [(2, 3), (4, 3), (1,), (2, 0), (3, 2, 2)]:
        for dtype in ["float32", "float64", "float16"]:
            for ctx in [mx.cpu(0), mx.cpu(1)]:
                x = nd.random.normal(shape=shape, ctx=ctx).astype(dtype)
                for train in [False, True]:
                    with autograd.train_mode() if train else autograd.predict_mode():
                        y = net(x)
                    assert y.context == ctx
                    equal(y, nd.softmax(x * 2) + 1)
    assert net.calls == 1


def test_new_shapes_of_a_net_with_parameters():
    net, twin = twins(mlp(5, 3), array(2, 4))
    for rows in [1, 3, 2, 64, 3]:
        equal(twin(array(rows, 4, seed=rows)), net(array(rows, 4, seed=rows)))


def test_dropout_and_batchnorm_follow_the_mode_without_a_new_trace():
    net = hybrid(lambda F, x: F.Dropout(x, p=0.5))
    x = nd.ones((100,))
    equal(net(x), x)
    with autograd.train_mode():
        assert set(net(x).asnumpy()) == {0, 2}
    equal(net(x), x)
    with autograd.record(train_mode=False):
        equal(net(x), x)
    assert net.calls == 1


def test_a_program_that_asks_for_the_mode_is_traced_for_each():
    net = hybrid(lambda F, x: x * 2 if autograd.is_training() else x * 3)
    for _ in range(2):
        assert net(nd.ones((1,))).asscalar() == 3
        with autograd.record():
            assert net(nd.ones((1,))).asscalar() == 2
    assert net.calls == 2


def test_asking_inside_a_child_counts_and_asking_outside_does_not():
    inner = Lambda(lambda F, x: x * 2 if autograd.is_training() else x * 3)
    net = nn.HybridSequential()
    net.add(inner)
    net.hybridize()
    assert net(nd.ones((1,))).asscalar() == 3
    with autograd.train_mode():
        assert net(nd.ones((1,))).asscalar() == 2
    other = hybrid(lambda F, x: x + 1)
    assert not autograd.is_training()
    other(nd.ones((1,)))
    with autograd.train_mode():
        assert autograd.is_training()
        other(nd.ones((1,)))
    assert other.calls == 1


def test_control_flow_is_frozen_until_the_next_hybridize():
    class Net(gluon.HybridBlock):
        factor = 2

        def hybrid_forward(self, F, x):
            return x * self.factor

    net = Net()
    net.hybridize()
    assert net(nd.ones((1,))).asscalar() == 2
    net.factor = 3
    assert net(nd.ones((1,))).asscalar() == 2
    net.hybridize()
    assert net(nd.ones((1,))).asscalar() == 3
    net.factor = 4
    net._clear_cached_op()              # what detectors' set_nms() calls
    assert net(nd.ones((1,))).asscalar() == 4


def test_a_branch_on_data_says_what_to_do():
    net = hybrid(lambda F, x: x if x.sum() > 0 else -x)
    with pytest.raises(MXNetError, match="a Symbol has no truth value"):
        net(nd.ones((2,)))


def test_shapes_that_depend_on_values():
    imperative, net = both(lambda F, x, mask: F.contrib.boolean_mask(x * 2, mask).sum(axis=0))
    for mask in [[1, 0, 1], [0, 0, 1], [1, 1, 1]]:
        results = []
        for block in imperative, net:
            x = variable(3, 2)
            with autograd.record():
                y = block(x, nd.array(mask))
            y.backward()
            results += [y, x.grad]
        equal(results[2], results[0])
        equal(results[3], results[1])
    assert net.calls == 1


# -- arguments and results ------------------------------------------------------------------------------------------


def test_nested_arguments():
    def function(F, x, states, flag):
        first, (second, third) = states
        total = x + first * second
        return total if third is None else total + third * 5 if flag is None else total * 7

    imperative, net = both(function)
    a, b, c, d = (array(2, 3, seed=i) for i in range(4))
    for args in [(a, [b, (c, d)], None), (a, [b, [c, None]], None), (a, (b, [c, d]), d), (b, [a, (c, d)], None)]:
        equal(net(*args), imperative(*args))


def test_a_list_of_arrays_in_the_first_place():
    imperative, net = both(lambda F, xs, y=None: F.concat(*xs, dim=1) if y is None else xs[0] + y)
    a, b, c = (array(2, 3, seed=i) for i in range(3))
    for args in [([a, b],), ([a, b, c],), ([c],), ([a, b], c), ([None, a, b][1:], None)]:
        equal(net(*args), imperative(*args))
    calls = net.calls
    net([b, a])
    assert net.calls == calls


def test_numbers_and_strings_are_part_of_the_trace():
    imperative, net = both(lambda F, x, name, k: getattr(F, name)(x) * k if isinstance(k, float) else x + k)
    x = array(3)
    for args in [("exp", 2.0), ("exp", 2), ("tanh", 2.0), ("tanh", True), ("tanh", 1), ("tanh", 1.0), ("tanh", -0.5)]:
        equal(net(x, *args), imperative(x, *args))
    calls = net.calls
    net(array(5), "exp", 2.0)
    assert net.calls == calls
    equal(hybrid(lambda F, k, x: x * k)(3, x), x * 3)


def test_ever_new_numbers_do_not_pile_up():
    net = hybrid(lambda F, x, k: x * k)
    for k in range(600):
        net(nd.ones((1,)), k)
    assert len(net._graphs) < 600


def test_an_argument_that_cannot_be_a_key():
    net = hybrid(lambda F, x, options: x * options["factor"])
    with pytest.raises(ArgumentError) as error:
        net(nd.ones((1,)), {"factor": 2})
    assert str(error.value) == (
        f"Lambda {net.name!r}: an argument is the dict {{'factor': 2}}. A hybridized block is traced once for each "
        f"value of an argument that is not an array, so this must be None, a number, a string or another hashable "
        f"object. Make it an NDArray if it changes between calls.")


def test_nothing_but_numbers():
    with pytest.raises(MXNetError, match="takes NDArrays or Symbols, found int"):
        hybrid(lambda F, x: x)(3)


def test_arrays_and_symbols_at_once():
    net = hybrid(lambda F, x, y: x + y)
    with pytest.raises(ArgumentError) as error:
        net(nd.ones((1,)), mx.sym.var("y"))
    assert str(error.value) == (f"Lambda {net.name!r}: the arguments are NDArrays as well as Symbols. Give it arrays "
                                "to compute, or symbols to write down a graph.")


def test_nested_results():
    imperative, net = both(lambda F, x: [x + 1, (x * 2, [x * 3]), F.split(x, num_outputs=2, axis=0)])
    wanted, found = imperative(array(2, 3)), net(array(2, 3))
    assert isinstance(found, list)
    equal(found[0], wanted[0])
    equal(found[1][0], wanted[1][0])
    equal(found[1][1][0], wanted[1][1][0])
    for y, expected in zip(found[2], wanted[2], strict=True):
        equal(y, expected)
    assert isinstance(hybrid(lambda F, x: [x * 2])(array(2)), list)


def test_what_is_no_symbol_cannot_be_a_result():
    for result, shown in [(None, "None"), (3, "int 3"), ((1,), "int 1")]:
        net = hybrid(lambda F, x, result=result: result)
        with pytest.raises(ArgumentError) as error:
            net(nd.ones((1,)))
        assert str(error.value) == (f"Lambda {net.name!r}: hybrid_forward returned {shown}, expected a Symbol or "
                                    "nested lists of Symbols")


def same_gradients(function, *shapes):
    """Run a function of arrays imperatively and hybridized; the sum of its results weighted; gradients must agree."""
    found = []
    for block in both(function):
        xs = [variable(*shape, seed=i) for i, shape in enumerate(shapes)]
        with autograd.record():
            ys = block(*xs)
            ys = ys if isinstance(ys, (list, tuple)) else [ys]
            total = sum((y * (i + 1)).sum() for i, y in enumerate(ys))
        total.backward()
        found.append([*ys, *[x.grad for x in xs]])
    for y, wanted in zip(found[1], found[0], strict=True):
        close(y.asnumpy(), wanted.asnumpy(), ulps=2)    # what the plan computes once, it differentiates once


def test_results_that_are_the_same_or_an_argument_or_a_view():
    same_gradients(lambda F, x: [F.exp(x)] * 3, (2, 3))
    same_gradients(lambda F, x, y: (x, x * y, y, x), (2, 3), (2, 3))
    same_gradients(lambda F, x: x, (2, 3))
    same_gradients(lambda F, x: [F.exp(x), F.exp(x).reshape((3, 2)), F.exp(x).reshape((6,))], (2, 3))
    same_gradients(lambda F, x: [x.reshape((3, 2)), F.Flatten(x)], (2, 3))


def test_results_have_memory_of_their_own():
    net = hybrid(lambda F, x: [x, F.exp(x), F.exp(x), x.reshape((-1,)), F.exp(x).reshape((-1,)), F.ones((2,))])
    x = array(2)
    results = [*net(x), *net(x)]
    before = [y.asnumpy() for y in results]
    for i, y in enumerate(results):
        y[:] = 1000 + i
        for j, other in enumerate(results[i + 1:], i + 1):
            np.testing.assert_array_equal(other.asnumpy(), before[j])
    np.testing.assert_array_equal(x.asnumpy(), before[0])


def test_constant_results_and_constants_inside():
    imperative, net = both(lambda F, x: [F.ones((2, 3)), F.zeros((2,)) + F.arange(2), x * F.full((3,), 7)])
    for _ in range(2):
        found = net(array(3))
        for y, wanted in zip(found, imperative(array(3)), strict=True):
            equal(y, wanted)
            y[:] = 0        # the plan must not hand out its own constants
    with autograd.record():
        x = variable(3)
        constant, _, product = net(x)
    constant.backward()         # all results of one graph are on the tape, as in MXNet
    np.testing.assert_array_equal(x.grad.asnumpy(), [0, 0, 0])
    product.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [7, 7, 7])


class Scaled(gluon.HybridBlock):
    """Returns a parameter besides the product with it."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.scale = self.params.get("scale", shape=(3,), init="one")

    def hybrid_forward(self, F, x, scale):
        return F.broadcast_mul(x, scale), scale


def test_a_parameter_as_a_result():
    results = []
    for active in False, True:
        net = Scaled()
        net.initialize()
        net.hybridize(active)
        with autograd.record():
            y, scale = net(array(2, 3))
            total = y.sum() + (scale * scale).sum()
        total.backward()
        results += [y, scale, net.scale.grad()]
    for found, wanted in zip(results[3:], results[:3], strict=True):
        equal(found, wanted)


def test_hooks_inside_a_hybridized_block_do_not_run_and_a_warning_says_so():
    net = nn.HybridSequential(prefix="outer_")
    with net.name_scope():
        net.add(nn.Dense(4), nn.Dense(2))
    net.initialize()
    calls = []
    net.register_forward_hook(lambda *_: calls.append("net"))
    handle = net[0].register_forward_hook(lambda *_: calls.append("child"))
    net.hybridize()
    message = ("Dense 'outer_dense0' has hooks, which do not run while the block around it, HybridSequential 'outer', "
               "is hybridized: a graph does not call its parts. Call hybridize(False) on that, or see "
               "register_op_hook.")
    with pytest.warns(UserWarning, match="has hooks") as caught:
        net(array(2, 3))
    assert [str(w.message) for w in caught] == [message]
    net(array(2, 3))                                    # once is enough
    handle.detach()
    net[0].register_forward_pre_hook(lambda *_: calls.append("child"))
    with pytest.warns(UserWarning, match="has hooks, which do not run"):        # a hook that comes after the trace
        net(array(2, 3))
    assert calls == ["net"] * 3
    net.hybridize(False)
    net(array(2, 3))
    assert calls == ["net"] * 3 + ["child", "net"]
