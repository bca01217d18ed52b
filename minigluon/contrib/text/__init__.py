"""Words as numbers: vocabularies, and vectors of words from files."""

from ...common import vocabulary as vocab
from . import embedding, utils

__all__ = ["embedding", "utils", "vocab"]
