"""A training step whose plan sends gradients to a store while it computes others; the step of the optimizer follows.

    plan      | forward | layer 3 | layer 2 | layer 1 |
    network                       | bucket of layer 3 | bucket of layers 2 and 1 |
    trainer                                                                      | updates |
"""

from __future__ import annotations

from typing import Any

from ..ops import REGISTRY
from ..ops.optimizer.final_gradients import receiver
from .planned_step import PlannedStep

__all__ = ["SendingStep"]


class SendingStep(PlannedStep):
    """A plan for forward and backward, which writes gradients to `Parameter.grad()`. As soon as some are final, the
    store may send them. `Trainer.step` then waits for the last sums and updates the weights.
    """

    grads: dict[int, Any]           # id of a buffer -> the gradient that it belongs to

    def _take_operator(self):
        self.replica, = self.trainer.replicas()
        self.grads = {id(grad.buffer): grad for grad in self.replica.grads}
        return REGISTRY["_final_gradients"](num_weights=len(self.grads)), [(grad,) for grad in self.replica.grads]

    def _overwritten(self, weights, states):
        return []           # `_send` counts the writes to gradients

    def _bind(self, arrays, states, groups, positions):
        self.groups = groups
        self.buffers = [x.buffer for x in (*arrays, *[x for group in groups for i in group for x in states[i]])]

    def _has_same(self):
        return self.trainer.replicas()[0] is self.replica

    def _take_like(self):
        replica, = self.trainer.replicas()
        if len(replica.grads) != len(self.grads) or not all(
                self.grads.get(id(grad.buffer)) is grad for grad in replica.grads):
            return False
        self.replica = replica
        return True

    def run(self, leaves: Any, own: int, batch_size: int | None) -> Any:
        receiver.receive = self._send
        try:
            outputs = self._call(leaves)
        finally:
            receiver.receive = None
        for value in self.replica.values:
            value.entry.fresh = True
        if batch_size is None:
            self.trainer.step_share(own)
        else:
            self.trainer.step(batch_size)
        return outputs

    def _send(self, buffers):
        grads = [self.grads[id(buffer)] for buffer in buffers]
        for grad in grads:
            grad._count_write()
        self.trainer.send(grads)
