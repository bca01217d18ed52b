"""`mx.kv`: key-value stores, which sum arrays from several devices or processes and distribute the sum."""

from . import kvstore, teststore
from .base import KVStoreBase
from .create import create
from .kvstore import KVStore

__all__ = ["KVStore", "KVStoreBase", "create", "kvstore", "teststore"]
