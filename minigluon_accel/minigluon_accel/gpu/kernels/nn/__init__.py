"""Products, convolutions, pooling, normalization, softmax, dropout and loss outputs."""
