"""New files beside old ones: their names, whose they are, and what a killed process has left.

    .net.params.0.tmp       what will be called net.params
    .net.params.0.old       what was called so, for the moment in which several files are replaced together

The number is the lowest that is free, so that a save need not list a folder to find what an earlier one has left.

A writer locks its new file. The system ends the lock when the process ends, however it ends, and the lock holds between
containers and machines that share the folder, where the number of a process says nothing. So a new file without a lock
is a leftover. On a system without such locks, leftovers stay.
"""

import contextlib
import itertools
import os
import shutil
import time
import zlib

try:
    import fcntl
except ImportError:     # Windows
    fcntl = None

__all__ = ["create_beside", "leftovers", "old_name", "opened", "remove_leftovers"]

MAX_LEFTOVERS = 8       # of one name that are looked for: as many writers may be killed at once
MAX_WAIT = 10.0         # seconds for another process that replaces files, which may have been stopped
_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def create_beside(target):
    """(handle, path) of a new, empty, locked file in the folder of `target`, with its permissions if it is there.

    The lock ends with the handle. Removes what killed processes have left, unless `target` is missing: then a leftover
    may be the only copy.
    """
    if os.path.lexists(target):
        remove_leftovers(target)
    for number in itertools.count():
        aside = _name(target, number, "tmp")
        handle = _create(aside)
        if handle is not None:
            break
    try:
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(target, aside)
    except BaseException:
        os.close(handle)
        os.unlink(aside)
        raise
    return handle, aside


def _name(target, number, ending):
    """The beginning tells people whose file it is. A long name is cut, and its checksum tells it from others."""
    folder, name = os.path.split(target)
    if len(name) > 40:
        name = f"{name[:31]}-{zlib.crc32(os.fsencode(name)):08x}"
    return os.path.join(folder, f".{name}.{number}.{ending}")


def old_name(aside):
    """What the old file is called while the new one, `aside`, takes its name."""
    return aside.removesuffix("tmp") + "old"


def _create(aside):
    """The handle of a new file that is locked, or None where there is one already."""
    try:
        handle = os.open(aside, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FLAGS, 0o666)
    except FileExistsError:
        return None
    if _lock(handle) is False:          # somebody took it for a leftover in this moment, and removes it
        os.close(handle)
        return None
    if not os.path.lexists(aside):      # and has done so
        os.close(handle)
        return _create(aside)
    return handle


def _lock(handle):
    """True if the file or folder is locked for this handle now, False if for another one, None if none can be."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def leftovers(target):
    """(old, new): paths beside `target` of old files and of new ones, of killed processes or of those at work."""
    return tuple([path for number in range(MAX_LEFTOVERS) if os.path.lexists(path := _name(target, number, ending))]
                 for ending in ("old", "tmp"))


def remove_leftovers(target):
    """Remove what killed processes have left beside `target`."""
    old, new = leftovers(target)
    for path in new:
        _remove_if_free(path, path)
    for path in old:                    # whoever is replacing files has locked the folder
        _remove_if_free(path, os.path.dirname(target))


def _remove_if_free(path, locked):
    with contextlib.suppress(OSError):  # another user's, or gone by now
        handle = os.open(locked, os.O_RDONLY if os.path.isdir(locked) else os.O_RDWR | _FLAGS)
        try:
            if _lock(handle) and (locked != path or os.path.samestat(os.fstat(handle), os.lstat(path))):
                os.unlink(path)
        finally:
            os.close(handle)


@contextlib.contextmanager
def opened(folders, alone):
    """`with opened(folders, alone=True) as sync:` keeps others from replacing several files there at the same time.

    sync() forces all new names in the folders to the disk, where folders can be synced at all (not on Windows).
    """
    with contextlib.ExitStack() as stack:
        handles = []
        for folder in sorted(folders):
            with contextlib.suppress(OSError):
                handles.append(os.open(folder, os.O_RDONLY))
                stack.callback(os.close, handles[-1])
        end = time.monotonic() + MAX_WAIT
        for handle in handles if alone else ():
            while _lock(handle) is False and time.monotonic() < end:
                time.sleep(0.005)

        def sync():
            for handle in handles:
                with contextlib.suppress(OSError):
                    os.fsync(handle)
        yield sync
