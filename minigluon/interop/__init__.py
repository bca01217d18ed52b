"""Doors to other programs: ONNX files, and the name `mxnet`."""
