"""Interoperability: ONNX files, and the name `mxnet`."""
