"""Step 16: the plan executor."""
