"""A hybridized call on the tape: one entry, the gradients of imperative calls, whatever happens before backward."""

import copy

import numpy as np
import pytest
from helpers.hybrid_twins import Lambda, array, both, close, equal, gradients, hybrid, mlp, twins, variable

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.base import AutogradError, GraphFreedError, NotRecordedError, WrittenInPlaceError
from minigluon.gluon import nn

# -- gradients --------------------------------------------------------------------------------------------------------


def test_one_entry_for_each_call():
    net, twin = twins(mlp(5, 4, 3), array(2, 4))
    with autograd.record():
        y = twin(array(2, 4))
    assert y.entry.op.name == "hybridized block"
    assert {type(parent[0]).__name__ for parent in y.entry.parents if parent is not None} == {"Variable"}
    y.backward()
    for p in net.collect_params().values():
        p.zero_grad()
    with autograd.record():
        y = net(array(2, 4))
    y.backward()
    for (name, wanted), found in zip(gradients(net).items(), gradients(twin).values(), strict=True):
        np.testing.assert_array_equal(found, wanted, err_msg=name)


def test_without_record_there_is_no_entry():
    _, twin = twins(mlp(5, 3), array(2, 4))
    y = twin(variable(2, 4))
    with pytest.raises(NotRecordedError):
        y.backward()
    twin.collect_params().setattr("grad_req", "null")
    with autograd.record():
        y = twin(array(2, 4))
    with pytest.raises(NotRecordedError):
        y.backward()


def test_inputs_and_head_gradients():
    results, unused = [], []
    for block in both(lambda F, x, y: [F.dot(x, y), F.tanh(x) * 2]):
        x, y = variable(3, 4), variable(4, 2, seed=1)
        with autograd.record():
            first, second = block(x * 2, y)
        autograd.backward([first, second], [array(3, 2, seed=2), array(3, 4, seed=3)])
        results.append([x.grad, y.grad.copy()])
        with autograd.record():
            first, second = block(x * 2, y)
        second.backward(array(3, 4, seed=4))            # nothing arrives at the other result
        results[-1] += [x.grad.copy()]
        unused.append(y.grad)
    for found, wanted in zip(results[1], results[0], strict=True):
        equal(found, wanted)
    equal(unused[0], results[0][1])         # imperatively it stays; a graph gives zeros where only unused results lead
    equal(unused[1], nd.zeros((4, 2)))


def test_only_some_inputs_want_a_gradient():
    net = hybrid(lambda F, x, y, z: x * y + z)
    for wanted in [(0,), (1,), (2,), (0, 2), (0, 1, 2)]:
        xs = [array(3, seed=i) for i in range(3)]
        for i in wanted:
            xs[i].attach_grad()
        with autograd.record():
            out = net(*xs)
        out.backward()
        for i, expected in enumerate([xs[1], xs[0], nd.ones((3,))]):
            assert (xs[i].grad is not None) == (i in wanted)
            if i in wanted:
                equal(xs[i].grad, expected)
    assert net.calls == 1


