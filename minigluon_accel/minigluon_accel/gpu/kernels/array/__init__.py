"""Indexing, moving, ordering, converting and making arrays."""
