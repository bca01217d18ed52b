"""Several record files that an iterator reads as a single file."""

from __future__ import annotations

import bisect
import itertools
import os
from collections.abc import Iterator
from typing import Any

from ... import recordio
from ...base import ArgumentError
from ...io.files import files_of

__all__ = ["RecordFiles"]


class RecordFiles:
    """A sequence of record files. A record's position is its byte offset in the concatenated files.

    uri: a file or a folder, or several separated by ';'.
    """

    def __init__(self, uri: Any):
        self.uri: str = os.fspath(uri)
        self._readers = [recordio.MXRecordIO(file, "r") for file in files_of(uri)]
        self._starts = [0, *itertools.accumulate(os.path.getsize(reader.uri) for reader in self._readers)]

    def places(self, indices: str = "") -> list[int]:
        """Return the positions of all records, or of those listed in the index files (one index per record file).

        indices: the index files, separated by ';'.
        """
        files = files_of(indices) if indices else [None] * len(self._readers)
        if len(files) != len(self._readers):
            raise ArgumentError(f"path_imgidx={indices!r} names {len(files)} files, path_imgrec={self.uri!r} names "
                                f"{len(self._readers)}: expected an index for each file of records")
        return [start + place for reader, file, start in zip(self._readers, files, self._starts, strict=False)
                for place in (reader.places() if file is None else _indexed(file, reader.uri))]

    def read_at(self, place: int) -> Any:
        """Return the record that begins at a position, or None at the end. Threads may call this concurrently."""
        reader, offset = self._locate(place)
        return reader.read_at(offset)

    def records(self) -> Iterator[bytes]:
        """Yield all records in order."""
        for reader in self._readers:
            reader.reset()
            while (record := reader.read()) is not None:
                yield record

    def described(self, place: int) -> tuple[str, int]:
        """Return the file that contains a position, and the byte offset in that file, for messages."""
        reader, offset = self._locate(place)
        return reader.uri, offset

    def _locate(self, place):
        number = min(bisect.bisect_right(self._starts, place), len(self._readers)) - 1
        return self._readers[number], place - self._starts[number]


def _indexed(path, uri):
    """Return the byte offsets in an index file, in file order."""
    index = recordio.MXIndexedRecordIO(path, uri, "r")
    index.close()
    return [index.idx[key] for key in index.keys]
