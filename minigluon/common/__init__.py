"""What all floors use: element types, nested lists, registries, random generators, docstrings."""
