"""Temporary files next to old files: names, ownership, and leftovers of killed processes.

    .net.params.0.tmp           being written, to become net.params
    .net-symbol.json.old        the old net-symbol.json, while several files are replaced together
    .net-symbol.json.new        the new one, about to be renamed
    .net.params.main            the new main file, renamed before the others

The number is the lowest free number, so that a save can find leftovers without listing the folder.

A writer locks the files it writes and, to replace several files, their folder. The system releases a lock when the
process ends in any way, and locks work across containers and machines that share the folder, where process ids are
meaningless. An unlocked file is therefore a leftover. On a system without such locks, leftovers are not removed.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
import zlib
from typing import Any

try:
    import fcntl
except ImportError:     # on Windows
    fcntl = None

__all__ = ["create_beside", "opened", "remove_leftovers", "staged"]

MAX_LEFTOVERS = 8       # the number of leftovers to look for per name, because that many writers may be killed at once
MAX_WAIT = 10.0         # seconds to wait for another process that replaces files, which may be suspended
_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def staged(target: str, stage: str) -> str:
    """Return the name of a file while several files are being replaced together. It begins with the target's name.

    A long name is truncated and made unique by a checksum.
    """
    folder, name = os.path.split(target)
    if len(name) > 40:
        name = f"{name[:31]}-{zlib.crc32(os.fsencode(name)):08x}"
    return os.path.join(folder, f".{name}.{stage}")


def create_beside(target: str) -> tuple[Any, Any]:
    """Return (handle, path) of a new, empty, locked file next to `target`, with its permissions if it exists.

    Closing the handle releases the lock. Removes unfinished files of killed processes.
    """
    for number in range(MAX_LEFTOVERS):
        if os.path.lexists(path := staged(target, f"{number}.tmp")):
            _remove_if_free(path, path)
    for number in itertools.count():
        aside = staged(target, f"{number}.tmp")
        handle = _create(aside)
        if handle is not None:
            break
    try:
        with contextlib.suppress(FileNotFoundError):
            import shutil  # this imports all archive formats
            shutil.copymode(target, aside)
    except BaseException:
        os.close(handle)
        os.unlink(aside)
        raise
    return handle, aside


def _create(aside):
    """Return the handle of a new locked file, or None if the file exists."""
    try:
        handle = os.open(aside, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FLAGS, 0o666)
    except FileExistsError:
        return None
    if _lock(handle) is not False and _is(aside, handle):
        return handle
    os.close(handle)        # another process mistook it for a leftover before it was locked
    return None


def _is(path, handle):
    """Return whether this path is the file of the open handle."""
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False


def _lock(handle, shared=False):
    """Return True if this handle now has the lock, False if another handle has it, None if locks are not supported."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def remove_leftovers(target: str) -> None:
    """Remove leftovers of killed processes for `target`, if it exists.

    A main file that has not been renamed yet is kept, because it shows which of its companions match.
    """
    for stage in "old", "new":
        if os.path.lexists(path := staged(target, stage)):
            _remove_if_free(path, os.path.dirname(target), lambda: os.path.lexists(target))


def _remove_if_free(path, locked, condition=lambda: True):
    """Remove a file unless `locked`, which is the file or its folder, is locked by a running process."""
    with contextlib.suppress(OSError):  # owned by another user, or already removed
        handle = os.open(locked, os.O_RDONLY if os.path.isdir(locked) else os.O_RDWR | _FLAGS)
        try:
            if _lock(handle) and _is(locked, handle) and condition():
                os.unlink(path)
        finally:
            os.close(handle)


@contextlib.contextmanager
def opened(folders, lock):
    """Context manager that keeps other processes from replacing or reading groups of files in these folders.

    lock: "alone"; "shared", which lets other processes read; or None. It waits for other processes, but at most
    MAX_WAIT. It yields sync(), which flushes all new names in the folders to disk, if folders can be synced at all (not
    on Windows).
    """
    with contextlib.ExitStack() as stack:
        handles = []
        for folder in sorted(folders):
            with contextlib.suppress(OSError):
                handles.append(os.open(folder, os.O_RDONLY))
                stack.callback(os.close, handles[-1])
        end = time.monotonic() + MAX_WAIT
        for handle in handles if lock else ():
            while _lock(handle, lock == "shared") is False and time.monotonic() < end:
                time.sleep(0.005)

        def sync():
            for handle in handles:
                with contextlib.suppress(OSError):
                    os.fsync(handle)
        yield sync
