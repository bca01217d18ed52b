"""ProgressBarHandler: a bar for each epoch, drawn by tqdm or rich."""

from __future__ import annotations

import importlib
import time
from typing import TYPE_CHECKING, Any

from .....base import ArgumentError
from .....common.optional_packages import require
from ..processes import store_of
from .events import BatchEnd, EpochBegin, EpochEnd
from .steps import as_list

if TYPE_CHECKING:
    from ..estimator_protocol import Estimator

__all__ = ["ProgressBarHandler"]

SECONDS = 0.1           # seconds between updates of the metrics


class ProgressBarHandler(EpochBegin, BatchEnd, EpochEnd):
    """Handler that shows a progress bar with metrics for each epoch, if the output is a terminal.

    metrics: a metric or a list of metrics; by default `estimator.train_metrics`.
    by: 'tqdm' or 'rich', the package that draws the bar.

    Raises MXNetError if the package is not installed.

    >>> from minigluon.gluon.contrib.estimator import ProgressBarHandler
    >>> bar = ProgressBarHandler(by="tqdm")         # estimator.fit(loader, epochs=3, event_handlers=[bar])
    """

    by: str
    metrics: list[Any]
    epochs: int

    checkpointed: tuple[str, ...] = "epochs",

    def __init__(self, metrics: Any = None, by: str = "tqdm") -> None:
        if by not in _BARS:
            raise ArgumentError(f"ProgressBarHandler: by is {by!r}, expected 'tqdm' or 'rich'")
        require(by, extra="demo" if by == "tqdm" else "bench", user="ProgressBarHandler")
        self.metrics, self.by, self.epochs = as_list(metrics), by, 0
        self._bar, self._looked = None, 0.0

    def epoch_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Creates a bar in the first process."""
        self.close()
        try:
            total = len(estimator.train_pass.loader)
        except (TypeError, NotImplementedError):        # the sampler has no known length
            total = None
        store = store_of(estimator)
        if store is not None and store.rank:
            return
        of = f"/{estimator.max_epoch}" if estimator.max_epoch else ""
        self._bar = _BARS[self.by](f"epoch {self.epochs + 1}{of}", total)

    def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Advances the bar."""
        if self._bar is None:
            return
        now = time.perf_counter()
        text = None
        if now - self._looked > SECONDS:
            self._looked = now
            text = ", ".join("{} {:.4f}".format(*metric.get()) for metric in self.metrics or estimator.train_metrics)
        self._bar.show(estimator.train_pass.batches, text)

    def epoch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Removes the bar."""
        self.epochs += 1
        self.close()

    def close(self) -> None:
        """Removes any remaining bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Tqdm:
    def __init__(self, title, total):
        tqdm = importlib.import_module("tqdm").tqdm
        self._bar = tqdm(total=total, desc=title, unit=" batches", leave=False, disable=None, dynamic_ncols=True)

    def show(self, count, text):
        if text is not None:
            self._bar.set_postfix_str(text, refresh=False)
        self._bar.update(count - self._bar.n)

    def close(self):
        self._bar.close()


class _Rich:
    def __init__(self, title, total):
        rich = importlib.import_module("rich.progress")
        self._bar = rich.Progress(rich.TextColumn("{task.description}"), rich.BarColumn(), rich.MofNCompleteColumn(),
                                  rich.TimeRemainingColumn(), rich.TextColumn("{task.fields[values]}"), transient=True)
        self._task = self._bar.add_task(title, total=total, values="")
        self._shown = self._bar.console.is_terminal
        if self._shown:
            self._bar.start()

    def show(self, count, text):
        self._bar.update(self._task, completed=count, **({} if text is None else {"values": text}))

    def close(self):
        if self._shown:         # otherwise this would write an empty line
            self._bar.stop()


_BARS = {"tqdm": _Tqdm, "rich": _Rich}
