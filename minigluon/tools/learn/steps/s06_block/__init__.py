"""Step 6: Block, its children and their names."""
