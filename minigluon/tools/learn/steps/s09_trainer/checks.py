"""The checks of step 9."""

from types import SimpleNamespace

import numpy as np

from ..... import autograd, optimizer
from ..... import ndarray as nd
from .....base import ArgumentError, MXNetError
from .....context import cpu
from .....gluon.parameter import Parameter
from .....gluon.trainer import Replica, StaleGradientError, Trainer, find_replicas
from .....ops.optimizer.sgd import sgd, sgd_momentum
from .....optimizer.optimizer import Optimizer
from .....optimizer.updater import Updater
from ...checking import check, expect, same, wrong

HERE, THERE = cpu(0), cpu(1)


def _floats(*values):
    return np.array(values, "float32")


def _how(momentum=0.0, rescale_grad=1.0, clip_gradient=-1.0):
    return SimpleNamespace(momentum=momentum, rescale_grad=rescale_grad, clip_gradient=clip_gradient)


def _unchanged(name, arrays, before):
    for what, array, old in zip(("weight", "grad", "mom"), arrays, before, strict=False):
        same(f"after {name}: the array {what} that it was given", array, old, "a formula must not change its inputs; "
             "write x = x + y instead of x += y if x is not yours")


@check("sgd", "a step of plain sgd")
def steps() -> None:
    weight, grad = _floats(1, 2), _floats(4, -8)
    same("sgd: weight [1, 2], gradient [4, -8], lr 0.5, no decay", sgd(_how(), weight, grad, 0.5, 0.0),
         _floats(-1, 6), "weight - lr · g: against the gradient")
    same("the same with wd 0.5", sgd(_how(), weight, grad, 0.5, 0.5), _floats(-1.25, 5.5),
         "wd · weight is added to g, and both are multiplied by lr")
    same("the same with rescale_grad 0.25 and wd 0.5", sgd(_how(rescale_grad=0.25), weight, grad, 0.5, 0.5),
         _floats(0.25, 2.5), "rescale_grad multiplies the gradient, not the decay")
    same("rescale_grad 0.5, clip_gradient 1, wd 0.5", sgd(_how(rescale_grad=0.5, clip_gradient=1.0), weight, grad, 0.5,
                                                           0.5),
         _floats(0.25, 2), "the gradient is rescaled, then clipped to [-1, 1]; the decay is not clipped")
    _unchanged("sgd", (weight, grad), (_floats(1, 2), _floats(4, -8)))


@check("sgd_momentum", "a step with momentum")
def steps_with_momentum() -> None:
    weight, grad, mom = _floats(1, 2), _floats(4, -8), _floats(2, 4)
    case = "sgd_momentum: weight [1, 2], gradient [4, -8], momentum [2, 4], op.momentum 0.5, lr 0.5"
    actual = sgd_momentum(_how(0.5), weight, grad, mom, 0.5, 0.0)
    expect(isinstance(actual, tuple) and len(actual) == 2, "sgd_momentum returns {found}; expected a tuple of two "
           "arrays, the new weight and the new momentum", found=type(actual).__name__)
    same(f"{case}: the new momentum", actual[1], _floats(-1, 6), "momentum · mom - lr · g")
    same(f"{case}: the new weight", actual[0], _floats(0, 8), "weight + the new momentum")
    _unchanged("sgd_momentum", (weight, grad, mom), (_floats(1, 2), _floats(4, -8), _floats(2, 4)))
    new, after = sgd_momentum(_how(0.5), weight, grad, mom, 0.5, 0.5)
    same(f"{case}, wd 0.5: the new momentum", after, _floats(-1.25, 5.5), "momentum · mom - lr · (g + wd · weight)")
    same(f"{case}, wd 0.5: the new weight", new, _floats(-0.25, 7.5), "weight + the new momentum")
    _unchanged("sgd_momentum with wd", (weight, grad, mom), (_floats(1, 2), _floats(4, -8), _floats(2, 4)))
    same("op.momentum 0.5, rescale_grad 0.25, clip_gradient 1.5, wd 0: the new momentum",
         sgd_momentum(_how(0.5, 0.25, 1.5), weight, grad, mom, 0.5, 0.0)[1], _floats(0.5, 2.75),
         "g is rescaled, then clipped to [-1.5, 1.5]")
    weight, mom = _floats(0), _floats(0)
    for _ in range(40):
        weight, mom = sgd_momentum(_how(0.75), weight, _floats(-1), mom, 1.0, 0.0)
    same("forty steps with gradient -1, lr 1 and momentum 0.75: the last step", mom, _floats(4),
         "equal steps add up to 1 / (1 - momentum) times one of them", tolerance=1e-3)


