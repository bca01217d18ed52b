"""mx.rnn with buckets: sentences of several lengths, stacked cells, perplexity; states and weights in a checkpoint."""

import os
import tempfile

from ._tools import draw, fixed


def run(mx, show):
    texts = ["the cat sat", "a dog ran far away", "the dog sat", "a cat ran", "the bird flew far away today",
             "a bird sat on the cat", "the cat ran far", "a dog flew", "the bird sat on a dog", "dog ran away today"]
    sentences, vocab = mx.rnn.encode_sentences([text.split(" ") for text in texts], start_label=1, invalid_label=0)
    buckets, batch_size = [4, 6], 2
    train = mx.rnn.BucketSentenceIter(sentences, batch_size, buckets=buckets, invalid_label=0)

    class InOrder:
        """Batches in a fixed order: the iterator of the library draws another one each time."""

        def __init__(self, batches):
            self.default_bucket_key, self.batch_size = max(buckets), batch_size
            self.provide_data = [mx.io.DataDesc("data", (batch_size, max(buckets)), layout="NT")]
            self.provide_label = [mx.io.DataDesc("softmax_label", (batch_size, max(buckets)), layout="NT")]
            self.batches = batches

        def __iter__(self):
            return iter(self.batches)

        def reset(self):
            pass

    rows = sorted(sentence + [0] * (min(b for b in buckets if b >= len(sentence)) - len(sentence))
                  for sentence in sentences)
    batches = []
    for length in buckets:
        fitting = [row for row in rows if len(row) == length]
        for start in range(0, len(fitting) - batch_size + 1, batch_size):
            data = mx.nd.array(fitting[start:start + batch_size])
            label = mx.nd.array([row[1:] + [0] for row in fitting[start:start + batch_size]])
            batches.append(mx.io.DataBatch(
                [data], [label], pad=0, bucket_key=length,
                provide_data=[mx.io.DataDesc("data", data.shape, layout="NT")],
                provide_label=[mx.io.DataDesc("softmax_label", label.shape, layout="NT")]))
    ordered = InOrder(batches)
    show("iterator", [train.default_bucket_key, [str(d) for d in train.provide_data], len(vocab)])

    stack = mx.rnn.SequentialRNNCell()
    for i in range(2):
        stack.add(mx.rnn.LSTMCell(num_hidden=6, prefix="lstm_l%d_" % i))
        stack.add(mx.rnn.DropoutCell(0.0, prefix="drop%d_" % i))

    def sym_gen(seq_len):
        data = mx.sym.Variable("data")
        label = mx.sym.Variable("softmax_label")
        embed = mx.sym.Embedding(data=data, input_dim=len(vocab), output_dim=5, name="embed")
        stack.reset()
        outputs, states = stack.unroll(seq_len, inputs=embed, merge_outputs=True)
        pred = mx.sym.Reshape(outputs, shape=(-1, 6))
        pred = mx.sym.FullyConnected(data=pred, num_hidden=len(vocab), name="pred")
        label = mx.sym.Reshape(label, shape=(-1,))
        pred = mx.sym.SoftmaxOutput(data=pred, label=label, use_ignore=True, ignore_label=0, name="softmax",
                                    normalization="valid")
        return pred, ("data",), ("softmax_label",)

    model = mx.mod.BucketingModule(sym_gen=sym_gen, default_bucket_key=ordered.default_bucket_key, context=mx.cpu())
    steps, metric = [], mx.metric.Perplexity(0)

    def note(param):
        steps.append(param.eval_metric.get()[1])
        param.eval_metric.reset()

    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "lm")
        model.fit(train_data=ordered, eval_metric=metric, kvstore="device", optimizer="sgd", num_epoch=5,
                  optimizer_params={"learning_rate": 0.5, "momentum": 0.0, "wd": 0.00001}, initializer=fixed(mx),
                  batch_end_callback=note, epoch_end_callback=mx.rnn.do_rnn_checkpoint(stack, prefix, 5))
        symbol, args, _ = mx.rnn.load_rnn_checkpoint(stack, prefix, 5)
        show("files", sorted(os.listdir(folder)))
    show("perplexity", steps)
    show("weights", [[name, args[name]] for name in sorted(args)])

    fused = mx.rnn.FusedRNNCell(6, num_layers=2, mode="lstm", prefix="lstm_")
    outputs, _ = fused.unroll(4, inputs=mx.sym.Variable("data"), layout="NTC", merge_outputs=True)
    executor = outputs.simple_bind(mx.cpu(), data=(2, 4, 5), grad_req="null")
    size = executor.arg_dict["lstm_parameters"].shape
    executor.arg_dict["lstm_parameters"][:] = draw(1, *size, scale=0.2)
    executor.forward(is_train=False, data=mx.nd.array(draw(2, 2, 4, 5)))
    unfused = fused.unfuse()
    plain, _ = unfused.unroll(4, inputs=mx.sym.Variable("data"), layout="NTC", merge_outputs=True)
    weights = unfused.pack_weights(fused.unpack_weights({"lstm_parameters": executor.arg_dict["lstm_parameters"]}))
    again = plain.bind(mx.cpu(), dict(weights, data=mx.nd.array(draw(2, 2, 4, 5))))
    show("fused", [executor.outputs[0], again.forward()[0], sorted(weights), size])
