"""Interoperability: support for ONNX files and for the name `mxnet`."""
