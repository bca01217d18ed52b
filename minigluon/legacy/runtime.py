"""`mx.runtime`: features of this installation, under MXNet's names for build features."""

from __future__ import annotations

import collections
import importlib.util
from typing import Any

import numpy as np

from .. import backend, context
from ..base import ArgumentError, nearest

__all__ = ["Feature", "Features", "feature_list"]

# MXNet's name for a processor extension -> NumPy's name.
_EXTENSIONS = {"CPU_SSE": "SSE", "CPU_SSE2": "SSE2", "CPU_SSE3": "SSE3", "CPU_SSE4_1": "SSE41", "CPU_SSE4_2": "SSE42",
               "CPU_SSE4A": "SSE4A", "CPU_AVX": "AVX", "CPU_AVX2": "AVX2", "SSE": "SSE", "F16C": "F16C"}

# Extensions in the x86-64 levels that newer versions of NumPy report.
_LEVELS = {"X86_V2": ["SSE", "SSE2", "SSE3", "SSE41", "SSE42"], "X86_V3": ["AVX", "AVX2", "F16C"]}

_NAMES = """
    CUDA CUDNN NCCL CUDA_RTC TENSORRT CPU_SSE CPU_SSE2 CPU_SSE3 CPU_SSE4_1 CPU_SSE4_2 CPU_SSE4A CPU_AVX CPU_AVX2 OPENMP
    SSE F16C JEMALLOC BLAS_OPEN BLAS_ATLAS BLAS_MKL BLAS_APPLE LAPACK MKLDNN OPENCV CAFFE PROFILER DIST_KVSTORE CXX14
    INT64_TENSOR_SIZE SIGNAL_HANDLER DEBUG TVM_OP
    """


class Feature:
    """One feature. name: MXNet's name. enabled: whether it is available.

    >>> mx.runtime.Feature("CUDA", False)
    ✖ CUDA
    """

    enabled: Any
    name: str

    def __init__(self, name: str, enabled: Any) -> None:
        self.name, self.enabled = name, enabled

    def __repr__(self) -> str:
        return f"{'✔' if self.enabled else '✖'} {self.name}"


class Features(collections.OrderedDict):
    """All features by name. There is only one instance.

    >>> mx.runtime.Features().is_enabled("SIGNAL_HANDLER") in (True, False)
    True
    """

    instance = None

    def __new__(cls) -> Any:
        if cls.instance is None:
            cls.instance = super().__new__(cls)
            super(Features, cls.instance).__init__((feature.name, feature) for feature in feature_list())
        return cls.instance

    def __init__(self) -> None:
        """Keep the contents set by `__new__`."""

    def __repr__(self) -> str:
        return str(list(self.values()))

    def is_enabled(self, feature_name: Any) -> bool:
        """Return whether a feature is available. Raises ArgumentError for an unknown name.

        feature_name: one of the names in Features.
        """
        name = feature_name.upper()
        if name not in self:
            raise ArgumentError(f"no feature is called {feature_name!r}." + nearest(name, self)
                                + f" Known: {', '.join(self)}.")
        return self[name].enabled


def feature_list() -> list[Any]:
    """Return every Feature, with current values.

    >>> isinstance(mx.runtime.feature_list()[0], mx.runtime.Feature)
    True
    """
    there = _there()
    return [Feature(name, name in there) for name in _NAMES.split()]


def _there():
    """Return the names of the available features."""
    config = np.show_config(mode="dicts")
    simd = config.get("SIMD Extensions", {})
    extensions = {*simd.get("baseline", ()), *simd.get("found", ())}
    extensions.update(extension for level in extensions & _LEVELS.keys() for extension in _LEVELS[level])
    blas = str(config.get("Build Dependencies", {}).get("blas", {}).get("name", "")).lower()
    yes = {"PROFILER", "INT64_TENSOR_SIZE", "LAPACK"}
    yes |= {name for name, extension in _EXTENSIONS.items() if extension in extensions}
    yes |= {name for name, part in (("BLAS_OPEN", "openblas"), ("BLAS_MKL", "mkl"), ("BLAS_APPLE", "accelerate"))
            if part in blas}
    yes |= {"OPENMP"} if len(backend.available()) > 1 else set()
    yes |= {"CUDA", "CUDA_RTC"} if context.num_gpus() else set()
    yes |= {"DIST_KVSTORE"} if importlib.util.find_spec("mpi4py") else set()
    return yes
