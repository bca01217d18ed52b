"""Support for programs written for MXNet: the name `mxnet`, a check for missing names, and installation as `mxnet`."""
