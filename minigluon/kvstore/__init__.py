"""`mx.kv`: key-value stores, which add up what several devices or processes have computed and hand the sum out."""

from . import kvstore, teststore
from .base import KVStoreBase
from .create import create
from .kvstore import KVStore

__all__ = ["KVStore", "KVStoreBase", "create", "kvstore", "teststore"]
