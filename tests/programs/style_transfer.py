"""An image that is a parameter: content, style and total variation losses of the features of a fixed network."""

from ._tools import draw, fixed


def run(mx, show):
    nd, gluon, autograd, nn = mx.nd, mx.gluon, mx.autograd, mx.gluon.nn
    features = nn.Sequential()
    for channels in (4, 6):
        features.add(nn.Conv2D(channels, 3, padding=1, activation="relu"), nn.AvgPool2D(2))
    features.initialize(fixed(mx))

    def extract(X):
        contents, styles = [], []
        for i in range(len(features)):
            X = features[i](X)
            if i in (0, 2):
                styles.append(X)
            if i == 3:
                contents.append(X)
        return contents, styles

    class GeneratedImage(nn.Block):
        def __init__(self, img_shape, **kwargs):
            super(GeneratedImage, self).__init__(**kwargs)
            self.weight = self.params.get("weight", shape=img_shape)

        def forward(self):
            return self.weight.data()

    def gram(X):
        num_channels, n = X.shape[1], X.size // X.shape[1]
        X = X.reshape((num_channels, n))
        return nd.dot(X, X.T) / (num_channels * n)

    def tv_loss(Y):
        return 0.5 * ((Y[:, :, 1:, :] - Y[:, :, :-1, :]).abs().mean() + (Y[:, :, :, 1:] - Y[:, :, :, :-1]).abs().mean())

    mean, std = nd.array([0.485, 0.456, 0.406]), nd.array([0.229, 0.224, 0.225])

    def preprocess(img):
        return ((img.astype("float32") / 255 - mean) / std).transpose((2, 0, 1)).expand_dims(axis=0)

    def postprocess(img):
        img = img[0].as_in_context(std.context)
        return (img.transpose((1, 2, 0)) * std + mean).clip(0, 1)

    content = preprocess(nd.array(draw(1, 8, 8, 3) * 40 + 128).clip(0, 255).astype("uint8"))
    style = preprocess(nd.array(draw(2, 8, 8, 3) * 60 + 100).clip(0, 255).astype("uint8"))
    contents_Y, styles_Y = extract(content)[0], [gram(Y) for Y in extract(style)[1]]
    image = GeneratedImage(content.shape)
    image.initialize(fixed(mx))
    image.weight.set_data(content)
    trainer = gluon.Trainer(image.collect_params(), "adam", {"learning_rate": 0.1})
    for epoch in range(4):
        with autograd.record():
            X = image()
            contents, styles = extract(X)
            content_l = [(Y_hat - Y).square().mean() for Y_hat, Y in zip(contents, contents_Y)]
            style_l = [(gram(Y_hat) - g).square().mean() * 1e3 for Y_hat, g in zip(styles, styles_Y)]
            tv_l = tv_loss(X) * 10
            total = nd.add_n(*style_l) + nd.add_n(*content_l) + tv_l
        total.backward()
        trainer.step(1)
        if epoch == 1:
            trainer.set_learning_rate(trainer.learning_rate * 0.1)
        show(f"epoch {epoch + 1}", [nd.add_n(*content_l).asscalar(), nd.add_n(*style_l).asscalar(), tv_l.asscalar()])
    show("image", [postprocess(image()), image.weight.grad()[0, 0, 0]])
    show("untouched", [features[0].weight.data()[0, 0], str(image), list(image.collect_params())])
