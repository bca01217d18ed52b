"""Standard networks, and a lookup of the files that contain their trained parameters."""

from . import model_store, text, vision

__all__ = ["model_store", "text", "vision"]
