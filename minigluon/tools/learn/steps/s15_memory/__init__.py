"""Step 15: the memory plan."""
