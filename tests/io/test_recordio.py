"""Record files: MXNet's bytes in both directions, damage, processes that fork, end or are killed.

MINIGLUON_MXNET_PYTHON=<interpreter with MXNet 1.9.1> lets the real library read what is written here.
"""

import os
import pickle
import resource
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from helpers.crashes import Recording
from helpers.errors import error_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records import DATA, MXNET
from records.record_cases import HEADERS, MAGIC, RECORDS

import minigluon as mx
from minigluon import recordio
from minigluon.base import ArgumentError, FileFormatError, MXNetError
from minigluon.recordio.files import framed

pytestmark = pytest.mark.once

RECORDED = DATA / "mxnet_records"
PACKED = [recordio.pack(recordio.IRHeader(*header), b"image") for header in HEADERS]


def written(path, records, keys=None):
    """Write a file and its index; returns both paths as texts."""
    names = str(path / "file.idx"), str(path / "file.rec")
    writer = recordio.MXIndexedRecordIO(*names, "w")
    for key, record in zip(keys or range(len(records)), records, strict=True):
        writer.write_idx(key, record)
    writer.close()
    return names


# -- MXNet's bytes ----------------------------------------------------------------------------------------------------


def test_the_bytes_are_mxnets(tmp_path):
    index, file = written(tmp_path, RECORDS + PACKED, [10 * i for i in range(len(RECORDS + PACKED))])
    assert Path(file).read_bytes() == RECORDED.with_suffix(".rec").read_bytes()
    assert Path(index).read_bytes() == RECORDED.with_suffix(".idx").read_bytes()


def test_what_mxnet_wrote_is_read():
    reader = mx.recordio.MXIndexedRecordIO(RECORDED.with_suffix(".idx"), RECORDED.with_suffix(".rec"), "r")
    records = RECORDS + PACKED
    assert reader.keys == [10 * i for i in range(len(records))]
    for i in reversed(range(len(records))):
        assert reader.read_idx(10 * i) == records[i]
    reader.seek(20)
    assert [reader.read(), reader.read()] == records[2:4]
    reader.reset()
    assert [reader.read() for _ in records] == records
    assert (reader.read(), reader.read()) == (None, None)
    reader.close()


READ = """
import sys, mxnet as mx
reader = mx.recordio.MXIndexedRecordIO(sys.argv[1], sys.argv[2], "r")
for key in reader.keys:
    print(key, reader.read_idx(key).hex())
"""


@pytest.mark.skipif(not MXNET, reason="MINIGLUON_MXNET_PYTHON does not name a Python with MXNet 1.9.1")
def test_mxnet_reads_what_is_written(tmp_path):
    drawn = [np.random.RandomState(i).choice([b"abcd", MAGIC, b"x", MAGIC[:2]], 9).tolist() for i in range(30)]
    records = [b"".join(parts) for parts in drawn] + PACKED
    run = subprocess.run([MXNET, "-W", "ignore", "-c", READ, *written(tmp_path, records)], capture_output=True,
                         text=True, check=True, cwd=tmp_path)
    assert run.stdout.split("\n")[:-1] == [f"{i} {record.hex()}" for i, record in enumerate(records)]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from([MAGIC, MAGIC[:1], MAGIC[1:], b"abcd", b"xyz", b"\0"])).map(b"".join)))
def test_any_records_come_back(tmp_path, records):
    index, file = written(tmp_path, records)
    content = Path(file).read_bytes()
    assert len(content) % 4 == 0
    # The magic number at a multiple of 4 is a beginning: this is what cutting is for.
    starts = [at for at in range(0, len(content), 4) if content[at:at + 4] == MAGIC]
    lengths = [struct.unpack("<I", content[at + 4:at + 8])[0] & 2**29 - 1 for at in starts]
    ends = [at + 8 + n + -n % 4 for at, n in zip(starts, lengths, strict=True)]
    assert starts[1:] + [len(content)] * bool(starts) == ends
    reader = recordio.MXIndexedRecordIO(index, file, "r")
    assert [reader.read_idx(i) for i in range(len(records))] == records


