"""An operator's kernels for shapes with symbolic dimensions, one per size, mostly obtained from formulas.

A backend's function that prepares a kernel is called once, with SymbolicDims in place of numbers. It returns formulas
for the division of the work and the choice of loops, with the conditions under which they are valid ("up to 8 rows").
For another size, only the formulas are evaluated; if the size does not meet a condition, the function is called again.
If a kernel has no formulas (a reference kernel, or a kernel that needs actual lengths), it is prepared for each size as
in any plan.
"""

from typing import Any, NamedTuple

from ...backend import Spec, backend_for
from ...backend.watchers import watching
from ...base import MXNetError
from ...common.device_generators import generator_of
from ...dispatch import prepare, prepare_writer
from ...ops.symbolic_dimensions import Formulas, has_symbolic_dim, map_symbolic_dims

__all__ = ["KernelBySize"]

MAX_VARIANTS = 8            # the maximum number of variants whose conditions are checked


class SizedKernel(NamedTuple):
    """A kernel for one size. writes: as in `Step`."""

    run: Any
    scratch: Any
    writes: bool


class KernelBySize:
    """The kernels of one operator by size: `at(values)` is a SizedKernel for these values of the scope's names.

    scope: the scope of the SymbolicDims in op, inputs and outputs.
    """

    def __init__(self, scope, op, ctx, inputs, outputs, train):
        self.scope, self.op, self.ctx, self.train = scope, op, ctx, train
        self.names, self.specs, self.count = scope.names, (*inputs, *outputs), len(inputs)
        self.attributes = {name: value for name, value in op.attributes.items() if has_symbolic_dim(value)}
        self.variants = []              # (formulas of numbers and scratch shapes, their Kernel, their conditions)
        self._numbers = Formulas(self.names, [*[spec.shape for spec in self.specs], *self.attributes.values()])
        varies = self.attributes or any(has_symbolic_dim(spec.shape) for spec in self.specs)
        self.by_formula = bool(varies) and backend_for(ctx).supports_symbolic_dims
        self.only = None if varies else self._for_size(())

    def at(self, values):
        if self.only is not None:
            return self.only
        for formulas, kernel, _ in self.variants:
            numbers = formulas(*values)
            if numbers is not None:
                return self._like(kernel, numbers, values)
        if self.by_formula and watching.watched is None:
            self._add_variant(values)
        return self._for_size(values)

    def chosen(self, values):
        """Returns (the Kernel prepared with SymbolicDims, the conditions) for these values.

        Returns (None, ()) if nothing depends on lengths, and None if a kernel is prepared for each size.
        """
        if self.only is not None:
            return None, ()
        return next(((kernel, conditions) for formulas, kernel, conditions in self.variants
                     if formulas(*values) is not None), None)

    def how(self, values):
        """Returns (op, inputs, outputs) for one size."""
        evaluated = self._numbers(*values) if values else [spec.shape for spec in self.specs]
        specs = [Spec(shape, spec.dtype) for shape, spec in zip(evaluated, self.specs, strict=False)]
        attributes = dict(zip(self.attributes, evaluated[len(specs):], strict=True))
        op = type(self.op)(**{**self.op.attributes, **attributes}) if attributes else self.op
        return op, specs[:self.count], specs[self.count:]

    def _for_size(self, values):
        """Returns the kernel prepared for one size, as in any plan."""
        op, inputs, outputs = self.how(values)
        writer = prepare_writer(op, self.ctx, inputs, outputs, self.train)
        if writer is not None:
            return SizedKernel(*writer, True)
        return SizedKernel(prepare(op, self.ctx, inputs, outputs, self.train), (), False)

    def _like(self, kernel, numbers, values):
        scratch = [Spec(shape, spec.dtype) for shape, spec in zip(numbers, kernel.scratch, strict=False)]

        def how():
            return *self.how(values), self.train, generator_of(self.op, self.ctx) if self.op.random else None
        return SizedKernel(kernel.write_like(numbers[len(scratch):], scratch, how), scratch, True)

    def _add_variant(self, values):
        """Calls the backend with SymbolicDims whose examples are these values."""
        scope = self.scope.at(values)
        specs = [map_symbolic_dims(spec, scope.take) for spec in self.specs]
        attributes = {name: map_symbolic_dims(value, scope.take) for name, value in self.attributes.items()}
        op = type(self.op)(**{**self.op.attributes, **attributes}) if attributes else self.op
        rng = generator_of(op, self.ctx) if op.random else None
        try:
            kernel = backend_for(self.ctx).prepare(op, specs[:self.count], specs[self.count:], self.train, rng)
        except (MXNetError, ArithmeticError, LookupError, TypeError, ValueError):
            self.by_formula = False             # whether the function needs the numbers for each size
            return
        if isinstance(kernel, str) or kernel.numbers is None or scope.needed is not None:
            self.by_formula = False
            return
        shapes = [spec.shape for spec in kernel.scratch]
        formulas = Formulas(self.names, [*shapes, *kernel.numbers], scope.conditions)
        self.variants.append((formulas, kernel, scope.conditions))
        self.by_formula = len(self.variants) < MAX_VARIANTS
