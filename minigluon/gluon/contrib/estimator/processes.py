"""The processes of a distributed Estimator: which one writes a file, and metrics over all processes' data.

Training with `kvstore="dist_sync"` runs in several processes with equal weights. Each process has its share of the
data, so its metrics describe only this share, until `sum_metrics` adds up the shares at the end of an epoch. Of the
processes whose handlers have the same file, the one with the lowest rank writes it.
"""

from __future__ import annotations

import hashlib
import logging
import os
from typing import TYPE_CHECKING, Any

from ....base import ArgumentError
from ....metric import CompositeEvalMetric

if TYPE_CHECKING:
    from .estimator_protocol import Estimator

__all__ = ["assign_files", "require_same_limits", "store_of", "sum_metrics", "tell_ranks_apart"]

_SUMS = "sum_metric", "num_inst", "global_sum_metric", "global_num_inst"


def store_of(estimator: Estimator | None) -> Any:
    """Return the store that connects the estimator's process with others, or None."""
    store = None if estimator is None else estimator.trainer._kvstore
    return store if store is not None and store.num_workers > 1 else None


def tell_ranks_apart(estimator: Estimator) -> None:
    """Limit the logger of each process except the first to warnings, and start each of its lines with the rank."""
    store = store_of(estimator)
    if store is None:
        return
    for handler in estimator.logger.handlers:
        handler.setFormatter(logging.Formatter(f"[process {store.rank} of {store.num_workers}] %(message)s"
                                               if store.rank else None))
    if store.rank:
        estimator.logger.setLevel(logging.WARNING)


def sum_metrics(estimator: Estimator, metrics: Any) -> None:
    """Replace the sums and counts of metrics with those over the data of all processes.

    A metric that is not a mean, such as F1, becomes the mean over the processes, weighted by their counts.
    """
    store = store_of(estimator)
    flat = [leaf for metric in metrics for leaf in _leaves(metric)]
    if store is None or not flat:
        return
    sums = [(metric, name, getattr(metric, name)) for metric in flat for name in _SUMS]
    totals = store.sum_over_processes([value for _, _, value in sums], "metrics")
    for (metric, name, value), total in zip(sums, totals, strict=True):
        setattr(metric, name, type(value)(total))


def require_same_limits(estimator: Estimator) -> None:
    """Raise ArgumentError in all processes unless they will train equally long.

    They differ if only some of them resume, or if each resumes from its own folder.
    """
    store = store_of(estimator)
    if store is None:
        return
    limits = _gathered(store, [estimator.max_epoch or 0, estimator.max_batch or 0], "epochs and batches")
    if len(set(limits)) > 1:
        raise ArgumentError("fit: the processes would train for different numbers of epochs or batches: " + "; ".join(
            f"process {rank}: {f'{epochs:g} epochs' if epochs else f'{batches:g} batches'}"
            for rank, (epochs, batches) in enumerate(limits))
            + ". They must get the same arguments, and resume from the same folder.")


def assign_files(estimator: Estimator, handlers: Any) -> None:
    """Let only one process write each file: set `is_writer` of the handlers that have the attribute `output`."""
    store = store_of(estimator)
    if store is None:
        return
    writers = [handler for handler in handlers if handler.output is not None]
    digests = [_digest(handler.output) for handler in writers]
    count = int(max(_gathered(store, [len(digests)], "numbers of files"))[0])
    if count:
        rows = _gathered(store, digests + [0.0] * (count - len(digests)), "names of files")
        lower = {digest for row in rows[:store.rank] for digest in row}
        for handler, digest in zip(writers, digests, strict=True):
            handler.is_writer = digest not in lower


def _leaves(metric):
    return [leaf for part in metric.metrics for leaf in _leaves(part)] if isinstance(metric, CompositeEvalMetric) \
        else [metric]


def _gathered(store, numbers, what):
    """Return each process's tuple of numbers, ordered by rank."""
    rows = [0.0] * (len(numbers) * store.num_workers)
    rows[store.rank * len(numbers):(store.rank + 1) * len(numbers)] = numbers
    totals = store.sum_over_processes(rows, what)
    return [tuple(totals[i:i + len(numbers)]) for i in range(0, len(totals), len(numbers))]


def _digest(path):
    """Return a number that float64 represents exactly and that is equal for equal paths."""
    name = os.path.realpath(path).encode()
    return float(int.from_bytes(hashlib.blake2b(name, digest_size=6).digest(), "big") + 1)
