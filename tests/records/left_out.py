"""The public names of MXNet 1.9.1 that do not exist here, and why.

`test_mxnet_names.py` checks these lists, and docs/make_names.py prints them.
"""

# Whole namespaces, {reason: namespaces}. Remove a namespace from the list when it is added to the package.
NAMESPACES_LEFT_OUT = {
}

# Names of the other namespaces.
LEFT_OUT = {
    "deprecated in MXNet, where it raises an error; mx.image has it": """
        imdecode
        """,
    "plotting curves in notebooks": """
        notebook
        """,
    "MXNet's parameter servers; here processes add their gradients with MPI": """
        KVStoreServer
        """,
    "quantized recurrent layers": """
        quantize_asym quantized_rnn
        """,
    "graphs stored as sparse arrays": """
        dgl_adjacency dgl_csr_neighbor_non_uniform_sample dgl_csr_neighbor_uniform_sample dgl_graph_compact
        dgl_subgraph edge_id getnnz
        """,
    "gradients, which MXNet's table lists under separate names": """
        backward_gradientmultiplier backward_hawkesll backward_index_copy backward_quadratic
        """,
    "first versions, replaced by MXNet long before 1.9, with different signatures; and one oddity": """
        IdentityAttachKLSparseReg DataLoaderV1 fetcher_loop_v1 worker_loop_v1
        """,
    "files for MXNet's own tests, from addresses that no longer exist; and its bookkeeping": """
        download_model get_bz2_data get_im2rec_path get_mnist_pkl ss
        """,
    "sparse arrays": """
        shuffle_csr_column_indices
        """,
    "modules and helpers of MXNet's own mx.np, or imported from there": """
        numpy_dispatch_protocol numpy_op_fallback numpy_op_signature np_array np_shape np_symbol is_np_array
        is_np_shape set_np np_ufunc_legal_option wrap_np_binary_func wrap_np_unary_func rebuild_np_ndarray
        reduce_np_ndarray shape_is_known
        """,
    "deprecated in MXNet: an error there, or a warning that names a replacement": """
        set_lr_scale default_ctx
        """,
    "links to MXNet's C++ library, to other compilers and formats, or its own bookkeeping": """
        get_cuda_compute_capability profiler_kvstore_handle set_kvstore_handle handle libinfo library rtc th torch
        tvmop api error registry ndarray_doc symbol_doc gen__internal gen_contrib gen_image gen_linalg gen_op
        gen_sparse check_call c_array c_array_buf c_handle_array c_str c_str_array c2pyerror ctypes2buffer
        ctypes2numpy_shared mx_float_p MXCallbackList error_types register_error get_last_ffi_error
        add_fileline_to_docstring build_param_doc data_dir_default classproperty with_metaclass
        get_indexing_dispatch_code get_oshape_of_gather_nd_op indexing_key_expand_implicit_axes ConnectionWrapper Queue
        SimpleQueue rebuild_ndarray reduce_ndarray NDabs
        """,
}

# Names that an MXNet module has only because it imports them for its own use. Here they are where they belong.
IMPORTED = {
    "nd": "utils", "nd.random": "current_context numeric_types", "gluon.block": "ndarray symbol",
    "gluon.parameter": "context ndarray", "gluon.trainer": "KVStore", "gluon.loss": "ndarray numeric_types",
    "gluon.utils": "ndarray",
    "gluon.data.dataset": "ndarray", "gluon.data.dataloader": "context nd",
    "gluon.data.vision.datasets": "base check_sha1 dataset download image recordio", "image": "cv2",
    "recordio": "cv2", "gluon.data.vision.transforms": "HybridBlock HybridSequential Sequential numeric_types",
    "autograd": "Symbol string_types", "init": "NDArray load ndarray random string_types", "lr_scheduler": "pi",
    "metric": "numeric_types string_types", "random": "Context integer_types", "attribute": "string_types",
    "Context": "device_type",       # an attribute of instances
    "sym.Symbol": "as_in_context asnumpy asscalar backward copy detach wait_to_read",   # errors in MXNet as well
    "sym.random": "numeric_types",
    "model": "Context DataDesc cpu nd sym DataParallelExecutorManager LogValidationMetricsCallback SKLEARN_INSTALLED "
             "Uniform get_updater io kvs metric opt",
}
