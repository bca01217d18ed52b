"""Operators that no program writes: passes of this backend put them into graphs, and its kernels compute them."""
