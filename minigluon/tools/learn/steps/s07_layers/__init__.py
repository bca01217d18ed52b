"""Step 7: Dense, convolution and pooling."""
