"""What `nd` and `sym` have in common: namespaces, Python's operators, methods, arguments of a call."""
