"""Translation validation: graphs of all kinds pass it, and a mutant of each pass does not."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon import symbol as sym
from minigluon.backend import Spec, use_backend
from minigluon.gluon import nn
from minigluon.hybrid import (
    PASSES,
    Draft,
    Steps,
    check_passes,
    compile_graph,
    rematerialize,
    resolve_sources,
    simplify,
    slice_pushdown,
    specs,
    unroll,
)
from minigluon.hybrid import budget as budget_module
from minigluon.hybrid import differentiate as differentiate_module
from minigluon.hybrid import fuse as fuse_module
from minigluon.hybrid import recompute as recompute_module
from minigluon.hybrid.check_passes import WrongPassError
from minigluon.hybrid.draft import run_passes
from minigluon.ops import REGISTRY
from minigluon.ops.nn.pooling_argmax import NonOverlappingWindows
from minigluon.symbol.rewrite import Rewriter
from minigluon.symbol.symbol import Symbol

FLOAT = np.dtype("float32")
x, y, w, b = (sym.var(name) for name in "xywb")


@pytest.fixture(autouse=True)
def _checked(monkeypatch):
    monkeypatch.setattr(check_passes, "enabled", True)
    monkeypatch.setattr(check_passes, "skipped", [])
    with use_backend("numpy"):
        yield


def compiled(graph, passes=PASSES, wanted=(), train=False, dtype=FLOAT, **how):
    """Compile a graph of x, y (4, 6) and w (6, 6), b (6,); others as inference says."""
    given = {"x": (4, 6), "y": (4, 6), "w": (6, 6), "b": (6,)}
    names = graph.list_inputs()
    shapes, _, states = graph.infer_shape(**{name: shape for name, shape in given.items() if name in names})
    shapes = {**dict(zip(graph.list_arguments(), shapes, strict=True)),
              **dict(zip(graph.list_auxiliary_states(), states, strict=True))}
    known = {name: Spec(shapes[name], dtype) for name in names}
    return compile_graph(graph, known, names, mx.cpu(), train, tuple(wanted), passes=passes, **how)


# -- mutants: of each pass one that is wrong in a small way ------------------------------------------------------------

def foreach(F, data):
    outputs, _ = F.contrib.foreach(lambda step, state: (step * 2 + state[0], [state[0] + step]), data, [b])
    return outputs


def reversed_slices(original):
    """The steps of a loop in the wrong order."""
    return lambda pair, length, name: original(pair, length, name)[::-1]


class Ones(Rewriter):
    """Ones in the place of zeros."""

    def replace(self, node):
        new = super().replace(node)
        if node.op is not None and node.op.name == "_zeros":
            new.op = REGISTRY["_ones"](**node.op.attributes)
        return new


def wider(original):
    """One result is said to be of another type than it is."""
    def wrong(graph, known, before=None):
        found = original(graph, known, before)
        return {pair: spec._replace(dtype=np.dtype("float64")) if pair == graph.heads[0] else spec
                for pair, spec in found.items()}
    return wrong


def identity_of(name):
    """A rule of simplification more: an operator is left out that is not superfluous."""
    def is_superfluous(walk, node, inputs):
        """left out."""
        return inputs[0] if node.op.name == name else None
    return is_superfluous


def first_only(original):
    """Where two gradients meet, the second is lost."""
    def add(self, pair, grad):
        if self.slots.get(pair[0], [None] * (pair[1] + 1))[pair[1]] is None:
            original(self, pair, grad)
    return add


def heads_turned(draft):
    """The gradients in the wrong order."""
    heads = draft.graph.heads
    return Symbol([*heads[:draft.results], *heads[draft.results:][::-1]])


def add_steps(draft):
    """The real pass, on gradients in the wrong order."""
    real = next(pass_ for pass_ in PASSES if pass_.__name__ == "add_steps")
    return real(draft._replace(graph=heads_turned(draft)))


def own_outputs(draft):
    """One result is returned in the place of another."""
    return draft._replace(graph=Symbol([draft.graph.heads[0]] * len(draft.graph)))


def turned(original):
    """The operands of a fused line in the wrong order."""
    def wrong(group, where):
        node = original(group, where)
        program = tuple([(op, operands[::-1]) for op, operands in node.op.program])
        node.op = type(node.op)(program=program)
        return node
    return wrong


def replaced(*wrong):
    """PASSES with these in the place of those of the same name."""
    return [next((other for other in wrong if other.__name__ == pass_.__name__), pass_) for pass_ in PASSES]


def patched(module, name, change):
    """A mutant that patches a function of a module."""
    return lambda patch: patch.setattr(module, name, change(getattr(module, name)))


def dense(data, name):
    return sym.FullyConnected(data, w if name == "first" else sym.var(f"{name}_w"), no_bias=True, num_hidden=6)


images = sym.reshape(sym.dot(x, w), shape=(1, 1, 4, 6))
deep = x
for _ in range(8):
    deep = dense(sym.Dropout(sym.tanh(deep), p=0.4), "first")
steps = Steps(["w", "second_w"], REGISTRY["_sgd_steps"](num_weights=2), [[], []])

MUTANTS = {
    "unroll": (foreach(sym, x), {}, patched(unroll, "_slices", reversed_slices)),
    "resolve_sources": (sym.broadcast_add(x, sym.zeros(shape=(0, 6))), {}, lambda patch: patch.setattr(
        resolve_sources, "resolve_source_shapes",
        lambda graph, shapes, real=resolve_sources.resolve_source_shapes: Ones(real(graph, shapes)).rewritten())),
    "infer": (sym.tanh(x), {}, patched(specs, "infer_specs", wider)),
    "simplify": (sym.tanh(x), {}, lambda patch: patch.setattr(
        simplify, "RULES", [*simplify.RULES, identity_of("tanh")])),
    "slice_pushdown": (sym.slice_axis(sym.softmax(x), axis=1, begin=0, end=2), {}, lambda patch: patch.setitem(
        slice_pushdown.RULES, "softmax", lambda op, axis, shape, inputs: [axis])),
    "differentiate": (sym.sin(x) * x, {"wanted": ["x"]}, patched(
        differentiate_module._Gradients, "add", first_only)),
    "pooling_argmax": (sym.Pooling(images, kernel=(3, 3), stride=(1, 1), pool_type="max"), {"wanted": ["w"]},
                       lambda patch: patch.setattr(NonOverlappingWindows, "suits", staticmethod(lambda op: True))),
    "simplify_gradients": (sym.sigmoid(x), {"wanted": ["x"]}, lambda patch: patch.setattr(
        simplify, "RULES", [*simplify.RULES, identity_of("_rminus_scalar")])),
    "recompute": (sym.sum(deep), {"wanted": ["w"], "train": True, "recomputed": True}, lambda patch: [
        patch.setattr(module, "recompute_operands", lambda node: node.inputs)
        for module in (rematerialize, recompute_module)]),
    "budget": (dense(sym.tanh(dense(x, "first")), "second"), {"wanted": ["w", "second_w"], "recomputed": 1.0},
               lambda patch: patch.setattr(budget_module, "_after", lambda parts, step, specs: (
                   heads_turned(Draft(parts.graph, specs, results=parts.count)), []))),
    "add_steps": (sym.sum(dense(sym.tanh(dense(x, "first")), "second")),
                  {"wanted": ["w", "second_w"], "train": True, "steps": steps}, replaced(add_steps)),
    "fuse": (sym.tanh(sym.sin(x) - y), {}, patched(fuse_module, "_fuse_group", turned)),
    "own_outputs": (sym.Group([x, x * 2]), {}, replaced(own_outputs)),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_of_each_pass_dies(name, monkeypatch):
    graph, how, mutate = MUTANTS[name]
    plan, _ = compiled(graph, **how)
    assert plan is not None
    assert check_passes.skipped == []
    passes = mutate if isinstance(mutate, list) else PASSES
    if passes is PASSES:
        mutate(monkeypatch)
    with pytest.raises(WrongPassError, match=f"^pass {name}: "):
        compiled(graph, passes, **how)


def test_every_pass_has_a_mutant():
    """The backend's own are in tests/accel, and so is the one that computes with what these make."""
    hooks = {"before_gradients", "before_fusion", "parameter_constants"}
    assert {pass_.__name__ for pass_ in PASSES} == set(MUTANTS) | hooks


