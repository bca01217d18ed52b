"""What several tests need and takes long: one process of xdist does it, the others wait and read what it wrote."""

import fcntl
import os


def shared(tmp_path_factory, name, do):
    """The folder `name` of this run, in which `do(folder)` has written files: once, whichever process asks first."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            do(folder)
            (folder / "done").touch()
    return folder
