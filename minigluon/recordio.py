"""`mx.recordio`: files of records, with MXNet's bytes.

A record is

    0xced7230a            4 bytes, little-endian, as all numbers here: the magic number
    part << 29 | length   4 bytes
    data                  `length` bytes, then zeros up to a multiple of 4

`part` is 0 for a whole record. Data that holds the magic number at a multiple of 4 is cut there, so that a reader which
starts anywhere finds the next record by looking for the number: the pieces are records with part 1 (first), 2
(between) and 3 (last), and the number that stood between two pieces is left out.
"""

import numbers
import os
import struct
import threading
from collections import namedtuple

import numpy as np

from .base import ArgumentError, FileFormatError, MXNetError, listed
from .pixels import codec

__all__ = ["IRHeader", "MXIndexedRecordIO", "MXRecordIO", "MissingRecordError", "pack", "pack_img", "unpack",
           "unpack_img"]

MAGIC = struct.pack("<I", 0xCED7230A)
LENGTH_BITS = 29
WHOLE, FIRST, BETWEEN, LAST = range(4)


class MissingRecordError(MXNetError, KeyError):
    """A key that the index does not have."""

    __str__ = BaseException.__str__         # KeyError's puts quotes around


class MXRecordIO:
    """A file of records, read or written one after the other.

    uri: the path. flag: 'r' to read, 'w' to write; writing empties a file that is there.
    Each record that `write` returns from has been given to the system: a process that is killed loses none.
    An open reader can be pickled and opens its file again; after a fork `reset` does.
    Raises MXNetError when the file cannot be opened, ArgumentError for another flag.
    """

    def __init__(self, uri, flag):
        if flag not in ("r", "w"):
            raise ArgumentError(f"{type(self).__name__}: Invalid flag {flag}, expected 'r' or 'w'")
        self.uri = os.fspath(uri)
        self.flag = flag
        self.writable = flag == "w"
        self.pid = None
        self.is_open = False
        self.open()

    def open(self):
        """Open the file at its beginning; for writing, empty it."""
        self._file = _opened(self.uri, self.flag)
        self._lock = threading.Lock()
        self.pid = os.getpid()
        self.is_open = True

    def close(self):
        """Close the file. Does nothing when it is closed."""
        if self.is_open:
            self._file.close()
            self.is_open = False
            self.pid = None

    def reset(self):
        """Begin again: at the first record, or, for writing, with an empty file."""
        self.close()
        self.open()

    def __del__(self):
        if getattr(self, "is_open", False):
            self.close()

    def __getstate__(self):
        """A writer is closed by pickling it, as in MXNet: two could not write one file."""
        was_open = self.is_open
        if self.writable:
            self.close()
        return {**{k: v for k, v in vars(self).items() if k not in ("_file", "_lock")}, "is_open": was_open}

    def __setstate__(self, state):
        was_open = state.pop("is_open")
        self.__dict__.update(state, is_open=False, pid=None)
        if was_open:
            self.open()

    def write(self, buf):
        """Append a record. buf: bytes, or anything with a buffer of bytes. Raises MXNetError when the disk is full."""
        self._require("written", writable=True)
        content = bytes(buf) if not isinstance(buf, str) else _refuse_text(buf)
        if len(content) >> LENGTH_BITS:
            raise ArgumentError(f"{self.uri}: a record holds less than {1 << LENGTH_BITS} bytes, found {len(content)}")
        with self._lock:
            _write(self._file, _framed(content), self.uri)

    def read(self):
        """The next record as bytes, or None at the end. Raises FileFormatError where the file is damaged."""
        self._require("read", writable=False)
        with self._lock:
            return self._next()

    def _next(self):
        """The record that begins where the file stands."""
        start = self._file.tell()
        pieces = []
        while True:
            part, piece = self._piece(start, bool(pieces))
            if piece is None:
                return None
            if (part in (BETWEEN, LAST)) != bool(pieces):
                raise self._damaged(start, "its pieces are not in order")
            pieces.append(piece)
            if part in (WHOLE, LAST):
                return pieces[0] if part == WHOLE else MAGIC.join(pieces)

    def _piece(self, start, inside):
        """(part, bytes) of one header and what follows it; bytes None at the end of the file."""
        here = self._file.tell()
        header = self._file.read(8)
        if not header and not inside:
            return WHOLE, None
        if len(header) < 8:
            raise self._damaged(start, f"it is cut off in a header, after {here + len(header)} bytes of the file")
        if header[:4] != MAGIC:
            raise self._damaged(start, f"byte {here} begins with {header[:4].hex(' ')}, expected {MAGIC.hex(' ')}")
        word = struct.unpack("<I", header[4:])[0]
        part, length = word >> LENGTH_BITS, word & (1 << LENGTH_BITS) - 1
        if part > LAST:
            raise self._damaged(start, f"byte {here + 4} holds the mark {part}, expected 0 to 3")
        left = os.fstat(self._file.fileno()).st_size - here - 8
        if length > left:           # asked before reading, so that a wrong length takes no memory
            raise self._damaged(start, f"byte {here + 4} announces {length} bytes, and {left} are left")
        content = self._file.read(length)
        self._file.read(-length % 4)
        return part, content

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


