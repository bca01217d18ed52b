"""Indexing, moving, extending, ordering, converting and creating arrays."""
