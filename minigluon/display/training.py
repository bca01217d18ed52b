"""Trainer and EvalMetric as HTML."""

import copy
import numbers
from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np

from .page import code, count_text, dim, framed, table
from .parameters import parameters_table
from .tree import weight_of

__all__ = ["metric_html", "trainer_html"]

# Attributes of an optimizer that are shown on other lines or set by the trainer for each step.
ELSEWHERE = {"lr", "wd", "rescale_grad", "num_update", "begin_num_update", "aggregate_num"}


def trainer_html(trainer: Any) -> str:
    """Return the display of a Trainer: its optimizer and settings, its steps, its devices, and its parameters."""
    optimizer, store = trainer.optimizer, trainer._kvstore
    rate = f"{_rate(optimizer):g}"
    if optimizer.lr_scheduler is not None:
        rate += f" by {type(optimizer.lr_scheduler).__name__}"
    settings = {name: value for name, value in vars(optimizer).items() if not name.startswith("_")
                and name not in ELSEWHERE and isinstance(value, (numbers.Real, np.generic))}
    facts = {"learning_rate": rate, "wd": f"{optimizer.wd:g}", **{name: repr(v) for name, v in settings.items()},
             "steps made": f"{optimizer.num_update - optimizer.begin_num_update:,}",
             "devices": ", ".join(map(str, trainer._contexts)) or "none yet",
             "kvstore": "none" if store is None else str(store.type)}
    weights = [weight_of(param.name, param) for param in trainer._params]
    lines = [[escape(name), escape(text)] for name, text in facts.items()]
    return framed(f"<div><b>{type(trainer).__name__}</b> {code(type(optimizer).__name__)}</div>", table((), lines),
                  parameters_table("Parameters", weights))


def _rate(optimizer: Any) -> float:
    """Return the current learning rate, computed by a copy of the scheduler because a call may change the scheduler."""
    scheduler = optimizer.lr_scheduler
    return optimizer.lr if scheduler is None else copy.copy(scheduler)(optimizer.num_update)


def metric_html(metric: Any) -> str:
    """Return the display of an EvalMetric: its names and values, and the number of instances."""
    lines = list(_values(metric))
    details = "" if len(lines) == 1 else dim(count_text(len(lines), "metric"))
    return framed(f"<div><b>{type(metric).__name__}</b> {details}</div>",
                  table(["metric", "value", "instances"], lines, (1, 2)))


def _values(metric: Any) -> Iterator[list[str]]:
    """Yield a line for each metric in a composite, or for an individual metric."""
    inner = getattr(metric, "metrics", None)
    if inner is not None:
        for part in inner:
            yield from _values(part)
        return
    for name, value in metric.get_name_value():
        text = f"{float(value):.6g}" if isinstance(value, (numbers.Real, np.generic)) else str(value)
        yield [escape(str(name)), escape(text), f"{metric.num_inst:,}"]
