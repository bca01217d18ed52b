"""Writing files so that a crash leaves the old ones or the new ones, whole; and what to say about one that is missing.

One file takes its name in one step. Several cannot, so `together` makes sure that no reader ever sees old ones beside
new ones. The first file is the main one, the others are its companions:

    1. all new files are written beside the old ones, and forced to the disk
    2. the old companions are set aside, `.net-symbol.json.old` beside `.net-symbol.json.new`
    3. the new main file, `.net-0000.params.main` so far, takes its name
    4. the new companions take theirs, and the old ones are removed

A companion with the same bytes as before is left alone. Who is killed between 2 and 4 leaves the main file, old or new,
without a companion, and never with one of another version. The one that fits is there: the old one while the main file
is called `.main`, the new one since. `reading_together` says so, and the next save of these files begins with it.
"""

from __future__ import annotations

import contextlib
import contextvars
import errno
import os
import stat
from pathlib import Path
from typing import Any

from ..base import MXNetError, listed, nearest
from . import beside

__all__ = ["Replacement", "reading_together", "replacing", "replacing_by_name", "together", "unreadable",
           "unwritable"]

_together = contextvars.ContextVar("together", default=None)


def unreadable(path: Path | str, error: Any) -> MXNetError:
    """The MXNetError for an OSError while reading a file. Where there is none, it tells what is there instead."""
    path = os.fspath(path)
    folder, name = os.path.split(os.path.abspath(path))
    remedy = ""
    if isinstance(error, FileNotFoundError):
        try:
            there = sorted(os.listdir(folder))
            remedy = "." + (nearest(name, there) or f" The folder {folder!r} has: {listed(there, 6, 'nothing')}")
        except FileNotFoundError:
            remedy = f". There is no folder {folder!r}"
        except OSError:
            pass                        # a folder that this program may not look into: there is no remedy to name
    return MXNetError(f"cannot read {path!r}: {error.strerror}{remedy}")


@contextlib.contextmanager
def reading_together(main, *companions):
    """In this block nobody replaces these files together, so they are of one version. main None: there is but one.

    Raises MXNetError if a killed process has left `main` without a companion; it names the one that fits.
    """
    if main is None or any("\0" in os.fsdecode(path) for path in (main, *companions)):
        yield                   # no file has a name with a zero: who opens it says so
        return
    main, *companions = map(os.path.realpath, (main, *companions))
    with beside.opened({os.path.dirname(path) for path in (main, *companions)}, "shared"):
        for path in companions:
            fitting = _fitting(path, main)
            if os.path.lexists(main) and not os.path.lexists(path) and os.path.lexists(fitting):
                raise MXNetError(f"{path!r} is missing: a process was ended while it replaced it and {main!r}. What "
                                 f"fits to that file is whole and called {fitting!r}. Give it its name back, "
                                 f"os.rename({fitting!r}, {path!r}), or save both again.")
        yield


def _fitting(companion, main):
    """What a companion that a killed process has set aside is called now."""
    return beside.staged(companion, "old" if os.path.lexists(beside.staged(main, "main")) else "new")


@contextlib.contextmanager
def replacing(path):
    """`with replacing(path) as file:` gives a binary file that takes the place of `path` when the block succeeds.

    The bytes go to a new file in the same folder, are forced to the disk, and only then get the name. When the block
    raises, the new file is removed and the old one is as it was. A device or a pipe, such as /dev/null, is no file to
    replace: the bytes go into it. Raises MXNetError when the system cannot write.
    """
    with replacing_by_name(path) as aside, open(aside, "wb") as file:
        yield file


@contextlib.contextmanager
def replacing_by_name(path):
    """`replacing` for what opens its files itself: gives the path of the new file, which is empty."""
    path = os.fsdecode(path)
    if "\0" in path:
        raise MXNetError(f"cannot write {path!r}: a path has no character 0")
    joined = _together.get()
    files = joined or Replacement()
    try:
        if _is_no_file(path):
            yield path
            return
        yield files.add(path)
        if joined is None:
            files.commit()
    except BaseException as error:
        files.drop(path)
        if isinstance(error, OSError):
            raise MXNetError(unwritable(path, error)) from error
        raise


@contextlib.contextmanager
def together():
    """The files that are replaced in this block get their names at its end, and no reader sees old beside new ones.

    The first one is the main file: it is there at every moment, old or new. The others are missing for a moment if they
    change. When the block raises, all old files are as they were. One block within another is a part of it.
    """
    if _together.get() is not None:
        yield
        return
    files = Replacement()
    token = _together.set(files)
    try:
        yield
    except BaseException:
        files.discard()
        raise
    finally:
        _together.reset(token)
    try:
        files.commit()
    except OSError as error:
        raise MXNetError(unwritable(error.filename, error)) from error


