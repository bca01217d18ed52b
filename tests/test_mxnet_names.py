"""Every public name of MXNet 1.9.1's array and Gluon side is here, or is listed below with the reason why not.

`record_mxnet_names.py` made the file of names.
"""

import json
from pathlib import Path

import pytest

import minigluon as mx
from minigluon import ndarray, symbol

RECORDED = json.loads((Path(__file__).parent / "data" / "mxnet_names.json").read_text())

LEFT_OUT = {
    "not built yet: graphs, executors and what needs them": """
        executor_manager CachedOp load_json
        """,
    "not built yet: recurrent layers, ready-made models and contributed parts": """
        contrib rnn model_zoo RNN FusedRNN
        """,
    "not built yet: record files, image files and what augments them": """
        image img io recordio imdecode RecordFileDataset ImageFolderDataset ImageRecordDataset RandomRotation Rotate
        """,
    "not built yet: Module and what programs hang into its training": """
        FeedForward BatchEndParam callback mod module mon monitor notebook
        """,
    "not built yet: stores of parameters; Trainer knows the ones of a single machine by their names": """
        kv kvstore KVStore
        """,
    "not built yet: operators of one's own, profiling, settings of the engine, tools for tests": """
        operator Custom profiler engine runtime test_utils util log
        """,
    "not built yet: spatial operators": """
        BilinearSampler GridGenerator SpatialTransformer ROIPooling Correlation
        """,
    "first versions, replaced by MXNet long before 1.9, with other signatures; and one oddity": """
        BatchNorm_v1 Pooling_v1 IdentityAttachKLSparseReg DataLoaderV1 fetcher_loop_v1 worker_loop_v1
        """,
    "sparse arrays": """
        cast_storage row_sparse_data list_row_sparse_data NotSupportedForSparseNDArray
        """,
    "mx.np, the other array interface": """
        np npx numpy numpy_extension numpy_dispatch_protocol numpy_op_fallback numpy_op_signature as_np_ndarray
        np_array np_shape np_symbol is_np_array is_np_shape set_np set_np_shape use_np use_np_array use_np_shape
        rebuild_np_ndarray reduce_np_ndarray shape_is_known
        """,
    "deprecated in MXNet: an error there, or a warning that names another": """
        set_lr_scale default_ctx
        """,
    "a link to MXNet's C++ library, to other compilers and formats, or its own bookkeeping": """
        handle libinfo library rtc th torch tvmop onnx api error registry ndarray_doc symbol_doc gen__internal
        gen_contrib gen_image gen_linalg gen_op gen_sparse check_call c_array c_array_buf c_handle_array c_str
        c_str_array c2pyerror ctypes2buffer ctypes2numpy_shared mx_float_p MXCallbackList error_types register_error
        get_last_ffi_error add_fileline_to_docstring build_param_doc data_dir_default classproperty with_metaclass
        get_indexing_dispatch_code get_oshape_of_gather_nd_op indexing_key_expand_implicit_axes ConnectionWrapper
        Queue SimpleQueue rebuild_ndarray reduce_ndarray NDabs
        """,
}
REASONS = {name: reason for reason, names in LEFT_OUT.items() for name in names.split()}

# There because a module of MXNet's imports it for itself. The name is here where it belongs.
IMPORTED = {
    "nd": "utils", "nd.random": "current_context numeric_types", "gluon.block": "NDArray Symbol ndarray symbol",
    "gluon.parameter": "context ndarray", "gluon.loss": "ndarray numeric_types", "gluon.utils": "ndarray",
    "gluon.data.dataset": "ndarray", "gluon.data.dataloader": "context nd",
    "gluon.data.vision.datasets": "base check_sha1 dataset download",
    "gluon.data.vision.transforms": "HybridBlock HybridSequential Sequential numeric_types",
    "autograd": "Symbol string_types", "init": "load ndarray string_types", "lr_scheduler": "pi",
    "metric": "ndarray numeric_types string_types", "random": "Context integer_types", "attribute": "string_types",
    "Context": "device_type", "executor.Executor": "arg_dict aux_dict grad_dict",       # attributes of instances
    "sym.Symbol": "as_in_context asnumpy asscalar backward copy detach wait_to_read",   # errors in MXNet as well
    "sym.random": "numeric_types",
    "model": "Context DataDesc DataParallelExecutorManager LogValidationMetricsCallback SKLEARN_INSTALLED Uniform "
             "get_updater kvs metric opt",
}


def names_of(namespace):
    found = mx
    for part in namespace.split(".") if namespace != "mx" else []:
        found = getattr(found, part)
    return set(dir(found))


@pytest.mark.parametrize("namespace", RECORDED)
def test_names(namespace):
    here, imported = names_of(namespace), set(IMPORTED.get(namespace, "").split())
    missing = [name for name in RECORDED[namespace] if name not in here]
    assert [name for name in missing if name not in REASONS and name not in imported] == []
    assert imported <= set(missing), "listed as missing, but there"


def test_reasons_are_needed():
    """A name that has come leaves the list, and no name is in it without MXNet having it."""
    missing = {name for namespace, names in RECORDED.items() for name in names if name not in names_of(namespace)}
    assert sorted(REASONS.keys() - missing) == []


def test_how_many_there_are():
    total = sum(map(len, RECORDED.values()))
    here = sum(name in names_of(namespace) for namespace, names in RECORDED.items() for name in names)
    assert (total, here) == (1428, 1191)


def test_names_that_were_added_for_old_programs(monkeypatch):
    """They are not there for show."""
    x = mx.nd.zeros((2, 3), dtype="float64")
    drawn = mx.nd.random.uniform_like(x, low=1, high=2)
    assert (drawn.shape, drawn.dtype, bool((drawn >= 1).min())) == ((2, 3), x.dtype, True)
    assert mx.sym.random.normal_like(mx.sym.var("x")).list_arguments() == ["x"]
    assert isinstance(x, mx.gluon.tensor_types)
    assert mx.gluon.tensor_types == (symbol.Symbol, ndarray.NDArray)
    assert mx.gluon.block.HybridBlock is mx.gluon.HybridBlock
    assert isinstance(3.5, mx.base.numeric_types)
    assert not isinstance("3", mx.base.numeric_types)
    assert isinstance(mx.nd.ones(1).asscalar(), mx.base.numeric_types)
    assert mx.base.py_str(b"name") == "name"
    assert mx.rnd is mx.random
    for name in ("torch", "caffe"):
        metric = mx.metric.create(name)
        metric.update(None, [mx.nd.array([1, 3])])
        assert metric.get() == (name, 2)
    monkeypatch.setenv("MXNET_HOME", "/data")
    assert mx.base.data_dir() == "/data"
