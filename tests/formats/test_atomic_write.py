"""Files that take the place of old ones: what a kill, a power cut or a full disk leaves."""

import contextlib
import fcntl
import gc
import os
import shutil
import threading

import pytest
from helpers.crashes import Recording, full_disk
from helpers.savers import Export, Module, Parameters, network

import minigluon as mx
from minigluon import MXNetError, nd, sym
from minigluon.serialization import temporary_files
from minigluon.serialization.atomic_write import reading_together, replacing, replacing_by_name, together

WRITERS = [Parameters, Export, Module]


def versions(writer, folder):
    """What a program that starts in this folder can load: versions, or the text of an error."""
    try:
        return writer.load(folder)
    except (MXNetError, FileNotFoundError) as error:
        return str(error)


def laid_out(tmp_path, files):
    folder = tmp_path / "after"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


def give_back(text):
    """Do what the error says."""
    old, new = eval(text.partition("os.rename")[2].partition(", or save")[0])
    os.rename(old, new)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("event", ["killed", "power_cuts"])
def test_a_save_that_is_cut_short_leaves_one_version_or_says_which_file_fits(tmp_path, kind, event):
    writer = kind()
    at = tmp_path / "at"
    at.mkdir()
    writer.save(at, 0)
    recording = Recording(at, lambda: writer.save(at, 1))
    found = set()
    for files in getattr(recording, event)():
        folder = laid_out(tmp_path, files)
        loaded = versions(writer, folder)
        while isinstance(loaded, str):
            assert "is missing: a process was killed while it replaced it" in loaded
            give_back(loaded)
            loaded = versions(writer, folder)
        assert len(loaded) == 1, f"mixed: {files.keys()}"
        found |= loaded
        if event == "killed":
            writer.save(folder, 1)
            assert sorted(os.listdir(folder)) == sorted(os.listdir(at))
    assert found == {0, 1}


@pytest.mark.parametrize("kind", WRITERS)
def test_a_first_save_that_is_cut_short_leaves_nothing_or_all(tmp_path, kind):
    writer = kind()
    at = tmp_path / "at"
    at.mkdir()
    recording = Recording(at, lambda: writer.save(at, 1))
    for files in recording.power_cuts():
        folder = laid_out(tmp_path, files)
        loaded = versions(writer, folder)
        while "is missing: a process was killed" in loaded:
            give_back(loaded)
            loaded = versions(writer, folder)
        assert loaded == {1} or "No such file" in loaded


@pytest.mark.parametrize("kind", WRITERS)
def test_a_save_that_has_returned_survives_a_power_cut(tmp_path, kind):
    writer = kind()
    at = tmp_path / "at"
    at.mkdir()
    writer.save(at, 0)
    recording = Recording(at, lambda: writer.save(at, 1))
    for files in recording.power_cuts(len(recording.calls)):
        assert writer.load(laid_out(tmp_path, files)) == {1}


class Pair:
    """Two files as quick as can be."""

    def save(self, folder, version):
        with together():
            for name in "ab":
                with replacing(folder / name) as file:
                    file.write(b"%d" % version)

    def load(self, folder):
        with reading_together(folder / "a", folder / "b"):
            return {int((folder / name).read_bytes()) for name in "ab"}


@pytest.mark.parametrize("event", ["killed", "power_cuts"])
def test_a_save_after_one_that_was_cut_short_is_cut_short_itself(tmp_path, event):
    """It finishes or undoes what the first one began, before it sets anything aside."""
    pair, at, again = Pair(), tmp_path / "at", tmp_path / "again"
    at.mkdir()
    pair.save(at, 0)
    for first in Recording(at, lambda: pair.save(at, 1)).killed():
        shutil.rmtree(again, ignore_errors=True)
        laid_out(tmp_path, first).rename(again)
        for files in getattr(Recording(again, lambda: pair.save(again, 2)), event)():
            folder = laid_out(tmp_path, files)
            loaded = versions(pair, folder)
            while isinstance(loaded, str):
                give_back(loaded)
                loaded = versions(pair, folder)
            assert len(loaded) == 1, f"{first} and then {files}"
        assert sorted(os.listdir(again)) == ["a", "b"]


