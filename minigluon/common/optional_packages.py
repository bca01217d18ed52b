"""Packages that only some parts of minigluon need."""

import importlib

from ..base import MXNetError

__all__ = ["require"]

PIP_NAMES = {"sklearn": "scikit-learn", "PIL": "pillow"}


def require(*modules: str, extra: str = "demo", user: str = "this command") -> None:
    """Import each module. Raises an MXNetError that names all missing modules and says how to install them.

    extra: the extra of minigluon that installs them. user: the feature that needs them.
    """
    missing = []
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(PIP_NAMES.get(module, module))
    if missing:
        raise MXNetError(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed. "
                         f'Install what {user} needs with: pip install "minigluon[{extra}]"')
