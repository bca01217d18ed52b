"""The networks of the model zoo, forward and as a train step: the same code for minigluon and for MXNet 1.9.1."""

from functools import partial

NASNET = "nasnet_a_mobile"          # MXNet does not have it


def makers(mx, sizes):
    """Return {program: function of a mode that sets it up}. sizes: {"zoo_nets": names, "zoo_batch": images}."""
    from workers import programs_gluon as programs  # the bench's: its worker runs this
    names = [name for name in sizes["zoo_nets"] if mx.__name__ == "minigluon" or name != NASNET]
    ways = {"forward": programs.forward, "train step": programs.train_step}
    return {f"{name} {way}": partial(what, mx, partial(make, name), sizes)
            for name in names for way, what in ways.items()}


def make(name, mx, sizes):
    net = mx.gluon.model_zoo.vision.get_model(name)
    net.initialize(mx.init.Xavier(rnd_type="gaussian", factor_type="in", magnitude=2))
    pixels, batch = 299 if name == "inceptionv3" else 224, sizes["zoo_batch"]
    return net, mx.nd.random.uniform(shape=(batch, 3, pixels, pixels)), mx.nd.array(range(batch))
