"""Helpers for training programs: splitting batches across devices, gradient clipping, and downloads."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

from .. import ndarray as nd
from ..base import ArgumentError, integer_types
from ..common.array_semantics import is_np_array
from ..common.shape_semantics import read
from ..context import Context
from ..diagnostics import strictness
from ..diagnostics.argument_kinds import worded
from ..ndarray import NDArray
from ..ndarray.exports import in_current_class, plain_arrays
from ..ops.shapes import is_known
from .checksums import DownloadError, check_sha1
from .from_torch import CopiedParameter, load_torch
from .hooks import HookHandle

__all__ = ["CopiedParameter", "DownloadError", "HookHandle", "check_sha1", "clip_global_norm", "download", "load_torch",
           "replace_file", "shape_is_known", "split_and_load", "split_data"]

MAX_SIZE = 1 << 36              # bytes: 64 GiB
MAX_SECONDS = 24 * 3600
MAX_NAME = 255                  # the file system's limit on file names


# -- splitting of batches -------------------------------------------------------------------------------------------


@worded
def split_data(data: NDArray, num_slice: int, batch_axis: int = 0, even_split: bool = True) -> list[NDArray]:
    """Split an NDArray into parts along an axis. Returns a list of NDArrays.

    data: the NDArray.
    num_slice: the number of parts.
    batch_axis: the axis.
    even_split: if True, raise ArgumentError if the parts cannot be equal; if False, make the first parts longer by one
        element.

    >>> [part.asnumpy().tolist() for part in gluon.utils.split_data(nd.arange(5), 2, even_split=False)]
    [[0.0, 1.0, 2.0], [3.0, 4.0]]
    """
    if not isinstance(data, nd.NDArray):
        raise ArgumentError(f"split_data: data must be an NDArray, found {type(data).__name__}")
    if not isinstance(num_slice, integer_types) or num_slice < 1:
        raise ArgumentError(f"split_data: num_slice is {num_slice!r}, expected an integer, at least 1")
    if not isinstance(batch_axis, integer_types) or not -data.ndim <= batch_axis < data.ndim:
        raise ArgumentError(f"split_data: batch_axis is {batch_axis!r}, but data has {data.ndim} dimensions")
    batch_axis %= data.ndim
    size = data.shape[batch_axis]
    part, more = divmod(size, num_slice)
    if even_split and more:
        raise ArgumentError(f"data of shape {data.shape} cannot be split into {num_slice} equal parts along axis "
                            f"{batch_axis}. Use a batch size that is a multiple of {num_slice}, or even_split=False.")
    if num_slice == 1:
        return [data]
    ends = [part * (i + 1) + min(i + 1, more) for i in range(num_slice)]
    return [nd.slice_axis(data, axis=batch_axis, begin=begin, end=end)
            for begin, end in zip([0, *ends], ends, strict=False)]


@worded
def split_and_load(data: Any, ctx_list: Sequence[Context], batch_axis: int = 0,
                   even_split: bool = True) -> list[NDArray]:
    """Split a batch into one part per device, and return the parts, each on its device.

    data: the batch, an NDArray or a numpy.ndarray.
    ctx_list: the devices.
    batch_axis: the axis.
    even_split: if True, raise ArgumentError if the parts cannot be equal; if False, make the first parts longer by one
        element.

    >>> parts = gluon.utils.split_and_load(nd.arange(4), [mx.cpu(0), mx.cpu(1)])
    >>> [(part.asnumpy().tolist(), part.context) for part in parts]
    [([0.0, 1.0], cpu(0)), ([2.0, 3.0], cpu(1))]
    """
    if isinstance(ctx_list, Context):
        ctx_list = [ctx_list]
    if not isinstance(ctx_list, (list, tuple)) or not ctx_list or not all(isinstance(c, Context) for c in ctx_list):
        raise ArgumentError(f"split_and_load: ctx_list is {ctx_list!r}, expected a list of contexts, [mx.cpu(0), ...]")
    if not isinstance(data, nd.NDArray):
        dtype = getattr(data, "dtype", None) if is_np_array() else None
        data = in_current_class(nd.array(data, ctx_list[0], dtype))
    parts = split_data(data, len(ctx_list), batch_axis, even_split)
    return [part.as_in_context(ctx) for part, ctx in zip(parts, ctx_list, strict=True)]


@worded
def clip_global_norm(arrays: Sequence[NDArray], max_norm: float, check_isfinite: bool = True) -> Any:
    """Scale arrays in place by a common factor so that their global 2-norm is at most `max_norm`.

    Returns the norm before scaling: a float, or with check_isfinite=False an NDArray (1,), without waiting for the
    device.

    check_isfinite: if True, warn if the norm is not finite, in which case the arrays are unusable.

    >>> x, y = nd.array([3]), nd.array([4])
    >>> gluon.utils.clip_global_norm([x, y], max_norm=1)
    5.0
    >>> x.asnumpy().round(2), y.asnumpy().round(2)
    (array([0.6], dtype=float32), array([0.8], dtype=float32))
    """
    if isinstance(arrays, nd.NDArray) or not all(isinstance(a, nd.NDArray) for a in arrays):
        raise ArgumentError("clip_global_norm: arrays must be a list of NDArrays, such as [p.grad() for p in "
                            "net.collect_params().values()]")
    if not arrays:
        raise ArgumentError("clip_global_norm needs at least one array, found none")
    arrays, to_own_class = plain_arrays(arrays), arrays[0]._to_own_class
    ctx = arrays[0].context
    norms = [a.norm().as_in_context(ctx) for a in arrays]
    norm = nd.concat(*norms, dim=0).norm() if len(norms) > 1 else norms[0]
    if check_isfinite:
        norm = float(norm.asscalar())
        if not math.isfinite(norm):
            strictness.warn(f"clip_global_norm: the norm is {norm}; the clipped arrays are not usable.")
        scale = max_norm / (norm + 1e-8)
        if not scale >= 1.0:            # as in MXNet, NaN spreads to all arrays, and infinity results in zeros
            for a in arrays:
                a *= scale
        return norm
    scale = (max_norm / (norm + 1e-8)).clip(0, 1)
    for a in arrays:
        a *= scale.as_in_context(a.context)
    return to_own_class(norm)


@worded
def shape_is_known(shape: Sequence[int] | None) -> bool:
    """Return whether a shape is fully known: not None, and without unknown dimensions (0, -1 or None; see
    `mx.np_shape`).

    >>> gluon.utils.shape_is_known((2, 3)), gluon.utils.shape_is_known((2, 0)), gluon.utils.shape_is_known(None)
    (True, False, False)
    """
    return is_known(read(shape))


def _indent(s_, numSpaces):
    """Indent all lines except the first. The name is MXNet's, for use in the `__repr__` of custom blocks."""
    return s_.replace("\n", "\n" + numSpaces * " ")


