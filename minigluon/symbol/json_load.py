"""MXNet's symbol files: from JSON text to a Symbol, for the forms of MXNet 0.8 to 1.9.

Attributes stand under "attrs" since 1.0, under "attr" or "param" before; entries have two numbers before 0.9.
A reader believes nothing: every error is a FileFormatError that says which node is at fault, and why. It makes the
operators that MXNet's files and this project's `export` name, and no other (`internal.py`).
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
from ..ops.graph.control import ControlOp
from ..ops.graph.custom import Custom
from ..ops.math.broadcast import Broadcast
from ..serialization.atomic_write import unreadable
from ..serialization.params import MAX_AXES
from ..serialization.reading import content_of
from .graph import Node, require_variables
from .internal import is_internal
from .json_file import EQUAL_SHAPES, FILE_NAMES
from .own_attributes import HIDDEN, hide
from .subgraph import Subgraph
from .symbol import Symbol
from .text import initial

__all__ = ["load", "load_json"]

_LISTED_AUXILIARY, _OPTIONAL_AXIS = 900, 905        # the versions that brought them
_OLDEST = 800                                       # a file that does not name its version
_BY_FILE_NAME = {file_name: REGISTRY[name] for name, file_name in FILE_NAMES.items()} | {"Custom": Custom}
_MAX_NAME = 100                                 # that is looked up among the operators for its likes
_MAX_NESTED = 20                                    # loops in loops
_FREE_OUTPUTS = 1 << 16                             # beyond one for each byte of the file
_DECLARED = Field("shape", Index, None)
_KINDS = {dict: "an object", list: "an array", str: "a string"}


def load(fname: str | PathLike[str]) -> Symbol:
    """The symbol in the file `fname` that `save` or MXNet wrote.

    Raises MXNetError when there is no such file, FileFormatError for one that holds no symbol.

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
    """The symbol that `json_str`, a text of `tojson`, describes. Raises FileFormatError for a text that describes none.

    >>> sym.load_json(sym.exp(sym.var("x"), name="e").tojson())
    <Symbol e>
    """
    if not isinstance(json_str, str):
        raise MXNetError(f"load_json takes a string, found {type(json_str).__name__}. A file is read by symbol.load.")
    return _read(json_str, "the JSON text")


def load_own(text: str) -> Symbol:
    """The symbol of a text that this process's own code has kept, such as a pickle's: it may name any operator."""
    return _read(text, "the JSON text", trusted=True)


def _read(data, source, trusted=False):
    try:
        text = data.decode() if isinstance(data, bytes) else data
    except UnicodeDecodeError:
        raise FileFormatError(f"{source} is not a symbol file: it is not UTF-8 text. A .params file is read by "
                              "nd.load.") from None
    try:
        graph = json.loads(text, strict=False)      # MXNet writes control characters as they are
    except json.JSONDecodeError as error:
        raise FileFormatError(f"{source} is damaged or not JSON: {error.msg}, line {error.lineno}, column "
                              f"{error.colno}.") from None
    except (RecursionError, ValueError):
        raise FileFormatError(f"{source} is damaged: it has too many brackets or digits to be a symbol.") from None
    return _Reader(graph, source, trusted, [_FREE_OUTPUTS + len(data)]).read()


