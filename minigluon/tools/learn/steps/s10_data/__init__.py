"""Step 10: samplers, batches and the DataLoader."""
