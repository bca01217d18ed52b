"""Signatures that differ only in lengths: when the second one appears, `symbolic` creates one plan for all of them.

Two functions in `runners.py` are replaced, so that no other module knows about this.
"""

from ..common.fast_paths import fast
from . import runners
from .symbolic.shape_families import SharedPlans

__all__ = ["Lengths"]

MAX_KINDS = 256         # if a program keeps creating new kinds of signatures, the cache is cleared at this count


class Lengths:
    """The lengths that calls with the same parameters have used so far.

    first_shapes: {kind of a signature: the first such signature's shapes}. shared: SharedPlans, once there is a second
        signature.
    """

    def __init__(self):
        self.first_shapes, self.shared = {}, None


def kind_of(signature):
    """Return the part that signatures have in common if they differ only in lengths."""
    return tuple([(len(shape), dtype) for shape, dtype, _ in signature.data]), signature.training, signature.needs_grad


plain_make_runner, plain_planned_runner = runners.make_runner, runners.planned_runner


@fast(runners, "make_runner")
def make_runner(op, signature, data, params):
    lengths = params.plans.lengths
    runner = None if lengths is None or lengths.shared is None else lengths.shared.runner_at(signature)
    return plain_make_runner(op, signature, data, params) if runner is None else runner


@fast(runners, "planned_runner")
def planned_runner(op, signature, input_specs, ctx, grad_names, packing, plans):
    lengths = plans.lengths = plans.lengths or Lengths()
    kind, shapes = kind_of(signature), tuple([shape for shape, _, _ in signature.data])
    if len(lengths.first_shapes) >= MAX_KINDS:
        lengths.first_shapes.clear()
    first_shapes, runner = lengths.first_shapes.setdefault(kind, shapes), None
    if first_shapes != shapes:              # one plan may serve both, as well as all later shapes
        lengths.shared = lengths.shared or SharedPlans()
        runner = lengths.shared.new_runner(op, signature, kind, (first_shapes, shapes), input_specs, ctx, grad_names,
                                           packing)
    if runner is not None:
        return runner
    return plain_planned_runner(op, signature, input_specs, ctx, grad_names, packing, plans)
