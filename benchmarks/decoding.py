"""Time greedy decoding of a net with GPT-2-small's shape in several libraries in turns, and print tokens per second.

    python benchmarks/decoding.py [--torch-python PATH] [--engines-python PATH] [--threads 1] [--ask]
    python benchmarks/decoding.py --model llama_1b --tokens 16          # 1.1 billion parameters, only this library

12 layers of 768, 12 heads, a vocabulary of 50257, random parameters: 128 tokens are generated one by one after a prompt
of 128, with weights in float32, and with weights of 8 and 4 bits in groups of 64. PATH is the Python of an environment
with torch and transformers, or with those, onnxruntime, onnx and onnxscript; see decoding_torch.py for the code. --ask
waits for Enter before the rounds, when all nets are warm.

A step with one row reads each weight once, 0.5 GB in float32, and does little with it, so the last column is the share
of the memory bandwidth that a library reaches. That bandwidth is measured in the same run, between the rounds, by a
copy of 256 MB, whose bytes are counted twice: they are read and written. The largest one counts.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

PROMPT, TOKENS = 128, 128
VOCABULARY = {"gpt2_117m": 50257, "llama_1b": 32000}
# Weights that a step reads.
WEIGHTS = {"gpt2_117m": 12 * 12 * 768 ** 2 + 50257 * 768,
           "llama_1b": 22 * (2048 * (2 * 2048 + 2 * 256) + 3 * 2048 * 5632) + 32000 * 2048}
BYTES = {"int8": 1 + 4 / 64, "int4": 0.5 + 4 / 64}          # of a weight, with its share of the scale; others have 4
OWN = "hybridized", "imperative", "int8", "int4"
THERE = {"--torch-python": ["torch eager", "torch compiled"], "--engines-python": ["onnxruntime"]}


class Minigluon:
    """A worker with `version`, and `decode(words)` -> (seconds of the prompt, seconds of the steps)."""

    def __init__(self, mode, model):
        import minigluon as mx
        from minigluon.contrib.quantization import quantize_weights
        from minigluon.gluon.model_zoo import text
        self.version = f"minigluon {mx.__version__}, {mx.backend.backend_for(mx.cpu()).name}"
        net = text.get_model(model)
        net.initialize()
        if mode in BYTES:
            quantize_weights(net, bits=int(mode[3:]), group_size=64)
        self.decoder = (text.GPT2Decoder if model.startswith("gpt2") else text.LlamaDecoder)(net)
        self.decoder.hybridize(mode != "imperative")

    def decode(self, words, tokens):
        from minigluon import nd
        begin = time.perf_counter()
        scores, states = self.decoder(nd.array(words, dtype="int32"), self.decoder.begin_state(1, PROMPT + TOKENS))
        token = scores.argmax(axis=1).astype("int32")
        token.wait_to_read()
        middle = time.perf_counter()
        for _ in range(tokens):
            scores, states = self.decoder(token, states)
            token = scores.argmax(axis=1).astype("int32")
        token.wait_to_read()
        return middle - begin, time.perf_counter() - middle


def work(worker, model="gpt2_117m", tokens=TOKENS):
    """Report that everything is warm, then decode once for each line of input."""
    words = np.random.RandomState(0).randint(0, VOCABULARY[model], (1, PROMPT))
    worker.decode(words, 3)
    print(json.dumps(worker.version), flush=True)
    for _ in sys.stdin:
        print(json.dumps(worker.decode(words, tokens)), flush=True)


class Peer:
    """A library in a separate process."""

    def __init__(self, threads, python, script, mode, *more):
        count = {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)} if threads else {}
        self.mode = mode
        self.process = subprocess.Popen([python, str(script), mode, *more], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env={**os.environ, **count})
        self.seconds = []

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.mode} ended without an answer")
        return json.loads(line)

    def run(self):
        time.sleep(1)       # threads of the previous one may spin for a while after their work
        self.process.stdin.write("run\n")
        self.process.stdin.flush()
        self.seconds.append(self.answer())


class Copy:
    """The memory's bandwidth: a large array is copied by as many threads as the libraries use."""

    def __init__(self, threads):
        self.parts = [(np.ones(2 ** 26 // threads, "float32"), np.empty(2 ** 26 // threads, "float32"))
                      for _ in range(threads)]
        self.seconds = []

    def run(self):
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(len(self.parts)) as pool:
            for _ in range(5):
                begin = time.perf_counter()
                list(pool.map(lambda pair: np.copyto(pair[1], pair[0]), self.parts))
                self.seconds.append(time.perf_counter() - begin)

    def speed(self):
        return sum(2 * source.nbytes for source, _ in self.parts) / min(self.seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch-python", metavar="PATH")
    parser.add_argument("--engines-python", metavar="PATH")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model", choices=list(WEIGHTS), default="gpt2_117m")
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--ask", action="store_true", help="wait for Enter before the rounds")
    args = parser.parse_args()
    here = Path(__file__)
    wanted = [(sys.executable, here, mode, args.model, str(args.tokens)) for mode in OWN
              if args.model == "gpt2_117m" or mode != "imperative"]
    for option, modes in THERE.items() if args.model == "gpt2_117m" and args.tokens == TOKENS else ():
        python = getattr(args, option[2:].replace("-", "_"))
        wanted += [(python, here.with_name("decoding_torch.py"), mode) for mode in modes if python]
    peers = []
    for command in wanted:          # one after the other, because each first needs memory for the weights in float32
        peers.append(Peer(args.threads, *command))
        peers[-1].version = peers[-1].answer()
    if args.ask:
        print("Enter begins", flush=True)
        input()
    from minigluon.common import hardware as machine
    copy = Copy(args.threads or machine.cores())
    print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores, "
          f"{args.threads or machine.cores()} threads, load {os.getloadavg()[0]:.1f} before; "
          f"{'; '.join(dict.fromkeys(peer.version for peer in peers))}")
    for _ in range(args.rounds):
        copy.run()
        for peer in peers:
            peer.run()
    own, speed = statistics.median(steps for _, steps in peers[0].seconds), copy.speed()
    print(f"{args.model}, memory copied at {speed / 1e9:.1f} GB/s (read and written)\n\n"
          f"Medians of {args.rounds} rounds:\n\n| library | prompt of {PROMPT}, ms | ms a token | tokens per second "
          "| hybridized / this | of the memory's speed |\n|---|---|---|---|---|---|")
    for peer in peers:
        prompt, steps = (statistics.median(part) for part in zip(*peer.seconds))
        read = WEIGHTS[args.model] * BYTES.get(peer.mode, 4) * args.tokens
        print(f"| {peer.mode} | {1e3 * prompt:.0f} | {1e3 * steps / args.tokens:.1f} | {args.tokens / steps:.1f} "
              f"| {own / steps:.2f} | {read / steps / speed:.0%} |")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] in OWN:
        work(Minigluon(*sys.argv[1:3]), sys.argv[2], int(sys.argv[3]))
    else:
        main()
