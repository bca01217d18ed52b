"""A description of this computer, for `minigluon info` and for the header of every measurement."""

import os
import pathlib
import platform

import numpy as np

__all__ = ["blas", "cores", "cpu_limit", "processor"]


def processor() -> str:
    """Return the processor's model."""
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def cores() -> int | None:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def cpu_limit(path: str = "/sys/fs/cgroup/cpu.max") -> float | None:
    """Return the number of cores that a container may use, such as 1.5; None if there is no readable limit."""
    try:
        quota, period = pathlib.Path(path).read_text().split()
    except (OSError, ValueError):
        return None
    return None if quota == "max" else int(quota) / int(period)


def blas() -> str:
    """Return the library behind NumPy's matrix products."""
    library = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    threads = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS")
    text = f"{library.get('name', 'unknown')} {library.get('version', '')}".strip()
    return text + (f", {threads} threads (set by the environment)" if threads else "")
