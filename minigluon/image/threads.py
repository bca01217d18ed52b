"""Work in threads, with the results in order."""

from __future__ import annotations

import collections
import concurrent.futures
import itertools
from collections.abc import Callable
from typing import Any

__all__ = ["in_order"]


def in_order(function: Callable[..., Any], items: Any, threads: int, ahead: int | None = None) -> Any:
    """Yield function(item) for each item, in order. `ahead` of them are under way or wait, 2 * threads unless given.

    threads: 1 or less works here, when a result is asked for. An error of the function is raised where its result was
    due. Decoding and resizing run without Python's lock, so threads do help.
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
    finally:
        # Without waiting: an iterator that is dropped may be collected anywhere, also in a thread that is just starting
        # and for which another one waits.
        pool.shutdown(wait=False, cancel_futures=True)