@pytest.mark.parametrize("req", ["write", "add", "null"])
def test_grad_req(req):
    results = []
    for block in twins(mlp(5, 3), array(2, 4)):
        block.collect_params("dense.*weight|.*dense0_weight").setattr("grad_req", req)
        x = variable(2, 4, grad_req=req)
        for turn in range(3):
            with autograd.record():
                y = block(x) * (turn + 1)
            y.backward()
        results.append([x.grad.asnumpy(), *gradients(block).values()])
    for found, wanted in zip(results[1], results[0], strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_backward_twice():
    results = []
    for block in twins(mlp(5, 3), array(2, 4)):
        x = variable(2, 4)
        with autograd.record():
            y = block(x)
        grads = []
        for turn in range(4):
            y.backward(array(2, 3, seed=turn % 2), retain_graph=turn < 3)
            grads += [x.grad.copy(), *gradients(block).values()]
        with pytest.raises(GraphFreedError, match="freed by an earlier backward"):
            y.backward()
        results.append([g if isinstance(g, np.ndarray) else g.asnumpy() for g in grads])
    for found, wanted in zip(results[1], results[0], strict=True):
        np.testing.assert_array_equal(found, wanted)


def siamese(net, order):
    """Three forward passes before their backward passes, in some order. Returns copies of all gradients."""
    xs = [variable(2, 4, seed=i) for i in range(3)]
    with autograd.record():
        ys = [net(x) for x in xs]
    found = []
    for i in order:
        ys[i].backward()
        found += gradients(net).values()
    return [*found, *[x.grad.asnumpy() for x in xs]]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_several_forwards_before_a_backward(order):
    net, twin = twins(mlp(5, 3), array(2, 4))
    for found, wanted in zip(siamese(twin, order), siamese(net, order), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_a_net_used_twice_in_one_graph():
    results = []
    for block in twins(mlp(5, 4), array(2, 4)):
        x, y = variable(2, 4), variable(2, 4, seed=1)
        with autograd.record():
            first, second = block(x), block(y)
            again = block(first * second)               # and on its own results
            loss = ((first - second) ** 2).sum() + again.sum()
        loss.backward()
        results.append([x.grad.asnumpy(), y.grad.asnumpy(), *gradients(block).values()])
    for found, wanted in zip(results[1], results[0], strict=True):
        close(found, wanted)


def test_forwards_whose_results_are_dropped():
    net, twin = twins(mlp(5, 3), array(2, 4))
    x = variable(2, 4)
    wanted = siamese(net, (0, 1, 2))
    for _ in range(3):
        with autograd.record():
            twin(x)                                     # dropped at once
            y = twin(x)
            del y                                       # dropped later
            twin(x)
        for found, expected in zip(siamese(twin, (0, 1, 2)), wanted, strict=True):
            np.testing.assert_array_equal(found, expected)


def test_the_same_array_twice_and_a_parameter_as_input():
    results = []
    for active in False, True:
        layer = nn.Dense(2, in_units=2, use_bias=False, weight_initializer=mx.init.Constant(0.5))
        layer.initialize()
        layer.hybridize(active)
        x = variable(3, 2)
        product = Lambda(lambda F, x, y: F.sin(x) * y)
        product.hybridize(active)
        with autograd.record():
            loss = (layer(layer.weight.data()) ** 2).sum() + product(x, x).sum()
        loss.backward()
        results.append([layer.weight.grad(), x.grad])
    for found, wanted in zip(results[1], results[0], strict=True):
        equal(found, wanted)


def test_a_gradient_as_an_input_of_the_next_step():
    results = []
    for block in both(lambda F, x, g: (x * x * g).sum()):
        x = variable(3)
        x.grad[:] = array(3, seed=1)
        for _ in range(3):
            with autograd.record():
                y = block(x, x.grad) + block(x, x.grad * 2)
            y.backward()
            results.append(x.grad.copy())
            with autograd.record():
                y = block(x, x.grad)
            y.backward()
            results.append(x.grad.copy())
            x.grad[:] = x.grad / 100
    half = len(results) // 2
    for found, wanted in zip(results[half:], results[:half], strict=True):
        close(found.asnumpy(), wanted.asnumpy())


def test_a_head_gradient_that_is_a_gradient():
    results = []
    for block in both(lambda F, x: F.exp(x) * x):
        x = variable(3)
        x.grad[:] = array(3, seed=1)
        with autograd.record():
            y = block(x)
        y.backward(x.grad)
        results.append(x.grad)
    equal(results[1], results[0])


def test_gradient_arrays_of_other_dtypes_and_in_one_piece_of_memory():
    results = []
    for block in both(lambda F, x, y: x * x * y):
        x, y = array(2, 3), array(2, 3, seed=1)
        whole = nd.zeros((2, 2, 3), dtype="float64")
        autograd.mark_variables([x, y], [whole[0], whole[1]])
        with autograd.record():
            z = block(x, y)
        z.backward()
        results.append(whole)
    equal(results[1], results[0])


def test_gradients_into_arrays_that_are_not_in_one_piece():
    results = []
    for block in both(lambda F, x: F.exp(x)):
        x, whole = array(4), nd.zeros((4, 3))
        column = whole._view(whole.buffer[:, 1])
        autograd.mark_variables([x], [column])
        with autograd.record():
            y = block(x[::-1])
        y.backward()
        results.append(column)
    equal(results[1], results[0])


def test_slices_and_views_as_inputs():
    results = []
    for block in both(lambda F, x: F.exp(x) * 2):
        x = variable(4, 6)
        with autograd.record():
            y = block(x[1:3, ::2]) + block(x.reshape((6, 4))[:2, 1:]) + block(x.T[:2, 1:])
        y.backward()
        results.append([y, x.grad])
    for found, wanted in zip(results[1], results[0], strict=True):
        close(found.asnumpy(), wanted.asnumpy())


def test_results_that_do_not_lead_to_a_variable():
    results = []
    for block in both(lambda F, x, y: [F.argmax(x, axis=0), F.BlockGrad(x) * 2, y * 3, x * y]):
        for i in range(4):
            x = variable(3)
            x.grad[:] = 7
            with autograd.record():
                out = block(x, array(3, seed=1))[i]
            try:
                out.backward()
                results.append(x.grad.asnumpy().tolist())
            except NotRecordedError:
                results.append("not recorded")
    assert results[2] == "not recorded"
    results[2] = [0, 0, 0]                  # a graph of more than two operators: all its results are on the tape
    assert results[:4] == results[4:]


# -- writes in place ------------------------------------------------------------------------------------------------


def outcome(block, write):
    """The gradient of an input, or that there is an error, when `write(x, y, net)` comes before backward."""
    x = variable(3, 4)
    with autograd.record():
        y = block(x)
    with autograd.pause():
        write(x, y, block)
    try:
        y.backward()
    except WrittenInPlaceError:
        return "written in place"
    return x.grad.asnumpy()


def set_all(array):
    array[:] = 5


@pytest.mark.parametrize(("function", "write", "harmful"), [
    (lambda F, x: x * x, lambda x, y, net: set_all(x), True),
    (lambda F, x: x * x, lambda x, y, net: set_all(x[1:]), True),
    (lambda F, x: x * x, lambda x, y, net: set_all(x.reshape((12,))[3:]), True),
    (lambda F, x: x * x, lambda x, y, net: set_all(x.detach()), True),
    (lambda F, x: x * x, lambda x, y, net: set_all(y), False),
    (lambda F, x: x * 2 + 1, lambda x, y, net: set_all(x), False),
    (lambda F, x: F.exp(x), lambda x, y, net: set_all(y), True),
    (lambda F, x: F.exp(x), lambda x, y, net: set_all(y[:1]), True),
    (lambda F, x: F.exp(x), lambda x, y, net: set_all(x), False),
    (lambda F, x: F.exp(x).reshape((4, 3)), lambda x, y, net: set_all(y), False),       # the result is a copy
    (lambda F, x: F.tanh(x.reshape((-1,))), lambda x, y, net: set_all(y), True),
    (lambda F, x: F.softmax(x), lambda x, y, net: set_all(x), False),
    (lambda F, x: x * x, lambda x, y, net: net(variable(3, 4, seed=9)), False),
    (lambda F, x: F.exp(x), lambda x, y, net: set_all(net(variable(3, 4, seed=9))), False),
])
def test_writes_to_inputs_and_results(function, write, harmful):
    wanted, found = [outcome(block, write) for block in both(function)]
    if harmful:
        assert found == "written in place"
    else:
        np.testing.assert_array_equal(found, outcome(hybrid(function), lambda x, y, net: None))
    # Where a plan needs less than the tape, it may allow more. It never needs what the tape does not.
    if not isinstance(wanted, str):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("function", [
    lambda F, x: (lambda y: [y, F.square(y.reshape((-1,)))])(x + 1),            # backward reads a view of the result
    lambda F, x: (lambda y: [y, F.square(F.expand_dims(y.reshape((-1,)), axis=0))])(F.dot(x, x, transpose_b=True)),
    lambda F, x: (lambda y: [y.reshape((-1,)), F.square(y)])(x + 1)])
def test_writes_to_a_result_that_backward_reads_in_another_shape(function):
    wanted, found = [], []
    for block, outcomes in zip(both(function), (wanted, found), strict=True):
        for written in False, True:
            x = variable(3, 4)
            with autograd.record():
                first, second = block(x)
            if written:
                set_all(first)
            try:
                second.backward()
                outcomes.append(x.grad.asnumpy())
            except WrittenInPlaceError:
                outcomes.append(None)
    np.testing.assert_array_equal(found[0], wanted[0])
    if found[1] is not None:
        np.testing.assert_array_equal(found[1], found[0])


@pytest.mark.parametrize(("layer", "name", "harmful"), [
    ("Dense", "weight", True), ("Dense", "bias", False), ("BatchNorm", "gamma", True), ("BatchNorm", "beta", False),
    ("BatchNorm", "running_mean", False)])
def test_writes_to_parameters(layer, name, harmful):
    net = nn.Dense(4, in_units=4) if layer == "Dense" else nn.BatchNorm(in_channels=4)
    net.initialize()
    net.hybridize()

    def write(x, y, net):
        getattr(net, name).set_data(array(*getattr(net, name).shape))

    outcomes = [outcome(net, lambda x, y, net: None), outcome(net, write)]
    if harmful:
        assert outcomes[1] == "written in place"
    else:
        np.testing.assert_array_equal(outcomes[1], outcomes[0])


def test_training_steps_of_another_batch_in_between():
    """A trainer's step between a forward and its backward: the weights that backward needs are gone."""
    _, twin = twins(mlp(5, 3), array(2, 4))
    trainer = gluon.Trainer(twin.collect_params(), "sgd", {"learning_rate": 0.1})
    with autograd.record():
        first, second = twin(array(2, 4)), twin(array(2, 4, seed=1))
    first.backward()
    trainer.step(1)
    with pytest.raises(WrittenInPlaceError):
        second.backward()


def test_writes_while_recording_are_refused_as_imperatively():
    for block in both(lambda F, x: x * 2):
        with autograd.record():
            y = block(variable(3))
            with pytest.raises(mx.MXNetError, match="is not supported inside autograd.record"):
                y[:] = 1


# -- gradients as arrays, and gradients of gradients ------------------------------------------------------------------


def test_autograd_grad():
    results = []
    for block in twins(mlp(5, 3), array(2, 4)):
        x = variable(2, 4)
        weights = [p.data() for p in block.collect_params().values()]
        with autograd.record():
            hidden = x * 2
            y = block(hidden)
        results.append([*autograd.grad(y, [x, hidden, *weights], retain_graph=True),
                        *autograd.grad([y], [weights[0]], [array(2, 3, seed=4)])])
        assert (x.grad.asnumpy() == 0).all()
    for found, wanted in zip(results[1], results[0], strict=True):
        equal(found, wanted)


@pytest.mark.parametrize("function", [
    lambda F, x, y: F.tanh(x) * y, lambda F, x, y: F.dot(x, y, transpose_b=True), lambda F, x, y: F.exp(x * y).sum(),
    lambda F, x, y: [x * x * x, F.sigmoid(y) * x], lambda F, x, y: F.softmax(x) * F.log(y * y + 1)])
def test_second_order(function):
    results = []
    for block in both(function):
        x, y = variable(3, 4), variable(3, 4, seed=1)
        with autograd.record():
            outputs = block(x, y)
            outputs = outputs if isinstance(outputs, list) else [outputs]
            first = autograd.grad(outputs, [x, y], create_graph=True, retain_graph=True)
            loss = sum((g * g).sum() for g in first) + sum(z.sum() for z in outputs)
        loss.backward()
        results.append([*first, x.grad, y.grad])
    for found, wanted in zip(results[1], results[0], strict=True):
        close(found.asnumpy(), wanted.asnumpy())


def test_second_order_of_a_net_and_an_array_given_twice():
    results = []
    for block in twins(mlp(5, 3, activation="tanh"), array(2, 4)):
        square = Lambda(lambda F, x, y: x * x * y)
        square.hybridize(block._active)
        x = variable(2, 4)
        with autograd.record():
            y = block(square(x, x))
            (g,) = autograd.grad(y, [x], create_graph=True, retain_graph=True)
            penalty = (g * g).sum() + y.sum()
        penalty.backward()
        results.append([g.asnumpy(), x.grad.asnumpy(), *gradients(block).values()])
    for found, wanted in zip(results[1], results[0], strict=True):
        close(found, wanted, 32)


def test_third_order():
    results = []
    for block in both(lambda F, x: F.sin(x) * x):
        x = variable(4)
        with autograd.record():
            y = block(x)
            (first,) = autograd.grad(y, [x], create_graph=True, retain_graph=True)
            (second,) = autograd.grad(first, [x], create_graph=True, retain_graph=True)
        second.backward()
        results.append([first, second, x.grad])
    for found, wanted in zip(results[1], results[0], strict=True):
        close(found.asnumpy(), wanted.asnumpy())


def test_second_order_through_random_operators():
    net = hybrid(lambda F, x: F.Dropout(x * x, p=0.5))
    x = variable(3)
    with autograd.record():
        y = net(x)
        with pytest.raises(AutogradError) as error:
            autograd.grad(y, [x], create_graph=True)
    assert str(error.value) == (
        "grad with create_graph=True cannot go through a hybridized block with random operators, which would draw "
        "other numbers the second time. Call hybridize(False) on the block first.")
    with autograd.record(train_mode=False):             # nothing is random in predict mode
        y = net(x)
        (g,) = autograd.grad(y, [x], create_graph=True, retain_graph=True, train_mode=False)
    g.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [2, 2, 2])


@pytest.mark.parametrize("train", [False, True])
def test_second_order_through_batch_norm(train):
    net = nn.BatchNorm(in_channels=3)
    net.initialize()
    net.running_mean.set_data(array(3))
    results = []
    for block in twins(net, array(5, 3)):
        x = variable(5, 3)
        with autograd.record(train_mode=train):
            y = block(x)
            (g,) = autograd.grad(y * y * y, [x], create_graph=True, retain_graph=True, train_mode=train)
            loss = (g * g).sum()
        loss.backward(train_mode=train)
        results.append([g.asnumpy(), x.grad.asnumpy(), block.gamma.grad().asnumpy(),
                        block.running_mean.data().asnumpy(), block.running_var.data().asnumpy()])
    for found, wanted in zip(results[1], results[0], strict=True):
        close(found, wanted, 64)


def test_what_second_order_reads_again_must_not_change():
    """The bias does not matter to the first gradient, but the second forward pass of create_graph reads it."""
    net = nn.Dense(1, activation="sigmoid", in_units=2)
    net.initialize()
    net.hybridize()
    x = variable(3, 2)
    with autograd.record():
        y = net(x)
    net.bias.set_data(nd.array([5]))
    with autograd.record(), pytest.raises(WrittenInPlaceError, match="an array of shape \\(1,\\) was written in place"):
        autograd.grad(y, [x], create_graph=True, retain_graph=True)
    (g,) = autograd.grad(y, [x], retain_graph=True)
    assert g.shape == (3, 2)


def test_copies_of_a_net_on_the_tape_do_not_mix():
    net, twin = twins(mlp(5, 3), array(2, 4))
    other = copy.deepcopy(twin)
    with autograd.record():
        first, second = twin(array(2, 4)), other(array(2, 4))
    second.backward()
    assert all((g == 0).all() for g in gradients(twin).values())
    first.backward()
    for a, b in zip(gradients(twin).values(), gradients(other).values(), strict=True):
        np.testing.assert_array_equal(a, b)


# -- results of operators without a gradient --------------------------------------------------------------------------

BEFORE_AND_INSIDE = {       # what x goes through before the block, the block of that and w, which result is the head
    "into": (nd.argsort, lambda F, order, w: order * w, None),
    "into one without variables": (nd.argsort, lambda F, order, w: order * 2, None),
    "out of": (nd.identity, lambda F, x, w: F.argsort(x * w), None),
    "out of, the other result": (nd.identity, lambda F, x, w: [x * 2, F.argsort(w)], 0),
    "out of, the one without": (nd.identity, lambda F, x, w: [x * 2, F.argsort(w)], 1),
    "into, the result with both": (nd.argsort, lambda F, order, w: [order * w, w + 1, order + 1], 0),
    "into, the result of w": (nd.argsort, lambda F, order, w: [order * w, w + 1, order + 1], 1),
    "into, the result of x": (nd.argsort, lambda F, order, w: [order * w, w + 1, order + 1], 2),
    "into and out of": (nd.argsort, lambda F, order, w: F.one_hot(order, 3) + F.round(w), None),
    "node by node": (nd.argsort, lambda F, order, w: F.contrib.boolean_mask(order * 2, order > -1), None),
}
LEFT = {            # the gradients of x and w by MXNet 1.9.1 with imperative blocks; 7 was there before
    "into": ([0, 0, 0], [1, 2, 0]), "into one without variables": ([0, 0, 0], [7, 7, 7]),
    "out of": ([0, 0, 0], [0, 0, 0]), "out of, the other result": ([2, 2, 2], [7, 7, 7]),
    "out of, the one without": ([7, 7, 7], [0, 0, 0]), "into, the result with both": ([0, 0, 0], [1, 2, 0]),
    "into, the result of w": ([7, 7, 7], [1, 1, 1]), "into, the result of x": ([0, 0, 0], [7, 7, 7]),
    "into and out of": ([0, 0, 0], [0, 0, 0]), "node by node": ([0, 0, 0], [7, 7, 7]),
}

LEFT_BY_A_GRAPH = {     # hybridized blocks of more than two operators: all inputs that have no other gradient get zeros
    "into, the result of w": ([0, 0, 0], [1, 1, 1]), "into, the result of x": ([0, 0, 0], [0, 0, 0])}


@pytest.mark.parametrize("name", BEFORE_AND_INSIDE)
@pytest.mark.parametrize("after", [lambda y: y, lambda y: y * 1])
@pytest.mark.parametrize("create_graph", [False, True])
def test_zeros_behind_operators_without_a_gradient(name, after, create_graph):
    """A variable that leads to the head through such an operator gets zeros; one that does not lead there, nothing."""
    before, inside, result = BEFORE_AND_INSIDE[name]
    for block, values in zip(both(inside), (LEFT[name], LEFT_BY_A_GRAPH.get(name, LEFT[name])), strict=True):
        x, w = nd.array([3, 1, 2]), nd.array([1, 2, 3])
        for variable_ in x, w:
            variable_.attach_grad()
            variable_.grad[:] = 7
        with autograd.record():
            y = block(before(x), w)
            y = after(y if result is None else y[result])
            if create_graph:
                for variable_, left in zip((x, w), values, strict=True):
                    if 7 in left:
                        with pytest.raises(AutogradError, match="is not part of the graph of the heads"):
                            autograd.grad(y, variable_, create_graph=True)
                    else:
                        assert autograd.grad(y, variable_, create_graph=True)[0].asnumpy().tolist() == left
                continue
        y.backward()
        for variable_, left in zip((x, w), values, strict=True):
            assert variable_.grad.asnumpy().tolist() == left
            assert variable_.entry.fresh == (7 not in left)


def test_a_constant_from_step_to_step_holds_no_old_steps():
    """Of a block that counts, fed with its own result, only what no backward has freed stays."""
    block = hybrid(lambda F, count, x: [count + F.argsort(x * x), x * x])
    x, count = variable(3), nd.zeros((3,))
    with autograd.record():
        for _ in range(3):
            count, y = block(count, x)
            y.backward()
    assert [type(entry).__name__ for entry, _ in count.entry.parents] == ["Variable"]


def test_the_symbol_of_a_block_that_a_constant_goes_into():
    block = hybrid(lambda F, order, w: order * w)
    x, w = variable(3), variable(3)
    with autograd.record():
        y = block(nd.argsort(x), w)
    assert len(autograd.get_symbol(y).list_arguments()) == 2
