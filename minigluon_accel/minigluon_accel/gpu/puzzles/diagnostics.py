"""Diagnoses of failed launches, in sentences that name the mistake. Only this module parses the driver's reports.

Each function raises Mistake, or returns if it finds nothing.
"""

import re

import numpy as np

from .trace import BARRIER, DYNAMIC, GLOBAL, READS, WRITES

__all__ = ["Mistake", "look_at_barriers", "look_at_error", "look_at_out", "look_at_races", "look_at_unset"]


class Mistake(Exception):
    """A description of a kernel's mistake, and its line in the file."""

    def __init__(self, text, line=None):
        super().__init__(text)
        self.line = line


BARRIERS = re.compile(r"thread \((?P<x>\d+),(?P<y>\d+),(?P<z>\d+)\): waits at a barrier at \S+?:(?P<line>\d+) while "
                      r"thread \((?P<ox>\d+),(?P<oy>\d+),(?P<oz>\d+)\) waits at one at \S+?:(?P<other>\d+)")
OUTSIDE = re.compile(r"index (-?\d+) is outside of its array, at \S+?:(\d+)")
HEAD = re.compile(r"^kernel '\w+'(, block \(\d+,\d+,\d+\)(, thread \(\d+,\d+,\d+\))?)?:? ?")


def look_at_error(error, trace, source):
    """Diagnoses the driver's report of a launch that it has rejected or aborted."""
    if error is None:
        return
    if "has no kernel" in error:
        raise Mistake(f"your file has no kernel {re.search('kernel .(.*?).[.] ', error)[1]} any more: keep "
                      "extern \"C\" __global__ void, its name and its parameters unchanged")
    if "bytes of arguments" in error:
        raise Mistake("the parameters of your kernel are not those of the puzzle: leave that line as it was")
    access = _refused(error, trace)
    if "race in" in error and access is not None:
        look_at_races(trace)
        _race(trace, access)
    if match := BARRIERS.search(error):
        raise Mistake(
            "threads of one block wait at two different barriers: some at the __syncthreads() in line "
            f"{match['other']}, some at that in line {match['line']}. All threads of a block must reach the same "
            "one: do not put a barrier in an if or a loop that only some of them enter", int(match["line"]))
    if "wait for ever" in error:
        raise Mistake("a deadlock: " + HEAD.sub("", error))
    if match := OUTSIDE.search(error):
        _outside_of_shared(int(match[1]), int(match[2]), trace, source, _thread(error))
    if re.search(r"\b(reads|writes|updates) ", error) and access is not None:
        _outside(trace, access)
    raise Mistake("the emulated GPU says: " + HEAD.sub("", error))


def _thread(error):
    """Returns (block index, thread index) from a report, or None."""
    match = re.search(r"block \((\d+),(\d+),(\d+)\), thread \((\d+),(\d+),(\d+)\)", error)
    numbers = list(map(int, match.groups())) if match else []
    return (numbers[:3], numbers[3:]) if match else None


def _refused(error, trace):
    """Returns the access that a report is about, which is the last access by the thread that it names, or None."""
    thread = _thread(error)
    return trace.last_of(*thread) if thread else None


def _outside(trace, access):
    """Diagnoses an access to memory outside all arrays."""
    if access["space"] == DYNAMIC:
        raise Mistake("this launch has no dynamic shared memory: give the array a size, as in __shared__ float "
                      "name[THREADS], without extern", trace.line(access))
    name, number = trace.find(access)
    who = f"{trace.thread(access)} {trace.verb(access)} {trace.element(access)}{trace.at(access)}"
    if name is None:
        raise Mistake(who, trace.line(access))
    shape = trace.shape(name)
    size = int(np.prod(shape))
    raise Mistake(f"{who}, but {name} has {' x '.join(map(str, shape))} elements, {name}[0] to {name}[{size - 1}]: "
                  + _why_outside(trace, access, number, size), trace.line(access))


def _why_outside(trace, access, number, size):
    """Returns the likely reason for an index, given its thread. Threads run in reverse order, so the last thread comes
    first."""
    if number < 0:
        return "there is nothing before the first element"
    thread, block = int(access["thread"]), int(access["block"])
    if number == block * trace.threads + thread:
        last = thread == trace.threads - 1
    elif trace.block[1] > 1 and number in trace.places_along(block, thread):
        last = True
    else:
        more = trace.threads * int(np.prod(trace.grid)) > size
        return "this index goes too far" + ". Is a guard missing for it?" * more
    if number == size and not last:
        return "one too far. Does a comparison have <= where it needs <?"
    return "a guard is missing. A thread that has no element of its own must not touch one"


def _outside_of_shared(index, line, trace, source, thread):
    """Diagnoses an index of an array whose sizes are in the source."""
    text = source.splitlines()[line - 1]
    name = next((name for name in trace.shared if re.search(rf"\b{name}\s*\[", text)), None)
    if name is None:
        raise Mistake(f"index {index} in line {line} is outside of its array", line)
    sizes = "".join(f"[{length}]" for length in trace.shape(name))
    why = ""
    if thread and thread[0][0] and index == thread[0][0] * trace.block[0] + thread[1][0]:
        why = ": shared memory is indexed within a block, from 0, not along the whole array"
    raise Mistake(f"line {line} uses index {index} of {name}, which has the size {sizes}{why}", line)


