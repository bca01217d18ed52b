"""The nodes that MXNet 1.9.1 writes for the functions of `mx.sym.np`, one per line.

    name                 function  inputs    attributes
    _npi_mean            mean      a         axis keepdims dtype~
    _npi_where_lscalar   where     condition,y     scalar=x:float

Inputs are the parameters that contain symbols: `*seq` is a list of symbols, `-` stands for no inputs. An attribute has
the name of its parameter unless `=` specifies a different one. It is always written, possibly modified by a marker:

    ?           only if the call has it
    ~           unless it is None
    :float      as a float
    !text       always with this text; a file must have the same
    @codec      by a function of `codecs.py`
    #           the number of inputs

A name after `/` is the stem of the node's name, if that does not follow from the name of the operator.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["LINES"]

_UNARY = """absolute arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh degrees exp expm1 fix floor log
    log10 log1p log2 logical_not negative radians reciprocal rint sign sin sinh sqrt square tan tanh trunc isnan isinf
    isfinite isposinf isneginf bitwise_not"""
# function: (name in MXNet, function that computes it with the number on the left)
_BINARY = {
    "add": ("_npi_add", "add"), "subtract": ("_npi_subtract", "r"), "multiply": ("_npi_multiply", "multiply"),
    "divide": ("_npi_true_divide", "r"), "mod": ("_npi_mod", "r"), "power": ("_npi_power", "r"),
    "maximum": ("broadcast_maximum", "maximum"), "minimum": ("broadcast_minimum", "minimum"),
    "hypot": ("_npi_hypot", "hypot"), "copysign": ("_npi_copysign", "r"), "ldexp": ("_npi_ldexp", "r"),
    "arctan2": ("_npi_arctan2", "r"), "equal": ("_npi_equal", "equal"), "not_equal": ("_npi_not_equal", "not_equal"),
    "greater": ("_npi_greater", "less"), "less": ("_npi_less", "greater"),
    "greater_equal": ("_npi_greater_equal", "less_equal"), "less_equal": ("_npi_less_equal", "greater_equal"),
    "bitwise_and": ("_npi_bitwise_and", "bitwise_and"), "bitwise_or": ("_npi_bitwise_or", "bitwise_or"),
    "bitwise_xor": ("_npi_bitwise_xor", "bitwise_xor"), "lcm": ("_npi_lcm", "lcm")}
_SCALARS = {"maximum": "_maximum_scalar", "minimum": "_minimum_scalar", "hypot": "_hypot_scalar"}
_SAME = {"true_divide": "divide", "remainder": "mod"}           # other names of functions

_OTHERS = """
_npi_absolute/abs    abs       x
_npi_absolute/abs    fabs      x
_npi_radians         deg2rad   x
_npi_degrees         rad2deg   x
_npi_bitwise_not     invert    x
_np_sum              sum       a         axis? dtype~ keepdims? initial?
_np_prod             prod      a         axis? dtype~ keepdims? initial?
_np_prod/product     product   a         axis? dtype~ keepdims? initial?
_np_max              max       a         axis? keepdims?
_np_max/amax         amax      a         axis? keepdims?
_np_min              min       a         axis? keepdims?
_np_min/amin         amin      a         axis? keepdims?
_np_all              all       a         axis? keepdims?
_np_any              any       a         axis? keepdims?
_np_any/sometrue     sometrue  a         axis? keepdims?
_npi_mean            mean      a         axis keepdims dtype~
_npi_var             var       a         axis ddof keepdims dtype~
_npi_std             std       a         axis ddof keepdims dtype~
_npi_argmax          argmax    a         axis keepdims!False
_npi_argmin          argmin    a         axis keepdims!False
_np_cumsum           cumsum    a         axis? dtype~
_npi_average         average   a         axis returned weighted!False
_npi_average         average   a,weights axis returned
sort                 sort      a         axis is_ascend!True
argsort              argsort   a         axis is_ascend!True dtype!int64
_npi_around          around    x         decimals
_npi_around          round     x         decimals
_npi_around          round_    x         decimals
_npi_nan_to_num      nan_to_num x        copy nan posinf neginf
clip                 clip      a         a_min:low a_max:high
_np_copy             copy      a
_npi_full_like       full_like a         fill_value:number dtype~ ctx
_npi_full_like       zeros_like a        fill_value!0 dtype~ ctx
_npi_full_like       ones_like a         fill_value!1 dtype~ ctx
_np_reshape          reshape   a         newshape order?
_npx_reshape         _npx_reshape a      newshape reverse?
_npx_reshape         ravel     x         newshape!-1
_np_transpose        transpose a         axes?
SwapAxis/swapaxes    swapaxes  a         dim1=axis1 dim2=axis2
_np_moveaxis         moveaxis  a         source destination
expand_dims          expand_dims a       axis:integer
_np_squeeze          squeeze   a         axis?
_npi_broadcast_to    broadcast_to array  shape
_np_atleast_1d       atleast_1d *arys    num_args#
_np_atleast_2d       atleast_2d *arys    num_args#
_np_atleast_3d       atleast_3d *arys    num_args#
_npi_concatenate     concatenate *seq    axis num_args#
_npi_concatenate     append    arr,values axis num_args#
_npi_stack           stack     *arrays   axis num_args#
_npi_vstack          vstack    *arrays   num_args#
_npi_vstack          row_stack *arrays   num_args#
_npi_hstack          hstack    *arrays   num_args#
_npi_dstack          dstack    *arrays   num_args#
_npi_column_stack    column_stack *tup   num_args#
_split_v2/split      array_split ary     @sections axis squeeze_axis!False
_split_v2/split      split     ary       @sections axis squeeze_axis!False
_split_v2/split      vsplit    ary       @sections axis!0 squeeze_axis!False
_npi_hsplit          hsplit    ary       @sections axis!1 squeeze_axis!False
_npi_dsplit          dsplit    ary       @sections axis!2 squeeze_axis!False
tile                 tile      A         reps
repeat               repeat    a         repeats:integer axis?
_npi_flip            flip      m         axis
_npi_flip            flipud    m         axis!0
_npi_flip            fliplr    m         axis!1
_npi_rot90           rot90     m         k axes
_np_roll             roll      a         shift axis?
take                 take      a,indices axis:integer mode
_npi_where           where     condition,x,y
_npi_where_lscalar   where     condition,y     scalar=x:float
_npi_where_rscalar   where     condition,x     scalar=y:float
_npi_where_scalar2   where     condition       x:float y:float
_np_diag             diag      array        k?
_np_diagflat         diagflat  array        k?
_np_diagonal         diagonal  a         offset? axis1? axis2?
_np_trace            trace     a         offset? axis1? axis2?
_npi_tril            tril      m         k
_npi_diff            diff      a         n axis
_npi_ediff1d         ediff1d   ary               @ends to_begin_arr_given!False to_end_arr_given!False
_npi_ediff1d         ediff1d   ary,to_begin      @ends to_begin_arr_given!True to_end_arr_given!False
_npi_ediff1d         ediff1d   ary,to_end        @ends to_begin_arr_given!False to_end_arr_given!True
_npi_ediff1d         ediff1d   ary,to_begin,to_end @ends to_begin_arr_given!True to_end_arr_given!True
_npi_pad             pad       x         pad_width @padding
_np_dot              dot       a,b
_npi_matmul          matmul    a,b
_npi_tensordot_int_axes tensordot a,b    axes:integer
_npi_tensordot       tensordot a,b       @axes
_npi_tensordot       inner     a,b       a_axes_summed!(-1,) b_axes_summed!(-1,)
slice                _basic_index x      @slices
_npx_relu            _npx_relu data
_npx_sigmoid         _npx_sigmoid data
_npx_nonzero         _npx_nonzero a
_npx_constraint_check _npx_constraint_check x msg?
_npi_cholesky        linalg.cholesky a
_linalg_det          linalg.det a
_linalg_slogdet      linalg.slogdet a
_linalg_inverse/inv  linalg.inv a
_npi_eigh            linalg.eigh a       UPLO
_npi_eigvalsh        linalg.eigvalsh a   UPLO
_npi_eig             linalg.eig a
_npi_eigvals         linalg.eigvals a
_npi_svd             linalg.svd a
_npi_pinv_scalar_rcond linalg.pinv a     rcond hermitian!False
_npi_pinv            linalg.pinv a,rcond hermitian!False
_npi_solve           linalg.solve a,b
_npi_tensorinv       linalg.tensorinv a  ind
_npi_tensorsolve     linalg.tensorsolve a,b  a_axes=axes
_npi_norm            linalg.norm x       @norm keepdims
_npi_bincount        bincount  x         minlength has_weights!False
_npi_bincount        bincount  x,weights minlength has_weights!True
_npi_einsum          einsum    *operands subscripts optimize:flag num_args#
_npi_percentile      percentile a        q_scalar=q:number axis interpolation keepdims
_npi_percentile      percentile a,q      axis interpolation keepdims q_scalar!None
_npi_percentile      quantile  a         q_scalar=q:percent axis interpolation keepdims
_npi_polyval         polyval   p,x
_npi_delete          delete    arr       @index axis
_npi_insert_scalar   insert    arr       @position axis val=values:number
_npi_insert_scalar   insert    arr,values @position axis
_npi_insert_slice    insert    arr       @range axis val=values:number
_npi_insert_slice    insert    arr,values @range axis
_npi_unique          unique    ar        return_index return_inverse return_counts axis
_histogram           histogram a         bin_cnt=bins:integer range:pair
_npi_zeros           _zeros    -         shape dtype ctx
_npi_ones            _ones     -         shape dtype ctx
_full                _full     -         shape value:number dtype ctx
_npi_arange          _arange   -         start:number stop:number step:number dtype ctx
_npi_eye             _eye      -         N M k dtype ctx
_npi_identity        _identity -         shape dtype ctx
_linspace            _linspace -         start:number stop:number num endpoint dtype~ ctx
_npi_logspace        _logspace -         start:number stop:number num endpoint base:number dtype~ ctx
_npi_blackman        _blackman -         M dtype ctx
_npi_hamming         _hamming  -         M dtype ctx
_npi_hanning         _hanning  -         M dtype ctx
_npi_indices         _indices  -         dimensions dtype ctx
_random_randint      _randint  -         low high shape=size dtype ctx
_npi_choice          _choice   -         a replace size weighted!False ctx
_npi_choice          _choice   p         a replace size weighted!True ctx
_npi_choice          _choice_of a        a!None replace size weighted!False ctx
_npi_choice          _choice_of a,p      a!None replace size weighted!True ctx
_npi_diag_indices_from diag_indices_from arr
_npi_share_memory    may_share_memory a,b
_npi_share_memory    shares_memory a,b
Custom               resize    a         op_type!resize_fallback new_shape
Custom               unravel_index indices op_type!unravel_index_fallback shape
Custom               empty_like prototype op_type!empty_like_fallback dtype order subok shape
Custom               _multivariate_normal mean,cov op_type!mvn_fallback size
"""
# name in MXNet: its parameters, and additional attributes
_DRAWS = {
    "_npi_uniform": ("_uniform", "low,high", "size dtype ctx"),
    "_npi_normal": ("_normal", "loc,scale", "size dtype ctx"),
    "_npi_uniform_n": ("_uniform_n", "low,high", "size dtype ctx"),
    "_npi_normal_n": ("_normal_n", "loc,scale", "size dtype ctx"),
    "_npi_gamma": ("_gamma", "shape,scale", "size dtype ctx"),
    "_npi_exponential": ("_exponential", "scale", "size ctx"),
    "_npi_gumbel": ("_gumbel", "loc,scale", "size ctx"), "_npi_logistic": ("_logistic", "loc,scale", "size ctx"),
    "_npi_pareto": ("_pareto", "a", "size ctx"), "_npi_powerd": ("_powerd", "a", "size"),
    "_npi_rayleigh": ("_rayleigh", "scale", "size ctx"), "_npi_weibull": ("_weibull", "a", "size ctx")}
# If a parameter is an input, its text is None.
_NONE = "{0}!None"


def _binary() -> Iterator[str]:
    for function, (name, _) in _BINARY.items():
        yield f"{name}/{function if name[0] == 'b' else name[5:]} {function} x1,x2"
    for function, (name, mirrored) in _BINARY.items():
        scalar = _SCALARS.get(function, f"{name}_scalar")
        yield f"{scalar} {function} x1 @number=x2"
        left = f"_npi_r{name[5:]}_scalar" if mirrored == "r" else _SCALARS.get(
            mirrored, f"{_BINARY[mirrored][0]}_scalar" if mirrored in _BINARY else "")
        yield f"{left} {function} x2 @number_left=x1"


def _draws() -> Iterator[str]:
    for name, (function, parameters, others) in _DRAWS.items():
        both = parameters.split(",")
        for inputs in ([], both, both[:1], both[1:]):
            if len(inputs) < len(both) or inputs == both:
                rest = " ".join(_NONE.format(p) if p in inputs else f"{p}:number" for p in both)
                yield f"{name} {function} {','.join(inputs) or '-'} {rest} {others}"
    for argument, is_logit in (("prob", False), ("logit", True)):
        given = f"prob!None logit!None is_logit!{is_logit} size dtype ctx"
        yield f"_npi_bernoulli _bernoulli {argument} {given}"
        yield f"_npi_bernoulli _bernoulli - {given.replace(f'{argument}!None', f'{argument}:number')}"


def _lines() -> Iterator[str]:
    yield from (f"_npi_{name} {name} x" for name in _UNARY.split())
    yield from _binary()
    yield from _OTHERS.strip().splitlines()
    yield from _draws()
    for name, function in _SAME.items():
        yield from (line.replace(f" {function} ", f" {name} ") for line in _binary() if f" {function} " in line)


LINES = tuple(_lines())
