"""What the bytes of a file say, read by the description of its format alone and without a thought for speed or errors.

Each function raises some exception for a file that has no meaning.
"""

import gzip
import json
import struct

import numpy as np

__all__ = ["csv", "idx", "images", "index", "libsvm", "nodes", "params", "records", "vectors"]

_TYPES = {0: "<f4", 1: "<f8", 2: "<f2", 3: "u1", 4: "<i4", 5: "i1", 6: "<i8", 7: "u1"}


class _Cursor:
    def __init__(self, content):
        self.content, self.place = content, 0

    def bytes(self, length):
        part = self.content[self.place:self.place + length]
        if len(part) < length:
            raise EOFError
        self.place += length
        return part

    def numbers(self, layout):
        return struct.unpack("<" + layout, self.bytes(struct.calcsize("<" + layout)))


def _sparse(cursor, storage):
    """The rest of a record of a row_sparse (1) or csr (2) array, as a dense one."""
    def shape():
        return cursor.numbers(f"{_rank(cursor.numbers('i')[0])}q")

    def array(lengths, code):
        dtype = np.dtype(_TYPES[code])
        return np.frombuffer(cursor.bytes(int(np.prod(lengths, dtype=object)) * dtype.itemsize), dtype).reshape(lengths)

    stored, full = shape(), shape()
    _, _, code = cursor.numbers("iii")
    kinds = [(cursor.numbers("i")[0], shape()) for _ in range(storage)]
    if any(len(lengths) != 1 for _, lengths in kinds):
        raise ValueError("places")
    values = array(stored if stored[0] or storage == 2 else (*kinds[0][1], *full[1:]), code)
    places = [array(lengths, kind) for kind, lengths in kinds]
    if np.prod(full, dtype=object) > 2 ** 24:
        raise ValueError("too large to be made dense here")
    out = np.zeros(full, values.dtype)
    if storage == 1:
        out[places[0]] = values
    else:
        np.add.at(out, (np.repeat(np.arange(full[0]), np.diff(places[0])), places[1]), values)
    return out


def params(content):
    """([array], [name])"""
    cursor = _Cursor(content)
    magic, reserved, count = cursor.numbers("QQQ")
    if magic != 0x112 or reserved or count > len(content):
        raise ValueError("no params")
    arrays = []
    for _ in range(count):
        first, = cursor.numbers("I")
        if first in (0xF993FAC9, 0xF993FACA):
            storage, = cursor.numbers("i")
            if storage in (1, 2):
                arrays.append(_sparse(cursor, storage))
                continue
            if storage != 0:
                raise ValueError("storage")
            shape = cursor.numbers(f"{_rank(cursor.numbers('i')[0])}q")
        elif first == 0xF993FAC8:
            shape = cursor.numbers(f"{_rank(cursor.numbers('I')[0])}q")
        else:
            shape = cursor.numbers(f"{_rank(first)}I")
        _, _, code = cursor.numbers("iii")
        dtype = np.dtype(_TYPES[code])
        size = dtype.itemsize
        for length in shape:
            size *= length
        array = np.frombuffer(cursor.bytes(size), dtype).reshape(shape)
        arrays.append(array != 0 if code == 7 else array)
    named, = cursor.numbers("Q")
    if named not in (0, count):
        raise ValueError("names")
    names = [cursor.bytes(cursor.numbers("Q")[0]).decode() for _ in range(named)]
    if cursor.place != len(content):
        raise ValueError("rest")
    return arrays, names


def _rank(number):
    if not 0 <= number <= 32:
        raise ValueError("rank")
    return number


def idx(content):
    """The array."""
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    if content[:3] != b"\0\0\x08" or not 1 <= content[3] <= 4:
        raise ValueError("no idx")
    shape = struct.unpack(f">{content[3]}I", content[4:4 + 4 * content[3]])
    return np.frombuffer(content[4 + 4 * content[3]:], np.uint8).reshape(shape)


def records(content, place=0):
    """[record] from a place on, as far as they are whole."""
    found, pieces = [], []
    while content[place:place + 4] == b"\x0a\x23\xd7\xce" and place + 8 <= len(content):
        word, = struct.unpack("<I", content[place + 4:place + 8])
        part, length = word >> 29, word & (1 << 29) - 1
        piece = content[place + 8:place + 8 + length]
        if len(piece) < length or part > 3:
            break
        pieces.append(piece)
        if part in (0, 3):
            found.append(b"\x0a\x23\xd7\xce".join(pieces))
            pieces = []
        place += 8 + length + -length % 4
    return found


def _rows(content):
    return content.decode().replace("\r\n", "\n").replace("\r", "\n").split("\n")


def index(content):
    """{key: place}"""
    pairs = [line.decode().strip().split("\t") for line in content.split(b"\n") if line]
    return {int(pair[0]): int(pair[1]) for pair in pairs}


def images(content):
    """{key: (labels, file)}"""
    lines = _rows(content)
    parts = [line.strip().split("\t") for line in (lines if lines[-1] else lines[:-1])]
    return {int(key): (np.array(labels, float).astype(np.float32), name) for key, *labels, name in parts}


def vectors(content):
    """{token: vector}, of each token the first one; lines with one number are headers."""
    found = {}
    for line in _rows(content):
        token, *numbers = line.rstrip().split(" ")
        if len(numbers) > 1 and token not in found:
            found[token] = np.array([float(number) for number in numbers], np.float64).astype(np.float32)
    return found


def csv(content):
    """The rows, float64."""
    return np.array([[float(field) for field in line.split(",")] for line in _rows(content) if line.strip()])


def libsvm(content, width):
    """(labels, rows); values for the same place are added. Comments, `label:weight` and `qid:number` are allowed."""
    labels, rows = [], []
    for line in _rows(content):
        line = line.partition("#")[0]
        if line.strip():
            label, *fields = line.split()
            label, *_ = label.split(":")
            row = np.zeros(width, np.float32)
            for field in fields:
                place, value = field.split(":")
                if place == "qid":
                    continue
                row[int(place)] += np.float32(value)
            labels.append(float(label))
            rows.append(row)
    return np.array(labels), np.array(rows)


def nodes(content):
    """{(operator, name)} of all nodes that lead to a head."""
    graph = json.loads(content, strict=False)
    todo, reached = [head[0] for head in graph["heads"]], set()
    while todo:
        number = todo.pop()
        if number not in reached:
            reached.add(number)
            todo += [entry[0] for entry in graph["nodes"][number]["inputs"]]
    return {(graph["nodes"][number]["op"], graph["nodes"][number]["name"]) for number in reached}
