"""A multithreaded map with ordered results."""

from __future__ import annotations

import collections
import concurrent.futures
import itertools
from collections.abc import Callable
from typing import Any

__all__ = ["map_in_order"]


def map_in_order(function: Callable[..., Any], items: Any, threads: int, ahead: int | None = None) -> Any:
    """Yield function(item) for each item, in order. At most `ahead` items (by default, 2 * threads) are in progress or
    waiting.

    threads: if 1 or less, the function runs in the calling thread when a result is requested. If the function raises an
    error, it is raised in place of the result, and no other call is still running. Decoding and resizing release
    Python's lock, so threads help.
    """
    if threads <= 1:
        yield from map(function, items)
        return
    items = iter(items)
    pool = concurrent.futures.ThreadPoolExecutor(threads, "minigluon-image")
    try:
        first = itertools.islice(items, ahead or 2 * threads)
        under_way = collections.deque(pool.submit(function, item) for item in first)
        while under_way:
            yield under_way.popleft().result()
            for item in items:
                under_way.append(pool.submit(function, item))
                break
    except Exception:
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    finally:
        # This does not wait, because a dropped iterator may be collected anywhere, even in a thread that is just
        # starting and that another thread waits for.
        pool.shutdown(wait=False, cancel_futures=True)
