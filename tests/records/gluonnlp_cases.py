"""What is asked of GluonNLP's BERT and GPT-2, and of those here: sizes and inputs."""

import numpy as np

WORDS = np.array([[3, 9, 4, 1, 7, 0], [2, 2, 8, 5, 0, 0]])
TYPES = np.array([[0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 0, 0]])
LENGTHS = np.array([6, 4])
MASKED = np.array([[1, 4, 5], [0, 3, 1]])
ENCODER = {"num_layers": 2, "units": 8, "hidden_size": 12, "num_heads": 2, "max_length": 7}
BERT = {"vocab_size": 10, "token_type_vocab_size": 2, "units": 8}
GPT2 = {"units": 8, "vocab_size": 10, "max_length": 8, "num_layers": 2, "num_heads": 2}
CUT = 4                 # GPT-2 gets the words before it first, then the others with the states


def fill(mx, net):
    """Values for all parameters, from draws, so that each has its own and the layer norms do not stay at 1 and 0."""
    rng = np.random.RandomState(5)
    for name, parameter in net.collect_params().items():
        values = rng.uniform(-0.5, 0.5, parameter.shape) + name.endswith("gamma")
        parameter.set_data(mx.nd.array(values.astype("float16")))       # short, and so a small file when compressed
