"""`python -m minigluon` is the command `minigluon`."""

import sys

from .cli import main

sys.exit(main())
