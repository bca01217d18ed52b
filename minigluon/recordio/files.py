"""Files of records, read and written one after the other.

A record is

    0xced7230a            4 bytes, little-endian, as all numbers here: the magic number
    part << 29 | length   4 bytes
    data                  `length` bytes, then zeros up to a multiple of 4

`part` is 0 for a whole record. Data that holds the magic number at a multiple of 4 is cut there, so that a reader which
starts anywhere finds the next record by looking for the number: the pieces are records with part 1 (first), 2
(between) and 3 (last), and the number that stood between two pieces is left out.
"""

from __future__ import annotations

import contextlib
import os
import struct
import threading
import warnings
from collections.abc import Iterator
from typing import Any

from ..base import ArgumentError, FileFormatError, MXNetError
from ..serialization import reading
from ..serialization.whole_files import Replacement, unwritable

__all__ = ["MXRecordIO", "framed", "write"]

MAGIC = struct.pack("<I", 0xCED7230A)
LENGTH_BITS = 29
WHOLE, FIRST, BETWEEN, LAST = range(4)


class MXRecordIO:
    """A file of records, read or written one after the other.

    Each record that `write` returns from has been given to the system: a process that is killed loses none, but what it
    was writing may be cut off. An open reader can be pickled and opens its file again; after a fork `reset` does.

    uri: the path.
    flag: 'r' to read, 'w' to write; writing empties a file that is there.
    strict: an error for an end that was cut off, which a reader else passes over with a warning?
    atomic: write beside the file, which `close` replaces in one step? Until then the old one stays, and for good when
        the writer is not closed, or a `with` block around it raises.

    Raises MXNetError when the file cannot be opened, ArgumentError for another flag.

    >>> with mx.recordio.MXRecordIO("data.rec", "w") as file:
    ...     file.write(b"first")
    ...     file.write(b"second")
    >>> file = mx.recordio.MXRecordIO("data.rec", "r")
    >>> file.read(), file.read(), file.read()
    (b'first', b'second', None)
    >>> file.reset()
    >>> file.read(), file.read_at(list(file.places())[1])
    (b'first', b'second')
    >>> file.close()
    >>> file.open()
    >>> file.close()
    """

    atomic: bool
    strict: bool
    is_open: bool
    pid: int | None

    def __init__(self, uri: Any, flag: int, *, strict: bool = False, atomic: bool = False) -> None:
        if flag not in ("r", "w"):
            raise ArgumentError(f"{type(self).__name__}: Invalid flag {flag}, expected 'r' or 'w'")
        self.uri: str = os.fspath(uri)
        self.flag = flag
        self.writable: bool = flag == "w"
        self.strict, self.atomic = strict, atomic and self.writable
        self.pid = None
        self.is_open = False
        self.open()

    def open(self) -> None:
        """Open the file at its beginning; for writing, empty it."""
        self._new = Replacement() if self.atomic else None
        self._file = self._opened(self.uri)
        self._lock = threading.RLock()
        self.pid = os.getpid()
        self.is_open = True

    def _opened(self, path):
        """The file, or the new one beside it."""
        if not self.atomic:
            return opened(path, self.flag)
        try:
            reading.require_name(path)
            aside = self._new.add(path)
        except OSError as error:
            raise MXNetError(unwritable(path, error)) from error
        return opened(aside, self.flag)

    def close(self) -> None:
        """Close the file. Does nothing when it is closed. Raises MXNetError when an atomic writer cannot replace it."""
        self._end(publish=True)

    def _end(self, publish):
        """Close the file. Of an atomic writer, the new one takes its name, or is removed."""
        if not self.is_open:
            return
        self._file.close()
        new, self._new = self._new, None
        of_this_process, self.pid, self.is_open = self.pid == os.getpid(), None, False
        if new is None or not of_this_process:
            return
        try:
            new.commit() if publish else new.discard()
        except OSError as error:
            raise MXNetError(unwritable(error.filename or self.uri, error)) from error

    def reset(self) -> None:
        """Begin again: at the first record, or, for writing, with an empty file."""
        self._end(publish=False)
        self.open()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, kind: Any, error: Any, where: Any) -> Any:
        self._end(publish=kind is None)

    def __del__(self) -> None:
        if getattr(self, "is_open", False):
            self._end(publish=False)

    def __getstate__(self) -> Any:
        """A writer is closed by pickling it, as in MXNet: two could not write one file."""
        was_open = self.is_open
        if self.writable:
            self.close()
        return {**{k: v for k, v in vars(self).items() if k not in ("_file", "_lock", "_new")}, "is_open": was_open}

    def __setstate__(self, state: Any) -> None:
        was_open = state.pop("is_open")
        self.__dict__.update(state, is_open=False, pid=None)
        if was_open:
            self.open()

    def write(self, buf: Any) -> None:
        """Append a record. buf: bytes, or anything with a buffer of bytes. Raises MXNetError when the disk is full."""
        self._require("written", writable=True)
        content = bytes(buf) if not isinstance(buf, str) else _refuse_text(buf)
        if len(content) >> LENGTH_BITS:
            raise ArgumentError(f"{self.uri}: a record holds less than {1 << LENGTH_BITS} bytes, found {len(content)}")
        with self._lock:
            write(self._file, framed(content), self.uri)

    def read(self) -> bytes | None:
        """The next record as bytes, or None at the end. Raises FileFormatError where the file is damaged."""
        self._require("read", writable=False)
        with self._lock:
            return self._next_whole()

    def read_at(self, place: Any) -> Any:
        """The record that begins at this byte, or None at the end. Threads may call it at the same time.

        place: the number of the byte.
        """
        self._require("read", writable=False)
        with self._lock:
            self._go(place)
            try:
                return self._next(place)
            except _CutOffError as error:
                raise self._damaged(place, str(error)) from None

    def _go(self, place):
        """Go to a byte, or to the end: systems refuse places that are far behind it."""
        self._file.seek(min(place, os.fstat(self._file.fileno()).st_size))

    def places(self) -> Iterator[Any]:
        """Where in the file each record begins, in order. The records themselves are not read."""
        self.reset()
        while True:
            with self._lock:
                start = self._file.tell()
                if self._next_whole(skip=True) is None:
                    return
            yield start

    def _next_whole(self, skip=False):
        """The record that begins where the file stands, or None where it is the last one and cut off."""
        start = self._file.tell()
        try:
            return self._next(start, skip)
        except _CutOffError as error:
            if self.strict or self._has_record_after(error.place):
                raise self._damaged(start, str(error)) from None
            size = self._file.seek(0, os.SEEK_END)
            warnings.warn(f"{self.uri}: the last {size - start} bytes, from byte {start} on, are passed over: {error}. "
                          "A writer was ended there. Records before it are whole.", stacklevel=3)

    def _has_record_after(self, place):
        """Does a record begin after the header at this byte? Then it is damaged, and not the last one and cut off."""
        self._file.seek(place + 4)
        while block := self._file.read(1 << 20):
            if len(_cut_at_magic(block)) > 1:
                return True
        return False

    def _next(self, start, skip=False):
        """The record that begins at `start`, where the file stands, or b"" in its place."""
        pieces = []
        while True:
            part, piece = self._piece(start, bool(pieces), skip)
            if piece is None:
                return None
            if (part in (BETWEEN, LAST)) != bool(pieces):
                raise self._damaged(start, "its pieces are not in order")
            pieces.append(piece)
            if part in (WHOLE, LAST):
                return pieces[0] if part == WHOLE else MAGIC.join(pieces)

    def _piece(self, start, inside, skip):
        """(part, bytes) of one header and what follows it; bytes None at the end of the file."""
        here = self._file.tell()
        header = self._file.read(8)
        if not header and not inside:
            return WHOLE, None
        if len(header) < 8:
            raise _CutOffError(here, f"it is cut off in a header, after {here + len(header)} bytes of the file")
        if header[:4] != MAGIC:
            if not any(header) and self._has_zeros_alone(here + 8):
                raise _CutOffError(here, "there are zeros up to the end, as after a power cut")
            raise self._damaged(start, f"byte {here} begins with {header[:4].hex(' ')}, expected {MAGIC.hex(' ')}")
        word = struct.unpack("<I", header[4:])[0]
        part, length = word >> LENGTH_BITS, word & (1 << LENGTH_BITS) - 1
        if part > LAST:
            raise self._damaged(start, f"byte {here + 4} holds the mark {part}, expected 0 to 3")
        left = os.fstat(self._file.fileno()).st_size - here - 8
        if length > left:           # asked before reading, so that a wrong length takes no memory
            raise _CutOffError(here, f"byte {here + 4} announces {length} bytes, and {left} are left")
        padding = -length % 4
        if skip:
            self._file.seek(min(length + padding, left), os.SEEK_CUR)
            return part, b""
        content = self._file.read(length)
        self._file.read(padding)
        return part, content

    def _has_zeros_alone(self, place):
        self._file.seek(place)
        return not any(any(block) for block in iter(lambda: self._file.read(1 << 16), b""))

    def _damaged(self, start, what):
        return FileFormatError(f"{self.uri}: the record at byte {start} is damaged: {what}. The file is cut off, or no "
                               "file of records, or the index belongs to another file. Records before it are whole.")

    def _require(self, done, *, writable):
        if not self.is_open:
            raise MXNetError(f"{self.uri} is closed. Call open() or reset().")
        if self.writable != writable:
            raise MXNetError(f"{self.uri} was opened with flag {self.flag!r}, so it cannot be {done}")
        if self.pid != os.getpid():
            raise MXNetError(f"{self.uri} was opened by process {self.pid}, and this is process {os.getpid()}, which "
                             "shares its place in the file. Call reset() in this process first.")


