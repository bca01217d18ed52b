"""Time matrix products in float32 on one thread, the libraries in turns, and print GFLOP/s as Markdown.

    MINIGLUON_TORCH_PYTHON=... python benchmarks/matrix_products.py [--rounds 10]

minigluon-accel's kernels are compared with OpenBLAS (from the package scipy-openblas32, with two choices of its
kernels) and PyTorch, each in a separate process. The clock is the thread's, and the best of all rounds counts, because
the question is how fast the code can be. The peak is that of fused multiply-adds in registers.
"""

import argparse
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# (description, rows, columns, depth, transpose_a, transpose_b)
PRODUCTS = [
    ("square", 64, 64, 64, 0, 0), ("square", 256, 256, 256, 0, 0), ("square", 512, 512, 512, 0, 0),
    ("square", 1024, 1024, 1024, 0, 0), ("square", 2048, 2048, 2048, 0, 0), ("both transposed", 1024, 1024, 1024, 1, 1),
    ("MLP, 1 row", 1, 256, 512, 0, 1), ("MLP, 64 rows", 64, 256, 512, 0, 1),
    ("LeNet conv2, an image", 50, 64, 500, 0, 0), ("LeNet dense1", 64, 500, 800, 0, 1),
    ("LeNet dense1, weights", 500, 800, 64, 1, 0), ("LeNet dense1, data", 64, 800, 500, 0, 0),
    ("AlexNet dense1", 32, 4096, 6400, 0, 1), ("AlexNet dense1, weights", 4096, 6400, 32, 1, 0),
    ("AlexNet dense1, data", 32, 6400, 4096, 0, 0),
    ("ResNet layer1", 64, 3136, 576, 0, 0), ("ResNet layer2", 128, 784, 1152, 0, 0),
    ("ResNet layer3", 256, 196, 2304, 0, 0), ("ResNet layer4", 512, 49, 4608, 0, 0),
]
MIN_SECONDS = 2e-3  # seconds of a round

PEAK = """
typedef float vec __attribute__((vector_size(BYTES)));
float peak(long times) {
    vec sum[SUMS], x = (vec){0} + 1.0f, y = (vec){0} + 1e-9f;
#pragma GCC unroll 16
    for (int i = 0; i < SUMS; i++) sum[i] = x * (float)i;
    __asm__ volatile("" : "+v"(x), "+v"(y));
    for (long n = 0; n < times; n++)
#pragma GCC unroll 16
        for (int i = 0; i < SUMS; i++) { sum[i] = sum[i] * x + y; __asm__ volatile("" : "+v"(sum[i])); }
#pragma GCC unroll 16
    for (int i = 1; i < SUMS; i++) sum[0] += sum[i];
    return sum[0][0];
}
"""


