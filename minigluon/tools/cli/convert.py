"""`minigluon convert`: convert networks and arrays between file formats."""

from __future__ import annotations

import argparse
import glob
import os
import re
from argparse import Namespace
from typing import Any

import numpy as np

from ...base import MXNetError, listed
from .shapes import in_order, named_shape

__all__ = ["add_parser"]

ARRAYS = ".params", ".safetensors", ".npz"


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "convert", help="convert networks and parameters: MXNet files, ONNX, safetensors, npz",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Convert a network (a symbol file with its parameters, or .onnx), or arrays (.params,\n"
                    ".safetensors, .npz). Symbol files of MXNet 0.8 to 1.9 are read; MXNet is not needed.",
        epilog="examples:\n"
               "  minigluon convert net-symbol.json net.onnx --shape data:1,3,224,224 --check\n"
               "  minigluon convert net.onnx net-symbol.json        and net-0000.params\n"
               "  minigluon convert net-0005.params net.safetensors\n")
    add = parser.add_argument
    add("source", metavar="FROM", help="the file to read")
    add("target", metavar="TO", help="the file to write; its extension selects the format")
    add("--params", metavar="FILE",
        help="the parameters of a symbol file (default: those of the last epoch in its folder)")
    add("--shape", type=named_shape, action="append", default=[], metavar="[NAME:]N,N,...",
        help="shape of an input; repeat it for each input, in order or by name. ONNX files contain their shapes")
    add("--dtype", default="float32", metavar="DTYPE",
        help="dtype of all inputs of a symbol file (default: %(default)s)")
    add("--check", action="store_true",
        help="run both files on the same random inputs, an ONNX file with onnxruntime if it is installed, and print "
             "the largest difference")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int | None:
    kinds = _kind(args.source), _kind(args.target)
    if kinds[0] == "arrays" and kinds[1] != "arrays":
        raise MXNetError(f"{args.source!r} holds arrays without a network. Convert the symbol file, with "
                         f"--params {args.source}")
    if kinds[1] == "arrays":
        return _arrays(args, kinds[0])
    network = _Network.read(args)
    if kinds[1] == "onnx":
        network.write_onnx(args.target)
        print(f"written: {args.target}")
    else:
        print("written:", *network.write_symbol(args.target))
    if args.check:
        _check(args, network)
    return None


def _kind(path):
    ending = os.path.splitext(path)[1].lower()
    kind = {".onnx": "onnx", ".json": "symbol"}.get(ending, "arrays" if ending in ARRAYS else None)
    if kind is None:
        raise MXNetError(f"{path!r} does not end in .json, .onnx, {', '.join(ARRAYS[:-1])} or {ARRAYS[-1]}")
    return kind


def _arrays(args, kind):
    """Convert arrays, or the parameters of a network, by name."""
    from ... import ndarray as nd
    if kind == "arrays":
        arrays = nd.load(args.source)
    else:
        network = _Network.read(args)
        arrays = {**network.arguments, **network.auxiliary}
    nd.save(args.target, arrays)
    print(f"written: {args.target}, {len(arrays)} arrays")
    if args.check:
        copies = nd.load(args.target)
        pairs = ([(arrays[k], copies[k]) for k in arrays] if isinstance(arrays, dict)
                 else zip(arrays, copies, strict=True))
        same = all(a.dtype == b.dtype and a.asnumpy().tobytes() == b.asnumpy().tobytes() for a, b in pairs)
        print("check: all bytes are the same" if same else "check: THE ARRAYS DIFFER")
        return 0 if same else 1
    return None


