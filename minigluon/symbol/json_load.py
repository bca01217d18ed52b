"""The reader of MXNet's symbol files: JSON in the forms of MXNet 0.8 to 1.9.

Attributes have been under "attrs" since 1.0, and were previously under "attr" or "param"; entries had two numbers
before 0.9.
The reader trusts nothing. Every error is a FileFormatError that names the node and the reason. It accepts only the
operators that MXNet's files and this project's `export` can name (`internal.py`).
"""

from __future__ import annotations

import json
import os
from os import PathLike
from typing import Any

from ..base import FileFormatError, MXNetError, nearest, repeated
from ..common.dtypes import DTYPES, dtype_of
from ..common.shape_scopes import np_shape
from ..common.shape_semantics import read
from ..ops import REGISTRY
from ..ops.fields import Field, Index
from ..ops.graph.custom import Custom
from ..ops.graph.holder import GraphHolder
from ..ops.math.broadcast import Broadcast
from ..providers import ask
from ..serialization.atomic_write import unreadable
from ..serialization.params import MAX_AXES
from ..serialization.reading import content_of, refuse_pointer
from .graph import Node, require_variables
from .internal import is_internal
from .json_file import EQUAL_SHAPES, FILE_NAMES, Unversioned
from .own_attributes import HIDDEN, hide
from .subgraph import Subgraph
from .symbol import Symbol
from .text import initial

__all__ = ["load", "load_json"]

_LISTED_AUXILIARY, _WRITES_INITIAL, _OPTIONAL_AXIS = 900, 904, 905     # the versions that introduced these forms
_OLDEST = 800                                       # the version of a file that does not state its version
_BY_FILE_NAME = {file_name: REGISTRY[name] for name, file_name in FILE_NAMES.items()} | {"Custom": Custom}
_OF_NUMPY = ("_np_", "_npi_", "_npx_", "_minigluon_np_")    # prefixes of the names of mx.np functions
_OF_BOTH = ("Custom", "_linalg_det", "_linalg_slogdet", "_split_v2")    # names that may be mx.np functions
_MAX_NAME = 100                                 # the longest name for which similar operators are suggested
_MAX_NESTED = 20                                    # the maximum depth of nested loops
_FREE_OUTPUTS = 1 << 16                             # outputs allowed in addition to one per byte of the file
_DECLARED = Field("shape", Index, None)
_KINDS = {dict: "an object", list: "an array", str: "a string"}


def load(fname: str | PathLike[str]) -> Symbol:
    """Returns the symbol in the file `fname`, written by `save` or MXNet.

    Raises MXNetError if there is no such file, and FileFormatError if it does not contain a symbol.

    >>> sym.exp(sym.var("x"), name="e").save("e-symbol.json")
    >>> sym.load("e-symbol.json")
    <Symbol e>
    """
    try:
        data = content_of(fname)
    except OSError as error:
        raise unreadable(fname, error) from error
    return _read(data, os.fspath(fname))


def load_json(json_str: Any) -> Any:
    """Returns the symbol described by `json_str`, a string from `tojson`. Raises FileFormatError for any other string.

    >>> sym.load_json(sym.exp(sym.var("x"), name="e").tojson())
    <Symbol e>
    """
    if not isinstance(json_str, str):
        raise MXNetError(f"load_json takes a string, found {type(json_str).__name__}. A file is read by symbol.load.")
    return _read(json_str, "the JSON text")


def load_own(text: str) -> Symbol:
    """Returns the symbol in a string that this program itself wrote, as in a pickle; it may name any operator."""
    return _read(text, "the JSON text", trusted=True)


def _read(data, source, trusted=False):
    refuse_pointer(data, source)
    try:
        text = data.decode() if isinstance(data, bytes) else data
    except UnicodeDecodeError:
        raise FileFormatError(f"{source} is not a symbol file: it is not UTF-8 text. A .params file is read by "
                              "nd.load.") from None
    try:
        graph = json.loads(text, strict=False)      # MXNet writes control characters unescaped
    except json.JSONDecodeError as error:
        raise FileFormatError(f"{source} is damaged or not JSON: {error.msg}, line {error.lineno}, column "
                              f"{error.colno}.") from None
    except (RecursionError, ValueError):
        raise FileFormatError(f"{source} is damaged: it has too many brackets or digits to be a symbol.") from None
    return _Reader(graph, source, trusted, [_FREE_OUTPUTS + len(data)]).read()


