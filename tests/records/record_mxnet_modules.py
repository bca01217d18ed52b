"""Records which modules MXNet 1.9.1 has, and which of them are here: `python tests/records/record_mxnet_modules.py`.

Run by a Python with MXNet 1.9.1, it prints the names of all modules that can be imported; MINIGLUON_MXNET_PYTHON names
it. The file that is written divides them into those that `import minigluon.as_mxnet` gives, and others.
"""

import importlib
import json
import os
import pkgutil
import subprocess
import sys
import warnings
from pathlib import Path

FILE = Path(__file__).parent / "data" / "mxnet_modules.json"


def importable(names):
    """Those of the names that can be imported."""
    found = []
    for name in names:
        try:
            importlib.import_module(name)
            found.append(name)
        except (Exception, SystemExit):             # what a module does wrong is no matter here
            continue
    return found


def list_mxnet():
    """Print the modules of the MXNet that this Python has."""
    warnings.simplefilter("ignore")
    import mxnet
    names = [module.name for module in pkgutil.walk_packages(mxnet.__path__, "mxnet.", onerror=lambda name: None)]
    print(json.dumps(importable(sorted(names))))


def main():
    """Write the record."""
    python = os.environ["MINIGLUON_MXNET_PYTHON"]
    printed = subprocess.run([python, __file__, "--list"], capture_output=True, text=True, check=True).stdout
    names = json.loads(printed.splitlines()[-1])
    import minigluon.as_mxnet  # noqa: F401
    here = importable(names)
    FILE.write_text(json.dumps({"here": here, "not here": sorted(set(names) - set(here))}, indent=1) + "\n")


if __name__ == "__main__":
    list_mxnet() if sys.argv[1:] == ["--list"] else main()
