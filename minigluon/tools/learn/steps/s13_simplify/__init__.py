"""Step 13: simplification."""
