"""Three functions in C. Their reference implementation is kernels.c, because the plugin's functions are faster but too
long for a step."""

from ...c_file import require_compiler
from ...step import CFunction, Step
from .own_backend import install

STEP = Step(
    title="Kernels of your own, in C",
    parts=[CFunction("relu"), CFunction("add_stretched"), CFunction("matrix_product")],
    c_file="kernels.c",
    needs=require_compiler,
    install=install,
    hides=("FullyConnected.forward",),
    equivalent={"relu: out[i] = x[i] < 0 ? 0 : x[i];  ->  out[i] = x[i] <= 0 ? 0 : x[i];": "0 is 0 in both cases"},
    hints={
        "relu": [
            "for (int64_t i = 0; ...; i++) and one assignment.",
            "condition ? a : b. Compare x[i] with 0 such that NaN, for which every comparison is false, gives b.",
        ],
        "add_stretched": [
            "The outermost loop goes over i, the innermost over k, so that memory is accessed in order.",
            "The index is the same for x and out: compute it once.",
        ],
        "matrix_product": [
            "Add up in a separate variable, and write it to out after the loop over k.",
            "Row i of x begins at i * depth, row j of weight at j * depth, row i of out at i * columns.",
        ],
    },
)
