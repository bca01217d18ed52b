"""Time greedy decoding of a net with GPT-2-small's shape in several libraries in turns, and print tokens per second.

    python benchmarks/decoding.py [--torch-python PATH] [--engines-python PATH] [--threads 1] [--ask]

12 layers of 768, 12 heads, a vocabulary of 50257, random parameters: 128 tokens are generated one by one after a prompt
of 128. PATH is the Python of an environment with torch and transformers, or with those, onnxruntime, onnx and
onnxscript; see decoding_torch.py for the code. --ask waits for Enter before the rounds, when all nets are warm.

A step with one row reads each weight once, 0.5 GB, and does little with it, so the last column is the share of the
memory bandwidth that a library reaches. That bandwidth is measured with NumPy's product of a matrix of the same size
and a vector.
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

PROMPT, TOKENS, VOCABULARY = 128, 128, 50257
WEIGHTS = 4 * (12 * 12 * 768 ** 2 + VOCABULARY * 768)       # bytes that a step reads
THERE = {"--torch-python": ["torch eager", "torch compiled"], "--engines-python": ["onnxruntime"]}


class Minigluon:
    """A worker with `version`, and `decode(words)` -> (seconds of the prompt, seconds of the steps)."""

    def __init__(self, hybrid):
        import minigluon as mx
        from minigluon.gluon.model_zoo import text
        self.version = f"minigluon {mx.__version__}, {mx.backend.backend_for(mx.cpu()).name}"
        net = text.gpt2_117m()
        net.initialize()
        self.decoder = text.GPT2Decoder(net)
        self.decoder.hybridize(hybrid)

    def decode(self, words, tokens=TOKENS):
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


def work(worker):
    """Report that everything is warm, then decode once for each line of input."""
    words = np.random.RandomState(0).randint(0, VOCABULARY, (1, PROMPT))
    worker.decode(words, 3)
    print(json.dumps(worker.version), flush=True)
    for _ in sys.stdin:
        print(json.dumps(worker.decode(words)), flush=True)


class Peer:
    """A library in a separate process."""

    def __init__(self, python, script, mode, threads):
        count = {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)} if threads else {}
        self.mode = mode
        self.process = subprocess.Popen([python, str(script), mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env={**os.environ, **count})
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


def bandwidth():
    """Return the bytes per second of a matrix times a vector."""
    matrix, vector = np.ones((WEIGHTS // 4 // 768, 768), "float32"), np.ones(768, "float32")
    seconds = []
    for _ in range(8):
        begin = time.perf_counter()
        matrix @ vector
        seconds.append(time.perf_counter() - begin)
    return WEIGHTS / min(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch-python", metavar="PATH")
    parser.add_argument("--engines-python", metavar="PATH")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ask", action="store_true", help="wait for Enter before the rounds")
    args = parser.parse_args()
    here = Path(__file__)
    wanted = [(sys.executable, here, mode) for mode in ("hybridized", "imperative")]
    for option, modes in THERE.items():
        python = getattr(args, option[2:].replace("-", "_"))
        wanted += [(python, here.with_name("decoding_torch.py"), mode) for mode in modes if python]
    peers = [Peer(*command, args.threads) for command in wanted]
    for peer in peers:
        peer.version = peer.answer()
    if args.ask:
        print("Enter begins", flush=True)
        input()
    from minigluon.common import hardware as machine
    speed = bandwidth()
    print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores, "
          f"{args.threads or machine.cores()} threads, load {os.getloadavg()[0]:.1f} before, memory read at "
          f"{speed / 1e9:.1f} GB/s; {'; '.join(dict.fromkeys(peer.version for peer in peers))}")
    for _ in range(args.rounds):
        for peer in peers:
            peer.run()
    own = statistics.median(steps for _, steps in peers[0].seconds)
    print(f"\nMedians of {args.rounds} rounds:\n\n| library | prompt of {PROMPT}, ms | ms a token | tokens per second "
          "| hybridized / this | of the memory's speed |\n|---|---|---|---|---|---|")
    for peer in peers:
        prompt, steps = (statistics.median(part) for part in zip(*peer.seconds))
        print(f"| {peer.mode} | {1e3 * prompt:.0f} | {1e3 * steps / TOKENS:.1f} | {TOKENS / steps:.1f} "
              f"| {own / steps:.2f} | {WEIGHTS * TOKENS / steps / speed:.0%} |")


if __name__ == "__main__":
    if sys.argv[1:] in (["hybridized"], ["imperative"]):
        work(Minigluon(sys.argv[1] == "hybridized"))
    else:
        main()
