"""Drawn graphs: each pass against the graph before it, plans against the tape, memory plans against their promises."""

import numpy as np
import pytest
from helpers.random_graphs import evaluate, graphs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigluon as mx
from minigluon import autograd, nd
from minigluon import symbol as sym
from minigluon.backend import Spec, use_backend
from minigluon.hybrid import CachedOp, compile_graph, interpret
from minigluon.hybrid.memory import ALIGNMENT, Buffer, assign_offsets

many = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def head_grad(spec, i):
    return np.random.default_rng(100 + i).uniform(-1, 1, spec.shape).astype(spec.dtype)


def specs_of(values):
    return {name: Spec(a.shape, a.dtype) for name, a in values.items()}


def compiled(graph, values, wanted, reports=None, recomputed=False):
    known = {name: spec for name, spec in specs_of(values).items() if name in graph.list_inputs()}
    return compile_graph(graph, known, list(values), mx.cpu(), False, tuple(wanted), reports, recomputed)


def on_the_tape(graph, values, wanted):
    """(results, {name: gradient}) computed by the operators of nd, one by one."""
    arrays = {name: nd.array(a, dtype=a.dtype) for name, a in values.items()}
    for name in wanted:
        arrays[name].attach_grad()
    with autograd.record(train_mode=False):
        results = interpret(graph, arrays)
    heads = [(y, nd.array(head_grad(y.buffer, i), dtype=y.dtype)) for i, y in enumerate(results) if y.entry is not None]
    if heads:
        autograd.backward([y for y, _ in heads], [g for _, g in heads], train_mode=False)
    return [y.asnumpy() for y in results], {name: arrays[name].grad.asnumpy() for name in wanted}


def near(found, wanted, what=""):
    assert found.shape == wanted.shape, what
    assert found.dtype == wanted.dtype, what
    scale = np.max(np.abs(wanted), initial=1e-300)
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12 * scale, err_msg=what)


# -- passes -----------------------------------------------------------------------------------------------------------


@many
@given(graphs(), st.booleans())
def test_every_pass_keeps_what_the_graph_computes(drawn, recomputed):
    graph, values, wanted = drawn
    results, gradients = on_the_tape(graph, values, wanted)
    reports = []
    _, indices = compiled(graph, values, wanted, reports, recomputed)
    sometimes = ("slice pushdown", "pooling argmax", "fuse neighbours", "fuse elementwise")
    passes = [r.name for r in reports if r.name not in sometimes]
    assert passes == ["infer", "simplify", *(
        ["differentiate", "simplify", *(["recompute"] if recomputed else [])] if wanted else []), "fuse"]
    heads = {f"_head_grad{i}": head_grad(y, i) for i, y in enumerate(results)}
    for report in reports:
        found = evaluate(report.after, {**values, **heads})
        for pair, array in found.items():
            assert report.specs[pair] == Spec(array.shape, array.dtype), (report.name, pair)
        outputs = [found[pair] for pair in report.after.heads]
        for i, (y, expected) in enumerate(zip(outputs, results, strict=False)):
            near(y, expected, f"{report.name}: result {i}")
        if len(outputs) > len(results) or report.name == "differentiate":
            for name, index in zip(wanted, indices, strict=True):
                if index is None:
                    assert not gradients[name].any(), f"{report.name}: gradient of {name}"
                else:
                    near(outputs[len(results) + index], gradients[name], f"{report.name}: gradient of {name}")


@pytest.mark.parametrize("stop", [lambda F, x: F.BlockGrad(F.BlockGrad(x)), lambda F, x: F.BlockGrad(x.reshape((6,))),
                                  lambda F, x: F.reshape(F.BlockGrad(x), shape=(3, 2)),
                                  lambda F, x: F.identity(F.BlockGrad(F.identity(x)))])
def test_what_blocks_gradients_is_kept_until_there_are_some(stop):
    x = sym.var("x")
    graph = sym.Group([stop(sym, x), x * 2])
    _, gradients = on_the_tape(graph, {"x": np.ones((2, 3))}, ["x"])
    plan, indices = compiled(graph, {"x": np.ones((2, 3))}, ["x"])
    run = plan.take()
    results = plan.forward(run, [np.ones((2, 3))])
    found = plan.backward(run, [head_grad(y, i) for i, y in enumerate(results)])[indices[0]]
    near(found, gradients["x"])
    near(found, head_grad(results[1], 1) * 2)


# -- plans ------------------------------------------------------------------------------------------------------------


@many
@given(graphs(), st.booleans())
def test_plans_compute_what_the_tape_computes(drawn, recomputed):
    graph, values, wanted = drawn
    results, gradients = on_the_tape(graph, values, wanted)
    plan, indices = compiled(graph, values, wanted, recomputed=recomputed)
    heads = [head_grad(y, i) for i, y in enumerate(results)]

    def check(found, what):
        for name, index in zip(wanted, indices, strict=True):
            if index is not None:
                near(found[index], gradients[name], f"{what}: gradient of {name}")

    inputs = [a.copy() for a in values.values()]
    first, second = plan.take(), plan.take()
    for run in first, second:
        for i, (y, expected) in enumerate(zip(plan.forward(run, inputs), results, strict=True)):
            near(y, expected, f"result {i}")
    if wanted:
        check(plan.backward(first, heads, keep=True), "kept")
        check(plan.backward(first, [h * 3 for h in heads], keep=True) and plan.backward(first, heads), "again")
        check(plan.backward(second, heads), "a second run")
    plan.give_back(first)
    for i, (y, expected) in enumerate(zip(plan.forward(plan.take(), inputs), results, strict=True)):
        near(y, expected, f"result {i} in used memory")
    for x, before in zip(inputs, values.values(), strict=True):
        np.testing.assert_array_equal(x, before)


