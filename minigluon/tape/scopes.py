"""The `with` blocks of `autograd`, and the state of this thread that they set."""

from __future__ import annotations

import threading

__all__ = ["Scope", "pause", "predict_mode", "record", "state", "train_mode"]


class _State(threading.local):
    """Per thread: whether `record()` and `train_mode()` are on, and whether the program has queried the train mode."""

    recording = False
    training = False
    mode_queried = False


state = _State()


class Scope:
    """A `with` block that sets recording and training and restores them. None leaves a flag unchanged."""

    def __init__(self, recording: bool | None, training: bool | None):
        self.entering = recording, training

    def __enter__(self) -> None:
        self.before = state.recording, state.training
        recording, training = self.entering
        if recording is not None:
            state.recording = recording
        if training is not None:
            state.training = training

    def __exit__(self, *exc_info: object) -> None:
        state.recording, state.training = self.before


def record(train_mode: bool = True) -> Scope:
    """Record operators for `backward` inside the block.

    train_mode: True for training mode, in which Dropout drops; False for prediction mode.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = x * x
    >>> y.backward()
    >>> print(x.grad.asnumpy())
    [6.]
    """
    return Scope(True, train_mode)


def pause(train_mode: bool = False) -> Scope:
    """Stop recording inside the block.

    train_mode: True for training mode; False for prediction mode.

    >>> x = nd.array([3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     with autograd.pause():
    ...         factor = x * 2
    ...     y = factor * x
    >>> y.backward()
    >>> print(x.grad.asnumpy())                 # factor counts as a constant
    [6.]
    """
    return Scope(False, train_mode)


def train_mode() -> Scope:
    """Turn training mode on inside the block: Dropout drops, BatchNorm learns. Recording is unchanged.

    >>> with autograd.train_mode():
    ...     print(autograd.is_training(), autograd.is_recording())
    True False
    """
    return Scope(None, True)


def predict_mode() -> Scope:
    """Turn training mode off inside the block: BatchNorm uses its moving statistics. Recording is unchanged.

    >>> with autograd.record(), autograd.predict_mode():
    ...     print(autograd.is_training(), autograd.is_recording())
    False True
    """
    return Scope(None, False)
