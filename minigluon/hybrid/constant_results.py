"""Results without a gradient, which keep a link to the tape for error messages."""

from ..tape.constants import record_constant, with_constants

__all__ = ["ConstantResults"]


class ConstantResults:
    """Mixin for `PlannedRunner` that handles results without a gradient."""

    def record_constants(self, data, params, parents):
        outputs = self.run(data, params)
        self._remember(data, params, parents, outputs)
        return outputs

    def _remember(self, data, params, parents, outputs):
        """Links each result without a gradient to the tape entries that it depends on."""
        parents = with_constants(parents, [*data, *params.arrays])
        for i, y in enumerate(outputs):
            if i not in self.tracked:
                record_constant([parent for k, parent in enumerate(parents) if k not in self.unused], [y], [None])
