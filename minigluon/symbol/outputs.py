"""A Symbol's outputs: their names, individual outputs, and outputs of inner nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, cast

from ..base import ArgumentError, MXNetError, OutOfRangeError, listed
from ..diagnostics.strictness import is_lenient
from ..ops import REGISTRY, Op
from .graph import Handle

__all__ = ["Outputs"]

_Symbol = TypeVar("_Symbol", bound="Outputs")


class Outputs(Handle):
    """Mixin for Symbol that names and selects outputs."""

    @property
    def name(self) -> str:
        """The node's name; None for a group of several nodes.

        >>> sym.relu(sym.var("x"), name="act").name
        'act'
        """
        nodes = {node for node, _ in self.heads}
        return self.heads[0][0].name if len(nodes) == 1 else None       # type: ignore[return-value]

    def __repr__(self) -> str:
        if len({node for node, _ in self.heads}) != 1:
            return f"<Symbol group [{', '.join(node.name for node, _ in self.heads)}]>"
        return f"<Symbol {self.name}>"

    def list_outputs(self) -> list[str]:
        """Returns the names of the outputs.

        >>> sym.split(sym.var("x"), num_outputs=2, name="cut").list_outputs()
        ['cut_output0', 'cut_output1']
        """
        return [node.output_name(index) for node, index in self.heads]

    def get_internals(self: _Symbol) -> _Symbol:
        """Returns a group of all visible outputs of all nodes. `net.get_internals()["fc1_output"]` is a net that ends
        at that output.

        >>> y = sym.relu(sym.exp(sym.var("x"), name="e"), name="act")
        >>> y.get_internals().list_outputs()
        ['x', 'e_output', 'act_output']
        """
        return type(self)([(n, i) for n in self.nodes() for i in range(n.num_visible_outputs)])

    def get_children(self: _Symbol) -> _Symbol:
        """Returns the inputs of the node as a group; None for a variable. A node with several outputs counts once.

        >>> (sym.var("a") + sym.var("b")).get_children()
        <Symbol group [a, b]>
        """
        inputs = [pair for node in dict.fromkeys(node for node, _ in self.heads) for pair in node.inputs]
        return type(self)(inputs) if inputs else None       # type: ignore[return-value]

    def __iter__(self: _Symbol) -> Iterator[_Symbol]:
        return (type(self)([pair]) for pair in self.heads)

    def __getitem__(self: _Symbol, index: Any) -> _Symbol:
        """Returns the output whose position or name is `index`; a slice returns a group of outputs.

        A tuple of slices, or a slice of a symbol with one output, slices the array itself.

        >>> x = sym.var("x", shape=(2, 3, 4, 4))
        >>> x[:, :, 1:, 1:].infer_shape()[1]        # the last two axes without their first elements
        [(2, 3, 3, 3)]
        """
        if isinstance(index, slice):
            return self._group(cast(Any, index))
        if isinstance(index, tuple):
            return self._slice(cast(Any, index))
        if isinstance(index, str):
            names = self.list_outputs()
            if names.count(index) != 1:
                raise ArgumentError(f"the symbol has no single output {index!r}; its outputs are {listed(names)}")
            index = names.index(index)
        if not isinstance(index, int):
            raise MXNetError(f"an output is chosen by number or name, found {index!r}")
        if not -len(self) <= index < len(self):
            raise OutOfRangeError(f"output {index} of a symbol that has {len(self)}: {listed(self.list_outputs())}")
        return type(self)([self.heads[index]])

    def _group(self: _Symbol, index: slice) -> _Symbol:
        """Returns the outputs selected by a slice. With one output, the array is sliced, as for an NDArray; in MXNet,
        and therefore in lenient mode, x[0:1] is x. """
        pairs = self.heads[index]
        if len(self) == 1 and not (is_lenient() and pairs and index.stop in (None, 1)):
            return self._slice((index,))
        if not pairs:
            raise OutOfRangeError(f"{index} of a symbol with {len(self)} outputs, {listed(self.list_outputs())}, is "
                                  "empty; expected at least one of them")
        return type(self)(pairs)

    def _applied(self: _Symbol, op: Op, attrs: dict[str, str]) -> _Symbol:
        """Returns an operator applied to this symbol. attrs: its attributes as strings."""
        raise NotImplementedError

    def _slice(self: _Symbol, key: tuple[Any, ...]) -> _Symbol:
        """Returns basic slicing as an operator of the graph."""
        if not all(isinstance(part, slice) for part in key):
            raise MXNetError(f"a Symbol is cut with slices only, found {key!r}: the number of axes may be unknown. Use "
                             "sym.slice_axis, sym.take or sym.reshape for the rest.")
        begin, end, step = (tuple(getattr(part, name) for part in key) for name in ("start", "stop", "step"))
        return self._applied(REGISTRY["slice"](begin=begin, end=end, step=step),
                             {"begin": str(begin), "end": str(end), "step": str(step)})
