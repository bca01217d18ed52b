"""What commands need before they start: packages that only some use, and a folder for the results."""

import importlib
import os

from ..base import MXNetError

__all__ = ["make_folder", "require"]

PIP_NAMES = {"sklearn": "scikit-learn"}


def require(*modules, extra="demo"):
    """Import each module. Raises MXNetError that names all missing ones and the extra that installs them."""
    missing = []
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(PIP_NAMES.get(module, module))
    if missing:
        raise MXNetError(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed. "
                         f'Install what this command needs with: pip install "minigluon[{extra}]"')


def make_folder(path):
    """Make the folder that --out names."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise MXNetError(f"--out {path}: this folder cannot be made ({error.strerror}). Name another one.") from error
