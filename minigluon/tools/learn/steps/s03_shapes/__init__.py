"""Step 3: shape inference."""
