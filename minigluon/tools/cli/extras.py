"""Requirements that commands check before they start: optional packages, and a folder for the results."""

import os

from ...base import MXNetError
from ...common.optional_packages import require

__all__ = ["make_folder", "require"]


def make_folder(path: str) -> None:
    """Create the folder named by --out."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise MXNetError(f"--out {path}: cannot create this folder ({error.strerror}). Name another one.") from error