# -- what the errors say ----------------------------------------------------------------------------------------------

def wrong_pass(draft, change):
    return draft._replace(graph=change(draft.graph))


@pytest.mark.parametrize(("change", "message"), [
    (lambda graph: graph * 2, r"output 0 \(exp0?_?.*output\) differs most at \(\d, \d\): .* before, .* after it"),
    (lambda graph: sym.reshape(graph, shape=(6, 4)), r"output 0 .* was \(4, 6\) float32, and is \(6, 4\) float32"),
    (lambda graph: sym.dot(graph, graph), "the graph after it cannot be computed: dot: "),
])
def test_the_error_names_the_pass_and_the_difference(change, message):
    def spoil(draft):
        return wrong_pass(draft, change)
    with pytest.raises(WrongPassError, match=f"^pass spoil: {message}"):
        compiled(sym.exp(x), [*PASSES[:4], spoil, *PASSES[4:]])


def test_a_pass_that_loses_an_output_or_a_spec():
    def lose(draft):
        return draft._replace(graph=draft.graph[0])

    def forget(draft):
        return draft._replace(graph=Ones(sym.tanh(draft.graph[0]) * 0 + draft.graph[0]).rewritten())
    with pytest.raises(WrongPassError, match="^pass lose: the graph had 2 outputs, and has 1 now"):
        compiled(sym.Group([sym.exp(x), sym.sin(x)]), [*PASSES[:4], lose])
    with pytest.raises(WrongPassError, match="^pass forget: .*has no Spec, and is"):
        compiled(sym.exp(x), [*PASSES[:4], forget])


