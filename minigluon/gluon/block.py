"""Block: the base class of all layers and networks. It contains parameters and children, names them, and runs.

Names. A block created inside `with parent.name_scope():` is named after its class and numbered within the parent: the
first Dense in a Sequential is 'sequential0_dense0_'. Its parameters have that prefix: 'sequential0_dense0_weight'.
Files written by `save_parameters` use the position in the tree instead: '0.weight'.
"""
# A block and the functions that name and observe its parts may use each other's private members.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, overload

from .. import name
from ..ndarray import NDArray
from ..symbol import Symbol
from .block_files import BlockFiles
from .block_params import BlockParams
from .block_tree import BlockTree, check_arguments, nested_too_deeply
from .hooks import BlockHooks, Hook
from .parameter import Parameter
from .parameter_dict import ParameterDict

__all__ = ["Block"]


class _BlockScope(threading.local):
    """The blocks whose `name_scope()` this thread is in, innermost last."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []


_scopes = _BlockScope()


class _NameScope:
    """The scope of `with block.name_scope():`, in which new blocks and symbols get the block's prefix."""

    def __init__(self, block: Block):
        self._block = block
        self._prefixes: list[name.Prefix] = []      # several if the program reenters the scope

    def __enter__(self) -> None:
        block = self._block
        if block._empty_prefix:         # prefix='' leaves naming to the enclosing block
            return
        _scopes.blocks.append(block)
        prefix = name.Prefix(block.prefix)
        prefix.__enter__()
        self._prefixes.append(prefix)

    def __exit__(self, *exc_info: object) -> None:
        if self._block._empty_prefix:
            return
        self._prefixes.pop().__exit__(*exc_info)
        _scopes.blocks.pop()


def _name_block(prefix: str | None, params: ParameterDict | None, hint: str) -> tuple[str, ParameterDict]:
    """Return (full prefix, ParameterDict) for a new block. `prefix` and `params` are the block's arguments."""
    parent = _scopes.blocks[-1] if _scopes.blocks else None
    if prefix is None:
        if parent is None:
            prefix = name.current().get(None, hint) + "_"
        else:
            count = parent._counters.get(hint, 0)
            parent._counters[hint] = count + 1
            prefix = f"{hint}{count}_"
    full = prefix if parent is None else parent.prefix + prefix
    if params is not None:
        return full, ParameterDict(params.prefix, params)
    if parent is None:
        return full, ParameterDict(full)
    return full, ParameterDict(parent.params.prefix + prefix, parent.params._shared)


class Block(BlockTree, BlockParams, BlockFiles, BlockHooks):
    """A part of a network: one layer or several.

    Subclasses create their children and parameters in `__init__` and compute in `forward`. Children and parameters
    that are set as attributes register themselves.

    prefix: the prefix of its parameters' and children's names; None derives it from the class name.
    params: a ParameterDict to share parameters with another block.
    unknown: any other argument raises a CallError that names the valid ones.

    >>> class Residual(gluon.Block):
    ...     def __init__(self, units, **kwargs):
    ...         super().__init__(**kwargs)
    ...         with self.name_scope():
    ...             self.inner = nn.Dense(units)
    ...     def forward(self, x):
    ...         return x + self.inner(x)
    >>> net = Residual(3)
    >>> net.initialize(init.Zero())
    >>> net(nd.array([[1, 2, 3]])).asnumpy().tolist()
    [[1.0, 2.0, 3.0]]
    >>> net.name, net.prefix, list(net.collect_params()), list(net.params)
    ('residual0', 'residual0_', ['residual0_dense0_weight', 'residual0_dense0_bias'], [])
    """

    _is_container = False   # whether the block only runs its children; `summary` omits such blocks
    was_called: bool = False   # whether a forward pass has reached the block, for messages

    def __init__(self, prefix: Any = None, params: ParameterDict | None = None, **unknown: object) -> None:
        check_arguments(self, prefix, params, unknown)
        self._empty_prefix = prefix == ""
        self._counters: dict[str, int] = {}         # counters for the names of children
        self._prefix, self._params = _name_block(prefix, params, self._alias())
        self._name = self._prefix[:-1] if self._prefix.endswith("_") else self._prefix
        self._children: OrderedDict[str, Block] = OrderedDict()
        self._reg_params: dict[str, Parameter] = {}
        self._forward_hooks: OrderedDict[int, Hook] = OrderedDict()
        self._forward_pre_hooks: OrderedDict[int, Hook] = OrderedDict()

    def _alias(self) -> str:
        """Return the name for blocks of this class: the class name in lower case."""
        return type(self).__name__.lower()

    # -- names --------------------------------------------------------------------------------------------------

    @property
    def prefix(self) -> str:
        """The prefix of its parameters' and children's names."""
        return self._prefix

    @property
    def name(self) -> str:
        """The prefix without the final underscore."""
        return self._name

    def name_scope(self) -> _NameScope:
        """Return a scope for `with`: children created inside it are named after this block."""
        return _NameScope(self)

    # -- running ------------------------------------------------------------------------------------------------

    # Usually a block takes one array and returns one. The result of a block that returns several arrays may still be
    # unpacked, because iterating over an array yields arrays. For several inputs, type checkers cannot know the result.
    @overload
    def __call__(self, x: NDArray, /) -> NDArray: ...
    @overload
    def __call__(self, x: Symbol, /) -> Symbol: ...
    @overload
    def __call__(self, *args: Any) -> Any: ...
    def __call__(self, *args: Any) -> Any:
        """Run `forward` and the hooks before and after it."""
        if not self.was_called:
            self.__dict__["was_called"] = True
        try:
            if self._forward_pre_hooks or self._forward_hooks:
                return self._call_with_hooks(args)
            return self.forward(*args)
        except RecursionError:
            raise nested_too_deeply(self) from None

    def forward(self, *args: Any) -> Any:
        """Compute the block's result. Subclasses override it."""
        raise NotImplementedError(f"{type(self).__name__} has no forward method. Write `def forward(self, x):`, or in "
                                  "a HybridBlock `def hybrid_forward(self, F, x):`.")
