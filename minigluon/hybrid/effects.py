"""Side effects of a graph: in training, a normalization overwrites its moving statistics."""

from functools import wraps

from ..symbol.graph import topological

__all__ = ["effects", "keeping_effects"]


def effects(draft):
    """Returns the number of nodes in a draft's forward part that overwrite an input when they run."""
    return sum(node.op is not None and bool(node.op.mutates) and (draft.train or not node.op.takes_train)
               for node in topological(draft.graph.heads[:draft.results]))


def keeping_effects(pass_):
    """Decorator for a pass that drops unread nodes: the pass is skipped if one of them has a side effect.

    In `zeros_like(BatchNorm(x))`, only the shape of the result is read, but the statistics are updated.
    """
    @wraps(pass_)
    def wrapper(draft):
        after = pass_(draft)
        return draft if effects(draft) > effects(after) else after
    return wrapper
