"""A distribution `mxnet` in the current environment, which provides this package under that name.

Libraries that require `mxnet` can then be installed and imported. It consists of the module in `shim` and metadata, so
`pip list` shows it and `pip uninstall mxnet` removes it.
"""

from __future__ import annotations

import base64
import hashlib
import pathlib
import shutil
import sysconfig
from importlib import metadata
from pathlib import Path

from ...base import MXNetError
from ...common.version import __version__
from ...legacy.libinfo import __version__ as MXNET_VERSION
from .alias import SHIM

__all__ = ["install", "remove"]

_INSTALLER = "minigluon"
_METADATA = f"""Metadata-Version: 2.1
Name: mxnet
Version: {MXNET_VERSION}
Summary: minigluon {__version__} under the name mxnet, written by `minigluon install-as-mxnet`
Requires-Dist: minigluon
"""
_WHEEL = "Wheel-Version: 1.0\nGenerator: minigluon\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def install(folder: str | None = None) -> Path:
    """Writes the distribution to `folder`, the environment's site-packages if None, and returns its path.

    Raises MXNetError, without changing anything, if an mxnet is installed that this project did not write.
    """
    folder = pathlib.Path(folder or sysconfig.get_path("purelib"))
    _refuse_another(folder)
    info = folder / f"mxnet-{MXNET_VERSION}.dist-info"
    files = {folder / "mxnet" / "__init__.py": (pathlib.Path(SHIM) / "mxnet" / "__init__.py").read_bytes(),
             info / "METADATA": _METADATA.encode(), info / "WHEEL": _WHEEL.encode(),
             info / "INSTALLER": f"{_INSTALLER}\n".encode(), info / "top_level.txt": b"mxnet\n"}
    record = [f"{path.relative_to(folder).as_posix()},{_checksum(text)},{len(text)}" for path, text in files.items()]
    record.append(f"{info.name}/RECORD,,")
    files[info / "RECORD"] = ("\n".join(record) + "\n").encode()
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text)
    return info


def remove(folder: str | None = None) -> Path:
    """Removes the distribution written by `install`. Raises MXNetError if there is no such distribution."""
    folder = pathlib.Path(folder or sysconfig.get_path("purelib"))
    _refuse_another(folder)
    info = folder / f"mxnet-{MXNET_VERSION}.dist-info"
    if not info.exists():
        raise MXNetError(f"{folder} has no mxnet that `minigluon install-as-mxnet` wrote.")
    shutil.rmtree(folder / "mxnet", ignore_errors=True)
    shutil.rmtree(info)
    return info


def _refuse_another(folder):
    for distribution in metadata.distributions(name="mxnet", path=[str(folder)]):
        if (distribution.read_text("INSTALLER") or "").strip() != _INSTALLER:
            raise MXNetError(f"{folder} has mxnet {distribution.version}, which `minigluon install-as-mxnet` did not "
                             "write and leaves alone. Use another environment, or `pip uninstall mxnet` first.")
    package = folder / "mxnet"
    init = package / "__init__.py"
    if package.exists() and not (init.is_file() and "minigluon.as_mxnet" in init.read_text(encoding="utf-8")):
        raise MXNetError(f"{package} exists, and `minigluon install-as-mxnet` did not write it. Nothing was changed. "
                         "Use another environment, or remove that folder first.")


def _checksum(text):
    digest = hashlib.sha256(text).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).decode().rstrip("=")
