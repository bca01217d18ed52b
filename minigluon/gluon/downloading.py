"""`gluon.utils.download`: downloads a file over HTTP, completely or not at all."""

from __future__ import annotations

import http.client
import os
import ssl
import sys
import time
import urllib.error
import urllib.request
from typing import Any

from ..serialization.atomic_write import Replacement
from .checksums import DownloadError, check_sha1, sha1_of

__all__ = ["fetch"]


class _LimitError(DownloadError):
    """Raised for a file that is too large or arrives too slowly."""


def fetch(url: str, target: Any, sha1_hash: str | None, retries: Any, verify_ssl: Any, max_size: Any,
          max_seconds: Any) -> None:
    """Download a file to `target`, with up to `retries` retries. Raises DownloadError."""
    os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
    for attempt in range(retries + 1):
        try:
            _fetch(url, target, sha1_hash, verify_ssl, max_size, max_seconds)
            return
        except (OSError, http.client.HTTPException, DownloadError) as error:
            reason = error
            if isinstance(error, urllib.error.HTTPError):
                error.close()
            if _hopeless(error):
                break
            if attempt < retries:
                time.sleep(min(0.1 * 2**attempt, 5.0))
    raise DownloadError(
        f"cannot download {url}\n  to {target}\n  reason: {_describe(reason)}\n"
        "  Without network access, download the file on another machine and put it at that path.") from None


def _fetch(url, target, sha1_hash, verify_ssl, max_size, max_seconds):
    """Make one attempt. Nothing is left behind after a failure."""
    context = None if verify_ssl else ssl._create_unverified_context()
    files = Replacement()
    try:
        aside = files.add(target)
        with open(aside, "wb") as file, urllib.request.urlopen(url, timeout=30, context=context) as response:
            _copy(response, file, os.path.basename(target), max_size, time.monotonic() + max_seconds)
        if sha1_hash and not check_sha1(aside, sha1_hash):
            raise DownloadError(f"the received file has SHA-1 {sha1_of(aside)}, expected {sha1_hash}")
        files.commit()
    finally:
        files.discard()


def _copy(response, file, name, max_size, end):
    length = response.headers.get("Content-Length")
    total = int(length) if length and length.isdigit() and len(length) < 20 else None
    received = 0
    if total is not None and total > max_size:
        raise _LimitError(f"it has {total:,} bytes, more than max_size={max_size:,}")
    with _progress(name, total) as bar:
        while block := response.read1(1 << 16):         # read1: a slow server must not block the loop
            file.write(block)
            received += len(block)
            bar.update(len(block))
            if received > max_size:
                raise _LimitError(f"it has more than max_size={max_size:,} bytes")
            if time.monotonic() > end:
                raise _LimitError(f"max_seconds elapsed after {received:,} bytes")
    if total is not None and received != total:
        raise DownloadError(f"the connection broke after {received} of {total} bytes")


class _NoBar:
    """Stand-in for a progress bar."""

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        """Propagate errors from the block."""

    def update(self, count):
        """Show nothing."""


def _progress(name, total):
    try:
        from tqdm import tqdm
    except ImportError:
        print(f"Downloading {name} ...", file=sys.stderr)
        return _NoBar()
    return tqdm(total=total, desc=name, unit="B", unit_scale=True, unit_divisor=1024)


def _hopeless(error):
    """Return whether retrying cannot help, because a limit was reached or the server denies access to the file."""
    if isinstance(error, _LimitError):
        return True
    return isinstance(error, urllib.error.HTTPError) and 400 <= error.code < 500 and error.code not in (408, 429)


def _describe(error):
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answered {error.code} {error.reason}"
    if isinstance(error, urllib.error.URLError):
        return str(error.reason)
    return str(error) or type(error).__name__
