"""`mx.kv`: key-value stores, which sum the results of several devices or processes and distribute the sum."""

from . import kvstore, teststore
from .base import KVStoreBase
from .create import create
from .kvstore import KVStore

__all__ = ["KVStore", "KVStoreBase", "create", "kvstore", "teststore"]
