"""Files that this process itself has open for writing, such as its own `NamedTemporaryFile`.

A rename would leave such a file object with the old bytes, so a program that saves to `file.name` and continues to read
from `file` would find it empty. Therefore `atomic_write` first writes the new bytes next to the file, as for any other
file, and then copies them into it. A program that has a file open for writing may see it partially written. A file that
is open only for reading is replaced as usual; its reader keeps the old bytes, even in memory that maps the file.
"""

from __future__ import annotations

import os

__all__ = ["copy_into", "is_open_for_writing"]

_FOLDERS = ("/proc/self/fd", "/dev/fd")         # on Linux and macOS; Windows does not rename onto open files


def is_open_for_writing(path: str) -> bool:
    """Return whether a file descriptor of this process can write to the file at a path.

    path: a path without symbolic links.
    """
    folder = next(filter(os.path.isdir, _FOLDERS), None)
    if folder is None:
        return False
    try:
        target = os.stat(path)
    except OSError:             # a new file
        return False
    return any(_writes_to(int(number), target) for number in os.listdir(folder))


def _writes_to(number, target):
    import fcntl
    try:
        return (os.path.samestat(os.fstat(number), target)
                and fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY)
    except OSError:             # closed in the meantime, like the descriptor that listed the folder
        return False


def copy_into(source: str, target: str) -> None:
    """Overwrite a file with the bytes of another file, and flush it to disk. Raises OSError.

    source, target: paths.
    """
    with open(source, "rb") as new, open(target, "rb+") as old:
        while block := new.read(1 << 20):
            old.write(block)
        old.truncate()
        old.flush()
        os.fsync(old.fileno())
