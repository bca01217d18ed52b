"""Checks of optimizer and scheduler attributes from a file: their types, and whether a step can use their values.

The attributes of a class in this package are compared with those of a new object. For a custom class, only the
inherited attributes are known.
"""

from __future__ import annotations

import inspect
import math
import numbers
from typing import Any, NamedTuple

import numpy as np

from .. import lr_scheduler
from ..base import FileFormatError
from ..lr_scheduler import FactorScheduler, LRScheduler
from ..serialization.pickles import excerpt
from .optimizer import Optimizer

__all__ = ["optimizer", "scheduler"]

MAX_COUNT = 2 ** 53     # the maximum number of updates: the largest count that a float holds exactly
MAX_LAG = 100_000       # how many steps a FactorScheduler may take next; 1 in a file saved during training

# MXNet attributes that are unused here, or that older MXNet versions did not write.
_OPTIONAL = {"aggregate_num", "allow_np_array", "last_lr", "skip"}


# -- types of values ------------------------------------------------------------------------------------------------


class _Kind(NamedTuple):
    """A test and its description."""

    holds: object
    text: str


def _number_in(text, least, below=math.inf):
    return _Kind(lambda x: _is_number(x) and least <= x < below, text)


def _is_number(x):
    """Return whether x is a real number within a float's range, or NaN or infinity, as in a diverged training run."""
    return isinstance(x, numbers.Real) and not (isinstance(x, numbers.Integral) and abs(x) >= 2 ** 64)


def _is_count(x):
    return isinstance(x, numbers.Integral) and 0 <= x <= MAX_COUNT


def _is_text(x):
    return isinstance(x, str)


def _is_dict(x, value, key=lambda key: True):
    return isinstance(x, dict) and all(map(key, x)) and all(map(value, x.values()))


def _are_counts(x):
    return _is_dict(x, _is_count)


def _is_symbol_info(x):
    """Return whether x is () or (attributes of each node, names of arguments), with numbers as factors."""
    return x == () or (isinstance(x, tuple) and len(x) == 2 and isinstance(x[1], list) and all(map(_is_text, x[1]))
                       and _is_dict(x[0], _is_node, _is_text))


def _is_node(attributes):
    return _is_dict(attributes, _is_text, _is_text) and all(
        _is_decimal(attributes.get(key, "1")) for key in ("__lr_mult__", "__wd_mult__"))


