"""Style transfer: the image is the parameter; losses of content, of style by Gram matrices, of total variation."""

from ._tools import draw, scaled, twice


def run(mx, show):
    np, npx, autograd, gluon, nn = mx.np, mx.npx, mx.autograd, mx.gluon, mx.gluon.nn
    rgb_mean, rgb_std = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])

    def preprocess(img):
        img = (img.astype("float32") / 255 - rgb_mean) / rgb_std
        return np.expand_dims(img.transpose(2, 0, 1), axis=0)

    def postprocess(img):
        img = img[0].as_in_ctx(rgb_std.ctx)
        return (img.transpose(1, 2, 0) * rgb_std + rgb_mean).clip(0, 1)

    pictures = [np.array(abs(draw(seed, 12, 12, 3, scale=80)).clip(0, 255).astype("uint8")) for seed in (1, 2)]
    content, style = [preprocess(picture) for picture in pictures]
    show("processed", [content[0, :, 0, :2], postprocess(content)[0, :2]])
    style_layers, content_layers = [0, 2], [3]

    def content_loss(Y_hat, Y):
        return np.square(Y_hat - Y).mean()

    def gram(X):
        num_channels, n = X.shape[1], X.size // X.shape[1]
        X = X.reshape(num_channels, n)
        return np.dot(X, X.T) / (num_channels * n)

    def style_loss(Y_hat, gram_Y):
        return np.square(gram(Y_hat) - gram_Y).mean()

    def tv_loss(Y_hat):
        return 0.5 * (np.abs(Y_hat[:, :, 1:, :] - Y_hat[:, :, :-1, :]).mean()
                      + np.abs(Y_hat[:, :, :, 1:] - Y_hat[:, :, :, :-1]).mean())

    class SynthesizedImage(nn.Block):
        def __init__(self, img_shape, **kwargs):
            super().__init__(**kwargs)
            self.weight = self.params.get("weight", shape=img_shape)

        def forward(self):
            return self.weight.data()

    def make():
        net = nn.HybridSequential()
        net.add(nn.Conv2D(4, 3, padding=1, activation="relu"), nn.MaxPool2D(2),
                nn.Conv2D(6, 3, padding=1, activation="relu"), nn.Conv2D(6, 3, padding=1, activation="relu"))
        net.initialize(scaled(mx))
        return net

    def extract_features(net, X):
        contents, styles = [], []
        for i, layer in enumerate(net):
            X = layer(X)
            if i in style_layers:
                styles.append(X)
            if i in content_layers:
                contents.append(X)
        return contents, styles

    def use(net):
        contents_Y, _ = extract_features(net, content)
        _, styles_Y = extract_features(net, style)
        styles_Y_gram = [gram(Y) for Y in styles_Y]
        image = SynthesizedImage(content.shape)
        image.initialize()
        image.weight.set_data(content)
        trainer = gluon.Trainer(image.collect_params(), "adam", {"learning_rate": 0.1})
        scheduler = mx.lr_scheduler.FactorScheduler(step=2, factor=0.8, base_lr=0.1)
        losses = []
        for epoch in range(5):
            with autograd.record():
                contents_Y_hat, styles_Y_hat = extract_features(net, image())
                contents_l = [content_loss(Y_hat, Y) for Y_hat, Y in zip(contents_Y_hat, contents_Y)]
                styles_l = [style_loss(Y_hat, Y) * 100 for Y_hat, Y in zip(styles_Y_hat, styles_Y_gram)]
                tv_l = tv_loss(image()) * 10
                l = sum(10 * x for x in styles_l) + sum(contents_l) + tv_l
            l.backward()
            trainer.set_learning_rate(scheduler(epoch))
            trainer.step(1)
            losses.append([float(sum(contents_l)), float(sum(styles_l)), float(tv_l)])
        npx.waitall()
        return [losses, postprocess(image())[0, :3], gram(contents_Y[0])[0]]

    twice(mx, show, "transfer", make, use)
