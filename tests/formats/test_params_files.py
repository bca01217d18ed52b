"""MXNet's .params files: what MXNet wrote is read, MXNet reads what is written, and damage is an error, never a crash.

MINIGLUON_MXNET_PYTHON=<interpreter with MXNet 1.9.1> runs the real library in both directions, too.
"""

import contextlib
import json
import os
import resource
import signal
import struct
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from helpers import TESTS
from helpers.memory import least
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from records import DATA, MXNET

import minigluon as mx
from minigluon import nd
from minigluon.base import FileFormatError, MXNetError
from minigluon.common.dtypes import CODES
from minigluon.serialization import atomic_write as files

pytestmark = pytest.mark.once

FOLDER = DATA
DTYPES = [d.name for d in CODES]
HEAD = struct.pack("<QQ", 0x112, 0)


def f32(*values, shape=None):
    return np.array(values, np.float32).reshape(shape or (len(values),))


EXPECTED = {
    "list": [f32(1, 2, 3, 4, 5, 6, shape=(2, 3)), f32(-1.5)],
    "dict": {"weight": np.arange(24, dtype=np.float32).reshape(2, 3, 4), "größe": np.array([7], np.int32)},
    "single": [f32(0.5, -0.25)],
    "dtypes": {name: np.array([[0, 1, 3]]).astype(name) for name in DTYPES},
    "empty": [],
    "zero_size": [np.zeros((2, 0), np.float32), f32(2)],
    "cpu1": [f32(1, 1)],
    "np_shape": {"scalar": np.float32(3), "none": np.zeros((0, 3), np.float32), "some": f32(1, 1)},
}


def assert_same(found, expected):
    assert type(found) is type(expected)
    assert len(found) == len(expected)
    keys = expected if isinstance(expected, dict) else range(len(expected))
    if isinstance(expected, dict):
        assert list(found) == list(expected)
    for key in keys:
        a, b = found[key].asnumpy(), np.asarray(expected[key])
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", EXPECTED)
def test_reads_what_mxnet_wrote(name):
    path = FOLDER / f"mxnet_{name}.params"
    with mx.np_shape(name == "np_shape"):
        assert_same(nd.load(path), EXPECTED[name])
        assert_same(nd.load_frombuffer(path.read_bytes()), EXPECTED[name])


@pytest.mark.parametrize("name", EXPECTED)
def test_writes_the_same_bytes_as_mxnet(name, tmp_path):
    expected = EXPECTED[name]
    ctx = mx.cpu(1) if name == "cpu1" else mx.cpu()
    make = lambda a: nd.array(a, ctx=ctx, dtype=a.dtype)
    data = {k: make(a) for k, a in expected.items()} if isinstance(expected, dict) else [make(a) for a in expected]
    with mx.np_shape(name == "np_shape"):
        nd.save(tmp_path / "ours.params", data)
    assert (tmp_path / "ours.params").read_bytes() == (FOLDER / f"mxnet_{name}.params").read_bytes()


def test_np_shape_records_for_what_older_ones_cannot_say(tmp_path):
    """A number, with the switch off. An array without elements is written as MXNet writes it then."""
    data = {k: nd.array(a, dtype=a.dtype) for k, a in EXPECTED["np_shape"].items()}
    nd.save(tmp_path / "x", data)
    assert_same(nd.load(tmp_path / "x"), EXPECTED["np_shape"])
    words = struct.unpack_from("<QQQI", (tmp_path / "x").read_bytes())
    assert words == (0x112, 0, 3, 0xF993FACA)
    assert (tmp_path / "x").read_bytes().count(b"\xc9\xfa\x93\xf9") == 2


def test_older_records():
    payload = f32(5, 6).tobytes()
    tail = struct.pack("<iii", 1, 0, 0) + payload + struct.pack("<Q", 0)
    legacy = HEAD + struct.pack("<QIII", 1, 2, 1, 2) + tail
    v1 = HEAD + struct.pack("<QIIqq", 1, 0xF993FAC8, 2, 1, 2) + tail
    for data in (legacy, v1):
        assert_same(nd.load_frombuffer(data), [f32(5, 6, shape=(1, 2))])


