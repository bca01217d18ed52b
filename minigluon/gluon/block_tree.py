"""Operations on all blocks in a net: `apply`, `cast`, `hybridize`, `summary`, and `repr`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..base import CallError, MXNetError
from ..diagnostics import strictness
from ..diagnostics.foreign_names import BLOCKS
from ..diagnostics.keywords import ChecksKeywords, unknown_argument
from ..diagnostics.suggestions import missing
from .hooks import Hook
from .parameter import Parameter
from .parameter_snapshots import replace_together
from .summary import print_summary
from .tree_checks import Outermost, Tree, parts

__all__ = ["BlockTree", "check_arguments", "describe", "nested_too_deeply"]

Self = TypeVar("Self", bound="BlockTree")

_hybridizing = Outermost()


class NotConstructedError(MXNetError, AttributeError):
    """Raised on use of a block whose `__init__` did not call `super().__init__()`."""


class BlockTree(ChecksKeywords):
    """Mixin for Block that manages children and runs operations on all of them."""

    def __getattr__(self, key: str) -> Any:
        """Called only for attributes that do not exist."""
        if "_forward_pre_hooks" in self.__dict__ or key.startswith("__"):
            raise missing(f"{type(self).__name__!r} object", key, BLOCKS, lambda: dir(self))
        raise NotConstructedError(f"{type(self).__name__}.__init__ has to call super().__init__(**kwargs) before it "
                                   "sets layers and parameters, or asks the block for anything.")

    def __setattr__(self, key: str, value: Any) -> None:
        existing = self.__dict__.get(key)
        if isinstance(existing, (Parameter, BlockTree)) and not isinstance(value, type(existing)) \
                and not isinstance(existing, type(value)):
            raise CallError(f"{type(self).__name__} {self.name!r}: attribute {key} is a {type(existing).__name__} and "
                            f"cannot become a {type(value).__name__}")
        if isinstance(value, BlockTree):
            self.register_child(value, key)
        elif isinstance(value, Parameter):
            if self._reg_params.get(key, value) is not value:
                raise MXNetError(f"{type(self).__name__} {self.name!r}: attribute {key} already holds "
                                 f"{self._reg_params[key].described()}; a registered parameter cannot be replaced.")
            self._reg_params[key] = value
            value._set_owner(self)
        super().__setattr__(key, value)

    def __repr__(self) -> str:
        children = [(key, value) for key, value in self.__dict__.items() if isinstance(value, BlockTree)]
        return describe(self, children)

    def _repr_html_(self) -> str:
        from ..display.blocks import block_html
        return block_html(self, BlockTree.__repr__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for param in self._reg_params.values():     # a copied parameter no longer refers to its block
            param._set_owner(self)

    def register_child(self, block: Any, name: str | None = None) -> None:
        """Add a child. Assigning the block to an attribute does the same.

        block: the child.
        name: its part of structural names ('head.weight'); None uses the number of children, '0', '1', ...

        Raises CallError for anything that is not a block, and if the block would contain itself.

        >>> net = gluon.Block()
        >>> net.register_child(nn.Dense(2), "head")
        >>> print(net.collect_params())
        block0_ (
          Parameter dense0_weight (shape=(2, 0), dtype=float32)
          Parameter dense0_bias (shape=(2,), dtype=float32)
        )
        """
        if not isinstance(block, BlockTree):
            actual = f"the class {block.__name__}" if isinstance(block, type) else type(block).__name__
            if isinstance(block, type):
                remedy = f" Make an instance: {block.__name__}(...)."
            elif isinstance(block, (list, tuple)):
                remedy = " Unpack it: add(*layers)."
            else:
                remedy = " nn.Lambda creates one from a function." if callable(block) else ""
            raise CallError(f"{type(self).__name__} {self.name!r}: a child must be a Block, found {actual}.{remedy}")
        if id(self) in parts(block):
            raise CallError(f"{type(self).__name__} {self.name!r} would be a part of itself: the new child is it, or "
                            "has it inside. To store an outer block without making it a child, put it into a list, "
                            "self.outer = [block].")
        self._children[str(len(self._children)) if name is None else name] = block

    def cast(self, dtype: Any) -> None:
        """Convert all parameters to a different dtype.

        dtype: the new dtype, such as 'float16'.

        >>> layer = nn.Dense(2, in_units=3)
        >>> layer.initialize()
        >>> layer.cast("float16")
        >>> layer.weight.data().dtype
        <class 'numpy.float16'>
        """
        try:
            with replace_together():
                for child in self._children.values():
                    child.cast(dtype)
                for param in self.params.values():
                    param.cast(dtype)
        except RecursionError:
            raise nested_too_deeply(self) from None

    def register_op_hook(self, callback: Hook, monitor_all: bool = False) -> None:
        """Register `callback` with all hybrid children; see `HybridBlock.register_op_hook`."""
        for child in self._children.values():
            child.register_op_hook(callback, monitor_all)

    def apply(self: Self, fn: Callable[[Any], Any]) -> Self:
        """Call `fn(block)` for every child, depth first, then for this block. Returns the block.

        >>> net = nn.Sequential()
        >>> net.add(nn.Dense(4), nn.Dense(2))
        >>> net = net.apply(lambda block: print(block.name))
        dense0
        dense1
        sequential0
        """
        try:
            for child in self._children.values():
                child.apply(fn)
            fn(self)
        except RecursionError:
            raise nested_too_deeply(self) from None
        return self

    def graph_obstacle(self) -> Any:
        """Return the reason why a call of this block cannot be part of a larger graph, or None."""
        return f"{type(self).__name__} {self.name!r} is not hybridized"

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Hybridize all hybrid children. Warns once for the entire net about plain blocks, which stay imperative.

        active: if False, make them run imperatively again.
        kwargs: the flags of `HybridBlock.hybridize`.

        >>> net = nn.HybridSequential()
        >>> net.add(nn.Dense(4), nn.Dense(2))
        >>> net.initialize()
        >>> net.hybridize()             # from now on, one plan is made for each shape of arguments, and run
        >>> net(nd.ones((5, 3))).shape
        (5, 2)
        """
        outermost, _hybridizing.here = _hybridizing.here, False
        try:
            if outermost and active:
                _warn_of_plain(self)
            for child in self._children.values():
                child.hybridize(active, **kwargs)
        except RecursionError:
            raise nested_too_deeply(self) from None
        finally:
            _hybridizing.here = outermost

    def summary(self, *inputs: Any) -> None:
        """Run once on `inputs` and print each layer's output shape and number of parameters.

        >>> layer = nn.Dense(2)
        >>> layer.initialize()
        >>> layer.summary(nd.ones((5, 3)))          # doctest: +ELLIPSIS
        ---...
        ...Dense-1...(5, 2)...8...
        """
        print_summary(self, inputs)


