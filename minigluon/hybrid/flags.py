"""The options of `hybridize`: their names, and the memory saving that they request."""

from ..base import ArgumentError, numeric_types

__all__ = ["FLAGS", "saving"]

FLAGS = ("static_alloc", "static_shape", "inline_limit", "forward_bulk_size", "backward_bulk_size", "recompute",
         "memory", "passes")


def saving(flags):
    """Returns the requested saving: False, True for `recompute`, or the budget. Raises ArgumentError."""
    memory = flags.get("memory")
    if memory is None:
        return bool(flags.get("recompute"))
    if isinstance(memory, bool) or not isinstance(memory, numeric_types) or not memory > 0:
        raise ArgumentError(f"hybridize: memory is {memory!r}, expected a number of bytes, or a share between 0 and 1 "
                            "of what the plan needs that keeps everything")
    if flags.get("recompute"):
        raise ArgumentError("hybridize: memory says how much is computed again, and recompute=True to do as much of it "
                            "as there is. Give one of the two.")
    return float(memory)
