"""Random numbers."""

from . import random
