"""`python -m minigluon`, which is the same as the command `minigluon`."""

import sys

from .tools.cli import main

sys.exit(main())
