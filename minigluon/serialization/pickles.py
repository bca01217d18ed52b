"""The reader of untrusted pickles as data, which neither imports nor calls anything that a pickle names.

A pickle is a program for a machine with a stack and a memo. This machine implements the instructions that Python 3
writes for data. Instead of an object, it creates a `StandIn` with the name of the class or function that would create
the object.

Time and memory are bounded by the length of the pickle, regardless of its content:

    sizes           are compared with the remaining bytes
    values          are counted as they are created; MAX_VALUES + length / 24 suffice for any file
    bytes           are views of the pickle, not copies
    keys            must have a cheap hash: numbers and strings
    shared values   must not form a tree that is much larger than the file or deeper than MAX_DEPTH
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from ..base import FileFormatError

__all__ = ["Named", "Reading", "StandIn", "excerpt", "read", "read_several"]

MAX_VALUES = 200_000      # an array counts as 16 values
MAX_DEPTH = 32
MAX_LINE = 256          # the longest name or number written as a line of text
MAX_TREE = 4            # the limit on a tree's size, as a multiple of the limit on values


class Named(NamedTuple):
    """A class or function, by name."""

    module: str
    name: str


class StandIn:
    """Placeholder for an object: its class or function, arguments, and state (or None)."""

    args: Any
    made_by: Any

    __slots__ = ("args", "made_by", "state")

    def __init__(self, made_by: Any, args: Any):
        self.made_by, self.args, self.state = made_by, args, None


class Reading(NamedTuple):
    """The treatment of a pickle's names.

    check: called with each Named in the pickle, which it may refuse.
    dicts: subclasses of dict; their instances become dicts, without attributes.
    persistent: called with each reference to a value outside the pickle, returns the value; None refuses references.
    """

    check: Callable[[Named], object]
    dicts: tuple[Named, ...] = ()
    persistent: Callable[[Any], Any] | None = None


def read(data: Any, check: Any, **treatment: Any) -> Any:
    """Return the value of a pickle. Bytes in it become memoryviews of `data`. Raises FileFormatError.

    check, treatment: see `Reading`.
    """
    machine = _Machine(data, Reading(check, **treatment))
    value = machine.run()
    if machine.stack or machine.place != len(data):
        raise machine.error(f"it ends here, but {len(machine.stack)} values and {len(data) - machine.place} bytes are "
                            "left over")
    _Trees(machine.most).measure(value)
    return value


def read_several(data: Any, start: int, count: int, reading: Reading) -> tuple[list[Any], int]:
    """Return (values of consecutive pickles, position after the last one). Raises FileFormatError."""
    values = []
    for _ in range(count):
        machine = _Machine(data, reading, start)
        values.append(machine.run())
        _Trees(machine.most).measure(values[-1])
        start = machine.place
    return values, start


def excerpt(value: Any) -> str:
    """Return a short form of any value, for messages."""
    if isinstance(value, (str, int, float, type(None))):
        text = repr(value)
        return text if len(text) <= 60 else text[:57] + "..."
    return f"a {type(value).__name__}"


class _Machine:
    """The machine: its stack, memo, and position in the data."""

    def __init__(self, data, reading, place=0):
        self.data, self.view, self.place = data, memoryview(data), place
        self.reading = reading
        self.stack, self.marks, self.memo = [], [], {}
        self.most = self.room = MAX_VALUES + len(data) // 24

    def run(self):
        """Execute the instructions up to STOP."""
        while (code := self.take(1)[0]) != _STOP:
            step = _STEPS.get(code)
            if step is None:
                raise self.error(f"the instruction {bytes([code])!r} is not one that Python 3 writes for data")
            step(self)
        return self.pop()

    def error(self, problem):
        return FileFormatError(f"at byte {max(self.place - 1, 0)}: {problem}")

    # -- bytes --------------------------------------------------------------------------------------------------

    def take(self, size):
        """Return a view of the next bytes."""
        if size > len(self.data) - self.place:
            raise FileFormatError(f"at byte {self.place}: {size} more bytes are needed, but "
                                  f"{len(self.data) - self.place} are left")
        self.place += size
        return self.view[self.place - size:self.place]

    def number(self, layout):
        """Read the next number in a `struct` layout."""
        return layout.unpack(self.take(layout.size))[0]

    def line(self, limit=MAX_LINE, encoding="utf-8"):
        """Read the next line of text, without its line ending."""
        end = self.data.find(b"\n", self.place, self.place + limit)
        if end < 0:
            raise self.error(f"a line of text has no end within {limit} bytes")
        return self.text(self.take(end + 1 - self.place)[:-1], encoding)

    def text(self, view, encoding="utf-8"):
        try:
            return str(view, encoding)
        except UnicodeDecodeError:
            raise self.error(f"a text is not valid {encoding}") from None

    # -- stack and memo -----------------------------------------------------------------------------------------

    def count(self):
        """Count a new value."""
        self.room -= 1
        if self.room < 0:
            raise self.error(f"it creates more than {self.most} values, more than any file of its "
                             f"{len(self.data)} bytes needs")

    def push(self, value):
        self.count()
        self.stack.append(value)

    def push_bytes(self, view):
        """Push a view, which takes as much memory as two values."""
        self.count()
        self.push(view)

    def pop(self):
        if len(self.stack) <= (self.marks[-1] if self.marks else 0):
            raise self.error("a value is taken from an empty stack")
        return self.stack.pop()

    def top(self, *kinds):
        """Return the top value, which must have one of these types."""
        value = self.pop()
        self.stack.append(value)
        if kinds and not isinstance(value, kinds):
            raise self.error(f"{excerpt(value)} is filled, expected a {kinds[0].__name__}")
        return value

    def mark(self):
        self.count()
        self.marks.append(len(self.stack))

    def since_mark(self):
        """Pop the values above the last mark."""
        if not self.marks:
            raise self.error("there is no mark")
        start = self.marks.pop()
        values = self.stack[start:]
        del self.stack[start:]
        return values

    def put(self, number):
        self.count()
        self.memo[number] = self.top()

    def get(self, number):
        if number not in self.memo:
            raise self.error(f"the memo has no value {number}")
        self.push(self.memo[number])

    # -- containers and objects ---------------------------------------------------------------------------------

    def tuple_of(self, size):
        values = [self.pop() for _ in range(size)]
        self.push(tuple(reversed(values)))

    def dict_of(self, values):
        self.push({})
        self.set_items(values)

    def frozen(self, values):
        self.push(frozenset(map(self.key, values)))

    def append(self, values):
        self.top(list).extend(values)

    def add(self, values):
        self.top(set).update(map(self.key, values))

    def set_items(self, values):
        if len(values) % 2:
            raise self.error("a key has no value")
        self.top(dict).update(zip(map(self.key, values[::2]), values[1::2], strict=True))

    def key(self, value, inner=False):
        """Return a value that may be a key; long numbers and nested tuples, whose hashes are slow, raise an error."""
        if isinstance(value, tuple) and not inner and len(value) <= 8:
            return tuple(self.key(part, inner=True) for part in value)
        if isinstance(value, (str, float, type(None))) or isinstance(value, int) and value.bit_length() <= 64:
            return value
        raise self.error(f"{excerpt(value)} is a key, expected a number, a text or a tuple of them")

    def named(self, module, name):
        if not isinstance(module, str) or not isinstance(name, str):
            raise self.error("a name is not text")
        self.reading.check(Named(module, name))
        self.push(Named(module, name))

    def call(self):
        """Create an object from a function and its arguments; `copyreg.__newobj__` stands for `new`."""
        args, function = self.pop(), self.pop()
        if function == ("copyreg", "__newobj__") and isinstance(args, tuple) and args:
            function, args = args[0], args[1:]
        self.stand_in(function, args)

    def new(self):
        args, cls = self.pop(), self.pop()
        self.stand_in(cls, args)

    def stand_in(self, made_by, args):
        if not isinstance(made_by, Named) or not isinstance(args, tuple):
            raise self.error(f"{excerpt(made_by)} is called with {excerpt(args)}, expected a name and a tuple")
        self.push({} if made_by in self.reading.dicts and not args else StandIn(made_by, args))

    def refer(self, key):
        if self.reading.persistent is None:
            raise self.error("it refers to a value outside of it")
        self.push(self.reading.persistent(key))

    def build(self):
        state, value = self.pop(), self.top()
        if self.reading.dicts and isinstance(value, dict):
            return
        if not isinstance(value, StandIn) or value.state is not None:
            raise self.error(f"{excerpt(value)} gets a state, expected an object without one")
        value.state = state

    def integer(self, text):
        """Parse a decimal number; in old protocols, 00 and 01 are False and True."""
        try:
            self.push({"00": False, "01": True}[text] if text in ("00", "01") else int(text.removesuffix("L")))
        except ValueError:
            raise self.error(f"{excerpt(text)} is not an integer") from None

    def raw_text(self):
        """Read text of protocol 0: a line with \\u escapes."""
        self.push(self.text(bytes(self.line(len(self.data)), "latin-1"), "raw-unicode-escape"))

    def floating(self, text):
        try:
            self.push(float(text))
        except ValueError:
            raise self.error(f"{excerpt(text)} is not a number") from None

    def protocol(self):
        if (version := self.take(1)[0]) > 5:
            raise self.error(f"it is written in protocol {version}, but 5 is the last known one")

    def frame(self):
        """Check the length of a frame; if it exceeds the data, the pickle is truncated."""
        start = self.place + _LONG.size
        self.take(self.number(_LONG))
        self.place = start


_BYTE, _SHORT, _INT, _SIGNED, _LONG, _DOUBLE = map(struct.Struct, ("<B", "<H", "<I", "<i", "<Q", ">d"))
_STOP = ord(".")


def _constant(value):
    return lambda m: m.push(value)


def _number(layout):
    return lambda m: m.push(m.number(layout))


def _text(layout):
    return lambda m: m.push(m.text(m.take(m.number(layout))))


def _bytes(layout):
    return lambda m: m.push_bytes(m.take(m.number(layout)))


def _put(layout):
    return lambda m: m.put(m.number(layout))


def _get(layout):
    return lambda m: m.get(m.number(layout))


def _tuple(size):
    return lambda m: m.tuple_of(size)


_STEPS = {ord(code): step for code, step in {
    "\x80": _Machine.protocol, "\x95": _Machine.frame,
    # constants, numbers, strings and bytes
    "N": _constant(None), "\x88": _constant(True), "\x89": _constant(False),
    "K": _number(_BYTE), "M": _number(_SHORT), "J": _number(_SIGNED), "G": _number(_DOUBLE),
    "\x8a": lambda m: m.push(int.from_bytes(m.take(m.number(_BYTE)), "little", signed=True)),
    "I": lambda m: m.integer(m.line()), "L": lambda m: m.integer(m.line()), "F": lambda m: m.floating(m.line()),
    "X": _text(_INT), "\x8c": _text(_BYTE), "\x8d": _text(_LONG), "V": lambda m: m.raw_text(),
    "B": _bytes(_INT), "C": _bytes(_BYTE), "\x8e": _bytes(_LONG),
    "\x96": lambda m: m.push(StandIn(Named("builtins", "bytearray"), (m.take(m.number(_LONG)),))),
    # containers
    "]": lambda m: m.push([]), "}": lambda m: m.push({}), "\x8f": lambda m: m.push(set()), ")": _constant(()),
    "(": _Machine.mark, "t": lambda m: m.push(tuple(m.since_mark())), "l": lambda m: m.push(m.since_mark()),
    "d": lambda m: m.dict_of(m.since_mark()),
    "\x85": _tuple(1), "\x86": _tuple(2), "\x87": _tuple(3), "\x91": lambda m: m.frozen(m.since_mark()),
    "a": lambda m: m.append([m.pop()]), "e": lambda m: m.append(m.since_mark()),
    "s": lambda m: m.set_items([m.pop(), m.pop()][::-1]), "u": lambda m: m.set_items(m.since_mark()),
    "\x90": lambda m: m.add(m.since_mark()),
    # the stack and the memo
    "0": _Machine.pop, "1": _Machine.since_mark, "2": lambda m: m.push(m.top()),
    "p": lambda m: m.put(m.line()), "g": lambda m: m.get(m.line()),
    "q": _put(_BYTE), "r": _put(_INT), "h": _get(_BYTE), "j": _get(_INT), "\x94": lambda m: m.put(len(m.memo)),
    # objects
    "c": lambda m: m.named(m.line(), m.line()), "\x93": lambda m: m.named(*[m.pop(), m.pop()][::-1]),
    "Q": lambda m: m.refer(m.pop()),
    "R": _Machine.call, "\x81": _Machine.new, "b": _Machine.build,
}.items()}


class _Trees:
    """The sizes of values as trees, in which shared values count at each occurrence, as in a traversal."""

    def __init__(self, most):
        self.most = MAX_TREE * most
        self.known = {}         # id of a container -> (values in its tree, depth)

    def measure(self, value, floor=0):
        """Return (values in the tree of `value`, its depth). Raises FileFormatError if either is too large."""
        parts = _parts(value)
        if not parts:
            return 1, 0
        size_and_depth = self.known.get(id(value))
        if size_and_depth is None:
            if floor >= MAX_DEPTH:
                raise FileFormatError(f"values are nested more than {MAX_DEPTH} deep")
            size, floors = 1, 0
            for part in parts:
                inner, below = self.measure(part, floor + 1)
                size, floors = size + inner, max(floors, below + 1)
            size_and_depth = self.known[id(value)] = size, floors
        if floor + size_and_depth[1] > MAX_DEPTH:
            raise FileFormatError(f"values are nested more than {MAX_DEPTH} deep")
        if size_and_depth[0] > self.most:
            raise FileFormatError(f"it has more than {self.most} values, counting shared ones at each occurrence")
        return size_and_depth


def _parts(value):
    """Return the parts of a value. Keys are kept short: see `_Machine.key`."""
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, StandIn):
        return [*value.args, value.state]
    return value if isinstance(value, (list, tuple)) and not isinstance(value, Named) else ()
