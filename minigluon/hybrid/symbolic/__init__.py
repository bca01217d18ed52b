"""One plan for all shapes: what is beside the plain way, a plan for each shape, so that the hundredth shape is cheaper.

    shape_families.py       which signatures differ in lengths alone, and the plan that they have in common
    symbolic_layout.py      its layout, with formulas for numbers
    symbolic_kernels.py     the kernels of an operator for any size
    size_formulas.py        all of it as sums, where the backend adds them up
    sized_runner.py         the runner of a further size

`specialize.make_runner` asks at the second shape. Nothing else of `hybrid` knows of it.
"""
