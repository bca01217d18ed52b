"""Tables in device memory: rows of addresses and numbers, for kernels that need more arrays than fit into arguments."""

import numpy as np

from minigluon.backend import Spec

from ..launch import In, Launch, Out, SourceFile
from .registry import kernel_for  # noqa: F401 - modules of kernels are imported together

__all__ = ["PIECE", "ROW", "in_pieces", "table_spec", "write_table"]

SOURCE = SourceFile("pointer_tables.cu")
AT_ONCE = 56        # the number of words per launch, as in pointer_tables.cu
ROW = 8             # the number of words per row, as in optimizer/multi_tensor.cu
PIECE = 4096        # the number of elements in a piece, which a block processes at once: arrays are cut into
                    # consecutively numbered pieces


def in_pieces(sizes):
    """Returns (index of the first piece of each array, total number of pieces)."""
    firsts, total = [], 0
    for size in sizes:
        firsts.append(total)
        total += -(-size // PIECE)
    return firsts, total


def table_spec(words):
    """Returns the Spec of a table of the given number of words, rounded up to whole launches."""
    return Spec((-(-words // AT_ONCE) * AT_ONCE,), np.dtype("int64"))


def write_table(table, words):
    """Returns the launches that write words to a Scratch: operands (their addresses), integers and floats."""
    words = [word if isinstance(word, (In, Out)) else np.float64(word) if isinstance(word, float) else np.int64(word)
             for word in words]
    words += [np.int64(0)] * (-len(words) % AT_ONCE)
    return [Launch(SOURCE, "write_words", {}, 1, 1, [table, first, *words[first:first + AT_ONCE]])
            for first in range(0, len(words), AT_ONCE)]