def test_an_index_can_be_made_again(tmp_path):
    index, file = written(tmp_path, RECORDS)
    content = Path(index).read_bytes()
    os.unlink(index)
    assert recordio.write_index(file) == len(RECORDS)
    assert Path(index).read_bytes() == content
    Path(file).write_bytes(Path(file).read_bytes()[:-5])
    with pytest.warns(UserWarning, match="file.rec: the last .* bytes, from byte .* on, are skipped"):
        assert recordio.write_index(file) == len(RECORDS) - 1
    assert content.startswith(Path(index).read_bytes())
    Path(file).write_bytes(MAGIC + b"\x09\0\0\xff" + Path(file).read_bytes())
    content = Path(index).read_bytes()
    with pytest.raises(FileFormatError, match="is damaged: byte "):
        recordio.write_index(file)
    assert Path(index).read_bytes() == content


def test_tell(tmp_path):
    writer = recordio.MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "w")
    places = [writer.tell()]
    for i in range(3):
        writer.write_idx(i, b"record_%d" % i)
        places.append(writer.tell())
    assert places == [0, 16, 32, 48]
    writer.close()


def test_other_keys(tmp_path):
    names = tmp_path / "a.idx", tmp_path / "a.rec"
    writer = recordio.MXIndexedRecordIO(*names, "w", key_type=str)
    writer.write_idx("cat", b"1")
    writer.write_idx("dog", bytearray(b"2"))
    writer.close()
    reader = recordio.MXIndexedRecordIO(*names, "r", key_type=str)
    assert (reader.keys, reader.idx, reader.read_idx("dog")) == (["cat", "dog"], {"cat": 0, "dog": 12}, b"2")
    assert error_of(lambda: reader.read_idx("cow"), KeyError) == (
        f"{names[0]} has no record 'cow'; it has 2: 'cat', 'dog'")


# -- pack and unpack --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", HEADERS)
def test_pack(given):
    header, rest = recordio.unpack(recordio.pack(given, b"image"))
    _, label, *ids = given
    assert rest == b"image"
    assert list(header[2:]) == ids
    assert header.flag == (0 if isinstance(label, float) else np.size(label))
    if np.size(label):
        np.testing.assert_array_equal(header.label, np.ravel(label).astype(np.float32))


def test_header_is_printed_as_in_mxnet():
    header, _ = mx.recordio.unpack(mx.recordio.pack(mx.recordio.IRHeader(0, 14, 20129312, 0), b""))
    assert repr(header) == "HEADER(flag=0, label=14.0, id=20129312, id2=0)"


def test_what_pack_and_unpack_refuse():
    assert error_of(lambda: recordio.pack((0, 1.0, -1, 0), b""), ArgumentError).startswith(
        "pack: HEADER(flag=0, label=1.0, id=-1, id2=0) does not fit: ")
    assert error_of(lambda: recordio.unpack(b"short"), FileFormatError) == (
        "unpack: an image record has at least 24 bytes, found 5")
    hostile = struct.pack("<IfQQ", 2**32 - 1, 0, 0, 0) + b"1234"
    assert error_of(lambda: recordio.unpack(hostile), FileFormatError) == (
        "unpack: the header announces 4294967295 labels, 17179869180 bytes, and 4 follow it. The record was not "
        "written by `pack`.")


# -- damage -----------------------------------------------------------------------------------------------------------

GOOD = MAGIC + struct.pack("<I", 5) + b"hello\0\0\0"
TAIL = (" The file is truncated, or not a record file, or the index belongs to another file. Earlier records are "
        "complete.")


@pytest.mark.parametrize(("content", "text"), [
    (GOOD[:3], "byte 16) truncated in a header, after 19 bytes of the file"),
    (GOOD[:7], "truncated in a header, after 23 bytes of the file"),
    (GOOD[:12], "byte 20 announces 5 bytes, but 4 are left"),
    (b"PK\3\4" + GOOD, "byte 16 begins with 50 4b 03 04, expected 0a 23 d7 ce"),
    (MAGIC + struct.pack("<I", 2**29 - 1), "byte 20 announces 536870911 bytes, but 0 are left"),
    (MAGIC + struct.pack("<I", 5 << 29), "byte 20 holds the mark 5, expected 0 to 3"),
    (MAGIC + struct.pack("<I", 2 << 29), "its pieces are not in order"),
    (MAGIC + struct.pack("<I", 3 << 29), "its pieces are not in order"),
    (MAGIC + struct.pack("<I", 1 << 29) + GOOD, "its pieces are not in order"),
    (MAGIC + struct.pack("<I", 1 << 29), "truncated in a header, after 24 bytes of the file"),
])
def test_damaged_files(tmp_path, content, text):
    path = str(tmp_path / "x.rec")
    Path(path).write_bytes(GOOD + content)
    reader = recordio.MXRecordIO(path, "r", strict=True)
    assert reader.read() == b"hello"
    what = "it is " + text.removeprefix("byte 16) ") if "truncated in" in text else text
    assert error_of(reader.read, FileFormatError) == f"{path}: the record at byte 16 is damaged: {what}.{TAIL}"


