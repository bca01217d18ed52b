"""cuDNN: NVIDIA's library for convolutions and normalization, where it is installed and the GPU is real.

`library` finds it and calls it, `descriptors` says in its terms what arrays and windows look like, and `convolution`
and `normalization` choose how it computes an operator. The project's own kernels do what it does not.
"""
