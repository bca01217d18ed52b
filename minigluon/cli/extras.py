"""Packages that only some commands need."""

import importlib

from ..base import MXNetError

__all__ = ["require"]

PIP_NAMES = {"sklearn": "scikit-learn"}


def require(*modules):
    """Import each module. Raises MXNetError that names all missing ones and how to install them."""
    missing = []
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(PIP_NAMES.get(module, module))
    if missing:
        raise MXNetError(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed. "
                         'Install what this command needs with: pip install "minigluon[demo]"')
