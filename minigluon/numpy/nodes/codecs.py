"""Attributes of MXNet's nodes that differ from the arguments; a codec converts arguments to strings, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..promotion import Float
from .attribute_text import text_of, value_of

__all__ = ["CODECS", "Codec", "Unfit"]


class Unfit(Exception):
    """The error for arguments or texts that do not have this format."""


@dataclass(frozen=True)
class Codec:
    """The parameters of a function, the attributes that store them, and the functions that convert between them."""

    parameters: tuple[str, ...]
    attributes: tuple[str, ...]
    encode: Callable[..., Mapping[str, str]]            # takes the arguments, in the order of `parameters`
    decode: Callable[..., tuple[Any, ...]]              # takes the texts, in the order of `attributes`; None if missing


def _flag(text):
    if text not in ("True", "False", "1", "0", "true", "false"):
        raise Unfit
    return text in ("True", "1", "true")


def _is_number(x):
    return isinstance(x, float) or isinstance(x, int) and abs(x) < 2 ** 1023        # within the range of a float


def _encoded_number(x, is_int=None):
    if not _is_number(x):
        raise Unfit
    return {"scalar": str(float(x)), "is_int": str(isinstance(x, int) if is_int is None else is_int)}


def _decoded_number(scalar, is_int):
    number = value_of(scalar or "None")
    if not _is_number(number):
        raise Unfit
    if is_int is None or _flag(is_int):
        return (int(number) if number == number // 1 else float(number),)
    return (Float(number),)


def _encoded_sections(value):
    if isinstance(value, int):
        return {"indices": "[]", "sections": str(value)}
    if not isinstance(value, tuple) or not all(isinstance(i, int) for i in value):
        raise Unfit
    return {"indices": str([0, *value]), "sections": "0"}


def _decoded_sections(indices, sections):
    stops, count = value_of(indices or "()"), value_of(sections or "0")
    if not isinstance(count, int) or not isinstance(stops, tuple) or not all(isinstance(i, int) for i in stops):
        raise Unfit
    return (count or stops[1:],)


def _encoded_ends(to_begin, to_end):
    texts = {}
    for name, value in (("to_begin", to_begin), ("to_end", to_end)):
        if not (value is None or _is_number(value)):
            raise Unfit
        texts[f"{name}_scalar"] = text_of(value if value is None else float(value))
    return texts


def _decoded_ends(*texts):
    values = tuple([value_of(text or "None") for text in texts])
    if not all(value is None or _is_number(value) for value in values):
        raise Unfit
    return values


def _encoded_axes(axes):
    if not isinstance(axes, tuple) or len(axes) != 2:
        raise Unfit
    first, second = (axis if isinstance(axis, tuple) else (axis,) for axis in axes)
    return {"a_axes_summed": text_of(first), "b_axes_summed": text_of(second)}


def _encoded_position(index):
    if not isinstance(index, int):
        raise Unfit
    return {"int_ind": str(index)}


def _encoded_index(index):
    return _encoded_position(index) if isinstance(index, int) else _encoded_range(index)


def _encoded_range(index):
    if not isinstance(index, tuple) or index[:1] != ("slice",):
        raise Unfit
    start, stop, step = index[1:]
    texts = {"start": start, "stop": stop, "step": 1 if step is None else step}
    return {name: text_of(item) for name, item in texts.items() if item is not None}


def _decoded_index(int_ind, start, stop, step):
    if int_ind is not None:
        return (value_of(int_ind),)
    return (("slice", *[value_of(text or "None") for text in (start, stop, step)]),)


def _encoded_slices(key):
    """Return the attributes of `slice`: x[1:2] has numbers, x[1:2, 3] has lists; an integer is a slice."""
    if key[:1] == ("slice",):
        begin, end, step = key[1:]
        return {"begin": str([None] if begin is None else begin), "end": str([None] if end is None else end),
                "step": str(step)}
    if key[:1] == ("index",):
        return {"begin": str([key[1]]), "end": str([key[1] + 1 or None])}
    if not key or not all(isinstance(item, tuple) for item in key):
        raise Unfit
    items = [item[1:] if item[0] == "slice" else (item[1], item[1] + 1 or None, 1) for item in key]
    return {name: str([item[i] for item in items]) for i, name in enumerate(("begin", "end", "step"))}


def _norm_flag(order, axes):
    if order is None:
        return -2 if axes is None else 1
    if order in ("fro", "nuc"):
        return 1 if order == "fro" else 2
    return 0 if axes is not None and len(axes) == 2 and order in (2, -2) else -1


def _encoded_norm(order, axis):
    axes = axis if axis is None or isinstance(axis, tuple) else (axis,)
    return {"ord": text_of(2 if order in (None, "fro", "nuc") else order), "flag": str(_norm_flag(order, axes)),
            "axis": text_of(axes)}


def _decoded_norm(order, flag, axis):
    number, axes = value_of(order or "2"), value_of(axis or "None")
    named = {"-2": None, "1": None, "2": "nuc"}
    return named.get(flag, number), axes[0] if isinstance(axes, tuple) and len(axes) == 1 else axes


def _encoded_padding(mode, constant_values):
    if mode == "constant":
        if not _is_number(constant_values):
            raise Unfit
        return {"mode": mode, "constant_value": text_of(constant_values)}
    return {"mode": mode, **({"reflect_type": "even"} if mode in ("reflect", "symmetric") else {})}


CODECS = {
    "number": Codec(("*",), ("scalar", "is_int"), _encoded_number, _decoded_number),
    "number_left": Codec(("*",), ("scalar", "is_int"), lambda x: _encoded_number(x, False), _decoded_number),
    "sections": Codec(("indices_or_sections",), ("indices", "sections"), _encoded_sections, _decoded_sections),
    "ends": Codec(("to_begin", "to_end"), ("to_begin_scalar", "to_end_scalar"), _encoded_ends, _decoded_ends),
    "axes": Codec(("axes",), ("a_axes_summed", "b_axes_summed"), _encoded_axes,
                  lambda a, b: ((value_of(a or ""), value_of(b or "")),)),
    "position": Codec(("obj",), ("int_ind",), _encoded_position, lambda text: (value_of(text or ""),)),
    "range": Codec(("obj",), ("start", "stop", "step"), _encoded_range, lambda *texts: _decoded_index(None, *texts)),
    "index": Codec(("obj",), ("int_ind", "start", "stop", "step"), _encoded_index, _decoded_index),
    "slices": Codec(("key",), ("begin", "end", "step"), _encoded_slices, lambda *texts: ()),
    "norm": Codec(("ord", "axis"), ("ord", "flag", "axis"), _encoded_norm, _decoded_norm),
    "padding": Codec(("mode", "constant_values"), ("mode", "constant_value", "reflect_type"), _encoded_padding,
                     lambda mode, value, kind: (mode or "constant", value_of(value or "0"))),
}
