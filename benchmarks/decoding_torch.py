"""The part of decoding.py that runs with PyTorch, transformers and onnxruntime: `python decoding_torch.py MODE`.

torch eager: GPT2LMHeadModel of transformers with its cache, which grows
torch compiled: the same with its fixed-size cache, with torch.compile
onnxruntime: the same net, written with plain functions (`Step`), exported to ONNX with past keys and values as inputs
"""

import sys
import tempfile
import time
from pathlib import Path

import torch
import transformers
from decoding import PROMPT, TOKENS, work
from torch import nn

HEADS, LAYERS, WIDTH = 12, 12, 768
PAST = [f"{kind}{i}" for i in range(LAYERS) for kind in ("key", "value")]


def model():
    return transformers.GPT2LMHeadModel(transformers.GPT2Config()).eval()


class Torch:
    def __init__(self, compiled):
        self.version = f"torch {torch.__version__}, transformers {transformers.__version__}"
        self.net, self.compiled = model(), compiled
        self.step = torch.compile(self.net) if compiled else self.net

    @torch.no_grad()
    def decode(self, words, tokens=TOKENS):
        begin = time.perf_counter()
        cache = (transformers.StaticCache(config=self.net.config, max_cache_len=PROMPT + TOKENS) if self.compiled
                 else transformers.DynamicCache(config=self.net.config))
        token = self.scores(self.net, torch.tensor(words), cache, 0)
        middle = time.perf_counter()
        for i in range(tokens):
            token = self.scores(self.step, token[:, None], cache, PROMPT + i)
        return middle - begin, time.perf_counter() - middle

    def scores(self, net, words, cache, first):
        place = torch.arange(first, first + words.shape[1])
        out = net(words, past_key_values=cache, position_ids=place[None], use_cache=True, logits_to_keep=1)
        return out.logits[:, -1].argmax(dim=-1)


class Step(nn.Module):
    """words (1, length), the layers' keys and values (1, heads, before, size) -> scores (1, vocabulary), longer"""

    def __init__(self):
        super().__init__()
        self.net = model().transformer

    def forward(self, words, *past):
        before, length = past[0].shape[2], words.shape[1]
        place = torch.arange(length) + before
        x = self.net.wte(words) + self.net.wpe(place)[None]
        mask = torch.where(torch.arange(before + length)[None] <= place[:, None], 0.0, -1e9)
        kept = []
        for i, layer in enumerate(self.net.h):
            query, key, value = (part.view(1, length, HEADS, WIDTH // HEADS).transpose(1, 2)
                                 for part in layer.attn.c_attn(layer.ln_1(x)).split(WIDTH, dim=2))
            key, value = torch.cat([past[2 * i], key], dim=2), torch.cat([past[2 * i + 1], value], dim=2)
            weights = torch.softmax(query @ key.transpose(2, 3) / (WIDTH // HEADS) ** 0.5 + mask, dim=-1)
            x = x + layer.attn.c_proj((weights @ value).transpose(1, 2).reshape(1, length, WIDTH))
            x = x + layer.mlp(layer.ln_2(x))
            kept += [key, value]
        return self.net.ln_f(x)[:, -1] @ self.net.wte.weight.T, *kept


class Onnx:
    def __init__(self):
        import onnxruntime
        self.version = f"onnxruntime {onnxruntime.__version__}"
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "step.onnx")
            length, before = torch.export.Dim("length", min=1, max=512), torch.export.Dim("before", min=0, max=512)
            example = torch.zeros(1, 3, dtype=torch.int64), *self.empty(4)
            torch.onnx.export(Step().eval(), example, path, dynamo=True, verbose=False, input_names=["words", *PAST],
                              output_names=["scores", *[f"new_{name}" for name in PAST]],
                              dynamic_shapes=({1: length}, ({2: before},) * len(PAST)))
            self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    @staticmethod
    def empty(before):
        return [torch.zeros(1, HEADS, before, WIDTH // HEADS) for _ in PAST]

    def decode(self, words, tokens=TOKENS):
        begin = time.perf_counter()
        scores, *past = self.step(words, [x.numpy() for x in self.empty(0)])
        middle = time.perf_counter()
        for _ in range(tokens):
            scores, *past = self.step(scores.argmax(axis=1, keepdims=True), past)
        return middle - begin, time.perf_counter() - middle

    def step(self, words, past):
        return self.session.run(None, {"words": words, **dict(zip(PAST, past, strict=True))})


if __name__ == "__main__":
    mode = sys.argv[1]
    work(Onnx() if mode == "onnxruntime" else Torch(mode == "torch compiled"))
