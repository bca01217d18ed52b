"""Readers for the files of MNIST and CIFAR, and the place where they live."""

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
    """Where MXNet keeps a data set: $MXNET_HOME/datasets/<name>, by default below ~/.mxnet."""
    return os.path.join(base.data_dir(), "datasets", name)


def fetch(root: str | None, folder: str, name: str, sha1s: Any) -> Any:
    """The path of `root/name`, downloaded if it is absent.

    A file that is there is checked, and never replaced; in a lenient run another one is downloaded in its place.

    folder: where MXNet's repository keeps the file ($MXNET_GLUON_REPO names another repository).
    sha1s: the SHA-1 of each release that is accepted; the first one is MXNet's.
    """
    path = os.path.join(root, name)
    if os.path.exists(path):
        found = sha1_of(path)
        if found in sha1s:
            return path
        refuse(FileFormatError(
            f"{path} is not the file that was published: its SHA-1 is {found}, expected {' or '.join(sha1s)}. "
            f"It is damaged or incomplete, or another file. It was not touched; delete it to download it again."))
    repository = os.environ.get("MXNET_GLUON_REPO") or REPOSITORY
    return download(f"{repository.rstrip('/')}/gluon/dataset/{folder}/{name}", path, sha1_hash=sha1s[0])


def read_cifar(path: str, label_bytes: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """(images (N, 32, 32, 3) uint8, labels (N, label_bytes) uint8) of a CIFAR binary file. Raises FileFormatError."""
    record = label_bytes + 3 * 32 * 32
    content = np.fromfile(path, np.uint8)
    if len(content) == 0 or len(content) % record:
        raise FileFormatError(f"{path}: the file has {len(content)} bytes, not a multiple of {record}, the length of "
                              "one labelled image. It is damaged or cut off.")
    rows = content.reshape(-1, record)
    images = rows[:, label_bytes:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(images), rows[:, :label_bytes]


def extract(archive: str, names: Sequence[str], root: str | None) -> None:
    """Write the members whose last name is in `names` to `root`, flat. Nothing else in the archive is looked at."""
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
        raise FileFormatError(f"{archive}: the archive is damaged or cut off ({error})") from error
    if missing:
        raise MXNetError(f"{archive} does not hold {', '.join(sorted(missing))}")
