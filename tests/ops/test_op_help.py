"""What `help`, IPython's `?` and `minigluon ops` show of an operator, word for word."""

import copy
import inspect
import pickle
import pydoc
import re

import pytest

from minigluon import nd, sym
from minigluon.base import MXNetError
from minigluon.frontend.signatures import Signature
from minigluon.ops import REGISTRY
from minigluon.tools.cli import main
from minigluon.tools.cli.ops import described

pytestmark = pytest.mark.once

CONVOLUTION = """\
Python Library Documentation: function Convolution in module minigluon.ndarray

Convolution(data, weight=None, bias=None, *, kernel, stride=(), dilate=(), pad=(), num_filter, num_group=1,
        workspace=1024, no_bias=False, cudnn_tune=None, cudnn_off=False, layout=None, out=None,
        name=None)
    Slides num_filter filters over 1, 2 or 3 spatial axes: each output is the sum of filter times window, plus bias.

    data (N, C, *space) | weight (num_filter, C / num_group, *kernel) | bias (num_filter,), absent with no_bias
    out  (N, num_filter, *windows), windows = (space + 2 pad - dilate (kernel - 1) - 1) // stride + 1

    Filters are not flipped, so mathematically this is a cross-correlation.

    kernel (int or tuple of ints): the size of a window along each of 1, 2 or 3 spatial axes.
    stride (int or tuple of ints, default ()): the step from one window to the next, one for each axis of kernel; 1
        by default.
    dilate (int or tuple of ints, default ()): the step from one element of a window to the next along each axis; 1
        by default.
    pad (int or tuple of ints, default ()): the number of zeros added on both sides of each spatial axis; 0 by
        default.
    num_filter (int): the number of filters, which is the number of output channels.
    num_group (int, default 1): the number of groups of channels and filters; each group of filters reads only its
        own channels.
    workspace (int, default 1024): the size in MB of cuDNN's workspace.
    no_bias (bool, default False): if True, omit the bias.
    cudnn_tune ('off', 'limited_workspace' or 'fastest', default None): how cuDNN's algorithm is chosen: by cuDNN's
        own ranking ('off'), or by measured time, within the workspace ('limited_workspace') or without a limit
        ('fastest'). None reads MXNET_CUDNN_AUTOTUNE_DEFAULT (0, 1 or 2; 0 if it is unset).
    cudnn_off (bool, default False): if True, avoid cuDNN on a GPU; elsewhere it has no effect.
    layout ('NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC' or 'NDHWC', default None): the order of the axes. If it ends in C,
        channels are the last axis of data, weight and out.
    out (NDArray, default None): an array that the result is written into. Without it a new array is made.
    name (str, default None): changes nothing; in a graph it is the name of the node.

    >>> data, weight = nd.array([[[1, 2, 3, 4]]]), nd.array([[[1, 10]]])
    >>> print(nd.Convolution(data, weight, kernel=2, num_filter=1, no_bias=True).asnumpy())
    [[[21. 32. 43.]]]
"""

RELU = """\
Python Library Documentation: function relu in module minigluon.symbol

relu(data, *, name=None, attr=None)
    max(x, 0); NaN stays NaN

    data (any shape), x is each of its elements | out like data

    name (str, default None): the name of the node. Without it the operator's name and a number make one.
    attr (dict of str, default None): attributes of your own for the node, such as {'lr_mult': '0.1'}.

    >>> nd.relu(nd.array([-1, 0, 2])).asnumpy()
    array([0., 0., 2.], dtype=float32)
"""

ASKED = """\
Signature: nd.relu(data, *, out=None, name=None)
Docstring:
max(x, 0); NaN stays NaN

data (any shape), x is each of its elements | out like data

out (NDArray, default None): an array that the result is written into. Without it a new array is made.
"""