def nested_too_deeply(block: Any) -> MXNetError:
    """Return the error for exceeding Python's recursion limit."""
    return MXNetError(f"{type(block).__name__} {block.name!r}: blocks are nested more deeply than Python's recursion "
                      f"limit, {sys.getrecursionlimit()}, or one calls itself. Put the layers into a single "
                      "Sequential, or raise the limit with sys.setrecursionlimit.")


def describe(block: Any, children: Iterable[tuple[str, Any]]) -> str:
    """Return 'Name(\\n  (key): child\\n)', with indented children."""
    if not children:
        return f"{type(block).__name__}(\n\n)"
    try:
        lines = [f"  ({key}): " + repr(child).replace("\n", "\n  ") for key, child in children]
    except RecursionError:
        raise nested_too_deeply(block) from None
    return f"{type(block).__name__}(\n" + "\n".join(lines) + "\n)"


def _warn_of_plain(net: Tree) -> None:
    """Warn about blocks in a net that `hybridize` cannot reach."""
    plain: dict[int, str] = {}
    todo = [net]
    while todo:
        block = todo.pop(0)
        if not hasattr(block, "hybrid_forward"):
            todo += block._children.values()
            if block is not net and not block._is_container:
                plain[id(block)] = f"{type(block).__name__} {block.name!r}"
    if plain:
        strictness.warn(f"hybridize on {type(net).__name__} {net.name!r}: these blocks in it are plain Blocks, which "
                        f"run imperatively: {', '.join(plain.values())}. Hybrid blocks around and inside them run as "
                        "separate graphs. Derive them from HybridBlock to get a single graph.")


def check_arguments(block: BlockTree, prefix: Any, params: Any, unknown: dict[str, object]) -> None:
    """Raise CallError for unknown arguments to a new block, and for a prefix or params of the wrong type."""
    if unknown:
        raise unknown_argument(type(block), unknown)
    if not isinstance(prefix, (str, type(None))):
        remedy = "; layers go into it by net.add(...)" if isinstance(prefix, BlockTree) else ""
        raise CallError(f"{type(block).__name__}: prefix is of type {type(prefix).__name__}, expected a string{remedy}")
    if params is not None and not hasattr(params, "prefix"):
        raise CallError(f"{type(block).__name__}: params is of type {type(params).__name__}, expected a ParameterDict, "
                        "such as the params of another block, whose parameters this one then shares")
