"""The passes of this backend; `gpu/backend.py` lists them in execution order."""
