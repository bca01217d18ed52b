"""Values by index: Embedding, take, gather_nd, one_hot and their gradients."""
