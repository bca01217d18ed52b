"""Programs in several processes, started by mpirun."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys

import pytest

from . import ROOT
from .processes import PLUGIN

LIMIT = 120         # seconds, for what takes two


def missing(mpirun=True):
    """Why there are no such programs here, or None."""
    if importlib.util.find_spec("mpi4py") is None:
        return "mpi4py is not installed"
    return "there is no program mpirun" if mpirun and shutil.which("mpirun") is None else None


def run(count, *arguments, limit=LIMIT, **more):
    """The result of a program in `count` processes; count=None: without mpirun. more: of the environment.

    What has not ended after `limit` seconds is killed, and has the return code None.
    """
    if reason := missing(mpirun=count is not None):
        pytest.skip(reason)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *PLUGIN, os.environ.get("PYTHONPATH", "")]),
                   "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none", **more}
    command = [*([] if count is None else ["mpirun", "-n", str(count)]), sys.executable, *map(str, arguments)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    try:
        output, errors = process.communicate(timeout=limit)
        code = process.returncode
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)         # mpirun ends its processes
        output, errors = process.communicate()
        code = None
    return subprocess.CompletedProcess(command, code, output, errors)
