"""A loss is multiplied before backward, so that small gradients do not become 0 in float16, and a Trainer divides."""

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
    """Per thread: may gradients overflow now? Debug mode asks."""

    overflow_expected = False


state: _State = _State()


@contextlib.contextmanager
def overflow_expected():
    """`with` form: an Inf, and what becomes of it, is no mistake here, since the trainer's step looks for it."""
    before, state.overflow_expected = state.overflow_expected, True
    try:
        yield
    finally:
        state.overflow_expected = before


class LossScaler:
    """The factor: it doubles after 2000 steps without overflow, up to 2²⁴, and is halved after a step with one.

    What a step finds counts from the step after the next on, as in MXNet: `loss_scale` is what the next loss is
    multiplied by.

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
        self._unskipped = 0             # steps without overflow in a row

    @property
    def loss_scale(self):
        """The factor of the next loss."""
        return self._loss_scale

    def has_overflow(self, params: Any) -> bool:
        """Is a gradient of some Parameters infinite or NaN? Counts the step.

        params: an iterable of Parameters; those without a gradient do not count.
        """
        grads = [grad for param in params if param._grad is not None for grad in param.list_grad()]
        return self.count(not _all_finite(grads))

    def count(self, has_overflow: Any) -> bool:
        """Count a step, and return whether it has overflowed.

        has_overflow: was one of its gradients infinite or NaN?
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
    """Let a Trainer look at its gradients before each step, skip one with an infinite or NaN, and adapt the scale.

    optimizer_or_trainer: a gluon.Trainer; MXNet's name for it, an optimizer is refused.

    Raises MXNetError before `amp.init`, and for a trainer whose store makes the steps; DTypeError for what is no
    Trainer, and ArgumentError for an optimizer.

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
        raise MXNetError("amp.init_trainer: call amp.init() first, before the model is made")
    trainer = _require_trainer("init_trainer", optimizer_or_trainer)
    if trainer._on_kvstore:
        raise MXNetError("amp.init_trainer: the trainer's store makes the steps, and would make those that are to be "
                         "skipped. Make the Trainer with update_on_kvstore=False.")
    trainer._amp_loss_scaler = casting.loss_scaler_for_trainer(LossScaler)
    trainer._amp_original_scale = trainer._scale


@contextlib.contextmanager
def scale_loss(loss, optimizer_or_trainer):
    """`with amp.scale_loss(loss, trainer) as scaled:` the loss, or the list of them, multiplied by the trainer's scale.

    The trainer's next step divides by it.

    loss: an NDArray, or a list of them.

    Raises MXNetError without `amp.init_trainer`.

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
    with overflow_expected():       # the step looks for it, and is skipped
        yield [one * scale for one in loss] if isinstance(loss, (list, tuple)) else loss * scale


def unscale(optimizer_or_trainer: Trainer) -> None:
    """Divide the gradients by the scale of the loss now, for who looks at them or clips them before the step.

    Between backward and `trainer.step`, or `trainer.allreduce_grads` and `trainer.update`.

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
        for grad in [grad for param in trainer.parameters() if param._grad is not None for grad in param.list_grad()]:
            grad *= trainer._scale
    trainer._scale = 1.0


def _require_trainer(function, x):
    if isinstance(x, Trainer):
        return x
    if not hasattr(x, "update_multi_precision"):
        raise DTypeError(f"amp.{function} takes a gluon.Trainer, found {type(x).__name__}")
    raise ArgumentError(f"amp.{function} takes a gluon.Trainer; an optimizer alone cannot skip a step")


share_sentences(init_trainer, scale_loss, unscale)
