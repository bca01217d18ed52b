"""Step 8: losses."""
