"""The passes of this backend; `gpu/backend.py` has them in the order in which they run."""
