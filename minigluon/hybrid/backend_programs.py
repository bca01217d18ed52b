"""Parts of a plan that the backend runs in one call if it can. Otherwise Python runs their lines."""

from ..common.fast_paths import fast
from .compiled_program import CompiledProgram, find_aliases, views_of
from .plan import Plan
from .program import Program

_plain_take_sizes = Plan.take_sizes


@fast(Plan, "_programs")
def programs(self, layout):
    for_programs = any(getattr(step.kernel, "runs_in_programs", False) for step in layout.steps)
    aliases = find_aliases(layout) if for_programs else {}
    return _program(self, layout, "forward", aliases), _program(self, layout, "backward", aliases)


def _program(plan, layout, phase, aliases):
    program = Program(layout, phase, aliases)
    kernels_and_slots = list(zip([kernel for kernel, _, _ in program.lines], program.slots, strict=True))
    compiled = plan._backend.prepare_program(kernels_and_slots, aliases, len(layout.slot_of))
    return program if compiled is None else CompiledProgram(program, compiled, views_of(layout, aliases))


@fast(Plan, "take_sizes")
def take_sizes(self, layout):
    _plain_take_sizes(self, layout)
    program = self._forward
    self.compiled_call = program.caller(self) if isinstance(program, CompiledProgram) else None
