"""Step 1: an operator, and the table of all operators."""
