"""The functions of `mx.np` as nodes of MXNet's symbol files: names, attributes, types."""
