"""Parsing of iterators' options, which may be strings from command lines and configuration files.

A parameter's annotation determines how its value is parsed, with the field types of operator attributes: '(3, 8, 8)' is
a shape, and 'False' and '0' are False.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from ..base import ArgumentError, OpAttributeError, nearest
from ..common.dtypes import as_dtype
from ..diagnostics.strictness import refuse
from ..ops.fields import MISSING, Field, Floats, Shape

__all__ = ["dataclass_options", "dtype_option", "parsed", "parses_options", "parses_texts", "refuse_unknown"]

_Init = TypeVar("_Init", bound=Callable[..., Any])
# Annotations are compared as text, because the iterators' modules leave annotations unevaluated.
_KINDS: dict[str, Any] = {
    "bool": bool, "int": int, "float": float, "int | None": int | None, "float | None": float | None,
    "Sequence[int]": Shape, "tuple[int, ...]": Shape, "tuple[float, ...]": Floats}
_PATHS = ("str", "str | None")          # annotations of strings, and of files, which may be os.PathLike
_ALWAYS = ("int", "Sequence[int]", *_PATHS)         # annotations that `parses_texts` parses although they are not text


def parsed(who: str, name: str, annotation: str, value: Any) -> Any:
    """Return the value of an option. Raises ArgumentError for a value that its annotation does not allow."""
    if annotation in _PATHS and not name.endswith("_name") and not isinstance(value, (str, os.PathLike)):
        raise ArgumentError(f"{who}: option {name} is {value!r}, expected a string")
    if annotation not in _KINDS:
        return value
    try:
        return Field(name, _KINDS[annotation], MISSING).parse(value, who)
    except OpAttributeError as error:
        raise ArgumentError(str(error).replace(" attribute ", " option ", 1)) from None


def dtype_option(value: Any) -> np.dtype[Any]:
    """Return the dtype given by an iterator's option, where None and 'None' mean float32."""
    return as_dtype(None if isinstance(value, str) and value == "None" else value)


def parses_options(init: _Init) -> _Init:
    """Decorate `__init__` of an iterator that MXNet implements in C++: parse all options, and refuse unknown ones.

    >>> from minigluon.io.options import parses_options
    >>> class Rows:
    ...     @parses_options
    ...     def __init__(self, *, shuffle: bool = True):
    ...         self.shuffle = shuffle
    >>> Rows(shuffle="False").shuffle
    False
    """
    signature = inspect.signature(init)
    takes_more = any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values())
    required = [p.name for p in list(signature.parameters.values())[1:]
                if p.default is p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]

    @functools.wraps(init)
    def parsing(self: Any, *args: Any, **kwargs: Any) -> None:
        who = type(self).__name__
        if not takes_more:
            kwargs = refuse_unknown(who, kwargs, [*signature.parameters][1:])
        call = signature.bind_partial(self, *args, **kwargs)
        missing = [name for name in required if name not in call.arguments]
        if missing:
            raise ArgumentError(f"{who}: required options are missing: {', '.join(missing)}")
        _parse_all(who, signature, call.arguments)
        init(*call.args, **call.kwargs)
    parsing.refuses_unknown = True          # pyright: ignore[reportFunctionMemberAccess]  # for ChecksKeywords
    return parsing      # type: ignore[return-value]


def parses_texts(function: _Init) -> _Init:
    """Decorate a function, or `__init__`, that is Python code in MXNet: parse string options and check integers.

    Other arguments may be anything that MXNet accepts, such as a list where a truth value is expected.

    >>> from minigluon.io.options import parses_texts
    >>> @parses_texts
    ... def crop(size: int, centre: bool = True):
    ...     return size, centre
    >>> crop("4", centre="0"), crop(4, centre=[])
    ((4, False), (4, []))
    """
    signature = inspect.signature(function)
    is_method = next(iter(signature.parameters), "") == "self"
    kinds = {name: _text(p.annotation) for name, p in signature.parameters.items()
             if _text(p.annotation) in {*_KINDS, *_PATHS}}

    @functools.wraps(function)
    def parsing(*args: Any, **kwargs: Any) -> Any:
        who = type(args[0]).__name__ if is_method and args else function.__name__
        call = signature.bind(*args, **kwargs)
        some = {name: value for name, value in call.arguments.items()
                if name in kinds and (isinstance(value, str) or kinds[name] in _ALWAYS)}
        _parse_all(who, signature, some)
        call.arguments.update(some)
        return function(*call.args, **call.kwargs)
    return parsing      # type: ignore[return-value]


def _parse_all(who, signature, arguments):
    """Replace the options in a dict with their values."""
    for name, value in arguments.items():
        parameter = signature.parameters[name]
        if value is not parameter.default:
            arguments[name] = parsed(who, name, _text(parameter.annotation), value)


def _text(annotation):
    """Return an annotation as it is written in the source."""
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def dataclass_options(who: str, kind: type[Any], kwargs: dict[str, Any]) -> Any:
    """Remove the fields of a dataclass from kwargs, and return an instance with their values.

    who: the iterator, for messages.
    kind: the dataclass.
    kwargs: all options.
    """
    return kind(**{field.name: parsed(who, field.name, str(field.type), kwargs.pop(field.name))
                   for field in fields(kind) if field.name in kwargs})


def refuse_unknown(who: str, kwargs: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Refuse options that an iterator does not accept (MXNet ignores them), and return the other options.

    who: the iterator, for messages.
    kwargs: all options.
    names: the options that it accepts.
    """
    for name in [name for name in kwargs if name not in names]:
        refuse(ArgumentError(f"{who}: unknown parameter {name!r}." + nearest(name, names)))
    return {name: value for name, value in kwargs.items() if name in names}
