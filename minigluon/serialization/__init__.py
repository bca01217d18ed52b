"""MXNet's file formats, read as untrusted data: parameters and IDX; and atomic replacement of files."""
