"""cuDNN: NVIDIA's library for convolutions and normalization, used if it is installed and the GPU is real.

`library` finds and calls it, `descriptors` describes arrays and windows in its terms, and `convolution` and
`convolution_relu` choose how it computes an operator. The project's own kernels do all other work.
"""