def _is_decimal(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_sum_of_gradients(x):
    """Return whether x is LBSGD's sum for one weight. `states_check` compares its shape with the weight's."""
    return (isinstance(x, dict) and x.keys() == {"cum_grad", "num_cums"} and _is_count(x["num_cums"])
            and (_is_number(x["cum_grad"]) or hasattr(x["cum_grad"], "asnumpy")))


def _are_steps(x):
    return (isinstance(x, (list, tuple)) and len(x) > 0 and all(_is_count(step) and step > 0 for step in x)
            and all(a < b for a, b in zip(x, x[1:], strict=False)))


NUMBER = _Kind(_is_number, "a number")
NUMBER_OR_NONE = _Kind(lambda x: x is None or _is_number(x), "a number or None")
FLAG = _Kind(lambda x: isinstance(x, (numbers.Integral, np.bool_)) and x in (0, 1), "True or False")
COUNT = _Kind(_is_count, f"an integer from 0 to {MAX_COUNT}")
POSITIVE_COUNT = _Kind(lambda x: _is_count(x) and x > 0, f"an integer from 1 to {MAX_COUNT}")
FACTORS = _Kind(lambda x: _is_dict(x, _is_number), "a dict of numbers")
BELOW_ONE = _number_in("a number from 0 to 1, and not 1", 0, 1)

_OPTIMIZER = {
    "rescale_grad": NUMBER, "wd": NUMBER, "lr": NUMBER_OR_NONE, "clip_gradient": NUMBER_OR_NONE,
    "multi_precision": FLAG, "begin_num_update": COUNT, "num_update": COUNT, "aggregate_num": COUNT,
    "_index_update_count": _Kind(_are_counts, "a dict of integers from 0"),
    "_all_index_update_counts": _Kind(lambda x: _is_dict(x, _are_counts) and 0 in x,
                                      "a dict of dicts of integers from 0, one of them for device 0"),
    "idx2name": _Kind(lambda x: _is_dict(x, _is_text), "a dict of names"),
    "lr_mult": FACTORS, "wd_mult": FACTORS,
    "sym_info": _Kind(_is_symbol_info, "() or the attributes and arguments of a symbol"),
    "lr_scheduler": _Kind(lambda x: x is None or isinstance(x, LRScheduler), "a scheduler or None"),
    # attributes of only one or a few classes
    "beta1": BELOW_ONE, "beta2": _Kind(lambda x: _is_number(x) and 0 <= x <= 1, "a number from 0 to 1"),
    "schedule_decay": _number_in("a number from 0", 0), "batch_scale": POSITIVE_COUNT, "init_updates": COUNT,
    "warmup_strategy": _Kind(("linear", "power2", "sqrt", "lars").__contains__, "'linear', 'power2', 'sqrt' or 'lars'"),
    "cumgrads": _Kind(lambda x: _is_dict(x, _is_sum_of_gradients), "a dict of sums of gradients"),
}
_OF_CLASS = {"FTML": {"beta2": BELOW_ONE, "lr": _Kind(lambda x: x is None or _is_number(x) and x != 0,
                                                      "a number that is not 0, or None")}}
_SCHEDULER = {
    "warmup_steps": COUNT, "warmup_mode": _Kind(("linear", "constant").__contains__, "'linear' or 'constant'"),
    "count": COUNT, "cur_step_ind": COUNT, "max_update": POSITIVE_COUNT,
    "factor": _Kind(lambda x: _is_number(x) and x <= 1, "a number up to 1"), "power": _number_in("a number from 0", 0),
}
_STEP = {FactorScheduler: _number_in("a number from 1", 1),
         lr_scheduler.MultiFactorScheduler: _Kind(_are_steps, "a list of increasing integers from 1")}
_SCHEDULERS = {cls: cls(*arguments) for cls, arguments in {
    LRScheduler: (), FactorScheduler: (1,), lr_scheduler.MultiFactorScheduler: ([1],),
    lr_scheduler.PolyScheduler: (1,), lr_scheduler.CosineScheduler: (1,)}.items()}


# -- objects --------------------------------------------------------------------------------------------------------


def optimizer(cls: Any, attributes: dict[str, Any]) -> Any:
    """Return an optimizer with attributes under MXNet's names. Raises FileFormatError for values invalid in a step."""
    own = not _is_ours(cls)
    example = (Optimizer if own else cls)()
    _check(cls, attributes, example._to_file(), {**_OPTIMIZER, **_OF_CLASS.get(type(example).__name__, {})}, own)
    opt = cls.__new__(cls)
    _give(opt._from_file, attributes, cls, own)
    if not own and opt.aggregate_num and "aggregate_num" not in vars(example):
        raise _problem(cls, "aggregate_num", opt.aggregate_num, "0: it takes one weight at a time")
    schedule = vars(opt).get("lr_scheduler")
    if schedule is None and not own and opt.lr is None:
        raise _problem(cls, "lr", None, "a number, where there is no scheduler")
    if isinstance(schedule, FactorScheduler) and opt.num_update - schedule.count > MAX_LAG * schedule.step:
        raise _problem(type(schedule), "count", schedule.count,
                       f"at most {MAX_LAG} steps of {schedule.step} before update {opt.num_update}")
    return opt


def scheduler(cls: Any, attributes: dict[str, Any]) -> Any:
    """Return a scheduler with these attributes. Raises FileFormatError like `optimizer`."""
    kind = next(each for each in cls.__mro__ if each in _SCHEDULERS)
    step = {"step": _STEP[kind]} if kind in _STEP else {}
    _check(cls, attributes, vars(_SCHEDULERS[kind]), {**_SCHEDULER, **step}, own=not _is_ours(cls))
    counts = {name: attributes.get(name) for name in ("max_steps", "max_update", "warmup_steps")}
    if None not in counts.values() and counts["max_steps"] != counts["max_update"] - counts["warmup_steps"]:
        raise _problem(cls, "max_steps", counts["max_steps"], "max_update - warmup_steps, "
                       f"{counts['max_update'] - counts['warmup_steps']}")
    instance = cls.__new__(cls)
    vars(instance).update(attributes)
    return instance


def _is_ours(cls):
    return cls.__module__.startswith(__package__ + ".") or cls.__module__ == lr_scheduler.__name__


def _check(cls, attributes, example, kinds, own):
    """Compare attributes with those of an example; for a custom class, compare only the given attributes."""
    for name, value in attributes.items():
        kind = kinds.get(name) if name in example else None
        if name in example and kind is None and not own:
            kind = _kind_of(example[name])
        if kind is not None and not kind.holds(value):
            raise _problem(cls, name, value, kind.text)
        if name not in example and not _is_free(cls, name):
            raise FileFormatError(f"{cls.__name__} has an attribute {excerpt(name)}, which has another meaning")
    missing = example.keys() - attributes.keys() - _OPTIONAL
    if missing and not own:
        raise FileFormatError(f"{cls.__name__} has no {', '.join(sorted(missing))}")


def _kind_of(example):
    """Return the valid kind for an attribute of this package's classes that the tables do not list."""
    if isinstance(example, bool):
        return FLAG
    return {type(None): NUMBER_OR_NONE, dict: FACTORS}.get(type(example), NUMBER)


def _is_free(cls, name):
    """Return whether an object may have this additional attribute, which must not replace a method."""
    if not isinstance(name, str) or name.startswith("__"):
        return False
    attribute = inspect.getattr_static(cls, name, None)
    return not callable(attribute) and not hasattr(type(attribute), "__get__")


def _give(take, attributes, cls, own):
    """Pass attributes to an object. A custom class may process them itself and raise any error."""
    if not own:
        take(attributes)
        return
    try:
        take(attributes)
    except Exception as error:
        raise FileFormatError(f"{cls.__name__} does not accept its attributes: {type(error).__name__}: {error}"
                              ) from error


def _problem(cls, name, value, expected):
    return FileFormatError(f"{cls.__name__} has {name} {excerpt(value)}, expected {expected}")
