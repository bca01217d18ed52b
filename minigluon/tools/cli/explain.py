"""`minigluon explain`: load a net by name, create inputs for it, and write the page."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
import webbrowser
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

from ... import initializer
from ... import ndarray as nd
from ...base import MXNetError, nearest
from ...common.dtypes import as_dtype
from ...gluon import Block
from ..explain import explain
from ..explain.exports import ENDINGS
from .shapes import in_order

__all__ = ["load", "main"]


def main(args: Namespace) -> None:
    """Write the page. args: see `minigluon explain --help`."""
    net, names = load(args.net), None
    other = load(args.other) if args.other else None
    if args.net.endswith(".onnx"):
        names = net.trace.inputs
        net.hybridize()
    shapes = in_order(args.shape, names)
    dtypes = args.dtype or ["float32"]
    if len(dtypes) not in (1, len(shapes)):
        raise MXNetError(f"--shape is given {len(shapes)} times and --dtype {len(dtypes)} times: give one dtype for "
                         "all inputs, or one for each shape")
    if len(dtypes) == 1:
        dtypes = dtypes * len(shapes)
    rng = np.random.default_rng(0)
    inputs = [_example(rng, shape, as_dtype(dtype)) for shape, dtype in zip(shapes, dtypes, strict=True)]
    for block in (net, other) if other is not None else (net,):
        _initialize(block)
    progress = _tell if sys.stderr.isatty() else None
    first, last = (None, net) if other is None else (net, other)
    page = explain(last, *inputs, path=args.out, train=args.train, export=args.export, progress=progress, against=first)
    if other is not None:
        print(f"{args.net} → {args.other}", page.differences, "", sep="\n")
    print(page, *(os.path.splitext(page)[0] + ENDINGS[name] for name in args.export), sep="\n")
    if args.open:
        webbrowser.open(Path(page).resolve().as_uri())


def _initialize(net):
    """Initialize the parameters that the file has not initialized."""
    for param in net.collect_params().values():
        if not (param.is_initialized or param.is_deferred):
            param.initialize(default_init=initializer.Uniform())


def _tell(what):
    print(f"explain: {what} ...", file=sys.stderr, flush=True)


def load(place: Any) -> Any:
    """Return the block named by 'package.module:NAME' or 'file.py:NAME', or the block that a function NAME returns.

    An ONNX file, 'net.onnx', is imported as a block. Raises MXNetError if there is no such block.
    """
    if place.endswith(".onnx"):
        from ...interop.onnx.importer import import_to_gluon
        return import_to_gluon(place)
    module_name, colon, name = place.rpartition(":")
    if not colon or not module_name or not name:
        raise MXNetError(f"{place!r} does not name a net. Write MODULE:NET, for example mynets.py:net or "
                         "package.module:make_net.")
    module = _import(module_name)
    if not hasattr(module, name):
        raise MXNetError(f"{module_name} has no {name!r}." + nearest(name, [n for n in vars(module) if n[0] != "_"]))
    member = getattr(module, name)
    block = member if isinstance(member, Block) or not callable(member) else member()
    if not isinstance(block, Block):
        verb = "is" if block is member else "returns"
        raise MXNetError(f"{place} {verb} a {type(block).__name__}, expected a block, or a function or class that "
                         "returns one when called without arguments")
    return block


def _import(name):
    if name.endswith(".py"):
        return _import_file(name)
    sys.path.insert(0, os.getcwd())         # like `python -m`
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(error.name + ".")):
            raise               # the module exists, but one of its imports does not
        raise MXNetError(f"there is no module {name!r} in this folder or installed. To name a file, include its "
                         "extension, as in nets.py:net.") from None
    finally:
        sys.path.remove(os.getcwd())


def _import_file(path):
    if not os.path.isfile(path):
        raise MXNetError(f"there is no file {path!r}")
    name = "_explained_" + hashlib.sha256(os.path.abspath(path).encode()).hexdigest()[:8]
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)      # so that `inspect` finds the source
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def _example(rng, shape, dtype):
    """Return random numbers around 0 or, for an integer dtype, zeros, which are valid indices for any axis."""
    values = rng.standard_normal(shape) if dtype.kind == "f" else np.zeros(shape)
    return nd.array(values, dtype=dtype)