# -- memory -----------------------------------------------------------------------------------------------------------


def aligned(size):
    return -(-size // ALIGNMENT) * ALIGNMENT


def require_sound(buffers, size, steps):
    """No two buffers that live together overlap; nothing lies outside; the size is between what must and could be."""
    inside = [b for b in buffers if b.kind in ("value", "scratch")]
    for i, b in enumerate(inside):
        assert b.offset % ALIGNMENT == 0
        assert 0 <= b.offset <= b.offset + b.size <= size
        for other in inside[i + 1:]:
            if b.size and other.size and b.first <= other.last and other.first <= b.last:
                assert b.offset + b.size <= other.offset or other.offset + other.size <= b.offset, (b, other)
    assert all(b.offset is None for b in buffers if b not in inside)
    least = max((sum(b.size for b in inside if b.first <= step <= b.last) for step in range(steps)), default=0)
    assert least <= size <= sum(aligned(b.size) for b in inside)


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 12), st.integers(0, 6)), max_size=25))
def test_layouts_of_buffers(drawn):
    buffers = [Buffer(f"b{i}", size, first, first + length, ["value", "scratch"][i % 2])
               for i, (size, first, length) in enumerate(drawn)]
    size = assign_offsets(buffers)
    require_sound(buffers, size, 20)


def test_a_layout_by_hand():
    """Two values that follow each other share memory; a third that lives with both does not."""
    buffers = [Buffer("a", 100, 0, 1), Buffer("b", 100, 2, 3), Buffer("c", 40, 1, 2), Buffer("out", 10, 3, 3, "result")]
    assert assign_offsets(buffers) == 192
    assert [b.offset for b in buffers] == [0, 0, 128, None]


@many
@given(graphs(), st.booleans())
def test_memory_plans_keep_what_they_promise(drawn, recomputed):
    graph, values, wanted = drawn
    plan, _ = compiled(graph, values, wanted, recomputed=recomputed)
    memory = plan.memory
    require_sound(memory.buffers, memory.size, len(plan.steps))
    assert memory.steps == len(plan.steps)
    written = sum(spec_size(plan, pair) for step in plan.steps if step.kernel is not None
                  for pair in [(step.node, i) for i in range(step.node.op.num_outputs)])
    inside = {kind: sum(b.size for b in memory.buffers if b.kind == kind) for kind in ("value", "scratch")}
    assert memory.naive <= written + inside["scratch"]
    assert sum(inside.values()) <= memory.naive


def spec_size(plan, pair):
    spec = plan._layout.specs[pair]
    return int(np.prod(spec.shape)) * spec.dtype.itemsize


def poison(plan, values, step):
    """Overwrite every byte of the block that no value holds after this step."""
    planned = [b for b in plan.memory.buffers if b.offset is not None]
    views = [values[slot] for slot, storage in plan._layout.storage_of.items() if storage.kind in ("value", "scratch")]
    if not views:
        return
    free = np.ones(plan.memory.size, bool)
    for b in planned:
        if b.first <= step < b.last:
            free[b.offset:b.offset + b.size] = False
    views[0].base[free] = 0xff                  # as a float: NaN


@many
@given(graphs())
@use_backend("numpy")        # runs line by line; a plugin runs them together, and makes no views
def test_values_live_as_long_as_the_memory_plan_says(drawn):
    graph, values, wanted = drawn
    results, gradients = on_the_tape(graph, values, wanted)
    plan, indices = compiled(graph, values, wanted)
    run = plan.take()
    plan.forward(run, list(values.values()))
    if wanted:
        run[plan._heads] = [head_grad(y, i) for i, y in enumerate(results)]
        plan._allocate(plan._fresh_gradients, run, {})
    poison(plan, run, -1)
    positions = {id(step): position for position, step in enumerate(plan.steps)}
    for program in plan._forward, plan._backward:
        for (kernel, operands, targets), step in zip(program.lines, program.steps, strict=True):
            kernel(operands(run), targets(run))
            poison(plan, run, positions[id(step)])
        for slot, expected in zip(plan._results, results, strict=True):
            near(run[slot], expected)
    for name, index in zip(wanted, indices, strict=True):
        if index is not None:
            near(run[plan._gradients[index]], gradients[name], f"gradient of {name}")


# -- the tape -------------------------------------------------------------------------------------------------------


@many
@given(graphs(), st.integers(0, 20), st.booleans())
def test_writes_before_backward_are_harmless_or_noticed(drawn, number, recomputed):
    graph, values, wanted = drawn
    names = [name for name in values if name in graph.list_inputs()]
    op = CachedOp(graph, names, {"recompute": recomputed})
    outcomes = []
    for written in False, True:
        arrays = [nd.array(values[name], dtype="float64") for name in names]
        for name, x in zip(names, arrays, strict=True):
            if name in wanted:
                x.attach_grad()
        with autograd.record(train_mode=False):
            results = op(arrays)
        heads = [(y, nd.array(head_grad(y.buffer, i), dtype="float64")) for i, y in enumerate(results)
                 if y.entry is not None]
        if not heads:
            return
        if written:
            targets = arrays if number % 4 == 0 else results
            targets[number % len(targets)][:] = 12345
        try:
            autograd.backward([y for y, _ in heads], [g for _, g in heads], train_mode=False)
        except mx.base.WrittenInPlaceError:
            assert written
            return
        outcomes.append([x.grad.asnumpy() for x in arrays if x.grad is not None])
    for found, expected in zip(*outcomes, strict=True):
        np.testing.assert_array_equal(found, expected)
