"""Standard networks, and the lookup of files with their trained parameters."""

from . import model_store, text, vision

__all__ = ["model_store", "text", "vision"]
