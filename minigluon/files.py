"""Writing files so that a crash leaves the old one or the new one, whole; and what to say about one that is missing."""

import contextlib
import os
import shutil
import tempfile

from .base import MXNetError, listed, nearest

__all__ = ["replacing", "unreadable"]


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
    raises, the new file is removed and the old one is as it was. Raises MXNetError when the system cannot write.
    """
    target = os.path.realpath(path)         # a symbolic link keeps pointing where it did
    aside = None
    try:
        handle, aside = tempfile.mkstemp(prefix=f".{os.path.basename(target)}.", suffix=".tmp",
                                         dir=os.path.dirname(target))
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _copy_mode(target, aside)
        os.replace(aside, target)
        aside = None
        _sync_folder(os.path.dirname(target))
    except OSError as error:
        raise MXNetError(f"cannot write {os.fspath(path)!r}: {error.strerror}. "
                         "A file that was there before is unchanged.") from error
    finally:
        if aside is not None:
            with contextlib.suppress(OSError):
                os.unlink(aside)


def _copy_mode(target, aside):
    """Give the new file the old one's permissions, or what the process gives to new files."""
    try:
        shutil.copymode(target, aside)
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(aside, 0o666 & ~umask)


def _sync_folder(folder):
    """Force the new name to the disk, where folders can be synced at all (not on Windows)."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
