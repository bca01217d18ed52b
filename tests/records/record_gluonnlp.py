"""Record BERT and GPT-2 of GluonNLP 0.10 on MXNet 1.9.1: their .params files and what they answer.

    python -m records.record_gluonnlp FOLDER

in an environment with both (tests/libraries/README.md says how to make one). FOLDER is `scripts/text_generation` of
GluonNLP's sources, where its GPT-2 is. Writes tests/records/data/gluonnlp.zip, which tests/gluon/test_model_zoo_text.py
compares with.
"""

import io
import json
import sys
import tempfile
import zipfile
from pathlib import Path

import mxnet as mx
import numpy as np

from records import DATA
from records.gluonnlp_cases import BERT, CUT, ENCODER, GPT2, LENGTHS, MASKED, TYPES, WORDS, fill


def bert():
    """(net, its answers)"""
    from gluonnlp.model import BERTEncoder, BERTModel
    net = BERTModel(BERTEncoder(dropout=0.0, **ENCODER), embed_size=BERT["units"], prefix="bert_", **BERT)
    arrays = [mx.nd.array(x) for x in (WORDS, TYPES, LENGTHS, MASKED)]
    net.initialize()
    net(*arrays)
    fill(mx, net)
    return net, {**dict(zip(("sequence", "pooled", "follows", "words"), net(*arrays))),
                 "no_length": net(*arrays[:2], None, arrays[3])[0]}


def gpt2():
    from model.gpt import GPT2Model
    net = GPT2Model(prefix="gpt2_", **GPT2)
    words = mx.nd.array(WORDS, dtype="int32")
    net.initialize()
    net(words)
    fill(mx, net)
    whole, _ = net(words)
    _, states = net(words[:, :CUT])
    rest, states = net(words[:, CUT:], states)
    return net, {"whole": whole, "rest": rest, **{f"state{i}": state for i, state in enumerate(states)}}


def record():
    with zipfile.ZipFile(DATA / "gluonnlp.zip", "w", zipfile.ZIP_DEFLATED) as file, \
            tempfile.TemporaryDirectory() as folder:
        for make in (bert, gpt2):
            net, answers = make()
            net.save_parameters(str(Path(folder) / "saved"))
            file.writestr(f"{make.__name__}.params", (Path(folder) / "saved").read_bytes())
            file.writestr(f"{make.__name__}.json", json.dumps(list(net.collect_params()), indent=0))
            stream = io.BytesIO()
            np.savez(stream, **{name: x.asnumpy() for name, x in answers.items()})
            file.writestr(f"{make.__name__}.npz", stream.getvalue())


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    np.float, np.int = float, int       # GluonNLP's names for them
    record()
