"""Rules about memory use that even a correct kernel should follow. A puzzle names the rules that it teaches.

A warp is 32 threads that execute the same instruction at once. The memory accesses of its threads in that instruction
are served together. Shared memory has 32 banks, each of which delivers one word of four bytes at a time, and word i is
in bank i % 32; global memory delivers pieces of 32 bytes.
"""

import numpy as np

from .diagnostics import Mistake
from .trace import GLOBAL, READS

__all__ = ["coalesced", "no_bank_conflicts", "reads_at_most"]

WARP, BANKS, PIECE = 32, 32, 32


def reads_at_most(times, *arrays):
    """Returns the rule that no element of these arrays may be read from global memory more than `times` times.

    times: a number, or a function of the grid size.
    """
    def rule(trace):
        limit = times(trace.grid) if callable(times) else times
        reads = trace.accesses[(trace.accesses["space"] == GLOBAL) & (trace.accesses["kind"] == READS)]
        for name in arrays:
            start, array = trace.places[name]
            of_array = reads[(reads["address"] >= start) & (reads["address"] < start + array.nbytes)]
            counts = np.bincount((of_array["address"] - start).astype(int) // 4, minlength=array.size)
            if counts.max() > limit:
                often = int(counts.argmax())
                access = of_array[of_array["address"] == start + 4 * often][-1]
                raise Mistake(
                    f"right, but {trace.element_named(name, often)} is read {counts[often]} times from global "
                    f"memory{trace.at(access)}; expected {_times(limit)}: fetch it into shared memory, from which all "
                    "threads of the block can read it", trace.line(access))
    often = "once for each block that needs it" if callable(times) else _times(times)
    rule.says = f"no element of {' and '.join(arrays)} is read more than {often} from global memory"
    return rule


def _times(number):
    return "once" if number == 1 else "twice" if number == 2 else f"{number} times"


def no_bank_conflicts(trace):
    """Checks the rule that the threads of a warp never need two words from the same bank at once."""
    for access in _together(trace, trace.accesses["space"] != GLOBAL):
        words = np.unique(access["address"] // 4)
        banks, counts = np.unique(words % BANKS, return_counts=True)
        if counts.max() > 1:
            several = access[(access["address"] // 4) % BANKS == banks[counts.argmax()]]
            first, second = several[0], several[several["address"] != several[0]["address"]][0]
            raise Mistake(
                f"right, but with bank conflicts: {trace.thread(first)} {trace.verb(first)} {trace.element(first)} and "
                f"{trace.thread(second)} {trace.element(second)} at once{trace.at(first)}. Their places differ by a "
                f"multiple of {BANKS} words, so they are in one bank, and the warp is served in {counts.max()} turns "
                "instead of one. One more column in the tile moves each row on by one bank", trace.line(first))


no_bank_conflicts.says = "no bank conflicts in shared memory"


def coalesced(trace):
    """Checks the rule that adjacent threads use adjacent elements in global memory."""
    for access in _together(trace, trace.accesses["space"] == GLOBAL):
        pieces = len(np.unique(access["address"] // PIECE))
        if pieces > len(access) * 4 // PIECE + 2:
            first, second = access[0], access[1]
            raise Mistake(
                f"right, but not coalesced: {trace.thread(first)} {trace.verb(first)} {trace.element(first)} and "
                f"{trace.thread(second)}, its neighbour, {trace.element(second)}{trace.at(first)}. The {len(access)} "
                f"threads of a warp need {pieces} pieces of memory at once instead of {-(-len(access) * 4 // PIECE)}: "
                "let threadIdx.x count the elements that lie side by side", trace.line(first))


coalesced.says = "threads side by side use elements side by side in global memory"


def _together(trace, selection):
    """Yields an array of records for each set of simultaneous accesses by the threads of a warp.

    These are accesses from the same code address: each thread's first access, each thread's second, and so on.
    """
    records = trace.accesses[selection]
    if not len(records):
        return
    records = records[np.lexsort((records["place"], records["thread"], records["block"]))]
    new = _changes(records, "block", "thread", "place")
    rank = np.arange(len(records)) - np.maximum.accumulate(np.where(new, np.arange(len(records)), 0))
    order = np.lexsort((records["thread"], rank, records["place"], records["thread"] // WARP, records["block"]))
    records, rank = records[order], rank[order]
    new = _changes(records, "block", "place") | (np.diff(rank, prepend=-1) != 0) | (
        np.diff(records["thread"] // WARP, prepend=0) != 0)
    new[0] = True
    yield from np.split(records, np.flatnonzero(new)[1:])


def _changes(records, *fields):
    """Returns the positions of records that differ from the previous record in one of the fields."""
    changed = np.zeros(len(records), bool)
    changed[0] = True
    for field in fields:
        changed[1:] |= records[field][1:] != records[field][:-1]
    return changed
