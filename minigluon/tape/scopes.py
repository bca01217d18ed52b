"""`autograd.record`, the class of all such `with` blocks, and the state of this thread that they set."""

from __future__ import annotations

import threading

__all__ = ["Scope", "record", "state"]


class _State(threading.local):
    """Per-thread state of `record()` and `train_mode()`, and whether the program has queried the train mode."""

    recording = False
    training = False
    mode_queried = False


state = _State()


class Scope:
    """A context manager that sets recording and training and restores them afterwards. None leaves a flag unchanged."""

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
    """Record operators for `backward` inside the `with` block.

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
