"""Words and characters for the programs about language: a text of our own, a vocabulary, and batches of it."""

import collections

TEXT = ("the ship left the harbour at dawn and the sea was calm the captain counted the stars that were left and "
        "the cook made tea a gull sat on the mast and looked at the bread the wind came from the west and the ship "
        "went on to the island where the trees are tall and the water is cold and clear ") * 2


class Vocab:
    """Tokens by index, the most frequent first; index 0 stands for unknown ones."""

    def __init__(self, tokens, min_freq=0, reserved=()):
        if tokens and isinstance(tokens[0], list):
            tokens = [token for line in tokens for token in line]
        counter = collections.Counter(tokens)
        self.token_freqs = sorted(counter.items(), key=lambda x: (-x[1], x[0]))
        self.idx_to_token = ["<unk>", *reserved]
        self.idx_to_token += [t for t, freq in self.token_freqs if freq >= min_freq and t not in self.idx_to_token]
        self.token_to_idx = {token: i for i, token in enumerate(self.idx_to_token)}

    def __len__(self):
        return len(self.idx_to_token)

    def __getitem__(self, tokens):
        if isinstance(tokens, (list, tuple)):
            return [self[token] for token in tokens]
        return self.token_to_idx.get(tokens, 0)


def corpus(max_tokens=-1):
    """The characters of the text as indices, and their vocabulary."""
    tokens = list(TEXT)
    vocab = Vocab(tokens)
    return [vocab[token] for token in tokens][:max_tokens], vocab


def sequential(np, corpus, batch_size, num_steps):
    """Batches (inputs, labels one step on) of shape (batch_size, num_steps), which continue one another."""
    num_tokens = (len(corpus) - 1) // batch_size * batch_size
    Xs = np.array(corpus[:num_tokens]).reshape(batch_size, -1)
    Ys = np.array(corpus[1: 1 + num_tokens]).reshape(batch_size, -1)
    for i in range(0, Xs.shape[1] // num_steps * num_steps, num_steps):
        yield Xs[:, i: i + num_steps], Ys[:, i: i + num_steps]
