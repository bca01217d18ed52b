"""The images of reverse mode, of a training step, of data and of many devices. Drawn by `make_images.py`."""

import numpy as np
from drawing import Drawing

__all__ = ["IMAGES"]


# -- chapter 2: two orders of one product -----------------------------------------------------------------------------

def reverse_mode():
    """Three Jacobians, multiplied out from the inputs and from the output, to scale, with what each product costs."""
    sizes = 400, 300, 200, 1
    jacobians = [np.zeros((rows, columns)) for columns, rows in zip(sizes, sizes[1:])]
    drawing = Drawing(1000, 640, "The Jacobian of three maps, multiplied out from either end")
    drawing.text(30, 36, "y = f₃(f₂(f₁(x))): a product of three Jacobians, drawn to scale", 15, bold=True)
    left, middle, right = 190, 470, 750

    def matrix(x, y, array, kind, title, below):
        height, width = (max(n * 0.3, 4) for n in array.shape)
        drawing.box(x, y, width, height, kind, radius=2)
        drawing.text(x, y - 10, f"{title}  {array.shape}", 13, kind, bold=True)
        drawing.text(x, y + height + 18, below, 12, "muted")

    for x, jacobian, number in zip((left, middle, right), jacobians, "₁₂₃"):
        matrix(x, 90, jacobian, "base", f"J{number}", "")
    drawing.text(30, 110, "the parts", 13, bold=True)

    drawing.text(30, 250, "from the inputs", 13, "gluon", bold=True)
    drawing.text(30, 272, "400 columns\nare carried on", 12, "muted")
    product, spent = jacobians[0], 0
    matrix(left, 250, product, "gluon", "J₁", "")
    for x, before, jacobian, title in ((middle, left, jacobians[1], "J₂J₁"), (right, middle, jacobians[2], "J₃J₂J₁")):
        cost = jacobian.shape[0] * jacobian.shape[1] * product.shape[1]
        drawing.arrow(before + product.shape[1] * 0.3 + 10, 254, x - 12, 254, "gluon")
        product, spent = jacobian @ product, spent + cost
        matrix(x, 250, product, "gluon", title, f"{cost:,} multiplications")
    drawing.text(right, 350, f"{spent:,} in all", 15, "gluon", bold=True)

    drawing.text(30, 450, "from the output", 13, "tape", bold=True)
    drawing.text(30, 472, "one row is\ncarried back", 12, "muted")
    product, spent = jacobians[2], 0
    matrix(right, 450, product, "tape", "J₃", "")
    for x, before, jacobian, title in ((middle, right, jacobians[1], "J₃J₂"), (left, middle, jacobians[0], "J₃J₂J₁")):
        cost = product.shape[0] * product.shape[1] * jacobian.shape[1]
        product, spent = product @ jacobian, spent + cost
        drawing.arrow(before - 12, 452, x + product.shape[1] * 0.3 + 12, 452, "tape")
        matrix(x, 450, product, "tape", title, f"{cost:,} multiplications")
    drawing.text(left, 520, f"{spent:,} in all", 15, "tape", bold=True)

    value = sum(jacobian.size for jacobian in jacobians)
    drawing.text(30, 590, f"Computing y itself takes {value:,} multiplications.", 13)
    drawing.text(30, 614, "The row that is carried back is the gradient that arrives at each function's result.", 13)
    return drawing


IMAGES = {"reverse-mode": reverse_mode}
