"""Step 4: the tape."""
