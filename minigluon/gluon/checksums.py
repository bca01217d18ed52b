"""SHA-1 checks of downloaded files, and the error for failed downloads."""

from __future__ import annotations

import hashlib
import os

from ..base import MXNetError
from ..diagnostics.argument_kinds import worded

__all__ = ["DownloadError", "check_sha1", "sha1_of"]


class DownloadError(MXNetError):
    """Raised if a file could not be downloaded or is not the expected file.

    >>> issubclass(gluon.utils.DownloadError, mx.MXNetError)
    True
    """


@worded
def check_sha1(filename: str, sha1_hash: str) -> bool:
    """Return whether the file's SHA-1 is `sha1_hash`, given in hexadecimal digits.

    filename: the path of the file.

    >>> with open("empty.txt", "w"):
    ...     pass
    >>> gluon.utils.check_sha1("empty.txt", "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    True
    """
    return sha1_of(filename) == sha1_hash


def sha1_of(filename):
    """Return a file's SHA-1, in hexadecimal digits."""
    digest = hashlib.sha1()
    with open(os.fspath(filename), "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