class _Reader:
    """One graph; `where` is what is being read, for messages. outer: the reader of the graph whose node holds this.

    trusted: may it name internal operators? room: how many outputs its operators may still have, in a list of one.
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
        """Graph `number` that a node holds."""
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
        """A number among the attributes of the graph: MXNet's version, 10901 for 1.9.1, and whether 0 is a length."""
        found = self.member(self.graph, "attrs", dict, {}).get(key, ["int", default])
        if not (isinstance(found, list) and len(found) == 2 and type(found[1]) is int):
            example = 10901 if key == "mxnet_version" else 1
            raise self.error(f'{key} is {_shown(found)}, expected ["int", {example}] or another number')
        return found[1]

    # -- nodes --------------------------------------------------------------------------------------------------

    def node(self, raw):
        self.require(raw, dict, "it")
        name = self.member(raw, "name", str)
        self.where += f" {name!r}"
        operator = self.member(raw, "op", str)
        inputs = [self.entry(f"input {i}", entry) for i, entry in enumerate(self.member(raw, "inputs", list))]
        attrs = self.attrs(raw)
        if operator != "null":
            return self.operator(self.find(operator), name, inputs, attrs, self.member(raw, "subgraphs", list, []))
        if inputs:
            raise self.error(f"a variable (op 'null') has no inputs, found {len(inputs)}")
        return self.variable(name, hide(attrs))

    def attrs(self, raw):
        """{key: text} from all places where one of the versions has put them."""
        found = {}
        for place in ("param", "attr", "attrs"):
            for key, text in self.member(raw, place, dict, {}).items():
                self.require(text, str, f"attribute {key!r}")
                found[key] = text
        return found

    def find(self, operator):
        cls = _BY_FILE_NAME.get(operator) or REGISTRY.get(operator)
        if cls is None:
            operator = operator[:_MAX_NAME]
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
        """'(64, 0)' is (64, None)."""
        if text == "None":
            return None
        try:
            shape = _DECLARED.parse(text, "variable") if text.strip()[:1] in ("(", "[") else None
        except MXNetError:
            shape = None
        if shape is None:
            raise self.error(f"__shape__ is {_shown(text)}, expected a tuple of integers")
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
        """The node of an operator, with the corrections that old versions need."""
        if self.version < _OPTIONAL_AXIS and cls.name in ("argmax", "argmin") and attrs.get("axis") == "-1":
            del attrs["axis"]                           # it meant: over all axes
        own = self.parse(cls, attrs, subgraphs)
        self.require_count(own, inputs)
        if issubclass(cls, Broadcast) and EQUAL_SHAPES.items() <= attrs.items():
            own, attrs = cls.between_symbols(), {key: text for key, text in attrs.items() if key not in EQUAL_SHAPES}
        names = own.argument_names(len(inputs))
        attrs = self.place(own, attrs, dict(zip(names, inputs, strict=False)))
        if self.version < _LISTED_AUXILIARY:
            inputs += [(Node(None, f"{name}_{missing}", (), {**initial(own, missing), **attrs}), 0)
                       for missing in names[len(inputs):]]
        if len(inputs) != len(names):
            raise self.error(f"{own.name} takes {len(names)} inputs ({', '.join(names)}), found {len(inputs)}")
        self.room[0] -= own.num_outputs
        if self.room[0] < 0:
            raise self.error(f"{own.name} has {own.num_outputs} outputs, more than a file of this length can use")
        node = Node(own, name, inputs, attrs)
        try:
            require_variables(node)
        except MXNetError as error:
            raise self.error(str(error), stop="") from None
        return node

    def require_count(self, own, inputs):
        """Refuse an operator of any number of inputs whose attributes count others than there are."""
        if not own.variadic:
            return
        held, wanted = _graph_fields(type(own)), own.num_inputs
        if wanted not in (None, len(inputs)):
            graphs = f" and {len(held)} graphs" if held else ""
            counted = f"num_args is {own.num_args}" if "num_args" in own.fields else f"its attributes ask for {wanted}"
            raise self.error(f"{counted}, but there are {len(inputs)} inputs{graphs}")
        if not inputs:
            raise self.error(f"{own.name} takes one input or more, found none")

    def parse(self, cls, attrs, subgraphs):
        """The operator, each attribute read by its own field."""
        held = _graph_fields(cls)
        if len(subgraphs) != len(held):
            raise self.error(f"{cls.name} holds {len(held)} subgraphs ({', '.join(held) or 'none'}), found "
                             f"{len(subgraphs)}")
        graphs = {key: self.subgraph(raw, i) for i, (key, raw) in enumerate(zip(held, subgraphs, strict=True))}
        if cls is Custom:               # its options may have any name
            texts = {key: text for key, text in attrs.items() if not key.startswith("__") and key not in HIDDEN}
        else:
            texts = {key: text for key, text in attrs.items() if key in cls.fields and key not in graphs}
        try:
            return cls(**texts, **graphs)
        except MXNetError as error:
            raise self.error(str(error), stop="") from None

    def place(self, op, attrs, inputs):
        """The attributes that stay at the node; `weight_lr_mult` goes to the variable that is the weight."""
        kept = {}
        for key, text in attrs.items():
            hidden = next((h for h in HIDDEN if key.endswith(h)), None)
            variable = inputs.get(key[:-len(hidden) - 1], (None, 0))[0] if hidden else None
            if hidden == key:
                kept[f"__{key}__"] = text
            elif variable is not None and variable.op is None:
                variable.attrs[f"__{hidden}__"] = text
            elif key in op.fields or not op.fields or (key.startswith("__") and key.endswith("__")):
                kept[key] = text
            else:
                raise self.error(f"{op.name} has no attribute {key!r}; it has {', '.join(op.fields)}."
                                 + nearest(key, op.fields), stop="")
        return kept

    # -- pieces -------------------------------------------------------------------------------------------------

    def entry(self, what, raw):
        """(node, output) for [node, output] or [node, output, version]."""
        if not (isinstance(raw, list) and len(raw) in (2, 3) and all(type(n) is int for n in raw)):
            raise self.error(f"{what} is {_shown(raw)}, expected [node, output, version], all integers")
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
        """One member of an object, checked. Without a default it must be there."""
        if key not in raw:
            if default is None:
                raise self.error(f"{key!r} is missing")
            return default
        self.require(raw[key], kind, repr(key))
        return raw[key]

    def require(self, value, kind, what):
        if not isinstance(value, kind):
            raise self.error(f"{what} is {_shown(value)}, expected {_KINDS[kind]}")
        if kind is str and not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
            raise self.error(f"{what} is {_shown(value)}, which holds half a character")

    def error(self, problem, stop="."):
        return FileFormatError(f"{self.source} is no symbol that can be read, at {self.where}: {problem}{stop}")


def _graph_fields(cls):
    """Names of an operator's attributes that are graphs."""
    return cls.graph_fields() if issubclass(cls, ControlOp) else []


def _shown(value):
    """A wrong value in a message, cut to a readable length."""
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
