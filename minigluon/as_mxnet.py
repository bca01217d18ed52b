"""`import mxnet` means this package, for programs and libraries written for MXNet, unchanged.

    python -m minigluon.as_mxnet program.py arguments       (or: minigluon run program.py arguments)
    python -m minigluon.as_mxnet -m pytest tests
    import minigluon.as_mxnet                               # in a program, before its first `import mxnet`

Importing this module is what does it; see `minigluon.compat.alias`.
"""

import sys

from .compat.alias import use

use()

if __name__ == "__main__":
    from .compat.run import main
    sys.exit(main())
