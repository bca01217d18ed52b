"""The state of this thread: whether it records, and whether it trains."""

from __future__ import annotations

import threading

__all__ = ["Scope", "state"]


class _State(threading.local):
    """Per thread: whether `record()` and `train_mode()` are on, and whether the program has queried the train mode."""

    recording = False
    training = False
    mode_queried = False


state = _State()


class Scope:
    """A `with` block that sets recording and training and restores them. None leaves a flag as it is."""

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
