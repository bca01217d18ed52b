"""Standard networks, and lookup of the files of their trained parameters."""

from . import model_store, text, vision

__all__ = ["model_store", "text", "vision"]