def test_every_cut_of_a_file_is_noticed_or_a_whole_number_of_records(tmp_path):
    whole = b"".join(framed(r) for r in RECORDS)
    path = tmp_path / "x.rec"
    for end in range(0, len(whole), 3):
        path.write_bytes(whole[:end])
        reader, found = recordio.MXRecordIO(path, "r", strict=True), []
        try:
            while (record := reader.read()) is not None:
                found.append(record)
        except FileFormatError:
            pass
        assert found == RECORDS[:len(found)]


def test_a_reader_passes_over_an_end_that_is_cut_off(tmp_path):
    """At whichever byte the writer was ended. Memory of a disk that was not written before a power cut is zeros."""
    records = [b"one", RECORDS[-1], b"four" + MAGIC * 2 + b"b"]
    whole = b"".join(framed(r) for r in records)
    ends = np.cumsum([0, *(len(framed(r)) for r in records)])
    needed = [end - -len(record) % 4 for end, record in zip(ends[1:], records, strict=True)]     # but for its zeros
    path = tmp_path / "x.rec"
    for end in range(len(whole)):
        count = sum(end >= least for least in needed)
        path.write_bytes(whole[:end])
        reader, found = recordio.MXRecordIO(path, "r"), []
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            while (record := reader.read()) is not None:
                found.append(record)
            assert reader.read() is None
        assert found == records[:count]
        assert [str(w.message).partition(":")[0] for w in warned[:1]] == [str(path)] * int(end > ends[count])
        if end > ends[count]:
            assert f"the last {end - ends[count]} bytes, from byte {ends[count]} on, are skipped" in str(
                warned[0].message)
            assert warned[0].filename == __file__
        reader.close()
    path.write_bytes(framed(b"one") + bytes(20))
    with pytest.warns(UserWarning, match="from byte 12 on, are skipped: there are zeros up to the end"):
        assert list(recordio.MXRecordIO(path, "r").places()) == [0]


def test_a_wrong_length_before_other_records_is_no_cut_off_end(tmp_path):
    path = tmp_path / "x.rec"
    path.write_bytes(GOOD + MAGIC + struct.pack("<I", 99) + b"12345678" + GOOD)
    reader = recordio.MXRecordIO(path, "r")
    assert reader.read() == b"hello"
    with pytest.raises(FileFormatError, match="byte 20 announces 99 bytes, but 24 are left"):
        reader.read()


def test_an_index_whose_last_line_is_cut_off(tmp_path):
    names = str(tmp_path / "a.idx"), str(tmp_path / "a.rec")
    with recordio.MXIndexedRecordIO(*names, "w") as writer:
        for key in range(20):
            writer.write_idx(key, b"x" * 8)
    content = Path(names[0]).read_bytes()
    last = content.rindex(b"\n", 0, -1) + 1
    for end in range(last + 1, len(content) - 1):
        Path(names[0]).write_bytes(content[:end])
        with pytest.warns(UserWarning, match=f"a.idx: the last {end - last} bytes, line 20, are skipped"):
            assert recordio.MXIndexedRecordIO(*names, "r").keys == list(range(19))
    Path(names[0]).write_bytes(content[:-1])            # somebody wrote it without an end
    assert recordio.MXIndexedRecordIO(*names, "r").keys == list(range(20))


# -- atomic -----------------------------------------------------------------------------------------------------------


