"""Operators that programs do not call: this backend's passes insert them into graphs, and its kernels compute them."""