def _race(trace, later):
    """Diagnoses two unordered accesses to one element by two threads of a block."""
    same = trace.accesses
    same = same[(same["block"] == later["block"]) & (same["space"] == later["space"])
                & (same["address"] == later["address"]) & (same["thread"] != later["thread"])
                & (same["turn"] == later["turn"])]
    if later["kind"] == READS:
        same = same[same["kind"] != READS]
    if not len(same):
        raise Mistake(f"a race: {trace.thread(later)} {trace.verb(later)} {trace.element(later)}{trace.at(later)}, and "
                      "another thread uses it at the same time", trace.line(later))
    _tell_race(trace, same[-1], later)


def _tell_race(trace, one, other):
    if (trace.line(one) or 0) > (trace.line(other) or 0):
        one, other = other, one
    what, line = trace.element(one), trace.line(other)
    if one["kind"] == other["kind"] == WRITES:
        why = ("The block index is missing in the index" if one["block"] != other["block"]
               and one["thread"] == other["thread"] else "Let only one thread write each element")
        raise Mistake(f"a race for {what}: {trace.thread(one)} and {trace.thread(other)} both write it"
                      f"{trace.at(other)}. {why}", line)
    why = (", with no __syncthreads() between the two" if trace.find(one)[0] in trace.shared else "")
    raise Mistake(f"a race for {what}: {trace.thread(one)} {trace.verb(one)} it{trace.at(one)}, and "
                  f"{trace.thread(other)} {trace.verb(other)} it{trace.at(other)}{why}. Which of them comes first is "
                  "a matter of chance", line)


def look_at_races(trace):
    """Finds global memory that two threads use without a barrier in between, if at least one of them writes."""
    accesses = trace.accesses[trace.accesses["space"] == GLOBAL]
    accesses = accesses[np.lexsort((accesses["thread"], accesses["block"]))]
    for address in _used_by_several(accesses):
        here = accesses[accesses["address"] == address]
        for write in here[here["kind"] == WRITES]:
            other = here[(here["block"] != write["block"])
                         | ((here["thread"] != write["thread"]) & (here["turn"] == write["turn"]))]
            if len(other):
                _tell_race(trace, write, other[0])


def _used_by_several(accesses):
    """Returns the addresses that are written to and that more than one thread uses."""
    if not len(accesses):
        return []
    accesses = accesses[np.argsort(accesses["address"], kind="stable")]
    starts = np.flatnonzero(np.diff(accesses["address"], prepend=accesses["address"][0] - 1))
    threads = accesses["block"].astype("u8") << 32 | accesses["thread"]
    several = np.minimum.reduceat(threads, starts) != np.maximum.reduceat(threads, starts)
    is_write = np.logical_or.reduceat(accesses["kind"] == WRITES, starts)
    return accesses["address"][starts][several & is_write]


def look_at_barriers(trace):
    """Finds a barrier that opened before all threads of the block had reached it."""
    barriers = trace.records[trace.records["kind"] == BARRIER]
    short = barriers[barriers["size"] < trace.threads]
    if len(short):
        line = int(short[0]["place"])
        raise Mistake(
            f"only {short[0]['size']} of the {trace.threads} threads of {trace.block_named(int(short[0]['block']))} "
            f"came to the __syncthreads() in line {line}. A card may then wait forever: no thread may return before "
            "a barrier, or skip it with an if", line)


def look_at_unset(trace):
    """Finds shared memory that is read before any thread of the block has written it."""
    shared = trace.accesses[trace.accesses["space"] != GLOBAL]
    keys = shared["block"].astype("u8") << 40 | shared["space"].astype("u8") << 32 | shared["address"]
    _read_first(trace, shared, keys, ", which no thread has written: shared memory begins with nothing useful in it")


def look_at_out(trace):
    """Finds reads of the result before anything has been written to it."""
    start, out = trace.places["out"]
    address = trace.accesses["address"]
    of_out = trace.accesses[(trace.accesses["space"] == GLOBAL) & (address >= start) & (address < start + out.nbytes)]
    _read_first(trace, of_out, of_out["address"],
                " before anything is written there: out begins with nothing useful in it")


def _read_first(trace, accesses, keys, why):
    """Raises Mistake if the first access to a target is a read. keys: the target of each access."""
    reads, writes = np.flatnonzero(accesses["kind"] == READS), np.flatnonzero(accesses["kind"] != READS)
    read, first_reads = np.unique(keys[reads], return_index=True)
    addresses, first_writes = np.unique(keys[writes], return_index=True)
    first = dict(zip(addresses.tolist(), writes[first_writes].tolist(), strict=True))
    early = [at for key, at in zip(read.tolist(), reads[first_reads].tolist(), strict=True)
             if at < first.get(key, len(accesses))]
    if early:
        record = accesses[min(early)]
        what = f"{trace.thread(record)} reads {trace.element(record)}{trace.at(record)}"
        raise Mistake(what + why, trace.line(record))
