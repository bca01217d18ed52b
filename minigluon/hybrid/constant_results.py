"""Results of a plan that no gradient goes through: they remember what is on the tape behind them, for messages."""

from functools import cached_property

from ..tape.constants import record_constant, with_constants

__all__ = ["ConstantResults"]


class ConstantResults:
    """The part of `PlannedRunner` for such results."""

    @cached_property
    def constants(self):
        """The numbers of the results that no gradient goes through, each with those of the inputs it depends on."""
        found = []
        for number in range(len(self.symbol.heads)):
            if number not in self.tracked:
                names = self._names_behind((number,))
                found.append((number, [i for i, name in enumerate(self.inputs) if name in names]))
        return found

    def record_constants(self, data, params, parents):
        outputs = self.run(data, params)
        self._remember(data, params, parents, outputs)
        return outputs

    def _remember(self, data, params, parents, outputs):
        """Have each result that no gradient goes through remember what is on the tape behind it."""
        parents = with_constants(parents, [*data, *params.arrays])
        for number, inputs in self.constants:
            record_constant([parents[i] for i in inputs], [outputs[number]], [None])
