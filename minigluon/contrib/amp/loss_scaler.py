"""Loss scaling: the loss is multiplied so that small gradients do not underflow in float16, and a Trainer divides them.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from typing import Any

from ... import autograd
from ... import ndarray as nd
from ...base import ArgumentError, DTypeError, MXNetError
from ...common.docstrings import share_sentences
from ...gluon.trainer import Trainer
from . import casting

__all__ = ["LossScaler", "init_trainer", "scale_loss", "unscale"]


class _State(threading.local):
    """Per-thread state for debug mode: whether gradients may currently overflow."""

    overflow_expected = False


state: _State = _State()


@contextlib.contextmanager
def overflow_expected():
    """Context manager in which an Inf and its consequences are not errors, because the trainer's step checks for it.
    """
    before, state.overflow_expected = state.overflow_expected, True
    try:
        yield
    finally:
        state.overflow_expected = before


class LossScaler:
    """The loss scale, which doubles after 2000 steps without overflow, up to 2²⁴, and is halved after an overflow.

    As in MXNet, the outcome of a step takes effect one step later: `loss_scale` is the factor for the next loss.

    >>> scaler = mx.contrib.amp.LossScaler()
    >>> scaler.loss_scale
    65536.0
    >>> weight = gluon.Parameter("weight", shape=(1,))
    >>> weight.initialize()
    >>> weight.grad()[:] = np.nan
    >>> scaler.has_overflow([weight]), scaler.loss_scale
    (True, 65536.0)
    >>> scaler.count(has_overflow=False), scaler.loss_scale
    (False, 32768.0)
    """

    def __init__(self):
        self._loss_scale = self._next_loss_scale = 2.0 ** 16
        self._max_loss_scale = 2.0 ** 24
        self._scale_seq_len = 2000
        self._unskipped = 0             # consecutive steps without overflow

    @property
    def loss_scale(self):
        """The factor for the next loss."""
        return self._loss_scale

    def has_overflow(self, params: Any) -> bool:
        """Return whether any gradient of these Parameters is infinite or NaN, and count the step.

        params: an iterable of Parameters; those without a gradient do not count.
        """
        grads = [grad for param in params for grad in (param._grad or {}).values()]
        return self.count(not _all_finite(grads))

    def count(self, has_overflow: Any) -> bool:
        """Count a step and return whether it has overflowed.

        has_overflow: whether one of its gradients was infinite or NaN.
        """
        self._loss_scale = self._next_loss_scale
        if has_overflow:
            self._next_loss_scale = self._loss_scale / 2
            self._unskipped = 0
            logging.info("AMP: decreasing loss scale to %f", self._next_loss_scale)
            return True
        self._unskipped += 1
        if self._unskipped == self._scale_seq_len:
            self._unskipped = 0
            self._next_loss_scale = min(self._max_loss_scale, self._loss_scale * 2)
            logging.info("AMP: increasing loss scale to %f", self._next_loss_scale)
        return False


def _all_finite(grads):
    with autograd.pause():
        by_device = {}
        for grad in grads:
            by_device.setdefault(grad.context, []).append(grad)
        return all(nd.multi_all_finite(*some, num_arrays=len(some)).asscalar() for some in by_device.values())


def init_trainer(optimizer_or_trainer: Trainer) -> None:
    """Make a Trainer check its gradients before each step, skip steps with Inf or NaN, and adapt the scale.

    optimizer_or_trainer: a gluon.Trainer; despite the name, which is MXNet's, an optimizer is refused.

    Raises MXNetError before `amp.init`, and for a trainer whose store updates the weights; ArgumentError for an
    optimizer, and DTypeError for anything else that is not a Trainer.

    >>> from minigluon.contrib import amp
    >>> amp.init()
    >>> net = nn.Dense(1, in_units=1, use_bias=False)
    >>> net.initialize(init.One())
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1})
    >>> amp.init_trainer(trainer)
    >>> with autograd.record():
    ...     loss = net(nd.array([[np.inf]]))
    >>> loss.backward()
    >>> trainer.step(1)                                     # it is skipped
    >>> net.weight.data().asnumpy()
    array([[1.]], dtype=float32)
    """
    if not casting.is_on():
        raise MXNetError("amp.init_trainer: call amp.init() first, before the model is created")
    trainer = _require_trainer("init_trainer", optimizer_or_trainer)
    if trainer._on_kvstore:
        raise MXNetError("amp.init_trainer: the trainer's store updates the weights, even in steps that should be "
                         "skipped. Create the Trainer with update_on_kvstore=False.")
    if trainer._shards is not None:
        raise MXNetError("amp.init_trainer: the trainer's optimizer states are sharded, so each process would see only "
                         "a part of the gradients that may overflow. Do not call shard_optimizer_states.")
    trainer._amp_loss_scaler = casting.loss_scaler_for_trainer(LossScaler)
    trainer._amp_original_scale = trainer._scale


@contextlib.contextmanager
def scale_loss(loss, optimizer_or_trainer):
    """Context manager that yields the loss, or a list of losses, multiplied by the trainer's scale.

    Use `with amp.scale_loss(loss, trainer) as scaled:`. The trainer's next step divides by the scale.

    loss: an NDArray, or a list of NDArrays.

    Raises MXNetError if `amp.init_trainer` was not called.

    >>> from minigluon.contrib import amp
    >>> amp.init()
    >>> net = nn.Dense(1, in_units=1, use_bias=False)
    >>> net.initialize(init.One())
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1})
    >>> amp.init_trainer(trainer)
    >>> with autograd.record():
    ...     loss = net(nd.array([[0.5], [0.5]])).mean()
    ...     with amp.scale_loss(loss, trainer) as scaled:
    ...         autograd.backward(scaled)
    >>> net.weight.grad().asnumpy()                         # 0.5 · 65536
    array([[32768.]], dtype=float32)
    >>> trainer.step(1)
    >>> net.weight.data().asnumpy()                         # 1 - 0.5
    array([[0.5]], dtype=float32)
    """
    trainer = _require_trainer("scale_loss", optimizer_or_trainer)
    if trainer._amp_loss_scaler is None:
        raise MXNetError("amp.scale_loss: the trainer has no scale; call amp.init_trainer(trainer) first")
    scale = trainer._amp_loss_scaler.loss_scale
    trainer._scale = trainer._amp_original_scale / scale
    with overflow_expected():       # the step detects the overflow and is skipped
        yield [one * scale for one in loss] if isinstance(loss, (list, tuple)) else loss * scale


def unscale(optimizer_or_trainer: Trainer) -> None:
    """Divide the gradients by the loss scale now, to inspect or clip them before the step.

    Call it between `backward` and `trainer.step`, or between `trainer.allreduce_grads` and `trainer.update`.

    >>> from minigluon.contrib import amp
    >>> amp.init()
    >>> net = nn.Dense(1, in_units=1, use_bias=False)
    >>> net.initialize(init.One())
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1})
    >>> amp.init_trainer(trainer)
    >>> with autograd.record():
    ...     with amp.scale_loss(net(nd.array([[0.5], [0.5]])).mean(), trainer) as scaled:
    ...         autograd.backward(scaled)
    >>> amp.unscale(trainer)
    >>> net.weight.grad().asnumpy()
    array([[0.5]], dtype=float32)
    """
    trainer = _require_trainer("unscale", optimizer_or_trainer)
    with overflow_expected():
        for grad in [grad for param in trainer.parameters() for grad in (param._grad or {}).values()]:
            grad *= trainer._scale
    trainer._scale = 1.0


def _require_trainer(function, x):
    if isinstance(x, Trainer):
        return x
    if not hasattr(x, "update_multi_precision"):
        raise DTypeError(f"amp.{function} takes a gluon.Trainer, found {type(x).__name__}")
    raise ArgumentError(f"amp.{function} takes a gluon.Trainer; an optimizer alone cannot skip a step")


share_sentences(init_trainer, scale_loss, unscale)
