"""Products, convolutions, pooling, normalization, softmax, dropout, loss outputs."""
