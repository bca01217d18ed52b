"""Step 14: fusion."""
