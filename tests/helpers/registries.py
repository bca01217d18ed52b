"""What programs register by name, put back."""

import contextlib

import minigluon as mx
from minigluon.ops.graph.custom import PROPS


@contextlib.contextmanager
def registering_nothing():
    """Behind this block there are the classes by name that there were before it, and mixed precision is off."""
    tables = [PROPS, mx.kv.KVStoreBase.kv_registry, mx.contrib.text.embedding._embeddings.classes,
              *[factory.classes for factory in mx.registry._factories.values()]]
    before = [dict(table) for table in tables]
    try:
        yield
    finally:
        for table, items in zip(tables, before, strict=True):
            table.clear()
            table.update(items)
        mx.contrib.amp.casting.switch_off()
