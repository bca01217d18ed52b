"""Time and memory of every reader grow with the file and no faster: sizes are doubled three times."""

import contextlib
import gzip
import json
import struct
import time
import tracemalloc
import warnings

import pytest
from helpers import torch_files

import minigluon as mx
from minigluon import gluon, nd, recordio, sym
from minigluon.base import MXNetError
from minigluon.contrib.text.embedding import CustomEmbedding
from minigluon.gluon.from_torch import read_state
from minigluon.image.iterator import read_list
from minigluon.recordio.files import framed
from minigluon.serialization.idx import read_idx

FIRST, DOUBLINGS = 250, 3
MAX_FACTOR = 3 * 2**DOUBLINGS           # of time; quadratic work has 8 * 8


def params(count, name=b"%06d"):
    record = struct.pack("<IiIqiii", 0xF993FAC9, 0, 1, 1, 1, 0, 0) + bytes(4)
    names = [struct.pack("<Q", 6) + (name % i if b"%" in name else name) for i in range(count)]
    return b"".join([struct.pack("<QQQ", 0x112, 0, count), record * count, struct.pack("<Q", count), *names])


def graph(nodes, attrs=None):
    return json.dumps({"nodes": nodes, "arg_nodes": [], "heads": [[len(nodes) - 1, 0, 0]], "attrs": attrs or {
        "mxnet_version": ["int", 10901]}}).encode()


def add_n(count, name="v%d"):
    variables = [{"op": "null", "name": name % i if "%" in name else name, "inputs": []} for i in range(count)]
    return graph([*variables, {"op": "add_n", "name": "sum", "attrs": {"num_args": str(count)},
                               "inputs": [[i, 0, 0] for i in range(count)]}])


def chain(count):
    return graph([{"op": "null", "name": "v0", "inputs": []}, *[
        {"op": "relu", "name": f"r{i}", "inputs": [[i, 0, 0]]} for i in range(count)]])


def splits(count):
    return graph([{"op": "null", "name": "v0", "inputs": []}, *[
        {"op": "SliceChannel", "name": f"s{i}", "attrs": {"num_outputs": "7"}, "inputs": [[0, 0, 0]]}
        for i in range(count)], {"op": "identity", "name": "i", "inputs": [[count, 0, 0]]}])


def tuple_of(count):
    return graph([{"op": "null", "name": "v0", "inputs": []}, {
        "op": "Reshape", "name": "r", "attrs": {"shape": f"({'1,' * count})"}, "inputs": [[0, 0, 0]]}])


def records(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(iter(recordio.MXRecordIO(path, "r").read, None))


def indexed(path):
    open(path + ".rec", "wb").close()
    return recordio.MXIndexedRecordIO(path, path + ".rec", "r").keys


def block(path):
    return gluon.SymbolBlock.imports(path, ["v0"])


def csv(width):
    return lambda path: mx.io.CSVIter(data_csv=path, data_shape=(width,), batch_size=1)


# name: (the file of a size, its reader). Where a name or a place repeats, the reader refuses the file, and that counts.
CASES = {
    "params": (params, nd.load), "params of one name": (lambda n: params(n, b"theone"), nd.load),
    "symbol": (add_n, block), "symbol of one name": (lambda n: add_n(n, "v0"), block), "chain": (chain, block),
    "splits": (splits, block), "tuple": (lambda n: tuple_of(40 * n), sym.load),
    "brackets": (lambda n: b"[" * 20 * n, sym.load),
    "records": (lambda n: framed(b"abc") * n, records),
    "pieces": (lambda n: struct.pack("<II", 0xCED7230A, 1 << 29)
               + struct.pack("<II", 0xCED7230A, 2 << 29) * n, records),
    "index": (lambda n: b"".join(b"%d\t%d\n" % (i, i) for i in range(n)), indexed),
    "index of one key": (lambda n: b"1\t1\n" * n, indexed),
    "idx": (lambda n: b"\0\0\x08\x01" + struct.pack(">I", 64 * n) + bytes(64 * n), read_idx),
    "gzipped idx": (lambda n: gzip.compress(b"\0\0\x08\x01" + struct.pack(">I", 64 * n) + bytes(64 * n), 1), read_idx),
    "images": (lambda n: b"".join(b"%d\t0\ta%d.jpg\n" % (i, i) for i in range(n)), read_list),
    "labels": (lambda n: b"1\t" + b"0\t" * 10 * n + b"a.jpg\n", read_list),
    "vectors": (lambda n: b"".join(b"w%d 1 2\n" % i for i in range(n)), CustomEmbedding),
    "a token's vector": (lambda n: b"w 1 2\n" * n, CustomEmbedding),
    "a long vector": (lambda n: b"w " + b"1 " * 10 * n, CustomEmbedding),
    "csv": (lambda n: b"1,2,3\n" * n, csv(3)),
    "torch": (torch_files.many, read_state),
}


def spent(path, read):
    """(seconds, the most bytes allocated)"""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds = min(_seconds(path, read) for _ in range(3))
        tracemalloc.start()
        _seconds(path, read)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return seconds, peak


def _seconds(path, read):
    began = time.process_time()
    with contextlib.suppress(MXNetError):
        read(path)
    return time.process_time() - began


@pytest.mark.once
@pytest.mark.parametrize("name", CASES)
def test_twice_the_file_takes_twice_as_long(name, tmp_path):
    make, read = CASES[name]
    files = [tmp_path / str(number) for number in (0, DOUBLINGS)]
    for number, file in zip((0, DOUBLINGS), files, strict=True):
        file.write_bytes(make(FIRST << number))
    (first, before), (last, after) = (spent(str(file), read) for file in files)
    assert last < MAX_FACTOR * max(first, 0.001)
    assert after < 1.5 * 2**DOUBLINGS * before + (1 << 20)
