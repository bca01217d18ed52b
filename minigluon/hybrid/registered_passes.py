"""Passes that a program defines: `register_pass` registers a pass under a name for `hybridize(passes=[...])`."""

import threading
from typing import NamedTuple

from ..backend.forgetting import forget_kernels
from ..base import ArgumentError, listed, nearest
from ..symbol.runnable import optimizers
from .compiler import PASSES
from .draft import Draft
from .specs import infer

__all__ = ["check_registered", "is_registered", "passes_for", "register_pass", "unregister_pass"]


class RegisteredPass(NamedTuple):
    """A pass defined by the program, and the name of the pass that it runs before."""

    pass_: object
    before: str


_registered = {}                # name -> Registered; changes create a new dict, so that readers need no lock
_changing = threading.Lock()


def register_pass(name, before="differentiate"):
    """Registers a pass under a name, for `hybridize(passes=[name])` and `optimize_for(..., backend=name)`.

    A pass is a function that takes a `minigluon.hybrid.Draft` and returns one. Registering a name again replaces
    the pass. Existing plans are rebuilt.

    before: the pass in `minigluon.hybrid.PASSES` that it runs before. By default it receives the traced and simplified
        graph, and gradients are derived from its result.

    Raises ArgumentError if there is no pass called `before`.

    >>> from minigluon.hybrid import register_pass, unregister_pass
    >>> @register_pass("count nodes")
    ... def count_nodes(draft):
    ...     print(len(draft.graph.nodes()), "nodes")
    ...     return draft
    >>> layer = nn.Dense(2, in_units=3)
    >>> layer.initialize()
    >>> layer.hybridize(passes=["count nodes"])
    >>> layer(nd.ones((5, 3))).shape
    4 nodes
    (5, 2)
    >>> unregister_pass("count nodes")
    """
    names = [pass_.__name__ for pass_ in PASSES]
    if before not in names:
        raise ArgumentError(f"register_pass: there is no pass {before!r} to run before, but {listed(names)}."
                            + nearest(before, names))

    def register(pass_):
        optimizers[name] = lambda symbol, input_specs: _optimized(symbol, input_specs, pass_)
        _change(lambda registered: {**registered, name: RegisteredPass(pass_, before)})
        return pass_
    return register


def unregister_pass(name):
    """Removes a registered pass. Plans that used it are rebuilt without it.

    Raises ArgumentError if there is no pass with that name.
    """
    check_registered([name])
    optimizers.pop(name, None)
    _change(lambda registered: {key: value for key, value in registered.items() if key != name})


def is_registered(name):
    """Returns whether a pass is registered under this name."""
    return name in _registered


def check_registered(names):
    """Raises ArgumentError if one of the names does not belong to a registered pass."""
    for name in names:
        if name not in _registered:
            raise ArgumentError(f"no pass is registered as {name!r}, but {listed(_registered) or 'none'}. "
                                "minigluon.hybrid.register_pass does that." + nearest(name, _registered))


def passes_for(flags):
    """Returns PASSES plus the passes named in the flags of `hybridize`, in order. Removed names are ignored."""
    passes = list(PASSES)
    for registered in map(_registered.get, flags.get("passes", ())):
        if registered is not None:
            place = next(k for k, pass_ in enumerate(passes) if pass_.__name__ == registered.before and pass_ in PASSES)
            passes.insert(place, registered.pass_)
    return passes


def _change(changed):
    global _registered
    with _changing:
        _registered = changed(_registered)
    forget_kernels()


def _optimized(symbol, input_specs, pass_):
    """Returns the result of a pass on a symbol outside a plan, with all Specs if `input_specs` is not empty."""
    draft = Draft(symbol, {}, input_specs=input_specs, variables=symbol.list_inputs(), results=len(symbol))
    return pass_(infer(draft)._replace(summary=None) if input_specs else draft).graph
