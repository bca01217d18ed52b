"""Readers for MNIST and CIFAR files, and their folders."""

from __future__ import annotations

import os
import tarfile
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from .... import base
from ....base import FileFormatError, MXNetError
from ....diagnostics.strictness import refuse
from ....serialization.idx import read_idx
from ...checksums import sha1_of
from ...utils import download

__all__ = ["data_dir", "fetch", "extract", "read_cifar", "read_idx"]

REPOSITORY = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/"


def data_dir(name: str) -> str:
    """Return MXNet's folder for a data set: $MXNET_HOME/datasets/<name>, by default in ~/.mxnet."""
    return os.path.join(base.data_dir(), "datasets", name)


def fetch(root: str | None, folder: str, name: str, sha1s: Any) -> Any:
    """Return the path of `root/name`, downloaded if missing.

    An existing file is checked but never replaced; in lenient mode, a wrong file is replaced with a download.

    folder: the file's folder in MXNet's repository ($MXNET_GLUON_REPO specifies another repository).
    sha1s: the SHA-1 of each accepted release, MXNet's first.
    """
    path = os.path.join(root, name)
    if os.path.exists(path):
        sha1 = sha1_of(path)
        if sha1 in sha1s:
            return path
        refuse(FileFormatError(
            f"{path} is not the published file: its SHA-1 is {sha1}, expected {' or '.join(sha1s)}. "
            "It is damaged or incomplete, or another file. It was not changed; delete it to download it again."))
    repository = os.environ.get("MXNET_GLUON_REPO") or REPOSITORY
    return download(f"{repository.rstrip('/')}/gluon/dataset/{folder}/{name}", path, sha1_hash=sha1s[0])


def read_cifar(path: str, label_bytes: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return (images (N, 32, 32, 3) uint8, labels (N, label_bytes) uint8) from a CIFAR file. Raises FileFormatError."""
    record = label_bytes + 3 * 32 * 32
    content = np.fromfile(path, np.uint8)
    if len(content) == 0 or len(content) % record:
        raise FileFormatError(f"{path}: the file has {len(content)} bytes, not a multiple of {record}, the length of "
                              "one labelled image. It is damaged or truncated.")
    rows = content.reshape(-1, record)
    images = rows[:, label_bytes:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(images), rows[:, :label_bytes]


def extract(archive: str, names: Sequence[str], root: str | None) -> None:
    """Extract the members whose file name is in `names` directly to `root`. Everything else in the archive is ignored.
    """
    missing = set(names)
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                name = os.path.basename(member.name)
                if name in missing and member.isfile():
                    with open(os.path.join(root, name + ".part"), "wb") as file:
                        file.write(tar.extractfile(member).read())
                    os.replace(os.path.join(root, name + ".part"), os.path.join(root, name))
                    missing.discard(name)
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise FileFormatError(f"{archive}: the archive is damaged or truncated ({error})") from error
    if missing:
        raise MXNetError(f"{archive} does not contain {', '.join(sorted(missing))}")
