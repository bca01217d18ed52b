"""Operators that no program contains: passes of this backend insert them into graphs, and its kernels compute them."""
