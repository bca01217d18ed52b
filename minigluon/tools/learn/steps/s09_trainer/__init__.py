"""Step 9: the optimizer, and the Trainer."""
