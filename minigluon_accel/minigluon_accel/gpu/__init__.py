"""The GPU backend: `mx.gpu()` through PyCUDA, on a real GPU or, with MINIGLUON_GPU=emulate, on an emulated GPU.

    driver.py      devices, their contexts and streams          compile.py    .cu files to loaded functions
    memory.py      allocation and copies                        launch.py     what a kernel function returns
    buffer.py      an array on a device                         launcher.pyx  launches without Python in between
    kernels/       operators, each .cu next to its module       emulator/     a CUDA driver for machines without a GPU

Importing this package needs neither PyCUDA nor a driver; only the first use of `mx.gpu()` does.
"""

from .backend import BACKEND

__all__ = ["BACKEND"]