@check("Optimizer._update_count", "updates are counted for each weight separately")
def counts() -> None:
    opt = Optimizer(begin_num_update=10)
    opt._update_count(3)
    same("begin_num_update=10, _update_count(3): the counts", dict(opt._index_update_count), {3: 11},
         "the first update is begin_num_update + 1")
    opt._update_count([3, 5])
    same("then _update_count([3, 5]): the counts", dict(opt._index_update_count), {3: 12, 5: 11},
         "a list counts each of its weights")
    same("then num_update", opt.num_update, 12, "the highest of all counts, not the count of the last weight")
    opt._update_count((5,))
    same("then _update_count((5,)): the counts", dict(opt._index_update_count), {3: 12, 5: 12},
         "a tuple also counts as a list of weights")


@check("Optimizer._get_lrs", "each weight has its learning rate")
def finds_rates() -> None:
    opt = Optimizer(learning_rate=0.5, param_dict={0: SimpleNamespace(lr_mult=4.0, wd_mult=8.0)})
    opt.lr_mult, opt.wd_mult = {0: 100.0, 2: 2.0}, {}
    same("learning_rate 0.5; parameter 0 has lr_mult 4, lr_mult[2] is 2: the rates of 0, 1 and 2",
         opt._get_lrs([0, 1, 2]), [2.0, 0.5, 1.0], "the Parameter's factor; without a Parameter that of self.lr_mult; "
         "without either, 1")
    same("the rates of only 2", opt._get_lrs([2]), [1.0], "as many as requested")
    counts = []
    opt = Optimizer(lr_scheduler=lambda count: counts.append(count) or 0.25)
    same("a schedule that returns 0.25: the rates of two weights", opt._get_lrs([0, 1]), [0.25, 0.25],
         "self.learning_rate calls the schedule")
    same("how often the schedule was called for two weights", len(counts), 1, "weights that are updated together have "
         "the same rate")


@check("Optimizer._get_wds", "each weight has its own decay")
def finds_decays() -> None:
    opt = Optimizer(wd=0.5, param_dict={0: SimpleNamespace(lr_mult=8.0, wd_mult=4.0)})
    opt.wd_mult, opt.lr_mult = {0: 100.0, 2: 2.0}, {}
    same("wd 0.5; parameter 0 has wd_mult 4, wd_mult[2] is 2: the decays of 0, 1 and 2", opt._get_wds([0, 1, 2]),
         [2.0, 0.5, 1.0], "the Parameter's factor; without a Parameter that of self.wd_mult; without either, 1")


@check("Updater.states_of", "a state is created once for each weight")
def makes_states() -> None:
    indices = []

    class Counting(Optimizer):
        def create_state(self, index, weight):
            indices.append(index)
            return nd.zeros(weight.shape)

    updater, a, b = Updater(Counting()), nd.ones((2,)), nd.ones((3,))
    states = updater.states_of([4, 7], [a, b])
    expect(isinstance(states, list) and len(states) == 2, "states_of two weights returns {found}; expected a list of "
           "two states", found=states)
    same("states_of([4, 7], ...): the shapes of the states", [s.shape for s in states], [(2,), (3,)],
         "create_state_multi_precision gets the index and its weight")
    same("states_of([4, 7], ...): states_synced", updater.states_synced, {4: True, 7: True}, "a new state is on the "
         "device of its weight")
    second = updater.states_of([7, 4], [b, a])
    expect(second[0] is states[1] and second[1] is states[0], "states_of([7, 4], ...) after that returns other states, "
           "or another order; expected the same two, in the requested order")
    same("the states that were created in both calls", indices, [4, 7], "a new momentum would forget all earlier steps")


