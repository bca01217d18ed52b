"""Networks that many programs start from, and where the files of their trained parameters are looked for."""

from . import model_store, text, vision

__all__ = ["model_store", "text", "vision"]