def opened(path: str, flag: str) -> Any:
    """A binary file. Written without a buffer: what is in one would be lost with the process, or written twice after a
    fork."""
    try:
        if flag == "r":
            return reading.opened(path)
        reading.require_name(path)
        return open(path, "wb", buffering=0)
    except OSError as error:
        what = "read" if flag == "r" else "write"
        raise MXNetError(f"cannot {what} {path!r}: {error.strerror}") from error


class _CutOffError(Exception):
    """The file ends before a record does, whose header is at `place`."""

    def __init__(self, place, what):
        super().__init__(what)
        self.place = place


def write(file: Any, content: bytes, path: str) -> None:
    """Append all of the content, or, where that fails, none of it: what follows a part of a record cannot be read."""
    start = file.tell() if file.seekable() else None
    try:
        rest = memoryview(content)
        while rest:                     # a system may take a part
            rest = rest[file.write(rest):]
    except BaseException as error:      # Ctrl-C, too
        if start is not None:
            with contextlib.suppress(OSError):
                file.seek(start)
                file.truncate()
        if not isinstance(error, OSError):
            raise
        raise MXNetError(f"cannot write {path!r}: {error.strerror}. What was written before is on the disk.") from error


def framed(content: bytes) -> bytes:
    """A record's bytes in the file."""
    pieces = _cut_at_magic(content)
    last = len(pieces) - 1
    parts = [WHOLE] if not last else [FIRST] + [BETWEEN] * (last - 1) + [LAST]
    out = []
    for part, piece in zip(parts, pieces, strict=True):
        out += [MAGIC, struct.pack("<I", part << LENGTH_BITS | len(piece)), piece]
    return b"".join([*out, bytes(-len(pieces[-1]) % 4)])


def _cut_at_magic(content):
    """The content without the magic numbers that stand at multiples of 4, as the pieces around them."""
    pieces, start, found = [], 0, content.find(MAGIC)
    while found >= 0:
        if found % 4 == 0:
            pieces.append(content[start:found])
            start = found + 4
        found = content.find(MAGIC, start if found % 4 == 0 else found + 1)
    return [*pieces, content[start:]]


def _refuse_text(buf):
    raise ArgumentError(f"write: a record is bytes, found the text {buf[:40]!r}. Write buf.encode().")
