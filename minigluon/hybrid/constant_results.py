"""Results of a plan that no gradient goes through: they remember what is on the tape behind them, for messages."""

from ..tape.constants import record_constant, with_constants

__all__ = ["ConstantResults"]


class ConstantResults:
    """The part of `PlannedRunner` for such results."""

    def record_constants(self, data, params, parents):
        outputs = self.run(data, params)
        self._remember(data, params, parents, outputs)
        return outputs

    def _remember(self, data, params, parents, outputs):
        """Have each result that no gradient goes through remember what is on the tape behind it."""
        parents = with_constants(parents, [*data, *params.arrays])
        for i, y in enumerate(outputs):
            if i not in self.tracked:
                record_constant([parent for k, parent in enumerate(parents) if k not in self.unused], [y], [None])
