"""The actions of a launch's threads, taken from the emulated driver's records (see the driver's records.cpp)."""

import re
import subprocess
from functools import cached_property

import numpy as np

__all__ = ["BARRIER", "DYNAMIC", "GLOBAL", "READS", "RECORD", "UPDATES", "WRITES", "Trace"]

RECORD = np.dtype([("place", "u8"), ("address", "u8"), ("block", "u4"), ("thread", "u4"), ("size", "u4"),
                   ("kind", "u1"), ("space", "u1"), ("turn", "u2")])

READS, WRITES, UPDATES, BARRIER = range(4)
GLOBAL, _STATIC, DYNAMIC = range(3)     # space: memory of all blocks, or shared memory with or without a size

VERBS = {READS: "reads", WRITES: "writes", UPDATES: "updates"}


class Trace:
    """The records in the order in which the threads ran, and descriptions of them.

    records: an array of RECORD. places: {array: (address, the array)}. shared: {linker name: (offset, bytes)}.
    """

    def __init__(self, records, places, shared, grid, block, image):
        self.records, self.places, self.grid, self.block, self.image = records, places, grid, block, image
        self.shared = {re.sub(r"^_ZZ.*?E(\d+)(\w+?)(_\d+)?$", lambda m: m[2][:int(m[1])], name): where
                       for name, where in shared.items()}
        self.shapes = {}                # sizes of shared arrays, {name: (2, 3)}, if the source states them

    @property
    def threads(self):
        """The number of threads in a block."""
        return int(np.prod(self.block))

    @cached_property
    def accesses(self):
        """Returns the records without barriers."""
        return self.records[self.records["kind"] != BARRIER]

    def last_of(self, block, thread):
        """Returns the last access of a thread, given its indices and those of its block, or None if there is none."""
        mine = self.accesses[(self.accesses["block"] == _number(block, self.grid))
                             & (self.accesses["thread"] == _number(thread, self.block))]
        return mine[-1] if len(mine) else None

    def verb(self, record):
        """Returns 'reads', 'writes' or 'updates'."""
        return VERBS[int(record["kind"])]

    def thread(self, record):
        """Returns 'thread 3 of block 1'; in two dimensions 'thread (x=3, y=0) of block (x=1, y=2)'."""
        return self.thread_named(int(record["block"]), int(record["thread"]))

    def thread_named(self, block, thread):
        """Returns the thread's name, given the indices of its block and of the thread."""
        return f"thread {_index(thread, self.block)} of {self.block_named(block)}"

    def block_named(self, block):
        """Returns 'block 1', or 'block (x=1, y=2)'."""
        return f"block {_index(block, self.grid)}"

    def places_along(self, block, thread):
        """Returns a thread's position along x and y, among the threads of all blocks."""
        return (block % self.grid[0] * self.block[0] + thread % self.block[0],
                block // self.grid[0] % self.grid[1] * self.block[1] + thread // self.block[0] % self.block[1])

    def find(self, record):
        """Returns (array, element index) of an access, even beyond the array; (None, None) if there is no array."""
        address = int(record["address"])
        if record["space"] == GLOBAL:
            starts = {name: (start, array.nbytes) for name, (start, array) in self.places.items()}
        else:
            starts = self.shared
        near = [(max(start - address, address + 4 - start - size, 0), name, start)
                for name, (start, size) in starts.items()]
        if not near or min(near)[0] > 1 << 24:
            return None, None
        _far, name, start = min(near)
        return name, (address - start) // 4

    def element(self, record):
        """Returns 'out[3]' or 'tile[0][5]'."""
        name, number = self.find(record)
        if name is None:
            return "an address that is in no array"
        return self.element_named(name, number)

    def element_named(self, name, number):
        """Returns the element's name, given the array's name and the element's index."""
        shape = self.shape(name)
        size = int(np.prod(shape))
        if 0 <= number < size:
            return name + "".join(f"[{i}]" for i in np.unravel_index(number, shape))
        return f"{name}[{number}]"

    def shape(self, name):
        """Returns the shape of an array in global or shared memory."""
        if name in self.places:
            return self.places[name][1].shape
        return self.shapes.get(name) or (self.shared[name][1] // 4,)

    @cached_property
    def lines(self):
        """Returns {code address: line of the source, or None}."""
        places = np.unique(self.accesses["place"]).tolist()
        child = subprocess.run(["addr2line", "-a", "-i", "-e", str(self.image), *[hex(place - 1) for place in places]],
                               capture_output=True, text=True)
        line_of = dict.fromkeys(places)
        for line in child.stdout.splitlines():  # an address, then its line and those of the functions into which it is
                                               # inlined
            if line.startswith("0x"):
                place = int(line, 16) + 1
            elif line_of[place] is None and (match := re.search(r"\.cu:(\d+)", line)):
                line_of[place] = int(match[1])
        return line_of

    def line(self, record):
        """Returns the source line of an access, or None."""
        return self.lines.get(int(record["place"]))

    def at(self, record):
        """Returns ' in line 17', or an empty string."""
        line = self.line(record)
        return f" in line {line}" if line else ""


def _number(index, sizes):
    """Returns the flat index of a thread in its block, or of a block in the grid."""
    return index[0] + sizes[0] * (index[1] + sizes[1] * index[2])


def _index(number, sizes):
    """Returns a flat index as text: one number, or positions along the axes of `sizes`, such as (x=3, y=0)."""
    if sizes[1] == sizes[2] == 1:
        return str(number)
    x, y, z = number % sizes[0], number // sizes[0] % sizes[1], number // sizes[0] // sizes[1]
    return f"(x={x}, y={y})" if sizes[2] == 1 else f"(x={x}, y={y}, z={z})"
