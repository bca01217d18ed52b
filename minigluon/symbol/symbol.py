"""Symbol: what to compute, written down instead of done. A handle on outputs of a graph."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from .. import attribute, name
from ..base import (
    ArgumentError,
    CallError,
    MXNetError,
    NotImplementedForSymbol,
    OutOfRangeError,
    integer_types,
    listed,
    nearest,
)
from ..common.dtypes import as_dtype, code_of
from ..common.shape_semantics import is_np_shape, read, write
from ..diagnostics import strictness
from ..diagnostics.source_lines import here
from ..frontend.operators import Operators, as_number
from ..ops import REGISTRY
from ..ops.shapes import is_known
from ..providers import ask
from . import infer, json_file
from .absent import absent
from .composition import compose_with
from .graph import Node, Pair, require_variables, topological, variables
from .numpy_calls import call_ufunc
from .runnable import Runnable
from .text import HIDDEN, attribute_text, hide, hint_of, initial, require_hidden, shown

__all__ = ["Group", "Symbol", "Variable", "compose", "var"]


class Symbol(Runnable, Operators):
    """One or several outputs of a graph: what to compute, written down. Arithmetic and methods are those of NDArray.

    `sym.var` makes an input, the functions of `sym` make nodes.

    >>> y = 2 * sym.var("x") + 1
    >>> isinstance(y, sym.Symbol), y.list_inputs()
    (True, ['x'])
    >>> print(y.eval(x=nd.array([3]))[0].asnumpy())
    [7.]
    """

    def __init__(self, outputs: Iterable[Pair]):
        self.heads: list[Pair] = list(outputs)
        self._nodes: list[Node] | None = None

    # -- what it is ---------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The node's name; None for a group of several nodes.

        >>> sym.relu(sym.var("x"), name="act").name
        'act'
        """
        nodes = {node for node, _ in self.heads}
        return self.heads[0][0].name if len(nodes) == 1 else None

    def nodes(self) -> list[Node]:
        """All nodes, inputs first.

        >>> [node.name for node in sym.relu(sym.var("x"), name="act").nodes()]
        ['x', 'act']
        """
        if self._nodes is None:         # heads and inputs stay what they are
            self._nodes = topological(self.heads)
        return list(self._nodes)

    def list_arguments(self) -> list[str]:
        """Names of the variables that are not auxiliary states, in the order of the graph.

        >>> sym.FullyConnected(sym.var("x"), num_hidden=4, name="fc").list_arguments()
        ['x', 'fc_weight', 'fc_bias']
        """
        return [n.name for n in variables(self.nodes())[0]]

    def list_auxiliary_states(self) -> list[str]:
        """Names of the variables that operators overwrite, such as BatchNorm's moving mean.

        >>> sym.BatchNorm(sym.var("x"), name="bn").list_auxiliary_states()
        ['bn_moving_mean', 'bn_moving_var']
        """
        return [n.name for n in variables(self.nodes())[1]]

    def list_inputs(self) -> list[str]:
        """Names of all variables, auxiliary states included.

        >>> sym.BatchNorm(sym.var("x"), name="bn").list_inputs()
        ['x', 'bn_gamma', 'bn_beta', 'bn_moving_mean', 'bn_moving_var']
        """
        return [n.name for n in self.nodes() if n.op is None]

    def list_outputs(self) -> list[str]:
        """Names of the outputs.

        >>> sym.split(sym.var("x"), num_outputs=2, name="cut").list_outputs()
        ['cut_output0', 'cut_output1']
        """
        return [node.output_name(index) for node, index in self.heads]

    def get_internals(self) -> Symbol:
        """A group of every visible output of every node: `net.get_internals()["fc1_output"]` is a net that ends there.

        >>> y = sym.relu(sym.exp(sym.var("x"), name="e"), name="act")
        >>> y.get_internals().list_outputs()
        ['x', 'e_output', 'act_output']
        """
        return Symbol([(n, i) for n in self.nodes() for i in range(n.num_visible_outputs)])

    def get_children(self) -> Symbol:
        """The inputs of the node, as a group; None for a variable. A node with several outputs counts once.

        >>> (sym.var("a") + sym.var("b")).get_children()
        <Symbol group [a, b]>
        """
        inputs = [pair for node in dict.fromkeys(node for node, _ in self.heads) for pair in node.inputs]
        return Symbol(inputs) if inputs else None

    def attr(self, key: str) -> str:
        """The attribute `key` of the node as a text, or None: 'name' is its name, 'lr_mult' finds `__lr_mult__` ...

        >>> sym.var("x", lr_mult=0.5).attr("lr_mult"), sym.FullyConnected(sym.var("x"), num_hidden=4).attr("num_hidden")
        ('0.5', '4')
        """
        if key == "name":
            return self.name
        attrs = self.heads[0][0].attrs
        return attrs.get(key, attrs.get(f"__{key}__") if key in HIDDEN else None)

    def list_attr(self) -> dict[str, str]:
        """The attributes of the node, as texts. `lr_mult` and its like are there as `__lr_mult__`, too.

        >>> sym.FullyConnected(sym.var("x"), num_hidden=4).list_attr()
        {'num_hidden': '4'}
        """
        return shown(self.heads[0][0].attrs)

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """{node name: its attributes, as `list_attr` gives them} for all nodes that have any.

        >>> sym.softmax(sym.exp(sym.var("x", __mark__="a")), axis=0, name="out").attr_dict()
        {'x': {'__mark__': 'a'}, 'out': {'axis': '0'}}
        """
        return {n.name: shown(n.attrs) for n in self.nodes() if n.attrs}

    def __deepcopy__(self, memo: Any) -> Symbol:
        """New nodes throughout. Iterative, so that the depth of a graph has no limit."""
        for node in self.nodes():
            if id(node) not in memo:
                inputs = [(memo[id(parent)], index) for parent, index in node.inputs]
                memo[id(node)] = Node(node.op, node.name, inputs, dict(node.attrs), node.shape, node.dtype, node.place)
        return Symbol([(memo[id(node)], index) for node, index in self.heads])

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_json, (self.tojson(remove_amp_cast=False),)

    def __len__(self) -> int:
        return len(self.heads)

    def __iter__(self) -> Iterator[Symbol]:
        return (Symbol([pair]) for pair in self.heads)

    def __getitem__(self, index: Any) -> Symbol:
        """Output number `index` or the output of that name; a slice or a tuple of slices cuts the array itself.

        >>> x = sym.var("x", shape=(2, 3, 4, 4))
        >>> x[:, :, 1:, 1:].infer_shape()[1]        # the last two axes without their first elements
        [(2, 3, 3, 3)]
        """
        if isinstance(index, (slice, tuple)):
            return self._slice(index if isinstance(index, tuple) else (index,))
        if isinstance(index, str):
            names = self.list_outputs()
            if names.count(index) != 1:
                raise ArgumentError(f"the symbol has no single output {index!r}; its outputs are {listed(names)}")
            index = names.index(index)
        if not isinstance(index, int):
            raise MXNetError(f"an output is chosen by number or name, found {index!r}")
        if not -len(self) <= index < len(self):
            raise OutOfRangeError(f"output {index} of a symbol that has {len(self)}: {listed(self.list_outputs())}")
        return Symbol([self.heads[index]])

    def _slice(self, key):
        """Basic slicing as an operator of the graph."""
        if not all(isinstance(part, slice) for part in key):
            raise MXNetError(f"a Symbol is cut with slices only, found {key!r}: the number of axes may be unknown. Use "
                             "sym.slice_axis, sym.take or sym.reshape for the rest.")
        begin, end, step = (tuple(getattr(part, name) for part in key) for name in ("start", "stop", "step"))
        return compose(REGISTRY["slice"](begin=begin, end=end, step=step), [self],
                       attrs={"begin": str(begin), "end": str(end), "step": str(step)})

    def __repr__(self) -> str:
        if self.name is None:
            return f"<Symbol group [{', '.join(node.name for node, _ in self.heads)}]>"
        return f"<Symbol {self.name}>"

    def _repr_svg_(self) -> str | None:
        return ask("explain.symbol_drawing").symbol_svg(self)

    def _repr_html_(self) -> str | None:
        return ask("explain.symbol_drawing").symbol_html(self)

    def __call__(self, *args: Symbol, name: str | None = None, **kwargs: Symbol) -> Symbol:
        """The graph with other symbols in place of variables: `net(data=features)`. name: for the first output.

        Every variable of that name is replaced; the symbol itself stays as it is. Raises ArgumentError for a name that
        no input has.
        """
        if args:
            raise ArgumentError("compose a symbol by the names of its inputs, symbol(data=other): by position it is "
                                f"not clear which of {listed(self.list_inputs())} is meant.")
        for key, value in kwargs.items():
            if not isinstance(value, Symbol):
                raise ArgumentError(f"cannot compose: {key} must be a Symbol, found {type(value).__name__} {value!r}")
        return Symbol(compose_with(self.heads, kwargs, name))

    # -- what follows from the inputs ---------------------------------------------------------------------------

    def infer_shape(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        """(argument shapes, output shapes, auxiliary shapes) from known shapes, given by name or in order.

        args: shapes of arguments in the order of `list_arguments`; None where one is not known.
        kwargs: shapes by the names of variables.

        A given shape goes before the declared one. A length of 0 is unknown; one that nothing determines stays 0.
        (None, None, None) and a warning when a shape does not follow. Raises ShapeError, naming the node, where shapes
        contradict each other.

        >>> sym.FullyConnected(sym.var("x"), num_hidden=4).infer_shape(x=(2, 3))
        ([(2, 3), (4, 3), (4,)], [(2, 4)], [])
        """
        groups, problem = self._infer_shape(args, kwargs)
        if problem:
            strictness.warn(problem)
            return None, None, None
        return groups

    def _require_shape(self, **known):
        """`infer_shape` for this package's own use: raises MXNetError when a shape does not follow."""
        groups, problem = self._infer_shape((), known)
        if problem:
            raise MXNetError(problem)
        return groups

    def _infer_shape(self, args, kwargs):
        """(argument, output and auxiliary shapes, which of them do not follow, in words, or None)"""
        nodes = self.nodes()
        groups = self._grouped(nodes, infer.infer_given_shapes(nodes, _by_name(nodes, args, kwargs)))
        unknown = [n for n, s in zip(self.list_arguments(), groups[0], strict=True) if not is_known(s)]
        whole = not unknown and all(map(is_known, groups[1]))
        return groups, None if whole else (f"the shapes of {listed(unknown, none='the outputs')} do not follow from "
                                           "the given ones")

    def infer_shape_partial(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        """The same as far as it follows: 0 stands for an unknown length, () for an unknown shape.

        Under `mx.np_shape` they are -1 and None, here and in what is given.

        args, kwargs: as in `infer_shape`.

        >>> sym.FullyConnected(sym.var("x"), num_hidden=4, no_bias=True).infer_shape_partial(x=(2, 0))
        ([(2, 0), (4, 0)], [(2, 4)], [])
        """
        nodes = self.nodes()
        known = {name: read(shape) for name, shape in _by_name(nodes, args, kwargs).items()}
        groups = self._grouped(nodes, infer.infer_shapes(nodes, known))
        return tuple([write(shape) for shape in group] for group in groups)

    def infer_type(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, Any]:
        """(argument types, output types, auxiliary types) from known types, given by name or in order.

        args: types of arguments in the order of `list_arguments`; None where one is not known.
        kwargs: types by the names of variables.

        >>> arguments, outputs, _ = sym.exp(sym.var("x")).infer_type(x="float16")
        >>> outputs == [np.float16]
        True
        """
        nodes = self.nodes()
        known = {key: as_dtype(t) for key, t in _by_name(nodes, args, kwargs).items()}
        groups = self._grouped(nodes, infer.infer_dtypes(nodes, known))
        return tuple([None if t is None else t.type for t in group] for group in groups)

    infer_type_partial = infer_type         # MXNet has one that gives up, and this one

    def _grouped(self, nodes, found):
        arguments, auxiliary = variables(nodes)
        by_name = {n.name: found[n, 0] for n in (*arguments, *auxiliary)}
        return ([by_name[n.name] for n in arguments], [found[pair] for pair in self.heads],
                [by_name[n.name] for n in auxiliary])

    # -- files --------------------------------------------------------------------------------------------------

    def tojson(self, remove_amp_cast: bool = True) -> str:
        """The graph as JSON text, as MXNet 1.9.1 writes it; `sym.load_json` reads it.

        remove_amp_cast: True leaves out the casts that automatic mixed precision has put in.

        >>> sym.load_json((sym.var("a") + sym.var("b")).tojson()).list_inputs()
        ['a', 'b']
        """
        return json_file.tojson(self, remove_amp_cast)

    def save(self, fname: str | os.PathLike[str], remove_amp_cast: bool = True) -> None:
        """Write the text of `tojson` to a file, which `sym.load` reads; a crash leaves an old file whole.

        fname: the file.
        remove_amp_cast: True leaves out the casts that automatic mixed precision has put in.

        >>> (sym.var("a") + sym.var("b")).save("sum-symbol.json")
        >>> sym.load("sum-symbol.json").list_inputs()
        ['a', 'b']
        """
        json_file.save(self, fname, remove_amp_cast)

    # -- arithmetic ---------------------------------------------------------------------------------------------

    def _apply(self, row, other):
        """self ∘ other, as `Operators` asks for it."""
        if isinstance(other, Symbol):
            return compose(row.symbol, [self, other])
        number = as_number(other)
        return _not_taken(row, other) if number is None else _with_number(row.with_number(number), self, number)

    def _apply_left(self, row, other):
        number = as_number(other)
        return _not_taken(row, other) if number is None else _with_number(row.with_number_left(number), self, number)

    def _product(self, other):
        """Of matrices, as the shapes are not known here: with a vector it is F.dot that takes it."""
        return compose(REGISTRY["_linalg_gemm2"](), [self, other])

    def __abs__(self) -> Symbol:
        return compose(REGISTRY["abs"](), [self])

    def __neg__(self) -> Symbol:
        return _with_number(REGISTRY["_mul_scalar"](scalar=-1.0), self, -1.0)

    __array_ufunc__ = call_ufunc

    def __getattr__(self, name):
        raise absent(name)

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise NotImplementedForSymbol("a Symbol cannot be written to, since the nodes of a graph never change. Make a "
                                      "new value, as F.where and F.concat do.")

    def _in_place(self, other):
        raise NotImplementedForSymbol("a Symbol cannot be changed in place (+=, -=, *=, /=, %=), since the nodes of a "
                                      "graph never change. Write x = x + y instead of x += y.")

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __imod__ = _in_place

    def __bool__(self) -> NoReturn:
        raise NotImplementedForSymbol("a Symbol has no truth value, since it stands for a computation that has not "
                                      "run: `if` on data cannot be traced. Use F.where, or leave the block "
                                      "imperative.")


def _from_json(text):
    return ask("sym.json_load").load_own(text)


def compose(op, inputs, name_=None, attrs=None, own=None, hint=None, keywords=None):
    """The symbol of a new node that applies `op`. Inputs left out become variables such as '<name>_weight'.

    attrs: the operator's attributes as text. own: further ones of the program, `attr=`. keywords: those that it gave
    as keywords. hint: what an unnamed node is called.
    """
    node_name = name.current().get(name_, hint or hint_of(op))
    own = hide({**(keywords or {}), **attribute.current(), **(own or {})})
    require_hidden(op, node_name, own)
    attrs = {**own, **(attrs or {})}
    pairs = []
    for position, argument in enumerate(op.argument_names(len(inputs))):
        given = inputs[position] if position < len(inputs) else None
        if given is None:
            variable = Node(None, f"{node_name}_{argument}", (), dict(attrs))
            given = Symbol([(variable, 0)])
        if len(given) != 1:
            raise MXNetError(f"{op.name} {node_name!r}: input {argument} has {len(given)} outputs, expected one. "
                             "Choose one with symbol[i].")
        for key, text in initial(op, argument).items():
            if given.heads[0][0].op is None:
                given.heads[0][0].attrs.setdefault(key, text)
        pairs += given.heads
    node = Node(op, node_name, pairs, attrs, place=here())
    require_variables(node)
    return Symbol([(node, i) for i in range(node.num_visible_outputs)])


_STORAGE_TYPES = {"default": "0", "row_sparse": "1", "csr": "2"}


def Variable(name: str, attr: Any = None, shape: Any = None, lr_mult: float | None = None, wd_mult: float | None = None,
             dtype: Any = None, init: Any = None, stype: str | None = None, **kwargs: Any) -> Symbol:
    """A named input of a graph; `sym.var` for short.

    name: by which arrays are given for it.
    attr: a dict of attributes, as texts.
    shape: a tuple; 0, -1 and None stand for unknown dimensions (under `mx.np_shape` 0 does not).
    lr_mult: by what an optimizer multiplies its learning rate.
    wd_mult: by what an optimizer multiplies its weight decay.
    dtype: its element type; it follows from the rest if None.
    init: an initializer or its description.
    stype: storage of the array that an executor makes for it, see `nd.sparse`.
    kwargs: further attributes, of the form `__key__`.

    >>> x = sym.Variable("x", shape=(2, 3))
    >>> sym.sum(x, axis=1).infer_shape()[1]
    [(2,)]
    """
    if not isinstance(name, str):
        raise MXNetError(f"a variable's name must be a string, found {type(name).__name__} {name!r}")
    attrs = hide({**attribute.current(), **(attr or {})})
    if shape is not None:
        if not isinstance(shape, (tuple, list)) or not all(d is None or isinstance(d, integer_types)
                                                           for d in shape):
            raise MXNetError(f"variable {name!r}: shape is {shape!r}, expected a tuple of integers")
        attrs["__shape__"] = str(tuple(int(d) if d is not None else (-1 if is_np_shape() else 0) for d in shape))
        shape = read(shape)
    if dtype is not None:
        dtype = as_dtype(dtype)
        attrs["__dtype__"] = str(code_of(dtype))
    for key, value in (("__lr_mult__", lr_mult), ("__wd_mult__", wd_mult)):
        if value is not None:
            attrs[key] = str(value)
    if init is not None:
        attrs["__init__"] = init if isinstance(init, str) else init.dumps()
    if stype is not None:
        if stype not in _STORAGE_TYPES:
            raise ArgumentError(f"variable {name!r}: stype is {stype!r}, expected one of 'default', 'row_sparse', "
                                "'csr'")
        attrs["__storage_type__"] = _STORAGE_TYPES[stype]
    for key, value in kwargs.items():
        if not (key.startswith("__") and key.endswith("__")):
            raise MXNetError(f"variable {name!r}: unknown keyword {key!r}; attributes are written __{key}__")
        attrs[key] = str(value)
    return Symbol([(Node(None, name, (), attrs, shape, dtype), 0)])


var = Variable


def Group(symbols: Sequence[Symbol]) -> Symbol:
    """One symbol with the outputs of all.

    symbols: a list of symbols.

    >>> sym.Group([sym.var("a"), sym.var("b")]).list_outputs()
    ['a', 'b']
    """
    if not isinstance(symbols, (list, tuple)) or not symbols or not all(isinstance(s, Symbol) for s in symbols):
        raise MXNetError(f"Group takes a list of symbols, found {symbols!r}")
    return Symbol([pair for s in symbols for pair in s.heads])


def _by_name(nodes, args, kwargs):
    """{name: what is given for this variable}, of values in the order of the arguments and of values by name."""
    names, arguments = [n.name for n in nodes if n.op is None], [n.name for n in variables(nodes)[0]]
    if len(args) > len(arguments):
        raise ArgumentError(f"{len(args)} are given in order, but the symbol has {len(arguments)} arguments: "
                            f"{listed(arguments)}")
    for key in kwargs:
        if key not in names:
            raise ArgumentError(f"the symbol has no input {key!r}; its inputs are {listed(names)}."
                                + nearest(key, names))
    known = dict(zip(arguments, args, strict=False), **kwargs)
    return {key: value for key, value in known.items() if value is not None}


def _not_taken(row, other):
    """NotImplemented, so that Python tries the other operand. For an array, `==` would then be False without a word."""
    if isinstance(other, np.ndarray):
        raise CallError(f"{row.name}: a Symbol and a numpy.ndarray, here of shape {other.shape}, do not mix. In a "
                        "block make the array a parameter that is not learned: self.params.get_constant(name, array).")
    return NotImplemented


def _with_number(op, operand, number):
    text = attribute_text(int(number) if isinstance(number, (bool, np.bool_)) else number)
    return compose(op, [operand], attrs={"scalar": text})
