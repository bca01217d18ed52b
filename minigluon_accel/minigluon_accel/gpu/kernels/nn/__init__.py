"""Products, convolutions, pooling, normalization, softmax, dropout, losses' outputs."""