@check("Updater.states_of", "a loaded state goes to the device of its weight")
def moves_states() -> None:
    updater, weight = Updater(optimizer.create("sgd", momentum=0.9)), nd.ones((2,), ctx=THERE)
    updater.states, updater.states_synced = {0: nd.array([5, 6], ctx=HERE)}, {0: False}
    state, = updater.states_of([0], [weight])
    same("a state on cpu(0) that was loaded, its weight on cpu(1): the state's device", str(state.context), "cpu(1)",
         "self.sync_state_context moves it there")
    same("its numbers", state, _floats(5, 6), "a loaded state is not created again")
    same("states_synced then", updater.states_synced, {0: True}, "it is moved there once")
    expect(updater.states[0] is state, "the result of states_of is not in updater.states; store the result of "
           "sync_state_context")
    updater.states, updater.states_synced = {0: nd.array([5, 6, 7])}, {0: False}
    try:
        updater.states_of([0], [weight])
    except MXNetError:
        return
    wrong("a loaded state of shape (3,) for a weight of shape (2,): nothing is raised; expected the error of "
          "check_state")


def _parameter(name, values, devices=(HERE,), **how):
    param = Parameter(name, shape=(len(values),), **how)
    param.initialize(ctx=list(devices))
    param.set_data(nd.array(values))
    return param


def _learn(param, factors, ctx=HERE):
    """Set the parameter's gradient to the factors."""
    with autograd.record():
        loss = param.data(ctx) * nd.array(factors, ctx=ctx)
    loss.backward()


@check("find_replicas", "a replica has the arrays of one device")
def finds_arrays() -> None:
    a, fixed, b = (_parameter(name, [1, 2], (HERE, THERE), grad_req=req)
                   for name, req in (("a", "write"), ("fixed", "null"), ("b", "write")))
    replicas = find_replicas([a, fixed, b], [HERE, THERE])
    expect(isinstance(replicas, list) and all(isinstance(r, Replica) for r in replicas),
           "find_replicas returns {found}; expected a list of Replicas", found=replicas)
    same("three parameters on cpu(0) and cpu(1): the devices of the replicas", [str(r.ctx) for r in replicas],
         ["cpu(0)", "cpu(1)"], "one for each context, in the same order")
    same("the second of the parameters has no gradient: the indices in a replica", replicas[1].indices, (0, 2),
         "it is skipped, and the others keep their indices")
    for replica, ctx in zip(replicas, (HERE, THERE), strict=True):
        expect(replica.values[1] is b.data(ctx) and replica.grads[1] is b.grad(ctx), "in the replica of {ctx} the last "
               "row is not (2, b.data({ctx}), b.grad({ctx}))", ctx=ctx)
    try:
        find_replicas([a], [HERE])
    except MXNetError:
        pass
    else:
        wrong("a parameter on cpu(0) and cpu(1), contexts [cpu(0)]: nothing is raised; expected an MXNetError: its "
              "values on cpu(1) would never be updated")
    same("a parameter only on cpu(0), contexts [cpu(0), cpu(1)]: the rows of each replica",
         [len(r.rows) for r in find_replicas([_parameter("c", [1])], [HERE, THERE])], [1, 0],
         "a value goes to the list of its device")


@check("Replica.update", "a replica makes its step, and its gradients are marked as used")
def updates() -> None:
    p = _parameter("p", [1, 2])
    _learn(p, [4, -8])
    replica, = find_replicas([p], [HERE])
    replica.update(Updater(optimizer.create("sgd", learning_rate=0.5)))
    same("weight [1, 2], gradient [4, -8], sgd with lr 0.5: the weight after Replica.update", p.data(), _floats(-1, 6),
         "run() the step that self.step(updater) prepares")
    same("entry.fresh afterwards", p.data().entry.fresh, False, "it was used: mark_stale()")
    Replica(HERE, []).update(None)


def _trainer(*params, **how):
    return Trainer(list(params), "sgd", {"learning_rate": 0.5, **how})


@check("Trainer.rescale", "gradients are divided by the batch size")
def rescales() -> None:
    p = _parameter("p", [1])
    trainer = _trainer(p, rescale_grad=3.0)
    trainer.rescale(4)
    same("rescale_grad=3 at the start, rescale(4): the optimizer's rescale_grad", trainer.optimizer.rescale_grad, 0.75,
         "self._scale / batch_size")
    trainer.rescale(2)
    same("then rescale(2)", trainer.optimizer.rescale_grad, 1.5, "self._scale keeps its initial value")
    for batch_size in (0, "many"):
        try:
            trainer.rescale(batch_size)
        except ArgumentError:
            continue
        wrong("rescale({size!r}): nothing is raised; expected an ArgumentError", size=batch_size)