def versions(names):
    with recordio.MXIndexedRecordIO(*names, "r") as reader:
        return {reader.read_idx(key) for key in reader.keys} | {b"%d" % (key // 2) for key in reader.keys}


def write_version(names, version):
    with recordio.MXIndexedRecordIO(*names, "w", atomic=True) as writer:
        for key in range(2):
            writer.write_idx(key + version * 2, b"%d" % version)


def test_an_atomic_writer_replaces_both_files_when_it_is_closed(tmp_path):
    names = str(tmp_path / "a.idx"), str(tmp_path / "a.rec")
    write_version(names, 0)
    writer = recordio.MXIndexedRecordIO(*names, "w", atomic=True)
    writer.write_idx(2, b"1")
    assert versions(names) == {b"0"}
    writer.reset()
    writer.write_idx(2, b"1")
    writer.close()
    assert versions(names) == {b"1"}
    writer.open()
    writer.write_idx(4, b"2")
    del writer                                          # not closed
    with pytest.raises(ZeroDivisionError), recordio.MXIndexedRecordIO(*names, "w", atomic=True):
        raise ZeroDivisionError
    assert versions(names) == {b"1"}
    assert sorted(os.listdir(tmp_path)) == ["a.idx", "a.rec"]
    with pytest.raises(MXNetError, match="There is no folder"):
        recordio.MXRecordIO(str(tmp_path / "none" / "a.rec"), "w", atomic=True)
    assert error_of(lambda: recordio.MXIndexedRecordIO(str(tmp_path), names[1], "w", atomic=True), MXNetError) == (
        f"cannot write {str(tmp_path)!r}: it is a folder. Add the name of a file.")
    assert sorted(os.listdir(tmp_path)) == ["a.idx", "a.rec"]


@pytest.mark.parametrize("event", ["killed", "power_cuts"])
def test_records_and_index_are_never_of_two_versions(tmp_path, event):
    at, after = tmp_path / "at", tmp_path / "after"
    at.mkdir()
    write_version((at / "a.idx", at / "a.rec"), 0)
    names = str(after / "a.idx"), str(after / "a.rec")
    found = set()
    for files in getattr(Recording(at, lambda: write_version((at / "a.idx", at / "a.rec"), 1)), event)():
        shutil.rmtree(after, ignore_errors=True)
        after.mkdir()
        for name, content in files.items():
            (after / name).write_bytes(content)
        if "a.idx" not in files:
            text = error_of(lambda: versions(names), MXNetError)
            assert "a.idx' is missing: a process was killed while it replaced it" in text
            os.rename(*[part for part in text.split("'") if "/.a.idx." in part][:1], names[0])
        assert len(versions(names)) == 1
        found |= versions(names)
    assert found == {b"0", b"1"}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, 10**6), value=st.integers(0, 255))
def test_any_changed_byte_gives_records_or_an_error(tmp_path, at, value):
    content = bytearray(b"".join(framed(r) for r in RECORDS[:9]))
    content[at % len(content)] = value
    path = tmp_path / "x.rec"
    path.write_bytes(content)
    reader = recordio.MXRecordIO(path, "r", strict=True)
    try:
        while reader.read() is not None:
            pass
    except FileFormatError:
        pass


@pytest.mark.parametrize(("line", "shown"), [
    (b"x\t0\n", r"b'x\t0\n'"), (b"1 0\n", r"b'1 0\n'"), (b"\xff\n", r"b'\xff\n'")])
def test_damaged_index(tmp_path, line, shown):
    index, file = written(tmp_path, [b"a"])
    Path(index).write_bytes(b"0\t0\n" + line)
    assert error_of(lambda: recordio.MXIndexedRecordIO(index, file, "r"), FileFormatError) == (
        f"{index}: line 2 is {shown}, expected a key that int accepts, a tab, and a byte offset")


def test_an_index_that_belongs_to_another_file(tmp_path):
    index, file = written(tmp_path, [b"a", b"b"])
    Path(index).write_text("0\t4\n1\t999\n")
    reader = recordio.MXIndexedRecordIO(index, file, "r")
    assert error_of(lambda: reader.read_idx(0), FileFormatError) == (
        f"{file}: the record at byte 4 is damaged: byte 4 begins with 01 00 00 00, expected 0a 23 d7 ce.{TAIL}")
    assert error_of(lambda: reader.read_idx(1), FileFormatError) == (
        f"{index}: key 1 is at byte 999, but {file} ends before it. The file is truncated, or the index belongs to "
        "another file.")


def test_wrong_use(tmp_path):
    path = str(tmp_path / "x.rec")
    assert error_of(lambda: recordio.MXRecordIO(path, "a"), ValueError) == (
        "MXRecordIO: Invalid flag a, expected 'r' or 'w'")
    expected = "No such file or directory; expected a record file or its index, as written by minigluon im2rec"
    assert error_of(lambda: recordio.MXRecordIO(path, "r")) == (
        f"cannot read {path!r}: {expected}. The folder {str(tmp_path)!r} has: nothing")
    assert error_of(lambda: recordio.MXRecordIO("/no/folder", "w")) == (
        "cannot write '/no/folder': No such file or directory. There is no folder '/no'")
    writer = recordio.MXRecordIO(path, "w")
    assert error_of(writer.read) == f"{path} was opened with flag 'w', so it cannot be read"
    assert error_of(lambda: writer.write("text")) == (
        "write: a record must be bytes, found the string 'text'. Write buf.encode().")
    writer.close()
    assert error_of(lambda: writer.write(b"")) == f"{path} is closed. Call open() or reset()."
    reader = recordio.MXRecordIO(path, "r")
    assert error_of(lambda: reader.write(b"")) == f"{path} was opened with flag 'r', so it cannot be written"
    Path(path).write_bytes(GOOD)
    assert error_of(lambda: recordio.MXIndexedRecordIO(path + ".idx", path, "r")) == (
        f"cannot read '{path}.idx': {expected}. Did you mean 'x.rec'?")


