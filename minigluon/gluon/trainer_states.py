"""Saving and loading a Trainer's optimizer and its states, so that training can be resumed."""

from __future__ import annotations

from typing import Any

from ..optimizer import Optimizer
from ..optimizer.updater_states import load_states
from ..serialization.atomic_write import replacing

__all__ = ["TrainerStates"]


class TrainerStates:
    """Mixin for Trainer that holds the optimizer and writes and reads files."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the prepared steps, which refer to this process's memory."""
        return {**vars(self), "_replicas": [], "_replacements": None}

    @property
    def optimizer(self) -> Optimizer:
        """The Optimizer."""
        return self._optimizer

    @property
    def learning_rate(self) -> float:
        """The learning rate; with a scheduler, the current one."""
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate.

        lr: the learning rate for the next steps.

        Raises MXNetError if a scheduler determines it.
        """
        self._optimizer.set_learning_rate(lr)

    def save_states(self, fname: str) -> None:
        """Write the optimizer and its states (momentum, ...) to a file. If they are sharded over processes, all of them
        must call this, and rank 0 writes the file.

        fname: the path of the file.

        >>> layer = nn.Dense(1, in_units=2)
        >>> layer.initialize()
        >>> trainer = gluon.Trainer(layer.collect_params(), "adam")
        >>> trainer.save_states("adam.states")
        >>> trainer.load_states("adam.states")
        """
        if self._on_kvstore:
            self._kvstore.save_optimizer_states(fname, dump_optimizer=True)
        elif self._shards is not None:
            self._gather_states(fname, self._kvstore.rank == 0)
        else:
            states = self._updaters[0].get_states(dump_optimizer=True)
            with replacing(fname) as file:
                file.write(states)

    def _gather_states(self, fname: str, is_writer: bool) -> None:
        """Write the file of `save_states` with the sharded states of all processes, all of which must call this.

        fname: the path of the file.
        is_writer: whether this process writes it.
        """
        states = self._updaters[0].gathered_states(is_writer)
        if states is not None:
            with replacing(fname) as file:
                file.write(states)

    def load_states(self, fname: str) -> None:
        """Read a file written by `save_states`, here or in MXNet. The parameters' lr_mult and wd_mult do not change.

        fname: the path of the file.

        Raises FileFormatError, without changing anything, for a damaged file or the states of different parameters.

        >>> layer = nn.Dense(1, in_units=2)
        >>> layer.initialize()
        >>> trainer = gluon.Trainer(layer.collect_params(), "adam")
        >>> trainer.save_states("adam.states")
        >>> trainer.load_states("adam.states")
        """
        if self._on_kvstore:
            self._kvstore.load_optimizer_states(fname)
            self._optimizer = self._kvstore._updater.optimizer
            self._optimizer.param_dict = dict(enumerate(self._params))
            return
        weights = [{} for _ in self._updaters]
        for index, param in enumerate(self._params):
            for of_device, value in zip(weights, (param._data or {}).values(), strict=False):
                of_device[index] = value
        load_states(fname, self._updaters, weights)
        for updater in self._updaters:
            updater.optimizer = self._updaters[0].optimizer
        self._optimizer = self._updaters[0].optimizer
        self._optimizer.param_dict = dict(enumerate(self._params))
