"""Every loss with weights and gradients, a loss of one's own, and metrics over batches, composed and custom."""

import numpy as np

from ._tools import draw


def run(mx, show):
    nd, autograd, loss, metric = mx.nd, mx.autograd, mx.gluon.loss, mx.metric
    pred, label = nd.array(draw(1, 4, 3)), nd.array(draw(2, 4, 3))
    classes, weight = nd.array([0, 2, 1, 1]), nd.array([[1], [2], [0], [0.5]])
    signs = nd.sign(label)
    positive, chances = nd.abs(label), nd.softmax(label)

    def differentiated(function, *args):
        args[0].attach_grad()
        with autograd.record():
            value = function(*args)
        value.backward()
        return [value, args[0].grad.copy()]

    cases = [(loss.L2Loss(), label), (loss.L1Loss(weight=0.5), label), (loss.HuberLoss(rho=0.5), label),
             (loss.HingeLoss(), signs), (loss.SquaredHingeLoss(margin=2), signs), (loss.LogisticLoss(), signs),
             (loss.SigmoidBCELoss(), positive > 0.5), (loss.KLDivLoss(from_logits=False), chances),
             (loss.SoftmaxCELoss(sparse_label=False), chances), (loss.PoissonNLLLoss(), positive)]
    for function, target in cases:
        show(repr(function), [differentiated(function, pred, target), function(pred, target, weight)])
    show("sparse", [differentiated(loss.SoftmaxCrossEntropyLoss(), pred, classes),
                    loss.SoftmaxCrossEntropyLoss(axis=-1, from_logits=True)(nd.log_softmax(pred), classes)])
    show("pixels", loss.SoftmaxCrossEntropyLoss(axis=1)(nd.array(draw(3, 2, 3, 2, 2)), nd.ones((2, 2, 2))))
    show("triplet", differentiated(loss.TripletLoss(margin=0.5), pred, label, -label))
    show("cosine", differentiated(loss.CosineEmbeddingLoss(), pred, label, nd.array([1, -1, 1, -1])))
    show("from sigmoid", loss.SigmoidBinaryCrossEntropyLoss(from_sigmoid=True)(chances, positive > 1))
    show("ctc", differentiated(loss.CTCLoss(), nd.array(draw(4, 2, 6, 4)), nd.array([[0, 1, -1], [2, 2, 1]])))

    class Contrastive(loss.Loss):
        def __init__(self, margin=2.0, weight=None, batch_axis=0, **kwargs):
            super().__init__(weight, batch_axis, **kwargs)
            self._margin = margin

        def hybrid_forward(self, F, a, b, same):
            distances = F.sqrt(F.sum(F.square(a - b), axis=1) + 1e-6)
            rest = F.relu(self._margin - distances)
            return F.mean(same * F.square(distances) + (1 - same) * F.square(rest),
                          axis=self._batch_axis, exclude=True)

    show("contrastive", [differentiated(Contrastive(), pred, label, nd.array([1, 0, 1, 0])), repr(Contrastive())])

    chances, binary = nd.softmax(pred), nd.softmax(pred[:, :2])
    ones = nd.array([0, 1, 1, 0])
    metrics = [(metric.Accuracy(), classes, chances), (metric.TopKAccuracy(top_k=2), classes, chances),
               (metric.F1(), ones, binary), (metric.MCC(), ones, binary), (metric.MAE(), label, pred),
               (metric.MSE(), label, pred), (metric.RMSE(), label, pred), (metric.CrossEntropy(), classes, chances),
               (metric.NegativeLogLikelihood(), classes, chances), (metric.PearsonCorrelation(), label, pred),
               (metric.Perplexity(ignore_label=1), classes, chances), (metric.Loss(), None, pred)]
    for m, y, y_hat in metrics:
        m.update(None if y is None else [y], [y_hat])
        m.update(None if y is None else [y[:2]], [y_hat[:2]])
        name, value = m.get()
        show(type(m).__name__, [name, float(value), m.name])
        m.reset()
    show("empty", str(metrics[0][0].get()[1]))
    both = metric.CompositeEvalMetric(metrics=["acc", metric.create("ce")])
    both.update([classes], [chances])
    names, values = both.get()
    show("composite", [names, [float(v) for v in values], [n for n, _ in both.get_name_value()]])

    def worst(labels, predictions):
        return np.abs(labels - predictions).max()

    custom = metric.CustomMetric(worst)
    custom.update([label], [pred])
    decorated = metric.np(worst)
    decorated.update(label, pred)
    show("custom", [custom.name, float(custom.get()[1]), decorated.name, float(decorated.get()[1])])
    show("created", [type(metric.create(name)).__name__ for name in ("accuracy", "nll_loss", "mse", "f1", "loss")])