def test_an_array_of_a_gpu_comes_to_the_cpu_when_there_is_none():
    data = bytearray((FOLDER / "mxnet_single.params").read_bytes())
    struct.pack_into("<ii", data, 8 * 3 + 4 * 3 + 8, 2, 99)
    assert nd.load_frombuffer(bytes(data))[0].context == mx.cpu()


# -- messages -----------------------------------------------------------------------------------------------------


def record(shape=(2,), storage=0, magic=0xF993FAC9, device=(1, 0), code=0, payload=None):
    payload = f32(*range(int(np.prod(shape)))).tobytes() if payload is None else payload
    return struct.pack(f"<IiI{len(shape)}qiii", magic, storage, len(shape), *shape, *device, code) + payload


def file(*records, count=None, names=(), rest=b""):
    data = HEAD + struct.pack("<Q", len(records) if count is None else count) + b"".join(records)
    data += struct.pack("<Q", len(names)) + b"".join(struct.pack("<Q", len(n)) + n for n in names)
    return data + rest


def sparse(shape=(4, 2), stored=(2, 2), rows=(1, 3), kind=6, storage=1):
    """A record of a row_sparse array."""
    data = struct.pack(f"<IiI{len(stored)}q", 0xF993FAC9, storage, len(stored), *stored)
    data += struct.pack(f"<I{len(shape)}qiii", len(shape), *shape, 1, 0, 0)
    data += struct.pack("<iIq", kind, 1, len(rows)) * storage
    return data + f32(*range(int(np.prod(stored)))).tobytes() + struct.pack(f"<{len(rows)}q", *rows)


