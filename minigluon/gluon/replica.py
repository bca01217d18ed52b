"""The parameters that a Trainer has on one device, and the step for them."""

__all__ = ["Replica"]


class Replica:
    """Values and gradients on one device, of those parameters that want a gradient.

    rows: [(number in the trainer, value, gradient)]. It holds as long as nobody replaces the parameters' arrays.
    """

    def __init__(self, ctx, rows):
        self.ctx, self.rows = ctx, rows
        self.indices, self.values, self.grads = zip(*rows, strict=True) if rows else ((), (), ())
        self._step = None

    def is_fresh(self):
        """Has backward computed all gradients since the last step?"""
        return not [value for value in self.values if not value.entry.fresh]

    def fresh_part(self):
        """The Replica of those that are fresh."""
        return Replica(self.ctx, [row for row in self.rows if row[1].entry.fresh])

    def step(self, updater):
        """The Step for these values, prepared once. There must be some."""
        if self._step is None or not self._step.is_current(updater):
            self._step = updater.prepare(self.indices, self.grads, self.values)
        return self._step

    def update(self, updater):
        """Make the step."""
        if self.rows:
            self.step(updater).run()
            self.use_up()

    def use_up(self):
        """From now on the gradients are stale."""
        for value in self.values:
            value.entry.fresh = False