@check("Trainer._fresh_replicas", "a stale gradient is detected")
def notices() -> None:
    a, b = _parameter("a", [1], (HERE, THERE)), _parameter("b", [2], (HERE, THERE))
    fixed = _parameter("fixed", [3], (HERE, THERE), grad_req="null")
    trainer = Trainer([fixed, a, b], "sgd", kvstore=None)
    for param in (a, b):
        _learn(param, [1], HERE)
        _learn(param, [1], THERE)
    replicas = trainer._fresh_replicas(False)
    expect(replicas is not None and len(replicas) == 2 and all(map(Replica.is_like, replicas, trainer.replicas())),
           "all gradients are fresh: _fresh_replicas returns {found}; expected the two of self.replicas()",
           found=replicas)
    expect(all(one is other for one, other in zip(replicas, trainer.replicas(), strict=True)),
           "all gradients are fresh: the replicas are other objects than those of self.replicas(). These have already "
           "prepared their steps, and new ones would have to prepare them again")
    b.data(THERE).entry.fresh = False
    try:
        trainer._fresh_replicas(False)
    except StaleGradientError as error:
        lines = [line.strip() for line in str(error).splitlines()[1:-1]]
        same("only the gradient of b on cpu(1) is stale: how many gradients the error names", len(lines), 1,
             "it names only the stale ones")
        expect("'b'" in lines[0] and lines[0].endswith("on cpu(1)"), "the gradient of b on cpu(1) is stale, and the "
               "error names: {line}", line=lines[0])
    else:
        wrong("the gradient of b on cpu(1) is stale: nothing is raised; expected a StaleGradientError")
    replicas = trainer._fresh_replicas(True)
    same("the same with ignore_stale_grad: the indices in the two replicas", [r.indices for r in replicas or ()],
         [(1, 2), (1,)], "stale gradients are left out")


def _pretended(**how):
    """Return a trainer that only records its calls."""
    log = []
    replicas = [SimpleNamespace(update=lambda updater, n=n: log.append(f"replica {n} steps with {updater}"))
                for n in (0, 1)]
    trainer = SimpleNamespace(
        rescale=lambda size: log.append(f"rescale({size})"), _updaters=["updater 0", "updater 1"],
        _fresh_replicas=lambda ignore: log.append(f"fresh? ignore is {ignore}") or replicas, _kvstore=None,
        _on_kvstore=False, _amp_loss_scaler=None, _sum_gradients=lambda: log.append("sum"),
        _step_in_store=lambda replicas: log.append(f"step in store, {len(replicas)} replicas"))
    vars(trainer).update(how)
    return trainer, log


@check("Trainer.step", "the parts of a step run in order")
def orders() -> None:
    begin, end = ["rescale(8)", "fresh? ignore is {}"], ["replica 0 steps with updater 0",
                                                         "replica 1 steps with updater 1"]
    for case, how, ignore, middle in [
        ("without a store", {}, False, end), ("with ignore_stale_grad", {}, True, end),
        ("with a store", {"_kvstore": "a store"}, False, ["sum", *end]),
        ("with update_on_kvstore", {"_kvstore": "a store", "_on_kvstore": True}, False,
         ["step in store, 2 replicas"]),
    ]:
        trainer, log = _pretended(**how)
        Trainer.step(trainer, 8, ignore)
        same(f"step(8) {case}: the calls", log, [line.format(ignore) for line in begin] + middle,
             "divide, check for freshness, add, update")


@check("Trainer.step", "a trainer learns")
def learns() -> None:
    p, q = _parameter("p", [1, 2]), _parameter("q", [10])
    trainer = _trainer(p, q, momentum=0.5)
    for expected in ([0, 4], [-1.5, 7]):
        _learn(p, [4, -8])
        _learn(q, [0])
        trainer.step(2)
        same("weight [1, 2], twice the gradient [4, -8], batch size 2, lr 0.5, momentum 0.5: the weight", p.data(),
             _floats(*expected), "first 1 - 0.5 · 4 / 2 = 0; then the momentum is 0.5 · (-1) - 1 = -1.5")
    try:
        trainer.step(2)
    except StaleGradientError:
        pass
    else:
        wrong("a second step after one backward: nothing is raised; expected a StaleGradientError")
    _learn(q, [2])
    trainer.step(2, ignore_stale_grad=True)
    same("a gradient only for q, step(2, ignore_stale_grad=True): p", p.data(), _floats(-1.5, 7), "it is not changed")
    same("the same: q", q.data(), _floats(9.5), "it is updated: 10 - 0.5 · 2 / 2")
