"""What MXNet 1.9.1 answered: the cases, the programs that record its answers, and the answers, in `data`."""

import os
from pathlib import Path

__all__ = ["DATA", "MXNET"]

DATA = Path(__file__).parent / "data"
MXNET = os.environ.get("MINIGLUON_MXNET_PYTHON")        # an interpreter that has it