def test_what_a_graph_overwrites_is_compared():
    def stale(draft):
        norm = draft.graph.heads[0][0]
        inputs = [*norm.inputs[:3], norm.inputs[4], norm.inputs[3]]     # mean and variance, the other way round
        return draft._replace(graph=Symbol([(norm.with_inputs(inputs), 0)]))
    with pytest.raises(WrongPassError, match="^pass stale: variable 'bn_moving_"):
        compiled(sym.BatchNorm(x, name="bn", axis=1), [*PASSES[:4], stale], train=True)


def test_values_that_an_operator_refuses_are_skipped():
    compiled(sym.linalg.potrf(sym.dot(x, x, transpose_b=True) - 5 * sym.dot(y, y, transpose_b=True)))
    assert {reason.partition(":")[0] for _, reason in check_passes.skipped} <= {"linalg_potrf", "_linalg_potrf"}


def test_it_is_off_by_default_and_on_by_an_environment_variable(monkeypatch):
    import subprocess
    import sys
    program = "from minigluon.hybrid import check_passes; print(check_passes.enabled)"
    monkeypatch.delenv("MINIGLUON_CHECK_PASSES", raising=False)
    for value, expected in [(None, "False"), ("0", "False"), ("1", "True")]:
        if value is not None:
            monkeypatch.setenv("MINIGLUON_CHECK_PASSES", value)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == expected


# -- nets that pass it ------------------------------------------------------------------------------------------------

class Texts(gluon.HybridBlock):
    """Embedded words, attention with dropped weights, and the first row."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.embed, self.out = nn.Embedding(10, 8), nn.Dense(3)

    def hybrid_forward(self, F, ids):
        h = self.embed(ids)
        weights = F.Dropout(F.softmax(F.batch_dot(h, h, transpose_b=True) * 0.3), p=0.3)
        return self.out(F.slice_axis(F.batch_dot(weights, h), axis=1, begin=0, end=1))


def images_net():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu"), nn.MaxPool2D(), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(3))
    return net, nd.ones((2, 3, 8, 8))


@pytest.mark.parametrize("flags", [{}, {"recompute": True}, {"memory": 1.0}], ids=str)
@pytest.mark.parametrize("make", [images_net, lambda: (Texts(), nd.array([[1, 2, 3], [4, 5, 6]]))])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nets_in_training(make, flags, dtype):
    net, data = make()
    net.cast(dtype)
    net.initialize()
    net.hybridize(**flags)
    net(data.astype(dtype))
    with autograd.record():
        out = net(data.astype(dtype))
    out.backward()
    assert check_passes.skipped == []


def test_a_draft_that_is_run_by_hand():
    graph = sym.tanh(sym.tanh(x))
    draft = run_passes(Draft(graph, {}, {"x": Spec((2, 3), FLOAT)}, ["x"], mx.cpu(), rest=PASSES))
    assert [node.op.name for node in draft.graph.nodes() if node.op is not None] == ["_fused"]
