"""Step 12: tracing a block, and the cache of its graphs."""
