"""Indexing, moving, extending, ordering, converting and making arrays."""
