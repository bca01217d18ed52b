"""Step 11: symbols, and their files."""