class MXIndexedRecordIO(MXRecordIO):
    """A file of records with an index beside it, so that each can be read by its key.

    idx_path: the index, a text with a line 'key TAB place' for each record. key_type: what keys are, int or str.
    keys: all keys in the order of the file. idx: {key: place in bytes}. Threads may call `read_idx` at the same time.
    """

    def __init__(self, idx_path, uri, flag, key_type=int):
        self.idx_path = os.fspath(idx_path)
        self.key_type = key_type
        super().__init__(uri, flag)

    def open(self):
        super().open()
        self.idx, self.keys = {}, []
        self.fidx = None
        try:
            self.fidx = _opened(self.idx_path, self.flag)
            if not self.writable:
                self._read_index()
                self.fidx.close()
        except MXNetError:
            self.close()
            raise

    def _read_index(self):
        for number, line in enumerate(self.fidx, 1):
            try:
                key, place = line.decode().strip().split("\t")[:2]
                key, place = self.key_type(key), int(place)
            except ValueError:
                raise FileFormatError(f"{self.idx_path}: line {number} is {line[:80]!r}, expected a key that "
                                      f"{self.key_type.__name__} takes, a tab, and a place in bytes") from None
            self.idx[key] = place
            self.keys.append(key)

    def close(self):
        super().close()
        if getattr(self, "fidx", None) is not None:
            self.fidx.close()

    def __getstate__(self):
        return {**super().__getstate__(), "fidx": None}

    def seek(self, idx):
        """Go to the record of this key, for `read`. Opens the file again in a forked process."""
        self._prepare_to_read()
        self._file.seek(self._place(idx))

    def read_idx(self, idx):
        """The record of this key. Raises MissingRecordError (a KeyError) for an unknown one."""
        self._prepare_to_read()
        with self._lock:
            place = self._place(idx)
            self._file.seek(place)
            record = self._next()
        if record is None:
            raise FileFormatError(f"{self.idx_path}: key {idx!r} is at byte {place}, and {self.uri} ends before it. "
                                  "The file is cut off, or the index belongs to another one.")
        return record

    def tell(self):
        """The place in bytes at which the next record will be written."""
        self._require("written", writable=True)
        return self._file.tell()

    def write_idx(self, idx, buf):
        """Append a record and its line in the index."""
        self._require("written", writable=True)
        key, place = self.key_type(idx), self.tell()
        self.write(buf)
        _write(self.fidx, f"{key}\t{place}\n".encode(), self.idx_path)
        self.idx[key] = place
        self.keys.append(key)

    def _prepare_to_read(self):
        if self.is_open and not self.writable and self.pid != os.getpid():
            self.reset()
        self._require("read", writable=False)

    def _place(self, key):
        if key not in self.idx:
            raise MissingRecordError(f"{self.idx_path} has no record {key!r}; it has {len(self.keys)}: "
                                     f"{listed([repr(k) for k in self.keys], most=5)}")
        return self.idx[key]


def _opened(path, flag):
    """A binary file. Written without a buffer: what is in one would be lost with the process, or written twice after a
    fork."""
    try:
        return open(path, "rb") if flag == "r" else open(path, "wb", buffering=0)
    except OSError as error:
        what = "read" if flag == "r" else "write"
        raise MXNetError(f"cannot {what} {path!r}: {error.strerror}") from error


def _write(file, content, path):
    try:
        rest = memoryview(content)
        while rest:                     # a system may take a part
            rest = rest[file.write(rest):]
    except OSError as error:
        raise MXNetError(f"cannot write {path!r}: {error.strerror}. What was written before is on the disk.") from error


def _framed(content):
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


# -- records of images ------------------------------------------------------------------------------------------------

# flag: 0, or how many numbers the label is an array of; label; id; id2: a second number, usually 0.
IRHeader = namedtuple("HEADER", ["flag", "label", "id", "id2"])
HEADER = struct.Struct("<IfQQ")


def pack(header, s):
    """The bytes of a record: header, labels if they are an array, then `s`.

    header: IRHeader; its label is a number, or an array whose length becomes the flag. Raises ArgumentError.
    """
    header = IRHeader(*header)
    if isinstance(header.label, numbers.Number):
        header = header._replace(flag=0)
    else:
        label = np.asarray(header.label, np.float32)
        header = header._replace(flag=label.size, label=0)
        s = label.astype("<f4").tobytes() + s
    try:
        return HEADER.pack(*header) + s
    except (struct.error, OverflowError) as error:
        raise ArgumentError(f"pack: {header!r} does not fit: {error}. The flag has 32 bits, the label is a float, id "
                            "and id2 have 64 bits.") from None


def unpack(s):
    """(IRHeader, the rest) of a record. An array of labels is float32 (flag,). Raises FileFormatError."""
    if len(s) < HEADER.size:
        raise FileFormatError(f"unpack: a record of an image has at least {HEADER.size} bytes, found {len(s)}")
    header = IRHeader(*HEADER.unpack_from(s))
    s = s[HEADER.size:]
    if header.flag == 0:
        return header, s
    if header.flag * 4 > len(s):
        raise FileFormatError(f"unpack: the header announces {header.flag} labels, {header.flag * 4} bytes, and "
                              f"{len(s)} follow it. The record was not written by `pack`.")
    return header._replace(label=np.frombuffer(s, "<f4", header.flag)), s[header.flag * 4:]


def unpack_img(s, iscolor=-1):
    """(IRHeader, pixels) of a record that `pack_img` made. Blue comes first, as with OpenCV's imdecode.

    iscolor: -1 as in the file, 1 colour (H, W, 3), 0 grey (H, W).
    """
    header, content = unpack(s)
    image = codec.decode(content, iscolor, to_rgb=False, source=f"the image of record {header.id}")
    return header, image[..., 0] if image.shape[-1] == 1 else image


def pack_img(header, img, quality=95, img_fmt=".jpg"):
    """The bytes of a record with an image file. img: uint8 (H, W, 3), blue first, or (H, W).

    img_fmt: '.jpg' with quality 1 ... 100, or '.png' with quality 1 ... 9, how hard it compresses.
    """
    img = np.asarray(img)
    if img.ndim == 3 and img.shape[2] >= 3:
        img = img[..., [2, 1, 0, 3][:img.shape[2]]]
    return pack(header, codec.encode(img, img_fmt, quality))