# -- processes --------------------------------------------------------------------------------------------------------


def test_pickling(tmp_path):
    names = written(tmp_path, [b"a", b"b"])
    reader = recordio.MXIndexedRecordIO(*names, "r")
    reader.read()
    copy = pickle.loads(pickle.dumps(reader))
    assert (copy.read(), copy.read_idx(1), reader.read()) == (b"a", b"b", b"b")
    reader.close()
    assert not pickle.loads(pickle.dumps(reader)).is_open


def in_a_child(function):
    """What `function` writes to a pipe in a forked process, as a text."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.write(write, str(function()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(pid, 0)
    return text


def refused(action):
    try:
        return action()
    except MXNetError as error:
        return error


def test_a_forked_process_opens_the_file_again(tmp_path):
    index, file = written(tmp_path, [b"a", b"b", b"c"])
    reader = recordio.MXIndexedRecordIO(index, file, "r")
    reader.read()
    text = in_a_child(lambda: refused(reader.read))
    assert text.startswith(f"{file} was opened by process {os.getpid()}, but this is process ")
    assert text.endswith(", which shares its file position. Call reset() in this process first.")
    assert in_a_child(lambda: reader.read_idx(2)) == "b'c'"
    assert in_a_child(lambda: [reader.reset(), reader.read()]) == "[None, b'a']"
    assert reader.read() == b"b"


def test_a_forked_process_cannot_spoil_what_is_written(tmp_path):
    path = tmp_path / "x.rec"
    writer = recordio.MXRecordIO(path, "w")
    writer.write(b"one")
    assert "shares its file position" in in_a_child(lambda: refused(lambda: writer.write(b"child")))
    in_a_child(writer.close)
    writer.write(b"two")
    writer.close()
    reader = recordio.MXRecordIO(path, "r")
    assert [reader.read() for _ in range(3)] == [b"one", b"two", None]


KILLED = """
import os, signal, sys
from minigluon import recordio
writer = recordio.MXIndexedRecordIO(sys.argv[1] + ".idx", sys.argv[1] + ".rec", "w")
for i in range(100):
    writer.write_idx(i, b"record %d" % i)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_loses_nothing(tmp_path):
    name = str(tmp_path / "x")
    assert subprocess.run([sys.executable, "-c", KILLED, name], check=False).returncode == -signal.SIGKILL
    reader = recordio.MXIndexedRecordIO(name + ".idx", name + ".rec", "r")
    assert [reader.read_idx(i) for i in range(100)] == [b"record %d" % i for i in range(100)]


def test_a_full_disk(tmp_path):
    path = str(tmp_path / "x.rec")
    writer = recordio.MXRecordIO(path, "w")
    writer.write(b"kept")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        text = error_of(lambda: writer.write(bytes(200)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert text == f"cannot write {path!r}: File too large. Everything written before is on disk."
    writer.write(b"again")                  # follows the last whole record
    writer.close()
    reader = recordio.MXRecordIO(path, "r")
    assert [reader.read(), reader.read(), reader.read()] == [b"kept", b"again", None]


def test_threads_write_by_key(tmp_path):
    class Slow(recordio.MXIndexedRecordIO):
        def tell(self):
            place = super().tell()
            time.sleep(0.001)           # other threads run
            return place

    index, path = str(tmp_path / "x.idx"), str(tmp_path / "x.rec")
    writer = Slow(index, path, "w")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: writer.write_idx(i, b"%d" % i), range(40)))
    writer.close()
    reader = recordio.MXIndexedRecordIO(index, path, "r")
    assert [reader.read_idx(i) for i in range(40)] == [b"%d" % i for i in range(40)]


def test_threads_read_by_key(tmp_path):
    records = [b"%d" % i * 50 for i in range(40)]
    reader = recordio.MXIndexedRecordIO(*written(tmp_path, records), "r")
    wrong = []

    def read():
        wrong.extend(i for i in range(40) if reader.read_idx(i) != records[i])
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
