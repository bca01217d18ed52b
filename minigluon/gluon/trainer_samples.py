"""The batch size for a Trainer's step if several processes share the batch."""

from __future__ import annotations

from typing import Any

__all__ = ["TrainerSamples"]


class TrainerSamples:
    """Mixin for Trainer that adds up the samples of all processes."""

    _kvstore: Any

    def count_samples(self, own: int) -> int:
        """Return the number of samples in all processes, which is the batch size for `step`.

        own: the number of samples in this process, which may be 0 and differ between processes.

        >>> layer = nn.Dense(1, in_units=1)
        >>> layer.initialize()
        >>> gluon.Trainer(layer.collect_params(), "sgd").count_samples(32)      # one process
        32
        """
        if self._kvstore is None or self._kvstore.num_workers == 1:
            return own
        return int(self._kvstore.sum_over_processes([own], "samples")[0])
