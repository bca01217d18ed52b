"""The parts that `nd` and `sym` share: namespaces, Python's operators, methods, and call arguments."""
