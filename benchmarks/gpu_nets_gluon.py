"""The programs of benchmarks/gpu.py in minigluon: the nets of `minigluon bench` on `mx.gpu()`, and their memory.

Every run ends when the device has finished. MINIGLUON_TF32=1 allows products in TF32.
"""

from functools import partial

from minigluon.tools.bench.workers import programs_gluon as programs
from minigluon.tools.bench.workers import transformers_gluon as transformers

__all__ = ["device_bytes", "facts", "lives", "makers"]


def makers(mx, sizes):
    """Return {"lenet 64 forward": function of a mode that returns a Program}, for each net and sizes["batches"]."""
    nets = {"mlp": mlp, "lenet": programs.lenet, "alexnet": programs.alexnet, "resnet": programs.resnet,
            "bert-mini": transformers.bert_mini, "lstm": partial(programs.text, "lstm")}
    found = {}
    for name, net in nets.items():
        for batch in sizes["batches"]:
            own = {**sizes, **{size: batch for size in sizes if size.endswith("_batch")}, "mlp_batch": batch}
            found[f"{name} {batch} forward"] = partial(on_gpu, mx, partial(programs.forward, mx, net, own))
            found[f"{name} {batch} train step"] = partial(on_gpu, mx, partial(programs.train_step, mx, net, own))
    return found


def mlp(mx, sizes):
    """The perceptron of `minigluon bench` on more than one row."""
    net, _, _ = programs.mlp(mx, sizes)
    batch = sizes["mlp_batch"]
    return net, mx.nd.random.normal(shape=(batch, 512)), mx.nd.array([i % 2 for i in range(batch)])


def on_gpu(mx, make, mode):
    """Return the Program that `make(mode)` sets up, with everything on the first GPU and the same random numbers."""
    mx.random.seed(0)
    with mx.gpu():
        program = make(mode)

    def run():
        with mx.gpu():
            program.run()
        mx.nd.waitall()
    return programs.Program(run, program.blocks, program.gradient_bytes)


def device(mx):
    """Return minigluon-accel's object for the first GPU."""
    return mx.backend.backend_for(mx.gpu()).device


def facts(worker):
    """Return {name: text} about the GPU and its software."""
    from minigluon_accel.gpu import compile, driver
    card, cuda = device(worker.module), driver.loaded()
    _, total = card.memory.info()
    compiler = compile.compiler(card.architecture).version(card.architecture)
    return {"card": card.name, "compute capability": "{}.{}".format(*card.capability), "memory": total,
            "emulated": driver.emulated(), "driver": driver_text(cuda.get_driver_version()), "PyCUDA": pycuda_version(),
            "compiler of kernels": compiler.splitlines()[-1][:100]}


def lives(worker):
    """Return True. Raises MXNetError if the device accepts no more work, after an error in a kernel."""
    worker.module.nd.ones((1,), ctx=worker.module.gpu()).asnumpy()
    return True


def driver_text(number):
    """Format a driver version: 13020 -> 'for CUDA 13.2'."""
    return f"for CUDA {number // 1000}.{number % 1000 // 10}"


def pycuda_version():
    import pycuda
    return pycuda.VERSION_TEXT


def device_bytes(worker, program, mode):
    """Return how much less free memory the device has after several runs of a program than before its setup."""
    mx = worker.module
    worker.forget()
    card = device(mx)
    mx.gpu().empty_cache()
    before, _ = card.memory.info()
    run = worker.run(program, mode)
    for _ in range(3):
        run()
    after, _ = card.memory.info()
    worker.forget()
    mx.gpu().empty_cache()
    return before - after
