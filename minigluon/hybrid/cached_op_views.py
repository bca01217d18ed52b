"""Views of a CachedOp: its plans, their signatures, and the shapes that share a plan."""

from ..backend import Spec
from ..context import current_context
from .runners import PlannedRunner, compile_runner

__all__ = ["CachedOpViews"]


class CachedOpViews:
    """Mixin for `CachedOp` that provides views for inspection."""

    @property
    def last_plan(self):
        """The most recent plan, for inspection; None if there is none yet."""
        return None if self._last_runner is None else self._last_runner.plan

    def plan_for(self, arrays, grad_names):
        """Returns the plan for data and parameter arrays like these and for the named inputs' gradients, or None.
        """
        input_specs = {name: Spec(x.shape, x.buffer.dtype) for name, x in zip(self.inputs, arrays, strict=True)
                       if name in self.used}
        ctx = arrays[0].context if arrays else current_context()
        runner = compile_runner(self, input_specs, ctx, [name for name in grad_names if name in self.used])
        if not isinstance(runner, PlannedRunner):
            return None
        self._last_runner = runner
        return runner.plan

    def signatures(self):
        """Returns the device and specs of the parameters, and the Signature of the other inputs, for each plan."""
        return [(kind, signature) for kind, plans in list(self._plans.items()) for signature in list(plans)]

    def shapes(self):
        """Returns lines of text that say which data shapes share a plan, and why the other shapes do not."""
        shared = [plans.lengths and plans.lengths.shared for plans in list(self._plans.values())]
        lines = [line for plans in shared if plans is not None for line in plans.lines(self.inputs)]
        return list(dict.fromkeys(lines))       # other train modes and other conditions use the same names