MESSAGES = {
    "empty": (b"", "the buffer is not a .params file: it is empty."),
    "short": (b"abc", "the buffer is not a .params file: it has only 3 bytes."),
    "other": (b"\1" * 40, "the buffer is not a .params file: its first word is 0x101010101010101, expected 0x112."),
    "json": (b'{\n  "nodes": []}', "the buffer is not a .params file: it looks like JSON; a -symbol.json file is read "
             "by symbol.load."),
    "zip": (b"PK\3\4" + b"\0" * 40, "the buffer is not a .params file: it looks like a zip or npz archive; read that "
            "with numpy.load."),
    "npy": (b"\x93NUMPY\1\0", "the buffer is not a .params file: it looks like an npy file; read that with "
            "numpy.load."),
    "reserved": (struct.pack("<QQQQ", 0x112, 7, 0, 0), "the buffer is damaged, at the header: the reserved word is 7, "
                 "expected 0."),
    "header": (struct.pack("<QQ", 0x112, 0), "the buffer is truncated, at the header: 16 more bytes are needed, but 8 "
               "of 16 are left."),
    "count": (file(count=10**15), "the buffer is truncated, at the header: 1000000000000000 arrays need "
              "20000000000000000 bytes or more, but 8 of 32 are left."),
    "payload": (file(record(shape=(2, 3), payload=b"")), "the buffer is truncated, at array 0 of 1: shape (2, 3) of "
                "float32 needs 24 bytes, but 8 of 72 are left."),
    "huge": (file(record(shape=(2**62, 2**62), payload=b"")), "the buffer is truncated, at array 0 of 1: shape "
             "(4611686018427387904, 4611686018427387904) of float32 needs 85070591730234615865843651857942052864 "
             "bytes, but 8 of 72 are left."),
    "huge zero": (file(record(shape=(0, 2**62), payload=b"")), "the buffer is damaged, at array 0 of 1: shape "
                  "(0, 4611686018427387904) is too large."),
    "negative": (file(record(shape=(-1,), payload=b"")), "the buffer is damaged, at array 0 of 1: its shape (-1,) has "
                 "a negative length."),
    "axes": (file(struct.pack("<Ii", 0xF993FAC9, 0) + struct.pack("<i", 33) + b"\0" * 300), "the buffer is damaged, at "
             "array 0 of 1: it has 33 axes, expected at most 32."),
    "magic": (file(struct.pack("<I", 0xF993FACB) + b"\0" * 32), "the buffer is damaged, at array 0 of 1: it has "
              "4187224779 axes, expected at most 32."),
    "none": (file(struct.pack("<Iii", 0xF993FAC9, 0, 0) + b"\0" * 16), "the buffer is damaged, at array 0 of 1: it has "
             "no shape and no data: it was saved before it was computed."),
    "dtype": (file(record(code=9)), "the buffer is damaged, at array 0 of 1: unknown dtype code 9; known: 0 float32, "
              "1 float64, 2 float16, 3 uint8, 4 int32, 5 int8, 6 int64, 7 bool."),
    "device": (file(record(device=(9, 0))), "the buffer is damaged, at array 0 of 1: unknown device type 9, number 0."),
    "sparse": (file(sparse(stored=(3, 2))), "the buffer is damaged, at array 0 of 1: it is row_sparse of shape (4, 2), "
               "and its values have shape (3, 2), expected (2, 2)."),
    "sparse places": (file(sparse(kind=0)), "the buffer is damaged, at array 0 of 1: the places of its values "
                      "are float32 of shape (2,), expected integers along one axis."),
    "sparse rows": (file(sparse(rows=(1, 4))), "a row_sparse array of shape (4, 2) in the file is damaged: indices "
                    "must be distinct, in rising order, from 0 to 3, found [1, 4]."),
    "sparse cut": (file(sparse())[:-14], "the buffer is truncated, at array 0 of 1: shape (2,) of int64 "
                   "needs 16 bytes, but 10 of 126 are left."),
    "csr": (file(sparse(storage=2)), "the buffer is damaged, at array 0 of 1: it is csr of shape (4, 2), and its "
            "values have shape (2, 2), expected (2,)."),
    "storage": (file(record(storage=5)), "the buffer is damaged, at array 0 of 1: unknown storage type 5."),
    "second": (file(record(), record(code=-1)), "the buffer is damaged, at array 1 of 2: unknown dtype code -1; known: "
               "0 float32, 1 float64, 2 float16, 3 uint8, 4 int32, 5 int8, 6 int64, 7 bool."),
    "names": (file(record(), names=[b"a", b"b"]), "the buffer is damaged, at the names: there are 2 names for 1 "
              "arrays."),
    "name": (file(record(), names=[b"abc"])[:-2], "the buffer is truncated, at name 0 of 1: a name of 3 bytes follows, "
             "but 1 of 81 are left."),
    "utf-8": (file(record(), names=[b"\xff"]), "the buffer is damaged, at name 0 of 1: it is not UTF-8."),
    "twice": (file(record(), record(), names=[b"a", b"a"]), "the buffer is damaged, at name 1 of 2: the name 'a' "
              "occurs twice."),
    "trailing": (file(record(), rest=b"xy"), "the buffer is damaged, at the names: 2 bytes follow the end of the "
                 "data."),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_message(case):
    data, message = MESSAGES[case]
    with pytest.raises(FileFormatError) as caught:
        nd.load_frombuffer(data)
    assert str(caught.value) == message


def test_message_names_the_file(tmp_path):
    path = tmp_path / "net.params"
    path.write_bytes(b"")
    with pytest.raises(FileFormatError) as caught:
        nd.load(path)
    assert str(caught.value) == f"{path} is not a .params file: it is empty."


def test_a_sparse_file_of_mxnet():
    """It says that there are 0 rows, as MXNet does for what it has not computed yet, and then holds one."""
    dense, sparse = nd.load(FOLDER / "mxnet_sparse.params")
    assert (dense.stype, sparse.stype) == ("default", "row_sparse")
    assert (sparse.indices.asnumpy().tolist(), sparse.asnumpy().tolist()) == ([1], [[0, 0], [1, 2]])


# Bytes of what MXNet 1.9.1 wrote for {"r": [[0, 0], [1, 2], [0, 0]] in row_sparse, "c": [[0, 1], [2, 0]] in csr}.
SPARSE_FILE = (
    "12010000000000000000000000000000" "0200000000000000"
    "c9fa93f9" "01000000" "0200000001000000000000000200000000000000" "0200000003000000000000000200000000000000"
    "0100000000000000" "00000000" "06000000" "010000000100000000000000" "0000803f00000040" "0100000000000000"
    "c9fa93f9" "02000000" "010000000200000000000000" "0200000002000000000000000200000000000000"
    "0100000000000000" "00000000" "06000000" "010000000300000000000000" "06000000" "010000000200000000000000"
    "0000803f00000040" "000000000000000001000000000000000200000000000000" "01000000000000000000000000000000"
    "0200000000000000" "010000000000000072" "010000000000000063")


def test_sparse_arrays_are_the_bytes_of_mxnet(tmp_path):
    arrays = {"r": nd.array([[0, 0], [1, 2], [0, 0]]).tostype("row_sparse"),
              "c": nd.array([[0, 1], [2, 0]]).tostype("csr")}
    nd.save(tmp_path / "x.params", arrays)
    assert (tmp_path / "x.params").read_bytes().hex() == SPARSE_FILE
    for name, x in nd.load_frombuffer(bytes.fromhex(SPARSE_FILE)).items():
        assert (x.stype, x.asnumpy().tolist()) == (arrays[name].stype, arrays[name].asnumpy().tolist())


@pytest.mark.parametrize(("call", "message"), [
    (lambda p: nd.load(p / "none"), "cannot read '{p}/none': No such file or directory. The folder '{p}' has: nothing"),
    (lambda p: nd.load(p / "no" / "x"),
     "cannot read '{p}/no/x': No such file or directory. There is no folder '{p}/no'"),
    (lambda p: nd.load(p), "cannot read '{p}': Is a directory"),
    (lambda p: nd.save(p / "no" / "x", []),
     "cannot write '{p}/no/x': No such file or directory. There is no folder '{p}/no'"),
    (lambda p: nd.save(p / "x", 3), "save: data must be an NDArray, a list of NDArrays or a dict from names to "
     "NDArrays, found int"),
    (lambda p: nd.save(p / "x", {1: nd.zeros(1)}), "save: names must be strings, found 1"),
    (lambda p: nd.save(p / "x", {"w": 1}), "save: item 'w' must be an NDArray, found int"),
    (lambda p: nd.save(p / "x", [nd.zeros(1), 1]), "save: item 1 must be an NDArray, found int"),
    (lambda p: nd.load_frombuffer("x"), "load_frombuffer needs bytes, found str"),
])
def test_message_of_a_call(call, message, tmp_path):
    with pytest.raises(MXNetError) as caught:
        call(tmp_path)
    assert str(caught.value) == message.format(p=tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_missing_file_tells_what_is_there(tmp_path):
    for name in "net-0001.params", "a":
        nd.save(tmp_path / name, [])
    for name, remedy in ("net-0000.params", "Did you mean 'net-0001.params'?"), (
            "xyz", f"The folder '{tmp_path}' has: a, net-0001.params"):
        with pytest.raises(MXNetError) as caught:
            nd.load(tmp_path / name)
        assert str(caught.value) == f"cannot read '{tmp_path}/{name}': No such file or directory. {remedy}"


# -- damage -------------------------------------------------------------------------------------------------------

SEEDS = [p.read_bytes() for p in sorted(FOLDER.glob("mxnet_*.params"))]


@settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.sampled_from(SEEDS), st.integers(0, 600), st.lists(st.integers(0, 600 * 8), max_size=4))
@example(SEEDS[0], 0, [])
def test_damage_gives_an_error_or_other_numbers(data, cut, flips):
    """Cut off the end, flip bits: MXNetError, or arrays when only numbers and names changed. Never much memory, and
    never more than a second of this thread's own time, however busy the machine is."""
    data = bytearray(data[:max(len(data) - cut, 0)] if cut < 300 else data)
    for bit in flips:
        if bit // 8 < len(data):
            data[bit // 8] ^= 1 << bit % 8

    def peak():
        tracemalloc.start()
        start = time.thread_time()
        try:
            loaded = nd.load_frombuffer(bytes(data))
            assert all(isinstance(x, nd.NDArray) for x in (loaded.values() if isinstance(loaded, dict) else loaded))
        except FileFormatError:
            pass
        finally:
            seconds = time.thread_time() - start
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert seconds < 1
        return peak
    assert least(peak, 50_000) < 50_000


def test_a_large_file_is_read_without_a_second_copy_of_it(tmp_path):
    path = tmp_path / "large.params"
    nd.save(path, [nd.ones((1000, 250)) for _ in range(20)])
    tracemalloc.start()
    nd.load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.2 * path.stat().st_size


# -- crashes ------------------------------------------------------------------------------------------------------

SAVER = """
import sys
from minigluon import nd
value, path, times = float(sys.argv[1]), sys.argv[2], int(sys.argv[3])
big = {str(i): nd.full((300, 1000), value) for i in range(8)}
print("ready", flush=True)
for _ in range(times):
    nd.save(path, big)
"""


def test_a_killed_process_leaves_a_whole_file(tmp_path):
    path = tmp_path / "net.params"
    nd.save(path, {"0": nd.zeros((2,))})
    for attempt in range(3):
        process = subprocess.Popen([sys.executable, "-c", SAVER, str(attempt), str(path), "10000"],
                                   stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(0.05 + 0.03 * attempt)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        loaded = nd.load(path)
        assert all(len(np.unique(x.asnumpy())) == 1 for x in loaded.values())


def test_a_full_disk_leaves_the_old_file(tmp_path):
    path = tmp_path / "net.params"
    nd.save(path, [nd.ones((2,))])
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    result = subprocess.run([sys.executable, "-c", SAVER, "1", str(path), "1"], preexec_fn=limit,
                            capture_output=True, text=True)
    assert f"cannot write {str(path)!r}: File too large. An existing file is unchanged." in result.stderr
    assert os.listdir(tmp_path) == ["net.params"]
    assert_same(nd.load(path), [f32(1, 1)])


def test_an_exception_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with contextlib.suppress(KeyboardInterrupt), files.replacing(path) as file:
        file.write(b"new")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x"]


def test_links_and_permissions_stay(tmp_path):
    path, link = tmp_path / "x", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to("x")
    with files.replacing(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_device_or_a_pipe_is_written_into_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with contextlib.closing(os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb")) as reader:
        with files.replacing(pipe) as file:
            file.write(b"new")
        assert reader.read() == b"new"
    assert os.listdir(tmp_path) == ["pipe"]
    assert pipe.is_fifo()
    with files.replacing(os.fsencode(os.devnull)) as file:
        file.write(b"gone")
    assert Path(os.devnull).is_char_device()


def test_the_longest_names(tmp_path):
    for name in "x" * 255, "\N{PILE OF POO}" * 63, "a\udc80":
        nd.save(tmp_path / name, nd.array([2]))
        assert_same(nd.load(tmp_path / name), [f32(2)])


def test_new_files_have_the_permissions_of_new_files(tmp_path):
    """Without asking for the umask, which is to set it, for all threads."""
    before = os.umask(0o027)
    try:
        nd.save(tmp_path / "x", [])
    finally:
        os.umask(before)
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o640


# -- the real library ---------------------------------------------------------------------------------------------


@pytest.mark.skipif(not MXNET, reason="MINIGLUON_MXNET_PYTHON does not name a Python with MXNet 1.9.1")
@pytest.mark.parametrize("np_shape", [False, True])
def test_mxnet_reads_what_we_write(tmp_path, np_shape):
    rng = np.random.default_rng(0)
    arrays = {name: (rng.normal(size=(3, 1, 5)) * 50).astype(name) for name in DTYPES}
    arrays |= {"big": rng.normal(size=(500, 200)).astype(np.float32), "größe": np.arange(3, dtype=np.int64)}
    if np_shape:
        arrays |= {"scalar": np.array(2.5, np.float32), "none": np.zeros((0, 4), np.float16)}
    path = tmp_path / "ours.params"
    with mx.np_shape(np_shape):
        nd.save(path, {k: nd.array(a, dtype=a.dtype) for k, a in arrays.items()})
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    output = subprocess.run([MXNET, "-W", "ignore", "-m", "records.record_mxnet_params", "check", str(path)], cwd=TESTS,
                            env=environment, capture_output=True, text=True, check=True).stdout
    seen = json.loads(output.splitlines()[-1])
    assert [name for name, *_ in seen] == list(arrays)
    for name, shape, dtype, values in seen:
        assert (tuple(shape), dtype) == (arrays[name].shape, arrays[name].dtype.name)
        np.testing.assert_array_equal(np.array(values, dtype), arrays[name].ravel())
