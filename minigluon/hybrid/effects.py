"""Effects of a graph in addition to its results: in training, a normalization overwrites its moving statistics."""

from functools import wraps

from ..symbol.graph import topological

__all__ = ["effects", "keeping_effects"]


def effects(draft):
    """Returns the number of nodes in the forward part of a draft that overwrite an input when they run."""
    return sum(node.op is not None and bool(node.op.mutates) and (draft.train or not node.op.takes_train)
               for node in topological(draft.graph.heads[:draft.results]))


def keeping_effects(pass_):
    """Decorator for a pass that drops nodes whose values nobody reads: it does nothing if one of them has an effect.

    In `zeros_like(BatchNorm(x))` only the shape of the result is read, but its statistics move.
    """
    @wraps(pass_)
    def kept(draft):
        after = pass_(draft)
        return draft if effects(draft) > effects(after) else after
    return kept
