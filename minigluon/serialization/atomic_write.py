"""Atomic writing of files, so that a crash leaves either the old or the new files intact; messages for missing files.

A single file is renamed in one step. For several files, `together` ensures that no reader ever sees old files next to
new files. The first file is the main file, and the others are its companions:

    1. all new files are written next to the old ones and flushed to disk
    2. the old companions are set aside, as `.net-symbol.json.old` next to `.net-symbol.json.new`
    3. the new main file, until then `.net-0000.params.main`, is renamed to its final name
    4. the new companions are renamed, and the old ones are removed

A companion with unchanged bytes is not replaced. If a process is killed between steps 2 and 4, the main file, old or
new, remains without a companion, but never with a companion of a different version. The matching companion always
exists: it is the old one while the main file is named `.main`, and the new one afterwards. `reading_together` reports
this state, and the next save of these files repairs it.
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
from . import temporary_files
from .open_files import copy_into, is_open_for_writing

__all__ = ["Replacement", "reading_together", "replacing", "replacing_by_name", "together", "unreadable",
           "unwritable"]

_together = contextvars.ContextVar("together", default=None)


def unreadable(path: Path | str, error: Any, expected: str = "") -> MXNetError:
    """Return the MXNetError for an OSError while reading a file.

    For a missing file, its message lists what exists instead.

    expected: the kind of file, such as 'a record file'.
    """
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
            pass                        # an unreadable folder, for which no remedy can be suggested
    kind = expected and f"; expected {expected}"
    return MXNetError(f"cannot read {path!r}: {error.strerror}{kind}{remedy}")


@contextlib.contextmanager
def reading_together(main, *companions):
    """Context manager that keeps other processes from replacing these files, so that all have the same version.
    main=None: a single file.

    Raises MXNetError with the matching file's name if a killed process left `main` without a companion.
    """
    if main is None or any("\0" in os.fsdecode(path) for path in (main, *companions)):
        yield                   # an invalid name; opening the file will report it
        return
    main, *companions = map(os.path.realpath, (main, *companions))
    with temporary_files.opened({os.path.dirname(path) for path in (main, *companions)}, "shared"):
        for path in companions:
            fitting = _fitting(path, main)
            if os.path.lexists(main) and not os.path.lexists(path) and os.path.lexists(fitting):
                raise MXNetError(f"{path!r} is missing: a process was killed while it replaced it and {main!r}. The "
                                 f"matching file is intact and called {fitting!r}. Rename it back, "
                                 f"os.rename({fitting!r}, {path!r}), or save both again.")
        yield


def _fitting(companion, main):
    """Return the current name of a companion that a killed process has set aside."""
    return temporary_files.staged(companion, "old" if os.path.lexists(temporary_files.staged(main, "main")) else "new")


@contextlib.contextmanager
def replacing(path):
    """Context manager that yields a binary file, which replaces `path` if the block succeeds.

    The bytes are written to a new file in the same folder, which is flushed to disk and then renamed. If the block
    raises an error, the new file is removed and the old file remains unchanged. A device or a pipe, such as /dev/null,
    is not replaced; the bytes are written to it. A file that this process has open for writing remains the same file
    (see `open_files.py`).
    Raises MXNetError if the system cannot write.
    """
    with replacing_by_name(path) as aside, open(aside, "wb") as file:
        yield file


@contextlib.contextmanager
def replacing_by_name(path):
    """Context manager like `replacing`, for libraries that open files: yields the path of a new, empty file."""
    path = os.fsdecode(path)
    if "\0" in path:
        raise MXNetError(f"cannot write {path!r}: a path cannot contain the character 0")
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
    """Context manager that renames all files replaced in it when it ends, so that no reader sees a mixture of old and
    new files.

    The first file is the main file, which always exists, old or new. The other files are missing for a moment if they
    change. If the block raises an error, all old files remain unchanged. A nested block is part of the outer block.
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
    """New files and their final names. The first file is the main file. The methods raise OSError."""

    def __init__(self):
        self._files = {}

    def add(self, path: str) -> Any:
        """Return the path of a new, empty file, which will replace `path`."""
        target = os.path.realpath(path)         # this keeps symbolic links intact
        if os.path.isdir(target) or path.endswith(("/", os.sep)):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if target not in self._files:
            self._files[target] = _NewFile(path, target)
        return self._files[target].aside

    def drop(self, path: str) -> None:
        """Remove the new file for `path`, if there is one."""
        file = self._files.pop(os.path.realpath(path), None)
        if file is not None:
            file.remove()

    def discard(self) -> None:
        """Remove all new files."""
        while self._files:
            self._files.popitem()[1].remove()

    def commit(self) -> None:
        """Rename the new files. On an error, all old files remain unchanged, and the new files are removed."""
        try:
            for file in self._files.values():
                file.sync()
            main, *companions = self._files.values() if self._files else [None]
            if main is not None:
                folders = {os.path.dirname(target) for target in self._files}
                with temporary_files.opened(folders, "alone" if companions else None) as sync:
                    _take_names(main, companions, sync)
            for target in self._files:
                temporary_files.remove_leftovers(target)
        finally:
            self.discard()


