"""The image of a hybridized net's second call, created from its caches. `make_images.py` draws it."""

from textwrap import wrap

from drawing import Drawing
from graph_images import Gated

from minigluon import nd

__all__ = ["IMAGES"]


def stops():
    """Return [(kind, function, file, lookup and result, number of the lookup or None)]."""
    net = Gated(prefix="net_")
    net.initialize()
    net.hybridize()
    x = nd.ones((8, 3))
    net(x)
    ((mode, graph),) = [item for item in net._graphs.items() if item[0] is False]
    ((device, bound),) = graph.bound.items()
    ((signature, runner),) = bound.plans.items()
    ((shape, dtype, _),) = signature.data
    plan = runner.plan
    names = [param.name for param in graph.params]
    arguments = graph.compiled.inputs[:len(graph.compiled.inputs) - len(names)]

    return [
        ("gluon", "net(x)   Block.__call__, HybridBlock.forward", "gluon/hybrid_block.py",
         "isinstance(x, NDArray)?   yes\nself._active?             yes: it is hybridized", None),
        ("gluon", "HybridBlock._run_graph(x, args)", "gluon/hybrid_block.py",
         f"net._graphs[{mode}]\n    key: train mode\n    -> {type(graph).__name__}: one trace, "
         f"{len(arguments)} argument, {len(names)} parameters", 1),
        ("gluon", "BlockGraph.run(data, args)", "gluon/tracing.py",
         f"graph.bound[{device}]\n    key: the device\n    -> {type(bound).__name__}: {len(bound.buffers)} buffers\n"
         "    is its version current?   yes", 2),
        ("backend", "CachedOp.run(data, bound)", "hybrid/cached_op.py",
         f"bound.plans[Signature(({mode}, (), {shape}, {dtype}, {device}))]\n    key: the call's Signature\n"
         f"    -> {type(runner).__name__}: its plan has {len(plan.steps)} steps", 3),
        ("backend", "PlannedRunner.run(data, bound)", "hybrid/runners.py",
         f"[x.buffer] + bound.buffers: {len(arguments) + len(bound.buffers)} buffers, in the order of\n"
         + "\n".join(wrap(" ".join(graph.compiled.inputs), 58)), None),
        ("backend", "Plan.call(buffers)", "hybrid/plan.py",
         f"plan.pool: it has {len(plan.pool)} list, which is taken\n"
         f"    -> values: {len(graph.compiled.inputs)} inputs, views of the plan's block", 4),
        ("array", "kernel(operands(values), targets(values))", "hybrid/program.py, on every line",
         "by slot, in the list `values`:\n"
         + "\n".join(f"    {_slots(step.inputs):9} -> {_slots(step.outputs):3} {step.op.name}" for step in plan.steps),
         None),
        ("array", "NDArray(buffer, device)", "ndarray/ndarray.py", "the result: the only new memory", None),
    ]


def _slots(numbers):
    return ", ".join(map(str, numbers))


def second_call():
    """Draw every lookup in a hybridized net's second call, with its location, key and result."""
    drawing = Drawing(1080, 0, "The second call of a hybridized net, lookup by lookup")
    left, right, wide, narrow = 30, 560, 450, 490
    for x, heading in ((left, "function"), (right, "lookup and result")):
        drawing.text(x, 36, heading, 15, bold=True)
    y, above = 58, None
    for kind, title, file, told, number in stops():
        lines = told.split("\n")
        height = max(51, 20 + 16.8 * len(lines))
        drawing.labelled(left, y, wide, kind, title, file, size=13)
        if above is not None:
            drawing.arrow(left + 60, above, left + 60, y, "muted")
        if number is not None:
            drawing.box(right - 16, y, narrow, height, "ops", dashed=True)
            drawing.arrow(left + wide, y + 25, right - 16, y + 25, "ops", dashed=True)
            drawing.text((left + wide + right - 16) / 2, y + 18, str(number), 13, "ops", anchor="middle", bold=True)
        drawing.text(right, y + 20, told, 12)
        above = y + 51
        y += height + 20
    drawing.text(left, y + 12, "Not repeated: hybrid_forward, shape rules, choosing kernels, allocating intermediate "
                 "values.", 13, "muted")
    drawing.height = y + 34
    return drawing


IMAGES = {"second-call": second_call}
