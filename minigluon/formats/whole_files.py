"""Writing files so that a crash leaves the old one or the new one, whole; and what to say about one that is missing."""

import contextlib
import os
import secrets
import shutil
import stat

from ..base import MXNetError, listed, nearest

__all__ = ["create_beside", "replacing", "replacing_by_name", "unreadable"]


def unreadable(path, error):
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
    target = os.path.realpath(path)         # a symbolic link keeps pointing where it did
    aside = None
    try:
        if _is_no_file(path):
            yield path
            return
        handle, aside = create_beside(target)
        os.close(handle)
        yield aside
        with open(aside, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(aside, target)
        aside = None
        _sync_folder(os.path.dirname(target))
    except OSError as error:
        raise MXNetError(_unwritable(path, target, error)) from error
    finally:
        if aside is not None:
            with contextlib.suppress(OSError):
                os.unlink(aside)


def create_beside(target):
    """(handle, path) of a new, empty file in the folder of `target`, with its permissions if it is there."""
    folder, name = os.path.split(target)
    while True:         # the name may be as long as the system allows, so only its beginning tells whose file this is
        aside = os.path.join(folder, f".{name[:40]}.{secrets.token_hex(4)}.tmp")
        with contextlib.suppress(FileExistsError):
            handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
            break
    with contextlib.suppress(FileNotFoundError):
        shutil.copymode(target, aside)
    return handle, aside


def _is_no_file(path):
    """Is it there, and neither a file nor a folder?"""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _unwritable(path, target, error):
    folder = os.path.dirname(target)
    if isinstance(error, FileNotFoundError) and not os.path.isdir(folder):
        return f"cannot write {path!r}: {error.strerror}. There is no folder {folder!r}"
    return f"cannot write {path!r}: {error.strerror}. A file that was there before is unchanged."


def _sync_folder(folder):
    """Force the new name to the disk, where folders can be synced at all (not on Windows)."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
