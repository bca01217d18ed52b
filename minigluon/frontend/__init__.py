"""The common parts of `nd` and `sym`: namespaces, Python's operators, methods, and call arguments."""