@pytest.mark.parametrize("kind", WRITERS)
def test_a_rename_that_fails_leaves_all_old_files(tmp_path, kind, monkeypatch):
    """Such as in a folder of all users, where some of the files are another's."""
    writer = kind()
    writer.save(tmp_path, 0)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    rename = os.replace
    for name in before:
        def refuse(source, target, name=name):
            if name in (os.path.basename(source), os.path.basename(target)) and "old" not in source:
                raise PermissionError(1, "Operation not permitted", source, target)
            rename(source, target)
        monkeypatch.setattr(os, "replace", refuse)
        with pytest.raises(MXNetError, match=f"{name}': Operation not permitted. An existing file is unch"):
            writer.save(tmp_path, 1)
        monkeypatch.undo()
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("name", ["net-0000.params", "net-symbol.json"])
def test_an_export_that_cannot_write_one_file_leaves_the_other(tmp_path, name):
    Export().save(tmp_path, 0)
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    before = {path.name: path.is_dir() or path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(MXNetError, match=f"{name}': it is a folder. Add the name of a file."):
        Export().save(tmp_path, 1)
    assert {path.name: path.is_dir() or path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("kind", [Export, Module])
def test_a_full_disk_leaves_all_old_files(tmp_path, kind):
    """Whichever byte of whichever file is the first without a place."""
    writer = kind()
    writer.save(tmp_path, 0)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for room in range(0, sum(map(len, before.values())) - 97, 97):
        with full_disk(room), pytest.raises(MXNetError, match="No space left.*An existing file is unchanged"):
            writer.save(tmp_path, 1)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


# -- leftovers ------------------------------------------------------------------------------------------------------


def test_leftovers_of_killed_writers_go_with_the_next_save_and_those_of_living_ones_stay(tmp_path):
    path = tmp_path / "net.params"
    nd.save(path, nd.ones(2))
    (tmp_path / ".net.params.0.tmp").write_bytes(b"of a killed process")
    (tmp_path / ".net.params.5.tmp").write_bytes(b"of another")
    (tmp_path / ".net.params.old.tmp").write_bytes(b"somebody's own")
    with replacing(path) as file:                       # a living one
        file.write(b"slow")
        assert (tmp_path / ".net.params.0.tmp").read_bytes() == b""
        nd.save(path, nd.zeros(2))
        assert sorted(os.listdir(tmp_path)) == [".net.params.0.tmp", ".net.params.old.tmp", "net.params"]
    assert path.read_bytes() == b"slow"
    assert sorted(os.listdir(tmp_path)) == [".net.params.old.tmp", "net.params"]


def test_a_leftover_that_may_be_the_only_copy_goes_when_there_is_a_new_one(tmp_path):
    for name in (".x.old", ".x.0.tmp"):
        (tmp_path / name).write_bytes(b"whole")
    with pytest.raises(ZeroDivisionError), replacing(tmp_path / "x"):
        raise ZeroDivisionError
    assert os.listdir(tmp_path) == [".x.old"]
    with replacing(tmp_path / "x") as file:
        file.write(b"new")
    assert os.listdir(tmp_path) == ["x"]


def test_old_files_stay_while_another_process_replaces_several(tmp_path):
    (tmp_path / "x").write_bytes(b"x")
    (tmp_path / ".x.old").write_bytes(b"needed")
    with temporary_files.opened([tmp_path], "alone"), replacing_by_name(tmp_path / "y"):
        temporary_files.remove_leftovers(str(tmp_path / "x"))
        assert (tmp_path / ".x.old").exists()
    temporary_files.remove_leftovers(str(tmp_path / "x"))
    assert not (tmp_path / ".x.old").exists()


def test_long_names_with_one_beginning_have_leftovers_of_their_own(tmp_path):
    one, two = (str(tmp_path / ("x" * 60 + end)) for end in "12")
    with replacing_by_name(one) as aside:
        with replacing_by_name(two) as other:
            assert aside.removesuffix("0.tmp") != other.removesuffix("0.tmp")


def test_who_finds_a_new_file_before_its_lock_removes_it_and_the_writer_takes_another(tmp_path, monkeypatch):
    flock = fcntl.flock

    def late(handle, how):
        monkeypatch.undo()
        (tmp_path / ".x.0.tmp").unlink()
        (tmp_path / ".x.0.tmp").write_bytes(b"another's by now")
        flock(handle, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with replacing(tmp_path / "x") as file:
        file.write(b"new")
        assert (tmp_path / ".x.0.tmp").read_bytes() == b"another's by now"
    assert (tmp_path / "x").read_bytes() == b"new"


def test_what_is_set_aside_stays_while_nothing_has_its_name(tmp_path):
    """A process may have been killed since another one replaced the file."""
    (tmp_path / ".x.old").write_bytes(b"x")
    temporary_files.remove_leftovers(str(tmp_path / "x"))
    assert os.listdir(tmp_path) == [".x.old"]


def test_without_locks_leftovers_stay_and_saves_work(tmp_path, monkeypatch):
    monkeypatch.setattr(temporary_files, "fcntl", None)
    (tmp_path / "x").write_bytes(b"old")
    (tmp_path / ".x.0.tmp").write_bytes(b"")
    with replacing(tmp_path / "x") as file:
        file.write(b"new")
    assert (tmp_path / "x").read_bytes() == b"new"
    assert sorted(os.listdir(tmp_path)) == [".x.0.tmp", "x"]


def test_names_that_cannot_be_written_leave_nothing_open_and_nothing_behind(tmp_path):
    gc.collect()                # files that earlier tests left in cycles would be closed in between
    handles = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        with pytest.raises(MXNetError, match="File name too long"):
            nd.save(str(tmp_path / ("x" * 300)), nd.ones(2))
        with pytest.raises(MXNetError, match="it is a folder. Add the name of a file."):
            nd.save(f"{tmp_path}/folder/", nd.ones(2))
        with pytest.raises(MXNetError, match="a path cannot contain the character 0"):
            nd.save(f"{tmp_path}/a\0b", nd.ones(2))
    assert len(os.listdir("/proc/self/fd")) == handles
    assert os.listdir(tmp_path) == []


# -- together -------------------------------------------------------------------------------------------------------


def test_a_companion_that_stays_the_same_is_left_alone(tmp_path):
    """So a checkpoint for each epoch, all with one symbol, has no moment without it."""
    writer = Module()
    writer.save(tmp_path, 0)
    before = (tmp_path / "net-symbol.json").stat()
    writer.save(tmp_path, 0)
    assert os.path.samestat((tmp_path / "net-symbol.json").stat(), before)


def test_nobody_replaces_what_is_being_read_together(tmp_path):
    """Or a program could read the graph before, and the parameters after another one has saved both."""
    pair = Pair()
    pair.save(tmp_path, 0)
    writer = threading.Thread(target=pair.save, args=(tmp_path, 1))
    with reading_together(tmp_path / "a", tmp_path / "b"):
        assert (tmp_path / "b").read_bytes() == b"0"
        writer.start()
        writer.join(0.1)
        assert pair.load(tmp_path) == {0}
    writer.join()
    assert pair.load(tmp_path) == {1}


def test_blocks_within_blocks_and_what_fails_inside(tmp_path):
    with together():
        with replacing(tmp_path / "a") as file:
            file.write(b"a")
        with together(), replacing(tmp_path / "b") as file:
            file.write(b"b")
        with contextlib.suppress(KeyboardInterrupt), replacing(tmp_path / "c"):
            raise KeyboardInterrupt
        assert not (tmp_path / "a").exists()
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]
    with contextlib.suppress(ZeroDivisionError), together():
        with replacing(tmp_path / "a") as file:
            file.write(b"new")
        raise ZeroDivisionError
    assert (tmp_path / "a").read_bytes() == b"a"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


@pytest.mark.parametrize("at", range(1, 6))
def test_ctrl_c_between_two_renames(tmp_path, at, monkeypatch):
    """All old or all new."""
    rename, count = os.replace, 0

    def interrupted(source, target):
        nonlocal count
        rename(source, target)
        count += 1
        if count == at:
            raise KeyboardInterrupt

    for content in (b"old", b"new"):
        if content == b"new":
            monkeypatch.setattr(os, "replace", interrupted)
        with contextlib.suppress(KeyboardInterrupt), together():
            for name in "abc":
                with replacing(tmp_path / name) as file:
                    file.write(content)
    monkeypatch.undo()
    assert len({(tmp_path / name).read_bytes() for name in "abc"}) == 1


def test_a_checkpoint_of_mxnets_has_no_marks_and_parts_may_be_changed_alone(tmp_path):
    """Parameters are saved alone over those of an export, and a symbol is written by hand: as in MXNet."""
    Export().save(tmp_path, 0)
    net = network(1)
    nd.save(tmp_path / "net-0000.params", {f"arg:{key}": p.data() for key, p in net.collect_params().items()})
    assert Export().load(tmp_path) == {0, 1}
    net(sym.var("data")).save(str(tmp_path / "net-symbol.json"))
    assert Export().load(tmp_path) == {1}
    for epoch in range(3):
        mx.model.save_checkpoint(str(tmp_path / "m"), epoch, net(sym.var("data")), {"net_weight": nd.ones((2, 3))}, {})
    assert mx.model.load_checkpoint(str(tmp_path / "m"), 1)[1]["net_weight"].shape == (2, 3)