BOX_NMS = """\
nd.contrib.box_nms and sym.contrib.box_nms, defined in minigluon/ops/vision/box_nms.py, line 43.
Also contrib.box_non_maximum_suppression.

contrib.box_nms(data, overlap_thresh=0.5, valid_thresh=0.0, topk=-1, coord_start=2, score_index=1, id_index=-1,
        background_id=-1, force_suppress=False, in_format='corner', out_format='corner', *,
        out=None, name=None)

The surviving boxes, best score first, padded with rows of -1.

data (*batch, n, width): each row has a score, 4 coordinates, optionally a class, and any other values
out  like data

A row is suppressed if it overlaps a better survivor of its class. Only the surviving rows receive a gradient.

overlap_thresh (float, default 0.5): the intersection over union above which the worse of two boxes is
    suppressed.
valid_thresh (float, default 0.0): the score above which a row takes part.
topk (int, default -1): how many of the best rows take part; -1 for all.
coord_start (int, default 2): the index of the first of the 4 coordinates in a row.
score_index (int, default 1): the index of the score in a row.
id_index (int, default -1): the index of the class in a row; -1 for none.
background_id (int, default -1): the class whose rows are ignored.
force_suppress (bool, default False): if True, also suppress boxes of other classes.
in_format ('corner' or 'center', default 'corner'): corner for (xmin, ymin, xmax, ymax), center for (x, y,
    width, height) with the center (x, y).
out_format ('corner' or 'center', default 'corner'): the format of the boxes in out.
out (NDArray, default None): an array that the result is written into. Without it a new array is made.
name (str, default None): changes nothing; in a graph it is the name of the node.

Source: Rosenfeld and Thurston 1971, Edge and curve detection for visual scene analysis.

>>> rows = nd.array([[0, 0.8, 0, 0, 2, 2], [0, 0.9, 0, 0, 2, 2], [0, 0.7, 5, 5, 6, 6]])     # class, score, box
>>> print(nd.contrib.box_nms(rows).asnumpy().round(1))
[[ 0.   0.9  0.   0.   2.   2. ]
 [ 0.   0.7  5.   5.   6.   6. ]
 [-1.  -1.  -1.  -1.  -1.  -1. ]]"""


def shown(function):
    """What help() prints, without spaces at the ends of lines."""
    text = pydoc.render_doc(function, renderer=pydoc.plaintext)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def test_help_of_nd():
    assert shown(nd.Convolution) == CONVOLUTION


def test_help_of_sym():
    assert shown(sym.relu) == RELU


def test_question_mark_in_ipython():
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell(user_ns={"nd": nd})
    text = re.sub(r"\x1b\[[0-9;]*m", "", shell.object_inspect_text("nd.relu"))
    assert text.startswith(ASKED)


def test_command_shows_an_operator(capsys):
    assert main(["ops", "contrib.box_nms"]) == 0
    assert re.sub(r"line \d+", "line 0", capsys.readouterr().out) == re.sub(r"line \d+", "line 0", BOX_NMS) + "\n"
    assert described("nd.contrib.box_nms") == described("F.contrib.box_nms") == described("contrib.box_nms")


def test_command_lists_operators(capsys):
    assert main(["ops", "batchnorm"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "minigluon/ops/nn/batch_norm.py"
    assert [line.split()[0] for line in lines if line.startswith("  ")] == [
        "BatchNorm", "contrib.BatchNormWithReLU", "contrib.SyncBatchNorm", "BatchNorm_v1"]
    assert main(["ops"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert len(listed) > 300
    assert "  relu                           max(x, 0); NaN stays NaN" in listed


def test_command_asked_for_what_is_not_there(capsys):
    assert main(["ops", "Covolution"]) == 1
    assert capsys.readouterr().err == ("minigluon ops: error: there is no operator Covolution. Did you mean "
                                       "'Convolution', 'Convolution_v1', 'Deconvolution'?\n")
    with pytest.raises(MXNetError, match=r"^there is no operator sym\.rellu\. Did you mean 'relu'"):
        described("sym.rellu")


def test_parameters_are_created_when_they_are_first_read():
    signature = Signature.of(REGISTRY["FullyConnected"], "NDArray")
    assert "_parameters" not in vars(signature)
    plain = inspect.signature(nd.FullyConnected)
    assert signature == plain
    assert "_parameters" in vars(signature)
    assert hash(signature) == hash(plain)


def test_a_signature_of_an_operator_can_be_copied_and_bound():
    signature = Signature.of(REGISTRY["sum"], "NDArray")
    assert pickle.loads(pickle.dumps(signature)) == copy.deepcopy(signature) == signature
    assert "data" not in inspect.signature(nd.ones(1).sum).parameters        # inspect removes it by `replace`
    assert signature.bind("x", axis=1).arguments == {"data": "x", "axis": 1}
