"""Learning rate schedules: an optimizer calls its scheduler with `num_update`."""

from __future__ import annotations

import logging
import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from .base import ArgumentError, integer_types
from .common.docstrings import share_sentences
from .diagnostics.keywords import ChecksKeywords

__all__ = ["CosineScheduler", "FactorScheduler", "LRScheduler", "MultiFactorScheduler", "PolyScheduler"]


class LRScheduler(ChecksKeywords):
    """Base class of schedulers, which implements the common warm-up.

    base_lr: the initial rate, which an optimizer with a learning rate replaces.
    warmup_steps: the number of updates in the warm-up.
    warmup_begin_lr: the rate at the beginning of the warm-up.
    warmup_mode: 'linear' increases the rate linearly to base_lr; 'constant' does not change it.

    Raises ArgumentError if warmup_begin_lr is above base_lr, and for invalid values.

    >>> class Half(mx.lr_scheduler.LRScheduler):
    ...     def after_warmup(self, num_update):
    ...         return self.base_lr / 2
    >>> scheduler = Half(base_lr=1, warmup_steps=4)
    >>> [scheduler(update) for update in range(6)], scheduler.get_warmup_lr(2)
    ([0.0, 0.25, 0.5, 0.75, 0.5, 0.5], 0.5)
    """

    def __init__(self, base_lr: float = 0.01, warmup_steps: int = 0, warmup_begin_lr: float = 0,
                 warmup_mode: str = "linear") -> None:
        name = type(self).__name__
        if not isinstance(warmup_steps, integer_types) or warmup_steps < 0:
            raise ArgumentError(f"{name}: warmup_steps is {warmup_steps!r}, expected an integer not below 0")
        _require_numbers(self, base_lr=base_lr, warmup_begin_lr=warmup_begin_lr)
        if warmup_begin_lr > base_lr:
            raise ArgumentError(f"{name}: warmup_begin_lr {warmup_begin_lr} is above base_lr {base_lr}")
        if not isinstance(warmup_mode, str) or warmup_mode not in ("linear", "constant"):
            raise ArgumentError(f"{name}: warmup_mode is {warmup_mode!r}, expected 'linear' or 'constant'")
        self.base_lr = base_lr
        self.warmup_steps = warmup_steps
        self.warmup_begin_lr = warmup_begin_lr
        self.warmup_final_lr = base_lr
        self.warmup_mode = warmup_mode

    def get_warmup_lr(self, num_update: int) -> float:
        """Return the rate at an update in the warm-up.

        num_update: the number of updates so far.
        """
        if self.warmup_mode == "constant":
            return self.warmup_begin_lr
        return self.warmup_begin_lr + (self.warmup_final_lr - self.warmup_begin_lr) * num_update / self.warmup_steps

    def __call__(self, num_update: int) -> float:
        """Return the learning rate at this update."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        return self.after_warmup(num_update)

    def after_warmup(self, num_update: int) -> Any:
        """Return the learning rate after the warm-up, which subclasses define.

        num_update: the number of updates so far.
        """
        raise NotImplementedError(f"{type(self).__name__} has no after_warmup")


class FactorScheduler(LRScheduler):
    """Scheduler that multiplies the rate by `factor` every `step` updates, down to `stop_factor_lr`.

    step: the number of updates between changes.
    factor: at most 1.
    stop_factor_lr: the lowest rate.

    >>> scheduler = mx.lr_scheduler.FactorScheduler(step=2, factor=0.5, base_lr=8)
    >>> [scheduler(update) for update in range(1, 7)]
    [8, 8, 4.0, 4.0, 2.0, 2.0]
    """

    count: int
    base_lr: float

    def __init__(self, step: int, factor: float = 1, stop_factor_lr: float = 1e-8, base_lr: float = 0.01,
                 warmup_steps: int = 0, warmup_begin_lr: float = 0, warmup_mode: str = "linear") -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        _require_numbers(self, factor=factor, stop_factor_lr=stop_factor_lr)
        _check_steps("FactorScheduler", [step], factor)
        self.step = step
        self.factor = factor
        self.stop_factor_lr = stop_factor_lr
        self.count = 0

    def after_warmup(self, num_update: int) -> Any:
        _check_steps("FactorScheduler", [self.step], self.factor)       # step may have changed; 0 would loop forever
        while num_update > self.count + self.step:
            self.count += self.step
            self.base_lr = max(self.base_lr * self.factor, self.stop_factor_lr)
            logging.info("Update[%d]: learning rate is now %0.5e", num_update, self.base_lr)
        return self.base_lr


class MultiFactorScheduler(LRScheduler):
    """Scheduler that multiplies the rate by `factor` after each update in the list `step`.

    step: a list of increasing integers.
    factor: at most 1.

    >>> scheduler = mx.lr_scheduler.MultiFactorScheduler(step=[2, 5], factor=0.5, base_lr=8)
    >>> [scheduler(update) for update in range(1, 8)]
    [8, 8, 4.0, 4.0, 4.0, 2.0, 2.0]
    """

    count: int
    cur_step_ind: int

    def __init__(self, step: Sequence[int], factor: float = 1, base_lr: float = 0.01, warmup_steps: int = 0,
                 warmup_begin_lr: float = 0, warmup_mode: str = "linear") -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        _require_numbers(self, factor=factor)
        if not isinstance(step, (list, tuple)) or not step or list(step) != sorted(set(step)):
            raise ArgumentError(f"MultiFactorScheduler: step is {step!r}, expected a list of increasing integers")
        _check_steps("MultiFactorScheduler", step, factor)
        self.step = step
        self.cur_step_ind = 0
        self.factor = factor
        self.count = 0

    def after_warmup(self, num_update: int) -> Any:
        while self.cur_step_ind < len(self.step) and num_update > self.step[self.cur_step_ind]:
            self.count = self.step[self.cur_step_ind]
            self.cur_step_ind += 1
            self.base_lr *= self.factor
            logging.info("Update[%d]: learning rate is now %0.5e", num_update, self.base_lr)
        return self.base_lr


def _require_numbers(scheduler, **values):
    for name, value in values.items():
        if not isinstance(value, (numbers.Real, np.ndarray)) or np.ndim(value):
            raise ArgumentError(f"{type(scheduler).__name__}: {name} is {value!r}, expected a number")


def _check_steps(name, steps, factor):
    if not all(isinstance(step, numbers.Real) for step in steps):
        raise ArgumentError(f"{name}: step is {steps!r}, expected integers")
    if not min(steps) >= 1:
        raise ArgumentError(f"{name}: step is {min(steps)!r}, expected at least 1")
    if factor > 1:
        raise ArgumentError(f"{name}: factor is {factor!r}, expected at most 1, so that the rate decreases")


class _Decay(LRScheduler):
    """Base class of schedulers that decrease the rate from base_lr after the warm-up to final_lr at `max_update`.
    `shape` decreases from 1 to 0.
    """

    base_lr: float

    def __init__(self, max_update: int, base_lr: float, final_lr: float, warmup_steps: int, warmup_begin_lr: float,
                 warmup_mode: Any) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if not isinstance(max_update, integer_types) or max_update < 1:
            raise ArgumentError(f"{type(self).__name__}: max_update is {max_update!r}, expected an integer above 0")
        _require_numbers(self, final_lr=final_lr)
        self.base_lr_orig = base_lr
        self.max_update = max_update
        self.final_lr = final_lr
        self.max_steps: int = max_update - warmup_steps

    def after_warmup(self, num_update: int) -> Any:
        if num_update <= self.max_update:
            part = (num_update - self.warmup_steps) / self.max_steps
            self.base_lr = self.final_lr + (self.base_lr_orig - self.final_lr) * self.shape(part)
        return self.base_lr


class PolyScheduler(_Decay):
    """final_lr + (base_lr - final_lr) · (1 - update / max_update)^pwr, counted from the end of the warm-up.

    max_update: the update at which final_lr is reached.
    pwr: the exponent.
    final_lr: the final rate.

    >>> scheduler = mx.lr_scheduler.PolyScheduler(max_update=4, base_lr=16)
    >>> [scheduler(update) for update in range(6)]
    [16.0, 9.0, 4.0, 1.0, 0.0, 0.0]
    """

    def __init__(self, max_update: int, base_lr: float = 0.01, pwr: float = 2, final_lr: float = 0,
                 warmup_steps: int = 0, warmup_begin_lr: float = 0, warmup_mode: str = "linear") -> None:
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        _require_numbers(self, pwr=pwr)
        self.power = pwr

    def shape(self, part: Any) -> Any:
        return (1 - part) ** self.power


class CosineScheduler(_Decay):
    """final_lr + (base_lr - final_lr) · (1 + cos(π · update / max_update)) / 2, counted from the end of the warm-up.

    max_update: the update at which final_lr is reached.
    final_lr: the final rate.

    Source: Loshchilov and Hutter 2017, SGDR: Stochastic Gradient Descent with Warm Restarts, here without the restarts.

    >>> scheduler = mx.lr_scheduler.CosineScheduler(max_update=4, base_lr=2)
    >>> [round(scheduler(update), 2) for update in range(6)]
    [2.0, 1.71, 1.0, 0.29, 0.0, 0.0]
    """

    def __init__(self, max_update: int, base_lr: float = 0.01, final_lr: float = 0, warmup_steps: int = 0,
                 warmup_begin_lr: float = 0, warmup_mode: str = "linear") -> None:
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)

    def shape(self, part: Any) -> Any:
        return (1 + math.cos(math.pi * part)) / 2


share_sentences(LRScheduler, FactorScheduler, MultiFactorScheduler, PolyScheduler, CosineScheduler)
