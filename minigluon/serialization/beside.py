"""New files beside old ones: their names, whose they are, and what a killed process has left.

    .net.params.0.tmp           what is being written and will be called net.params
    .net-symbol.json.old        what was called net-symbol.json, while several files are replaced together
    .net-symbol.json.new        what will be called so in a moment
    .net.params.main            what will be called net.params before that

The number is the lowest that is free, so that a save need not list a folder to find what an earlier one has left.

A writer locks what it writes, and, to replace several files, their folder. The system ends a lock when the process
ends, however it ends, and locks hold between containers and machines that share the folder, where the number of a
process says nothing. So what nobody has locked is a leftover. On a system without such locks, leftovers stay.
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
except ImportError:     # Windows
    fcntl = None

__all__ = ["create_beside", "opened", "remove_leftovers", "staged"]

MAX_LEFTOVERS = 8       # of one name that are looked for: as many writers may be killed at once
MAX_WAIT = 10.0         # seconds for another process that replaces files, which may have been stopped
_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def staged(target: str, stage: str) -> str:
    """What a file is called while several are replaced together. The beginning tells people whose file it is.

    A long name is cut, and its checksum tells it from others.
    """
    folder, name = os.path.split(target)
    if len(name) > 40:
        name = f"{name[:31]}-{zlib.crc32(os.fsencode(name)):08x}"
    return os.path.join(folder, f".{name}.{stage}")


def create_beside(target: str) -> tuple[Any, Any]:
    """(handle, path) of a new, empty, locked file in the folder of `target`, with its permissions if it is there.

    The lock ends with the handle. Removes what killed processes have been writing here.
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
            import shutil  # with it come all formats of archives
            shutil.copymode(target, aside)
    except BaseException:
        os.close(handle)
        os.unlink(aside)
        raise
    return handle, aside


def _create(aside):
    """The handle of a new file that is locked, or None where there is one already."""
    try:
        handle = os.open(aside, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FLAGS, 0o666)
    except FileExistsError:
        return None
    if _lock(handle) is not False and _is(aside, handle):
        return handle
    os.close(handle)        # somebody took it for a leftover before it was locked, and has removed it, or is about to
    return None


def _is(path, handle):
    """Is this the file that the handle is open for?"""
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False


def _lock(handle, shared=False):
    """True if the file or folder is locked for this handle now, False if for another one, None if none can be."""
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
    """Remove what killed processes had set aside or were about to call `target`, if that is there.

    Not a main file that had not taken its name: it tells which of its companions fits.
    """
    for stage in "old", "new":
        if os.path.lexists(path := staged(target, stage)):
            _remove_if_free(path, os.path.dirname(target), lambda: os.path.lexists(target))


def _remove_if_free(path, locked, condition=lambda: True):
    """Remove a file if `locked`, which is the file or its folder, is not locked by a process that is alive."""
    with contextlib.suppress(OSError):  # another user's, or gone by now
        handle = os.open(locked, os.O_RDONLY if os.path.isdir(locked) else os.O_RDWR | _FLAGS)
        try:
            if _lock(handle) and _is(locked, handle) and condition():
                os.unlink(path)
        finally:
            os.close(handle)


@contextlib.contextmanager
def opened(folders, lock):
    """`with opened(folders, "alone") as sync:` keeps others from replacing or reading several files there together.

    lock: "alone"; "shared", which lets others read; or None. It waits for others, but no longer than MAX_WAIT.
    sync() forces all new names in the folders to the disk, where folders can be synced at all (not on Windows).
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