# -- downloads ------------------------------------------------------------------------------------------------------


def replace_file(src: NDArray, dst: Any) -> None:
    """Rename `src` to `dst`, replacing `dst` in one step.

    >>> with open("new.txt", "w") as file:
    ...     size = file.write("new")
    >>> gluon.utils.replace_file("new.txt", "old.txt")
    >>> with open("old.txt") as file:
    ...     file.read()
    'new'
    """
    os.replace(src, dst)


def download(url: str, path: Any = None, overwrite: bool = False, sha1_hash: Any = None, retries: int = 5,
             verify_ssl: bool = True, *, max_size: Any = MAX_SIZE, max_seconds: Any = MAX_SECONDS) -> str:
    """Download a file over HTTP or HTTPS, with a progress bar if tqdm is installed. Returns the file's path.

    The data is written to a temporary file, which is renamed once it is complete and its SHA-1 is correct, so `path` is
    never incomplete.

    url: a URL that begins with http:// or https://.
    path: a file, or a folder in which the file is named after the end of the URL; the current folder if None. An
        existing file is kept unless `overwrite` is True or its SHA-1 differs from `sha1_hash`.
    overwrite: if True, download the file even if it exists.
    sha1_hash: the SHA-1 of the file, in hexadecimal digits.
    retries: number of retries after a failure.
    verify_ssl: whether to check the server's certificate.
    max_size, max_seconds: limits on the file's size and an attempt's duration.

    Raises DownloadError with the URL, the target and the reason, and ArgumentError for any other type of URL.

    >>> with open("data.txt", "w") as file:
    ...     size = file.write("here already")
    >>> gluon.utils.download("https://example.org/data.txt")
    'data.txt'
    """
    if not url.lower().startswith(("http://", "https://")):
        raise ArgumentError(f"download needs an http:// or https:// URL, found {url!r}")
    if retries < 0:
        raise ArgumentError(f"download: retries must not be negative, found {retries}")
    target = _target(url, path)
    if os.path.exists(target) and not overwrite and (not sha1_hash or check_sha1(target, sha1_hash)):
        return target
    if not verify_ssl:
        strictness.warn("download: verify_ssl=False does not check the server's identity.")
    from .downloading import fetch  # the HTTP modules take longer to import than the rest of Gluon
    fetch(url, target, sha1_hash, retries, verify_ssl, max_size, max_seconds)
    return target


def _target(url, path):
    if path is not None and "\0" in os.fsdecode(path):
        raise ArgumentError(f"download: path is {path!r}, but a path cannot contain the character '\\0'")
    target = "" if path is None else os.path.expanduser(path)
    if target and not os.path.isdir(target) and not target.endswith(("/", os.sep)):
        return target
    from urllib.parse import urlsplit
    name = urlsplit(url).path.split("/")[-1]
    if not name:
        raise ArgumentError(f"download: {url!r} does not end in a file name; pass path=")
    # A safe name contains no folder and no terminal control sequence, and is not a hidden file, a Windows drive or a
    # stream.
    if name.startswith(".") or any(c in '\\:*?"<>|' or not c.isprintable() for c in name) or len(name) > MAX_NAME:
        raise ArgumentError(f"download: the name {name[:MAX_NAME]!r} at the end of {url[:MAX_NAME]!r} may mean more to "
                            "the system than a file in the folder; pass path=, a file")
    return os.path.join(target, name)
