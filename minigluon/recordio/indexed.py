"""Record files with an index file."""

from __future__ import annotations

import os
from typing import Any

from ..base import FileFormatError, MXNetError
from ..diagnostics import strictness
from ..serialization.atomic_write import reading_together, replacing
from ..serialization.reading import numbered, within_memory
from .files import MAGIC, MXRecordIO, write

__all__ = ["MXIndexedRecordIO", "MissingRecordError", "write_index"]


class MissingRecordError(MXNetError, KeyError):
    """Raised for a key that is not in the index.

    >>> with mx.recordio.MXIndexedRecordIO("data.idx", "data.rec", "w") as file:
    ...     file.write_idx(5, b"five")
    >>> with mx.recordio.MXIndexedRecordIO("data.idx", "data.rec", "r") as file:
    ...     try:
    ...         file.read_idx(6)
    ...     except mx.recordio.MissingRecordError:
    ...         print("no record 6")
    no record 6
    """

    __str__ = BaseException.__str__         # KeyError's own method adds quotes


class MXIndexedRecordIO(MXRecordIO):
    """A record file with an index file, so that records can be read by key.

    idx_path: the index, a text file with a line 'key TAB offset' for each record.
    key_type: int or str.
    keys: all keys in file order.
    idx: {key: byte offset}. Threads may call `read_idx`, or `write_idx`, concurrently.
    strict, atomic: as in MXRecordIO; both files are replaced together.
    uri: the record file.
    flag: 'r' to read, 'w' to write.

    >>> with mx.recordio.MXIndexedRecordIO("data.idx", "data.rec", "w") as file:
    ...     file.write_idx(5, b"five")
    ...     file.write_idx(7, b"seven")
    ...     print(file.tell() > 0)
    True
    >>> with mx.recordio.MXIndexedRecordIO("data.idx", "data.rec", "r") as file:
    ...     print(file.keys, file.read_idx(7))
    ...     file.seek(5)
    ...     print(file.read())
    [5, 7] b'seven'
    b'five'
    """

    idx: dict[Any, Any]
    keys: list[Any]

    def __init__(self, idx_path: Any, uri: Any, flag: int, key_type: str = int, *, strict: bool = False,
                 atomic: bool = False) -> None:
        self.idx_path = os.fspath(idx_path)
        self.key_type = key_type
        super().__init__(uri, flag, strict=strict, atomic=atomic)

    def open(self) -> None:
        self.idx, self.keys = {}, []
        self.fidx = None
        try:
            with reading_together(None if self.writable else self.uri, self.idx_path):
                super().open()
                self.fidx = self._opened(self.idx_path)
            if not self.writable:
                self._read_index()
                self.fidx.close()
        except MXNetError:
            self._end(publish=False)
            raise

    def _read_index(self):
        with within_memory(self.fidx):
            for number, line in numbered(self.fidx, self.idx_path):
                if not line.strip():
                    continue
                try:
                    key, place = line.decode().strip().split("\t")[:2]
                    key, place = self.key_type(key), int(place)
                except ValueError:
                    if self._is_cut_off(number, line, None):
                        return
                    raise FileFormatError(f"{self.idx_path}: line {number} is {line[:80]!r}, expected a key that "
                                          f"{self.key_type.__name__} accepts, a tab, and a byte offset") from None
                if not 0 <= place < 1 << 63:
                    raise FileFormatError(f"{self.idx_path}: line {number} has the impossible offset {line[:80]!r}: "
                                          "expected the number of a byte")
                if self._is_cut_off(number, line, place):
                    return
                self.idx[key] = place
                self.keys.append(key)

    def _is_cut_off(self, number, line, place):
        """Return whether this is the truncated last line of a writer that was killed, whose offset would be wrong.

        A line without a line ending is complete if a record begins at its offset, after those of earlier lines.
        """
        if self.strict or line.endswith(b"\n"):
            return False
        if place is not None and place > max(self.idx.values(), default=-1):
            self._go(place)
            begins = self._file.read(4) == MAGIC
            self._file.seek(0)
            if begins:
                return False
        strictness.warn(f"{self.idx_path}: the last {len(line)} bytes, line {number}, are skipped: {line[:80]!r} is "
                        "truncated. A writer was killed there. Earlier lines are complete.")
        return True

    def _end(self, publish):
        if getattr(self, "fidx", None) is not None:
            self.fidx.close()
        super()._end(publish)

    def __getstate__(self) -> Any:
        return {**super().__getstate__(), "fidx": None}

    def seek(self, idx: Any) -> None:
        """Seek to the record with this key, for `read`. Reopens the file in a forked process.

        idx: the key.
        """
        self._prepare_to_read()
        self._go(self._place(idx))

    def read_idx(self, idx: Any) -> bytes:
        """Return the record with this key. Raises MissingRecordError (a KeyError) if the key is unknown.

        idx: the key.
        """
        self._prepare_to_read()
        place = self._place(idx)
        record = self.read_at(place)
        if record is None:
            raise FileFormatError(f"{self.idx_path}: key {idx!r} is at byte {place}, but {self.uri} ends before it. "
                                  "The file is truncated, or the index belongs to another file.")
        return record

    def tell(self) -> int:
        """Return the byte offset at which the next record will be written."""
        self._require("written", writable=True)
        return self._file.tell()

    def write_idx(self, idx: Any, buf: Any) -> None:
        """Append a record and its line in the index.

        idx: the key.
        buf: the record's bytes.
        """
        self._require("written", writable=True)
        key = self.key_type(idx)
        with self._lock:                # held so that the offset is right even if other threads write
            place = self.tell()
            self.write(buf)
            write(self.fidx, f"{key}\t{place}\n".encode(), self.idx_path)
            self.idx[key] = place
            self.keys.append(key)

    def _prepare_to_read(self):
        if self.is_open and not self.writable and self.pid != os.getpid():
            self.reset()
        self._require("read", writable=False)

    def _place(self, key):
        if key not in self.idx:
            more = len(self.keys) - 5
            raise MissingRecordError(f"{self.idx_path} has no record {key!r}; it has {len(self.keys)}: "
                                     + (", ".join(map(repr, self.keys[:5])) or "none")
                                     + (f" and {more} more" if more > 0 else ""))
        return self.idx[key]


def write_index(path: Any, index: Any = None) -> Any:
    """Write the index of a record file, with keys 0, 1, ...; by default next to it, as `name.idx` for `name.rec`.

    path: the record file.

    Returns the number of records. Raises FileFormatError, without writing anything, if the file is damaged.

    >>> with mx.recordio.MXRecordIO("data.rec", "w") as file:
    ...     file.write(b"first")
    ...     file.write(b"second")
    >>> mx.recordio.write_index("data.rec")
    2
    """
    reader = MXRecordIO(path, "r")
    places = list(reader.places())
    reader.close()
    with replacing(index or os.path.splitext(os.fspath(path))[0] + ".idx") as file:
        file.write("".join(f"{key}\t{place}\n" for key, place in enumerate(places)).encode())
    return len(places)
