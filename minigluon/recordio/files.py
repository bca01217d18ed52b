"""Sequential reading and writing of record files.

A record consists of

    0xced7230a            4 bytes, little-endian, as all numbers here: the magic number
    part << 29 | length   4 bytes
    data                  `length` bytes, then zeros up to a multiple of 4

`part` is 0 for a complete record. Data that contains the magic number at a multiple of 4 is split there, so that a
reader can start anywhere and find the next record by searching for the magic number. The pieces are records with part 1
(first), 2 (middle) and 3 (last), and the magic number between two pieces is omitted.
"""

from __future__ import annotations

import contextlib
import os
import struct
import threading
from collections.abc import Iterator
from typing import Any

from ..base import ArgumentError, FileFormatError, MXNetError
from ..common.memory import enough_memory
from ..diagnostics import strictness
from ..diagnostics.keywords import ChecksKeywords
from ..serialization import reading
from ..serialization.atomic_write import Replacement, unreadable, unwritable

__all__ = ["MXRecordIO", "framed", "write"]

MAGIC = struct.pack("<I", 0xCED7230A)
LENGTH_BITS = 29
WHOLE, FIRST, BETWEEN, LAST = range(4)


class MXRecordIO(ChecksKeywords):
    """A record file, read or written sequentially.

    When `write` returns, the record has been passed to the operating system. If the process is killed, no record is
    lost, but the one being written may be truncated. An unpickled reader reopens its file; after a fork, call `reset`.

    uri: the path.
    flag: 'r' to read, 'w' to write; writing truncates an existing file.
    strict: if True, raise an error for a truncated last record, which a reader otherwise skips with a warning.
    atomic: if True, write to a temporary file, which replaces the target in one step at `close`. The old file remains
        until then, and permanently if the writer is not closed or a `with` block around it raises an error.

    Raises MXNetError if the file cannot be opened, and ArgumentError for any other flag.

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
        """Open the file at its beginning, truncating a file that is opened for writing."""
        self._new = Replacement() if self.atomic else None
        self._file = self._opened(self.uri)
        self._lock = threading.RLock()
        self.pid = os.getpid()
        self.is_open = True

    def _opened(self, path):
        """Return the opened file or, for an atomic writer, the temporary file next to it."""
        if not self.atomic:
            return opened(path, self.flag)
        try:
            reading.require_name(path)
            aside = self._new.add(path)
        except OSError as error:
            raise MXNetError(unwritable(path, error)) from error
        return opened(aside, self.flag)

    def close(self) -> None:
        """Close the file, if it is open. Raises MXNetError if an atomic writer cannot replace the target."""
        self._end(publish=True)

    def _end(self, publish):
        """Close the file. Rename the temporary file of an atomic writer to the target, or remove it."""
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
        """Restart at the first record or, when writing, with an empty file."""
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
        """Close a writer when it is pickled, as in MXNet, because two writers cannot write to the same file."""
        was_open = self.is_open
        if self.writable:
            self.close()
        return {**{k: v for k, v in vars(self).items() if k not in ("_file", "_lock", "_new")}, "is_open": was_open}

    def __setstate__(self, state: Any) -> None:
        was_open = state.pop("is_open")
        self.__dict__.update(state, is_open=False, pid=None)
        if was_open:
            self.open()

    @enough_memory("MXRecordIO.write")
    def write(self, buf: Any) -> None:
        """Append a record. buf: bytes, or any object whose buffer holds bytes. Raises MXNetError if the disk is
        full."""
        self._require("written", writable=True)
        content = bytes(buf) if not isinstance(buf, str) else _refuse_text(buf)
        if len(content) >> LENGTH_BITS:
            raise ArgumentError(f"{self.uri}: a record must have less than {1 << LENGTH_BITS} bytes, found "
                                f"{len(content)}")
        with self._lock:
            write(self._file, framed(content), self.uri)

    def read(self) -> bytes | None:
        """Return the next record as bytes, or None at the end. Raises FileFormatError if the file is damaged."""
        self._require("read", writable=False)
        with self._lock:
            return self._next_whole()

    def read_at(self, place: Any) -> Any:
        """Return the record that begins at this byte, or None at the end. Threads may call this method concurrently.

        place: the byte offset.
        """
        self._require("read", writable=False)
        with self._lock:
            self._go(place)
            try:
                return self._next(place)
            except _CutOffError as error:
                raise self._damaged(place, str(error)) from None

    def _go(self, place):
        """Seek to a byte, or to the end if the byte is beyond it, because operating systems reject huge positions."""
        self._file.seek(min(place, os.fstat(self._file.fileno()).st_size))

    def places(self) -> Iterator[Any]:
        """Yield the byte offset of each record, in order, without reading the records."""
        self.reset()
        while True:
            with self._lock:
                start = self._file.tell()
                if self._next_whole(skip=True) is None:
                    return
            yield start

    def _next_whole(self, skip=False):
        """Return the record at the current position, or None if it is the last one and truncated."""
        start = self._file.tell()
        try:
            return self._next(start, skip)
        except _CutOffError as error:
            if self.strict or self._has_record_after(error.place):
                raise self._damaged(start, str(error)) from None
            size = self._file.seek(0, os.SEEK_END)
            strictness.warn(f"{self.uri}: the last {size - start} bytes, from byte {start} on, are skipped: {error}. "
                            "A writer was killed there. Earlier records are complete.")

    def _has_record_after(self, place):
        """Return whether a record follows the header at this byte, which is then damaged rather than truncated."""
        self._file.seek(place + 4)
        while block := self._file.read(1 << 20):
            if len(_cut_at_magic(block)) > 1:
                return True
        return False

    def _next(self, start, skip=False):
        """Return the record at `start`, the current position, or b"" if it is skipped."""
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
        """Return (part, bytes) of one header and its data; bytes is None at the end of the file."""
        here = self._file.tell()
        header = self._file.read(8)
        if not header and not inside:
            return WHOLE, None
        if len(header) < 8:
            raise _CutOffError(here, f"it is truncated in a header, after {here + len(header)} bytes of the file")
        if header[:4] != MAGIC:
            if not any(header) and self._has_zeros_alone(here + 8):
                raise _CutOffError(here, "there are zeros up to the end, as after a power cut")
            raise self._damaged(start, f"byte {here} begins with {header[:4].hex(' ')}, expected {MAGIC.hex(' ')}")
        word = struct.unpack("<I", header[4:])[0]
        part, length = word >> LENGTH_BITS, word & (1 << LENGTH_BITS) - 1
        if part > LAST:
            raise self._damaged(start, f"byte {here + 4} holds the mark {part}, expected 0 to 3")
        remaining = os.fstat(self._file.fileno()).st_size - here - 8
        if length > remaining:           # checked before reading, so that a wrong length does not allocate memory
            raise _CutOffError(here, f"byte {here + 4} announces {length} bytes, but {remaining} are left")
        padding = -length % 4
        if skip:
            self._file.seek(min(length + padding, remaining), os.SEEK_CUR)
            return part, b""
        content = self._file.read(length)
        self._file.read(padding)
        return part, content

    def _has_zeros_alone(self, place):
        self._file.seek(place)
        return not any(any(block) for block in iter(lambda: self._file.read(1 << 16), b""))

    def _damaged(self, start, what):
        return FileFormatError(f"{self.uri}: the record at byte {start} is damaged: {what}. The file is truncated, or "
                               "not a "
                               "record file, or the index belongs to another file. Earlier records are complete.")

    def _require(self, action, *, writable):
        if not self.is_open:
            raise MXNetError(f"{self.uri} is closed. Call open() or reset().")
        if self.writable != writable:
            raise MXNetError(f"{self.uri} was opened with flag {self.flag!r}, so it cannot be {action}")
        if self.pid != os.getpid():
            raise MXNetError(f"{self.uri} was opened by process {self.pid}, but this is process {os.getpid()}, which "
                             "shares its file position. Call reset() in this process first.")


def opened(path: str, flag: str) -> Any:
    """Open a binary file. Writing is unbuffered, because buffered data would be lost with the process, or written twice
    after a fork. """
    try:
        if flag == "r":
            return reading.opened(path)
        reading.require_name(path)
        return open(path, "wb", buffering=0)
    except OSError as error:
        if flag == "r":
            raise unreadable(path, error, "a record file or its index, as written by minigluon im2rec") from error
        raise MXNetError(unwritable(path, error)) from error


class _CutOffError(Exception):
    """Raised if the file ends within a record whose header is at `place`."""

    def __init__(self, place, what):
        super().__init__(what)
        self.place = place


def write(file: Any, content: bytes, path: str) -> None:
    """Append all of the content or, if that fails, none of it, because nothing after a partial record could be read."""
    start = file.tell() if file.seekable() else None
    try:
        remaining = memoryview(content)
        while remaining:                # the system may write only part of it
            remaining = remaining[file.write(remaining):]
    except BaseException as error:      # any exception, including Ctrl-C
        if start is not None:
            with contextlib.suppress(OSError):
                file.seek(start)
                file.truncate()
        if not isinstance(error, OSError):
            raise
        raise MXNetError(f"cannot write {path!r}: {error.strerror}. Everything written before is on disk.") from error


def framed(content: bytes) -> bytes:
    """Return a record's bytes as they are stored in the file."""
    pieces = _cut_at_magic(content)
    last = len(pieces) - 1
    parts = [WHOLE] if not last else [FIRST] + [BETWEEN] * (last - 1) + [LAST]
    out = []
    for part, piece in zip(parts, pieces, strict=True):
        out += [MAGIC, struct.pack("<I", part << LENGTH_BITS | len(piece)), piece]
    return b"".join([*out, bytes(-len(pieces[-1]) % 4)])


def _cut_at_magic(content):
    """Split the content at magic numbers at multiples of 4, and return the pieces without these numbers."""
    pieces, start, place = [], 0, content.find(MAGIC)
    while place >= 0:
        if place % 4 == 0:
            pieces.append(content[start:place])
            start = place + 4
        place = content.find(MAGIC, start if place % 4 == 0 else place + 1)
    return [*pieces, content[start:]]


def _refuse_text(buf):
    raise ArgumentError(f"write: a record must be bytes, found the string {buf[:40]!r}. Write buf.encode().")
