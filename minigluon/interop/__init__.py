"""Interoperability: Support for ONNX files and for the name `mxnet`."""
