"""Text processing: vocabularies, and word vectors from files."""

from ...common import vocabulary as vocab
from . import embedding, utils

__all__ = ["embedding", "utils", "vocab"]
