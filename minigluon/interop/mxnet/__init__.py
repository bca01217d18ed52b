"""Support for programs written for MXNet: its name, a check for missing names, an installation as `mxnet`."""
