"""`python -m minigluon` is the command `minigluon`."""

import sys

from .tools.cli import main

sys.exit(main())