class _NewFile:
    """A new file next to the old one. While `handle` is open, other processes can tell that it is not a leftover."""

    def __init__(self, path, target):
        self.path, self.target = path, target
        self.handle, self.aside = temporary_files.create_beside(target)
        self.earlier = None             # its former name
        self.identity = os.fstat(self.handle)
        if os.name == "nt":             # Windows can neither rename nor remove open files
            os.close(self.handle)
            self.handle = None

    def sync(self):
        """Flush the bytes to disk."""
        with open(self.aside, "rb+") as file:
            os.fsync(file.fileno())
            self.identity = os.fstat(file.fileno())

    def changes_nothing(self):
        """Return whether the new file has the same bytes as the old file."""
        if not os.path.exists(self.target) or os.path.getsize(self.aside) != os.path.getsize(self.target):
            return False
        with open(self.aside, "rb") as new, open(self.target, "rb") as old:
            while block := new.read(1 << 20):
                if block != old.read(len(block)):
                    return False
        return True

    def stage(self, stage):
        """Rename the file to the name for this stage."""
        before, self.aside = self.aside, temporary_files.staged(self.target, stage)
        self.earlier = before           # set first, because Ctrl-C may come after the next line
        os.replace(before, self.aside)

    def take_name(self):
        try:
            if is_open_for_writing(self.target):
                copy_into(self.aside, self.target)
                os.unlink(self.aside)
            else:
                os.replace(self.aside, self.target)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.path) from error

    def follow(self, main):
        """Take the final name, which is free, after the main file has taken its final name."""
        try:
            self.take_name()
        except OSError as error:
            raise MXNetError(f"{main.path!r} is new, but {self.path!r}, which belongs to it, cannot be written: "
                             f"{error.strerror}. Save both again.") from error

    def is_beside(self):
        """Return whether the file still has a temporary name."""
        return bool(self._current_paths())

    def _current_paths(self):
        """Return the temporary name in a list, which is empty after the final rename."""
        return [path for path in (self.aside, self.earlier) if path and self._is_at(path)]

    def _is_at(self, path):
        try:
            return os.path.samestat(self.identity, os.lstat(path))
        except OSError:     # missing; a check beforehand would not help, because another process may remove it
            return False

    def remove(self):
        """Remove the new file unless it has its final name."""
        for path in self._current_paths():
            _remove(path)
        if self.handle is not None:
            os.close(self.handle)
            self.handle = None


def _take_names(main, companions, sync):
    """Perform steps 2 to 4.

    After any exception, including Ctrl-C, the main file and its companions are all old or all new.
    """
    if companions:
        _recover(main.target, [file.target for file in companions], sync)
        companions = [file for file in companions if not file.changes_nothing()]
    if not companions:
        main.take_name()
        sync()
        return
    with contextlib.ExitStack() as after:
        # After a power failure, everything before the last sync is kept, and possibly some of what follows.
        main.stage("main")
        sync()
        for file in companions:
            after.callback(lambda file=file: _give_back(file.target) if main.is_beside() else file.follow(main))
            file.stage("new")
            if os.path.lexists(file.target):
                os.replace(file.target, temporary_files.staged(file.target, "old"))
        sync()
        main.take_name()
        sync()
    sync()
    for file in companions:
        _remove(temporary_files.staged(file.target, "old"))


def _recover(main, companions, sync):
    """Complete or undo what a killed process was doing with these files."""
    for target in companions:
        if not os.path.lexists(target) and os.path.lexists(fitting := _fitting(target, main)):
            os.replace(fitting, target)
            sync()
    for target in companions:
        _remove(temporary_files.staged(target, "new"))
        _remove(temporary_files.staged(target, "old"))
    _remove(temporary_files.staged(main, "main"))


def _give_back(target):
    """Restore an old file that was set aside."""
    if os.path.lexists(old := temporary_files.staged(target, "old")) and not os.path.lexists(target):
        os.replace(old, target)


def _remove(path):
    with contextlib.suppress(OSError):
        os.unlink(path)


def _is_no_file(path):
    """Return whether the path exists and is neither a file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def unwritable(path: str, error: Any) -> str:
    """Return the message for an OSError that occurs while writing a file next to an old one."""
    folder = os.path.dirname(os.path.realpath(path))
    if isinstance(error, FileNotFoundError) and not os.path.isdir(folder):
        return f"cannot write {path!r}: {error.strerror}. There is no folder {folder!r}"
    if isinstance(error, IsADirectoryError):
        return f"cannot write {path!r}: it is a folder. Add the name of a file."
    return f"cannot write {path!r}: {error.strerror}. An existing file is unchanged."
