"""Makes `import mxnet` mean this package, for unchanged programs and libraries written for MXNet.

    python -m minigluon.as_mxnet program.py arguments       (or: minigluon run program.py arguments)
    python -m minigluon.as_mxnet -m pytest tests
    import minigluon.as_mxnet                               # in a program, before its first `import mxnet`

Importing this module is enough; see `minigluon.interop.mxnet.alias`.
"""

import sys

from .interop.mxnet.alias import use

use()

if __name__ == "__main__":
    from .interop.mxnet.run import main
    sys.exit(main())
