"""Step 2: gradients of elementwise operators, and of broadcasting."""