class _Network:
    """A symbol, its parameters, and the names and shapes of its inputs."""

    def __init__(self, symbol, arguments, auxiliary, inputs, shapes, dtypes):
        self.symbol, self.arguments, self.auxiliary = symbol, arguments, auxiliary
        self.inputs, self.shapes, self.dtypes = inputs, shapes, dtypes

    @classmethod
    def read(cls, args):
        """Read a network from a file in either format."""
        if _kind(args.source) == "onnx":
            return cls._from_onnx(args)
        from ... import symbol as sym
        from ...legacy.checkpoint import read_params
        from ...serialization.atomic_write import reading_together
        params = args.params or _newest_params(args.source)
        with reading_together(params, args.source):
            symbol, (arguments, auxiliary) = sym.load(args.source), read_params(params)
        symbol = _without_labels(symbol, arguments)
        inputs = [name for name in symbol.list_arguments() if name not in arguments]
        missing = [name for name in symbol.list_auxiliary_states() if name not in auxiliary]
        if missing:
            raise MXNetError(f"{params!r} lacks {listed(missing)}")
        shapes = in_order(args.shape, inputs) if args.shape else None
        if shapes is not None and len(shapes) != len(inputs):
            raise MXNetError(f"--shape is given {len(shapes)} times; the inputs are {listed(inputs)}")
        return cls(symbol, arguments, auxiliary, inputs, shapes, [args.dtype] * len(inputs))

    @classmethod
    def _from_onnx(cls, args):
        from ...interop.onnx.importer import get_model_metadata
        from ...interop.onnx.importer.model import import_file
        from ...interop.onnx.importer.tensors import dtype_of
        imported = import_file(args.source)
        declared = {name: (shape, kind) for name, shape, kind in get_model_metadata(args.source)["input_tensor_data"]}
        shapes = in_order(args.shape, imported.inputs) if args.shape else [
            tuple(n or 2 for n in declared[name][0]) for name in imported.inputs]
        return cls(imported.symbol, *imported.params(), imported.inputs, shapes,
                   [dtype_of(declared[name][1], name).name for name in imported.inputs])

    def need_shapes(self):
        """Return the shapes of all inputs. Raises MXNetError if they are not given."""
        if self.shapes is None:
            raise MXNetError("give the shape of each input: " + " ".join(f"--shape {name}:N,N,..."
                                                                         for name in self.inputs))
        return self.shapes

    def write_onnx(self, path):
        """Write the ONNX file."""
        from ...interop import onnx
        params = {f"arg:{name}": array for name, array in self.arguments.items()}
        params.update({f"aux:{name}": array for name, array in self.auxiliary.items()})
        onnx.export_model(self.symbol, params, self.need_shapes(), [np.dtype(t) for t in self.dtypes], path)

    def write_symbol(self, path):
        """Write the symbol file, and the parameters next to it. Returns both paths."""
        from ...legacy.checkpoint import write_params
        from ...serialization.atomic_write import together
        prefix = path.removesuffix(".json").removesuffix("-symbol")
        params = f"{prefix}-0000.params"
        with together():
            write_params(params, self.arguments, self.auxiliary)
            self.symbol.save(path)
        return path, params

    def run(self, arrays):
        """Return the outputs for the inputs, which are NumPy arrays in order."""
        from ... import ndarray as nd
        values = {name: nd.array(array, dtype=array.dtype) for name, array in zip(self.inputs, arrays, strict=True)}
        return [out.asnumpy() for out in self.symbol.eval(**values, **self.arguments, **self.auxiliary)]


def _newest_params(path):
    prefix = path.removesuffix(".json").removesuffix("-symbol")
    paths = sorted(p for p in glob.glob(glob.escape(prefix) + "-*.params") if re.search(r"-\d{4,}\.params$", p))
    if not paths:
        raise MXNetError(f"{path!r} has no parameter file {prefix}-0000.params next to it. Name one with --params")
    return paths[-1]


def _without_labels(symbol, arguments):
    """Return the symbol without its losses, because predictions do not use outputs that need labels."""
    labels = [name for name in symbol.list_arguments() if name.endswith("label") and name not in arguments]
    if not labels:
        return symbol
    from ... import symbol as sym
    heads = []
    for head in symbol:
        node = head.heads[0][0]
        reads_label = any(parent.op is None and parent.name in labels for parent, _ in node.inputs)
        if not reads_label:
            heads.append(head)
        elif node.op.name == "SoftmaxOutput":
            axis = 1 if node.op.multi_output else -1
            heads.append(sym.softmax(sym.Symbol([node.inputs[0]]), name=node.name, axis=axis))
        elif node.op.name == "LogisticRegressionOutput":
            heads.append(sym.sigmoid(sym.Symbol([node.inputs[0]]), name=node.name))
        else:
            heads.append(sym.identity(sym.Symbol([node.inputs[0]]), name=node.name))
    return sym.Group(heads) if len(heads) > 1 else heads[0]


# -- checking ---------------------------------------------------------------------------------------------------------


def _check(args, network):
    """Print the largest difference between the outputs of the two files, relative to the largest element."""
    draw = np.random.default_rng(0)
    arrays = [draw.standard_normal(shape).astype(dtype) if np.dtype(dtype).kind == "f" else np.zeros(shape, dtype)
              for shape, dtype in zip(network.need_shapes(), network.dtypes, strict=True)]
    results = [_outputs(path, args, network, arrays) for path in (args.source, args.target)]
    worst = 0.0
    for a, b in zip(results[0][1], results[1][1], strict=True):
        worst = max(worst, float(np.abs(np.subtract(a.reshape(b.shape), b, dtype=np.float64)).max(initial=0)
                                 / max(1e-30, np.abs(b).max(initial=0))))
    print(f"check: {results[0][0]} and {results[1][0]} on random inputs: largest difference {worst:.1e}, relative to "
          "the largest element")


def _outputs(path, args, network, arrays):
    """Return (name of the library that computed the outputs, outputs) for one of the files."""
    if not path.endswith(".onnx"):
        if path == args.source:
            return "minigluon", network.run(arrays)
        target = argparse.Namespace(source=path, params=path.removesuffix(".json").removesuffix("-symbol")
                                    + "-0000.params", shape=[], dtype=args.dtype)
        return "minigluon", _Network.read(target).run(arrays)
    try:
        import onnxruntime
    except ImportError:
        from ...interop.onnx.importer.model import import_file
        imported = import_file(path)
        network = _Network(imported.symbol, *imported.params(), imported.inputs, None, None)
        return "minigluon's import of the ONNX file", network.run(arrays)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    feed = {entry.name: array for entry, array in zip(session.get_inputs(), arrays, strict=True)}
    return "onnxruntime", session.run(None, feed)
