"""Greedy decoding of a net with GPT-2-small's shape on a GPU, minigluon and PyTorch: tokens per second.

    python benchmarks/gpu_decoding.py [--torch-python PATH] [--rounds 5]
    MINIGLUON_GPU=emulate python benchmarks/gpu_decoding.py --quick         tries out the script, on the CPU

12 layers of 768, 12 heads, a vocabulary of 50257, random parameters, float32 without TF32: 128 tokens one by one after
a prompt of 128. minigluon's `GPT2Decoder`, imperative and hybridized, keeps keys and values in fixed-size caches.
PyTorch has the same net made of its own layers, with such caches and `scaled_dot_product_attention`: eager, and each
step as a CUDA graph. PATH is a Python that has PyTorch (or MINIGLUON_TORCH_PYTHON); the libraries run one after the
other. A time is the median over the rounds, and ends when the device has finished.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time

SIZES = {"layers": 12, "units": 768, "heads": 12, "words": 50257, "prompt": 128, "tokens": 128}
QUICK = {"layers": 2, "units": 64, "heads": 4, "words": 100, "prompt": 8, "tokens": 6}


def main():
    args = arguments()
    if args.worker:
        return torch_part(args.sizes, args.rounds)
    print("| library | prompt, ms | a token, ms | tokens per second |\n|---|---|---|---|", flush=True)
    gluon_part(args.sizes, args.rounds)
    if args.torch_python:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}   # another Python
        command = [args.torch_python, __file__, "--worker", "--rounds", str(args.rounds), *["--quick"] * args.quick]
        return subprocess.run(command, env=environment).returncode
    return 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch-python", metavar="PATH", default=os.environ.get("MINIGLUON_TORCH_PYTHON"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a small net, to try out the script")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.sizes = argparse.Namespace(**(QUICK if args.quick else SIZES))
    return args


def report(library, decode, tokens, rounds):
    """decode(tokens) -> (seconds of the prompt, seconds of the steps)."""
    for _ in range(2):
        decode(4)
    prompt, steps = (statistics.median(part) for part in zip(*[decode(tokens) for _ in range(rounds)], strict=True))
    print(f"| {library} | {1e3 * prompt:.2f} | {1e3 * steps / tokens:.3f} | {tokens / steps:.0f} |", flush=True)


# -- minigluon --------------------------------------------------------------------------------------------------------


def gluon_part(sizes, rounds):
    import numpy as np

    import minigluon as mx
    from minigluon import nd
    from minigluon.gluon.model_zoo import text
    words = np.random.default_rng(0).integers(0, sizes.words, (1, sizes.prompt))
    with mx.gpu():
        net = text.GPT2Model(units=sizes.units, vocab_size=sizes.words, max_length=1024, num_layers=sizes.layers,
                             num_heads=sizes.heads)
        net.initialize()
        decoder = text.GPT2Decoder(net)

        def decode(tokens):
            begin = time.perf_counter()
            states = decoder.begin_state(1, sizes.prompt + sizes.tokens)
            scores, states = decoder(nd.array(words, dtype="int32"), states)
            token = scores.argmax(axis=1).astype("int32")
            token.wait_to_read()
            middle = time.perf_counter()
            for _ in range(tokens):
                scores, states = decoder(token, states)
                token = scores.argmax(axis=1).astype("int32")
            token.wait_to_read()
            return middle - begin, time.perf_counter() - middle
        for mode in "imperative", "hybridized":
            decoder.hybridize(mode == "hybridized")
            report(f"minigluon {mx.__version__}, {mode}", decode, sizes.tokens, rounds)


# -- PyTorch ----------------------------------------------------------------------------------------------------------


def torch_part(sizes, rounds):
    import torch
    from torch import nn
    from torch.nn import functional
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    card = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    wait = torch.cuda.synchronize if card.type == "cuda" else lambda: None
    units, heads, capacity = sizes.units, sizes.heads, sizes.prompt + sizes.tokens

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.before, self.after = nn.LayerNorm(units), nn.LayerNorm(units)
            self.project, self.out = nn.Linear(units, 3 * units), nn.Linear(units, units)
            self.up, self.down = nn.Linear(units, 4 * units), nn.Linear(4 * units, units)
            for name in "keys", "values":
                self.register_buffer(name, torch.zeros(1, heads, capacity, units // heads))

        def forward(self, x, place, mask):
            length = x.shape[1]
            query, key, value = self.project(self.before(x)).view(1, length, 3, heads, -1).permute(2, 0, 3, 1, 4)
            self.keys.index_copy_(2, place, key)
            self.values.index_copy_(2, place, value)
            y = functional.scaled_dot_product_attention(query, self.keys, self.values, attn_mask=mask)
            x = x + self.out(y.transpose(1, 2).reshape(1, length, units))
            return x + self.down(functional.gelu(self.up(self.after(x)), approximate="tanh"))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(sizes.words, units), nn.Embedding(1024, units)
            self.layers, self.norm = nn.ModuleList(Layer() for _ in range(sizes.layers)), nn.LayerNorm(units)
            self.register_buffer("all", torch.arange(capacity))

        def forward(self, words, place):
            x, mask = self.words(words) + self.places(place), self.all[None] <= place[:, None]
            for layer in self.layers:
                x = layer(x, place, mask)
            return (self.norm(x[:, -1]) @ self.words.weight.T).argmax(dim=-1)

    with torch.no_grad():
        net = Net().to(card).eval()
        words = torch.randint(0, sizes.words, (1, sizes.prompt), device=card)
        token, place = (torch.zeros(shape, dtype=torch.int64, device=card) for shape in ((1, 1), (1,)))

        def step():
            token.copy_(net(token, place)[:, None])
            place.add_(1)

        def decoding(step):
            def decode(tokens):
                begin = time.perf_counter()
                token.copy_(net(words, net.all[:sizes.prompt])[:, None])
                place.fill_(sizes.prompt)
                wait()
                middle = time.perf_counter()
                for _ in range(tokens):
                    step()
                wait()
                return middle - begin, time.perf_counter() - middle
            return decode
        report(f"torch {torch.__version__}, eager", decoding(step), sizes.tokens, rounds)
        if card.type == "cuda":
            graph = captured(torch, step, place)
            report(f"torch {torch.__version__}, CUDA graph", decoding(graph), sizes.tokens, rounds)
    return 0


def captured(torch, step, place):
    """Return a step as a CUDA graph, captured after the first runs, which allocate memory and choose algorithms."""
    place.fill_(0)
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(aside)
    place.fill_(0)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


if __name__ == "__main__":
    sys.exit(main())