def accel(rows, columns, depth, transpose_a, transpose_b):
    """Return run(times) for a product by minigluon-accel."""
    import minigluon_accel
    from minigluon.backend import Spec
    from minigluon.ops import REGISTRY
    engine = minigluon_accel.engine
    engine.set_threads(1)
    arrays = operands(rows, columns, depth, transpose_a, transpose_b)
    specs = [Spec(a.shape, a.dtype) for a in arrays]
    op = REGISTRY["dot"](transpose_a=transpose_a, transpose_b=transpose_b)
    call = minigluon_accel.BACKEND.prepare(op, specs[:2], specs[2:], False, None).write
    many = engine.Program([(call, [0, 1, 2])] * 100, {}, 3)
    one = engine.Program([(call, [0, 1, 2])], {}, 3)

    def run(times):
        for _ in range(times // 100):
            many.run(arrays, 0)
        for _ in range(times % 100):
            one.run(arrays, 0)
    return run


def openblas(rows, columns, depth, transpose_a, transpose_b):
    import scipy_openblas32
    folder = pathlib.Path(scipy_openblas32.get_lib_dir())
    library = ctypes.CDLL(str(next(folder.glob("libscipy_openblas*.so"))))
    library.scipy_openblas_set_num_threads(1)
    a, b, out = operands(rows, columns, depth, transpose_a, transpose_b)
    pointer, real = ctypes.c_void_p, ctypes.c_float
    library.scipy_cblas_sgemm.argtypes = [*[ctypes.c_int] * 6, real, pointer, ctypes.c_int, pointer, ctypes.c_int, real,
                                          pointer, ctypes.c_int]
    row_major, as_is, transposed = 101, 111, 112
    arguments = (row_major, transposed if transpose_a else as_is, transposed if transpose_b else as_is, rows, columns,
                 depth, 1.0, a.ctypes.data, a.shape[1], b.ctypes.data, b.shape[1], 0.0, out.ctypes.data, columns)

    def run(times, keep=(a, b, out)):
        for _ in range(times):
            library.scipy_cblas_sgemm(*arguments)
    return run


def torch(rows, columns, depth, transpose_a, transpose_b):
    import torch
    torch.set_num_threads(1)
    a, b, out = [torch.randn(*shape) for shape in shapes(rows, columns, depth, transpose_a, transpose_b)]
    a, b = a.T if transpose_a else a, b.T if transpose_b else b

    def run(times):
        for _ in range(times):
            torch.mm(a, b, out=out)
    return run


def shapes(rows, columns, depth, transpose_a, transpose_b):
    """Return the shapes of a, b and out in memory."""
    return [(depth, rows) if transpose_a else (rows, depth), (columns, depth) if transpose_b else (depth, columns),
            (rows, columns)]


def operands(*product):
    """Return a, b, out, each aligned to 64 bytes."""
    import numpy as np
    generator, arrays = np.random.default_rng(0), []
    for rows, columns in shapes(*product):
        memory = np.empty(rows * columns + 16, np.float32)
        first = -memory.ctypes.data % 64 // 4
        arrays.append(memory[first:first + rows * columns].reshape(rows, columns))
        arrays[-1][...] = generator.standard_normal((rows, columns))
    return arrays


def work(library):
    """Run a worker: it reads the index of a product, and prints the seconds for one."""
    made = {}
    for line in sys.stdin:
        number = int(line)
        if number not in made:
            made.clear()
            made[number] = [globals()[library](*PRODUCTS[number][1:]), 1]
        run, times = made[number]
        while True:
            start = time.thread_time()
            run(times)
            seconds = time.thread_time() - start
            if seconds >= MIN_SECONDS or times >= 10 ** 6:
                break
            made[number][1] = times = times * 2
        print(seconds / times, flush=True)


def peak_gflops():
    """Return the peak in GFLOP/s, with the widest vectors, or None without a compiler."""
    best = 0
    with tempfile.TemporaryDirectory() as folder:
        for size, sums, option in ((64, 16, "-mavx512f"), (32, 12, "-mavx2")):
            source, library = pathlib.Path(folder, "peak.c"), pathlib.Path(folder, f"peak{size}.so")
            source.write_text(PEAK.replace("BYTES", str(size)).replace("SUMS", str(sums)))
            command = ["cc", "-O3", "-w", "-shared", "-fPIC", option, "-mfma", source, "-o", library]
            if size * 8 == 512 and "avx512f" not in pathlib.Path("/proc/cpuinfo").read_text():
                continue
            if subprocess.run(command, check=False).returncode:
                return None
            peak = ctypes.CDLL(str(library)).peak
            peak.argtypes, peak.restype, times = [ctypes.c_long], ctypes.c_float, 10 ** 6
            for _ in range(10):
                start = time.thread_time()
                peak(times)
                best = max(best, 2 * size // 4 * sums * times / (time.thread_time() - start) / 1e9)
    return best


def start(library, python=sys.executable, **environment):
    return subprocess.Popen([python, __file__, "--work", library], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True, env={**os.environ, **environment})


def ask(worker, number):
    worker.stdin.write(f"{number}\n")
    worker.stdin.flush()
    return float(worker.stdout.readline())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        work(args.work)
        return
    workers = {"minigluon-accel": start("accel"), "OpenBLAS SkylakeX": start("openblas", OPENBLAS_CORETYPE="SkylakeX"),
               "OpenBLAS Zen": start("openblas", OPENBLAS_CORETYPE="Zen")}
    if "MINIGLUON_TORCH_PYTHON" in os.environ:
        workers["PyTorch"] = start("torch", os.environ["MINIGLUON_TORCH_PYTHON"])
    peak = peak_gflops()
    print(f"one thread; peak {peak:.0f} GFLOP/s\n" if peak else "one thread\n")
    print(f"| product | rows x columns x depth | {' | '.join(workers)} | of the peak |")
    print("|---" * (3 + len(workers)) + "|")
    for number, (name, rows, columns, depth, *_) in enumerate(PRODUCTS):
        times = [[ask(worker, number) for worker in workers.values()] for _ in range(args.rounds)]
        rates = [2e-9 * rows * columns * depth / min(seconds) for seconds in zip(*times, strict=True)]
        print(f"| {name} | {rows} x {columns} x {depth} | {' | '.join(f'{rate:.0f}' for rate in rates)} | "
              f"{f'{rates[0] / peak:.0%}' if peak else ''} |", flush=True)


if __name__ == "__main__":
    main()
