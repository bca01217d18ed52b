"""MXNet's file formats, parameters and IDX, which are read as untrusted data; and atomic replacement of files."""