class Replacement:
    """New files and the names that they will get. The first one is the main file. The methods raise OSError."""

    def __init__(self):
        self._files = {}

    def add(self, path: str) -> Any:
        """The path of a new, empty file, which will take the place of `path`."""
        target = os.path.realpath(path)         # a symbolic link keeps pointing where it did
        if os.path.isdir(target) or path.endswith(("/", os.sep)):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if target not in self._files:
            self._files[target] = _NewFile(path, target)
        return self._files[target].aside

    def drop(self, path: str) -> None:
        """Remove the new file of `path`, if there is one."""
        file = self._files.pop(os.path.realpath(path), None)
        if file is not None:
            file.remove()

    def discard(self) -> None:
        """Remove all new files."""
        while self._files:
            self._files.popitem()[1].remove()

    def commit(self) -> None:
        """Give the new files their names. On an error, all old files are as they were, and the new ones are removed."""
        try:
            for file in self._files.values():
                file.sync()
            main, *companions = self._files.values() if self._files else [None]
            if main is not None:
                folders = {os.path.dirname(target) for target in self._files}
                with beside.opened(folders, "alone" if companions else None) as sync:
                    _take_names(main, companions, sync)
            for target in self._files:
                beside.remove_leftovers(target)
        finally:
            self.discard()


class _NewFile:
    """A new file beside the old one. While `handle` is open, other processes know that it is no leftover."""

    def __init__(self, path, target):
        self.path, self.target = path, target
        self.handle, self.aside = beside.create_beside(target)
        self.earlier = None             # what it was called before
        self.identity = os.fstat(self.handle)
        if os.name == "nt":             # which neither renames nor removes what is open
            os.close(self.handle)
            self.handle = None

    def sync(self):
        """Force the bytes to the disk."""
        with open(self.aside, "rb+") as file:
            os.fsync(file.fileno())
            self.identity = os.fstat(file.fileno())

    def changes_nothing(self):
        """Does it have the bytes of the old one?"""
        if not os.path.exists(self.target) or os.path.getsize(self.aside) != os.path.getsize(self.target):
            return False
        with open(self.aside, "rb") as new, open(self.target, "rb") as old:
            while block := new.read(1 << 20):
                if block != old.read(len(block)):
                    return False
        return True

    def stage(self, stage):
        """Give it the name of this stage."""
        before, self.aside = self.aside, beside.staged(self.target, stage)
        self.earlier = before           # now: Ctrl-C may come after the next line
        os.replace(before, self.aside)

    def take_name(self):
        try:
            os.replace(self.aside, self.target)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.path) from error

    def follow(self, main):
        """Take the name that has been made free, since the main file has taken its own."""
        try:
            self.take_name()
        except OSError as error:
            raise MXNetError(f"{main.path!r} is new, and {self.path!r}, which belongs to it, cannot be written: "
                             f"{error.strerror}. Save both again.") from error

    def is_beside(self):
        """Has it not taken its name yet?"""
        return bool(self._found())

    def _found(self):
        """What it is called, in a list: nothing once it has taken its name."""
        return [path for path in (self.aside, self.earlier) if path and self._is_at(path)]

    def _is_at(self, path):
        try:
            return os.path.samestat(self.identity, os.lstat(path))
        except OSError:     # not there; to ask first would not do, since others who save it may take it away between
            return False

    def remove(self):
        """Remove the new file, if it has not taken its name."""
        for path in self._found():
            _remove(path)
        if self.handle is not None:
            os.close(self.handle)
            self.handle = None


def _take_names(main, companions, sync):
    """Steps 2 to 4. Whatever is raised, Ctrl-C too, main file and companions are all old or all new."""
    if companions:
        _recover(main.target, [file.target for file in companions], sync)
        companions = [file for file in companions if not file.changes_nothing()]
    if not companions:
        main.take_name()
        sync()
        return
    with contextlib.ExitStack() as after:
        # A power cut keeps an earlier sync and any part of what follows it.
        main.stage("main")
        sync()
        for file in companions:
            after.callback(lambda file=file: _give_back(file.target) if main.is_beside() else file.follow(main))
            file.stage("new")
            if os.path.lexists(file.target):
                os.replace(file.target, beside.staged(file.target, "old"))
        sync()
        main.take_name()
        sync()
    sync()
    for file in companions:
        _remove(beside.staged(file.target, "old"))


def _recover(main, companions, sync):
    """Finish what a killed process was doing with these files, or undo it."""
    for target in companions:
        if not os.path.lexists(target) and os.path.lexists(fitting := _fitting(target, main)):
            os.replace(fitting, target)
            sync()
    for target in companions:
        _remove(beside.staged(target, "new"))
        _remove(beside.staged(target, "old"))
    _remove(beside.staged(main, "main"))


def _give_back(target):
    """Undo that the old file was set aside."""
    if os.path.lexists(old := beside.staged(target, "old")) and not os.path.lexists(target):
        os.replace(old, target)


def _remove(path):
    with contextlib.suppress(OSError):
        os.unlink(path)


def _is_no_file(path):
    """Is it there, and neither a file nor a folder?"""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def unwritable(path: str, error: Any) -> str:
    """The text for an OSError while writing a file beside an old one."""
    folder = os.path.dirname(os.path.realpath(path))
    if isinstance(error, FileNotFoundError) and not os.path.isdir(folder):
        return f"cannot write {path!r}: {error.strerror}. There is no folder {folder!r}"
    if isinstance(error, IsADirectoryError):
        return f"cannot write {path!r}: it is a folder. Add the name of a file."
    return f"cannot write {path!r}: {error.strerror}. A file that was there before is unchanged."
