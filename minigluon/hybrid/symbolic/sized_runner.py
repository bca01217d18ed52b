"""Runners for other sizes of a graph with symbolic dimensions."""

from functools import cached_property

from ..runners import PlannedRunner
from .size_formulas import SizedPlan

__all__ = ["ExampleRunner"]


class ExampleRunner:
    """Creates the runners for other sizes from the example's runner."""

    def __init__(self, runner):
        self.runner = runner

    def like(self, plan):
        """Returns the runner of a plan for another size."""
        runner = SizedRunner(self.runner, plan.compiled_call or plan.call)
        runner.plan = plan
        return runner

    def at(self, affine_plan, size):
        """Returns the runner of a SizedPlan for another size; the plan is created on first access."""
        runner = SizedRunner(self.runner, size)
        runner.affine_plan = affine_plan
        return runner


class SizedRunner(PlannedRunner):
    """The runner of a plan for another size. Everything except the plan comes from the original runner.

    `call` runs the plan. `plan` is either passed in or created from `affine_plan` on first access.
    """

    def __init__(self, runner, call):
        self.runner, self.call = runner, call
        self.ctx, self.prepackers, self.mutated = runner.ctx, runner.prepackers, runner.mutated

    @cached_property
    def plan(self):
        return SizedPlan(self.affine_plan, self.call)

    def __getattr__(self, name):
        return getattr(self.__dict__["runner"], name)