# Operators that MXNet's quantization and its CPU library insert into graphs.
_QUANTIZED = "_contrib_quantize", "_sg_mkldnn", "_sg_onednn", "_contrib_intgemm"


class _Reader:
    """The reader of one graph. `where` is the current position, for messages. outer: the reader of the enclosing graph.

    trusted: whether internal operators are allowed. room: [the number of outputs that operators may still have].
    """

    def __init__(self, graph, source, trusted, room, outer=None):
        self.trusted = trusted
        self.room = room
        self.graph = graph
        self.source = source
        self.outer = outer
        self.depth = 0 if outer is None else outer.depth + 1
        self.where = "the top level"
        self.nodes = []

    def read(self):
        self.require(self.graph, dict, "it")
        if self.outer is None:
            self.version = self.number_of("mxnet_version", _OLDEST)
            self.under_np_shape = bool(self.number_of("is_np_shape", 0))
        else:
            self.version, self.under_np_shape = self.outer.version, self.outer.under_np_shape
        raw_nodes = self.member(self.graph, "nodes", list)
        heads = self.member(self.graph, "heads", list)
        for number, raw in enumerate(raw_nodes):
            self.where = f"node {number}"
            self.nodes.append(self.node(raw))
        self.where = "the heads"
        if not heads:
            raise self.error("there are none")
        return Symbol([self.entry(f"head {i}", raw) for i, raw in enumerate(heads)])

    def subgraph(self, raw, number):
        """Reads the graph with index `number` of a node."""
        if self.depth == _MAX_NESTED:
            raise self.error(f"graphs are in one another more than {_MAX_NESTED} deep")
        reader = _Reader(raw, f"{self.source}, {self.where}, subgraph {number}", self.trusted, self.room, self)
        symbol = reader.read()
        used = set(symbol.nodes())
        twice = repeated(node.name for node in reader.nodes if node.op is None)
        if twice is not None:
            raise reader.error(f"several variables have the name {twice!r}")
        return Subgraph(symbol, [node for node in reader.nodes if node.op is None and node not in used])

    def number_of(self, key, default):
        """Returns an integer attribute of the graph: MXNet's version (10901 for 1.9.1), or 1 if `np_shape` was on."""
        value = self.member(self.graph, "attrs", dict, {}).get(key, ["int", default])
        if not (isinstance(value, list) and len(value) == 2 and type(value[1]) is int):
            example = 10901 if key == "mxnet_version" else 1
            raise self.error(f'{key} is {_excerpt(value)}, expected ["int", {example}] or another number')
        return value[1]

    # -- nodes --------------------------------------------------------------------------------------------------

    def node(self, raw):
        self.require(raw, dict, "it")
        name = self.member(raw, "name", str)
        self.where += f" {name!r}"
        operator = self.member(raw, "op", str)
        inputs = [self.entry(f"input {i}", entry) for i, entry in enumerate(self.member(raw, "inputs", list))]
        attrs = self.attrs(raw)
        is_of_numpy = operator.startswith(_OF_NUMPY) or operator in _OF_BOTH
        if is_of_numpy and (self.under_np_shape or operator not in REGISTRY):
            op = self.of_numpy(operator, attrs, len(inputs))
            if op is not None:
                return Node(op, name, inputs, hide(attrs))
        if operator != "null":
            cls = self.find(operator)
            if cls.mutates:
                inputs = [pair if any(entry[2:]) else Unversioned(pair)
                          for pair, entry in zip(inputs, raw["inputs"], strict=True)]
            return self.operator(cls, name, inputs, attrs, self.member(raw, "subgraphs", list, []))
        if inputs:
            raise self.error(f"a variable (op 'null') has no inputs, found {len(inputs)}")
        return self.variable(name, hide(attrs))

    def of_numpy(self, operator, attrs, count):
        """Returns the operator of an `mx.np` function; None if the node is something else."""
        own = {key: text for key, text in attrs.items() if not key.startswith("__") and key not in HIDDEN}
        try:
            op = ask("np").operator_of(operator, own, count)
        except MXNetError as error:
            raise self.error(str(error), stop="") from None
        if op is not None:
            self.count_outputs(op)
        return op

    def count_outputs(self, op):
        """Raises FileFormatError if the graph would have more outputs than its file can use."""
        self.room[0] -= op.num_outputs
        if self.room[0] < 0:
            raise self.error(f"{op.name} has {op.num_outputs} outputs, more than a file of this length can use")

    def attrs(self, raw):
        """Returns {key: text} from all members that any version has used."""
        texts = {}
        for place in ("param", "attr", "attrs"):
            for key, text in self.member(raw, place, dict, {}).items():
                self.require(text, str, f"attribute {key!r}")
                texts[key] = text
        return texts

    def find(self, operator):
        cls = _BY_FILE_NAME.get(operator) or REGISTRY.get(operator)
        if cls is None:
            operator = operator[:_MAX_NAME]
            if operator.startswith(_QUANTIZED):
                raise self.error(f"operator {operator!r} is one of the quantized operators that are not here. Load the "
                                 "files from before the quantization, and use mx.contrib.quantization", stop="")
            raise self.error(f"there is no operator {operator!r}." + nearest(operator, REGISTRY), stop="")
        if is_internal(cls.name) and not self.trusted:
            raise self.error(f"operator {cls.name!r} is internal: gradients and optimizers are made of it, and files "
                             "must not name it. Load the graph that was differentiated, and call its method gradient")
        return cls

    def variable(self, name, attrs):
        shape = self.declared_shape(attrs["__shape__"]) if "__shape__" in attrs else None
        dtype = self.declared_dtype(attrs["__dtype__"]) if "__dtype__" in attrs else None
        return Node(None, name, (), attrs, shape, dtype)

    def declared_shape(self, text):
        """Parses a shape: '(64, 0)' becomes (64, None)."""
        if text == "None":
            return None
        try:
            shape = _DECLARED.parse(text, "variable") if text.strip()[:1] in ("(", "[") else None
        except MXNetError:
            shape = None
        if shape is None:
            raise self.error(f"__shape__ is {_excerpt(text)}, expected a tuple of integers")
        if len(shape) > MAX_AXES:
            raise self.error(f"__shape__ has {len(shape)} axes, expected at most {MAX_AXES}")
        with np_shape(self.under_np_shape):
            return read(shape)

    def declared_dtype(self, text):
        code = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None
        if text == "-1":
            return None
        dtype = dtype_of(code)
        if dtype is None:
            raise self.error(f"__dtype__ is {text!r}, expected one of "
                             + ", ".join(f"{c} ({d.name})" for c, d in DTYPES.items()))
        return dtype

    def operator(self, cls, name, inputs, attrs, subgraphs):
        """Returns an operator's node, with the corrections that old versions need."""
        if self.version < _OPTIONAL_AXIS and cls.name in ("argmax", "argmin") and attrs.get("axis") == "-1":
            del attrs["axis"]                           # in old versions it meant all axes
        own = self.parse(cls, attrs, subgraphs)
        self.require_count(own, inputs)
        if issubclass(cls, Broadcast) and EQUAL_SHAPES.items() <= attrs.items():
            own, attrs = cls.between_symbols(), {key: text for key, text in attrs.items() if key not in EQUAL_SHAPES}
        names = own.argument_names(len(inputs))
        attrs = self.place(own, attrs, dict(zip(names, inputs, strict=False)))
        if self.version < _LISTED_AUXILIARY:
            inputs += [Unversioned((Node(None, f"{name}_{missing}", (), {**initial(own, missing), **attrs}), 0))
                       for missing in names[len(inputs):]]
        if len(inputs) != len(names):
            raise self.error(f"{own.name} takes {len(names)} inputs ({', '.join(names)}), found {len(inputs)}")
        if self.version < _WRITES_INITIAL:
            for argument, (variable, _) in zip(names, inputs, strict=True):
                if variable.op is None:
                    variable.attrs.update({**initial(own, argument), **variable.attrs})
        self.count_outputs(own)
        node = Node(own, name, inputs, attrs)
        try:
            require_variables(node)
        except MXNetError as error:
            raise self.error(str(error), stop="") from None
        return node

    def require_count(self, own, inputs):
        """Raises FileFormatError if a variadic operator's attributes specify a different number of inputs."""
        if not own.variadic:
            return
        held, count = _graph_fields(type(own)), own.num_inputs
        if count not in (None, len(inputs)):
            graphs = f" and {len(held)} graphs" if held else ""
            counted = f"num_args is {own.num_args}" if "num_args" in own.fields else f"its attributes ask for {count}"
            raise self.error(f"{counted}, but there are {len(inputs)} inputs{graphs}")
        if not inputs:
            raise self.error(f"{own.name} takes one input or more, found none")

    def parse(self, cls, attrs, subgraphs):
        """Returns the operator; each attribute is parsed by its own field."""
        held = _graph_fields(cls)
        if len(subgraphs) != len(held):
            raise self.error(f"{cls.name} holds {len(held)} subgraphs ({', '.join(held) or 'none'}), found "
                             f"{len(subgraphs)}")
        graphs = {key: self.subgraph(raw, i) for i, (key, raw) in enumerate(zip(held, subgraphs, strict=True))}
        if cls is Custom:               # options of a Custom may have any name
            texts = {key: text for key, text in attrs.items() if not key.startswith("__") and key not in HIDDEN}
        else:
            texts = {key: text for key, text in attrs.items() if key in cls.fields and key not in graphs}
        try:
            return cls(**texts, **graphs)
        except MXNetError as error:
            raise self.error(str(error), stop="") from None

    def place(self, op, attrs, inputs):
        """Returns the node's own attributes; `weight_lr_mult` goes to the weight's variable."""
        fields = {}
        for key, text in attrs.items():
            hidden = next((h for h in HIDDEN if key.endswith(h)), None)
            variable = inputs.get(key[:-len(hidden) - 1], (None, 0))[0] if hidden else None
            if hidden == key:
                fields[f"__{key}__"] = text
            elif variable is not None and variable.op is None:
                variable.attrs[f"__{hidden}__"] = text
            elif key in op.fields or not op.fields or (key.startswith("__") and key.endswith("__")):
                fields[key] = text
            else:
                raise self.error(f"{op.name} has no attribute {key!r}; it has {', '.join(op.fields)}."
                                 + nearest(key, op.fields), stop="")
        return fields

    # -- pieces -------------------------------------------------------------------------------------------------

    def entry(self, what, raw):
        """Returns (node, output) for [node, output] or [node, output, version]."""
        if not (isinstance(raw, list) and len(raw) in (2, 3) and all(type(n) is int for n in raw)):
            raise self.error(f"{what} is {_excerpt(raw)}, expected [node, output, version], all integers")
        number, index = raw[:2]
        if not 0 <= number < len(self.nodes):
            raise self.error(f"{what} is output {index} of node {number}, but only the {len(self.nodes)} nodes before "
                             "may be used: the file is damaged, or its graph has a cycle")
        node = self.nodes[number]
        count = 1 if node.op is None else node.op.num_outputs
        if not 0 <= index < count:
            raise self.error(f"{what} is output {index} of node {number} {node.name!r}, which has {count}")
        return node, index

    def member(self, raw, key, kind, default=None):
        """Returns one member of an object, after checking it. The member is required if there is no default."""
        if key not in raw:
            if default is None:
                raise self.error(f"{key!r} is missing")
            return default
        self.require(raw[key], kind, repr(key))
        return raw[key]

    def require(self, value, kind, what):
        if not isinstance(value, kind):
            raise self.error(f"{what} is {_excerpt(value)}, expected {_KINDS[kind]}")
        if kind is str and not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
            raise self.error(f"{what} is {_excerpt(value)}, which holds half a character")

    def error(self, problem, stop="."):
        return FileFormatError(f"{self.source} is not a readable symbol, at {self.where}: {problem}{stop}")


def _graph_fields(cls):
    """Returns the names of an operator's attributes that are graphs."""
    return cls.graph_fields() if issubclass(cls, GraphHolder) else []


def _excerpt(value):
    """Returns an invalid value as text for messages, shortened to a readable length."""
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
