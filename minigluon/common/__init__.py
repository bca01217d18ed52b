"""Modules that all layers use: element types, nested lists, registries, random generators, and docstrings."""
