"""A sum of rows in the vector registers of the processor, which the compiler does not find by itself."""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_INT = ir.IntType(64)
_emit: Any = cgutils


def _sum_of_rows(
    _: Any, weights: Any, indices: Any, first: Any, last: Any, x: Any, out: Any, i: Any, lanes: Any
) -> Any:
    """Set row i of `out` to the sum of ``weights[e] * x[indices[e]]`` over e from `first` to `last`.

    x, out: matrices of the type of the weights, row after row in a flat array; lanes: a tuple as long as
    these rows, so that the compiler knows their length. Indices and bounds are unsigned. The edges are added
    one after the other.
    """
    if not weights.dtype == x.dtype == out.dtype:
        return None  # other types would be read as if they were the same
    return types.void(weights, indices, first, last, x, out, i, lanes), _generate


def _generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    weights, indices, x, out = (
        context.make_array(signature.args[place])(context, builder, arguments[place]).data
        for place in (0, 1, 4, 5)
    )
    number, n_lanes = context.get_value_type(signature.args[0].dtype), signature.args[7].count
    row, size = ir.VectorType(number, n_lanes), context.get_abi_sizeof(number)
    x_rows, out_rows = (builder.bitcast(data, row.as_pointer()) for data in (x, out))
    total = _emit.alloca_once_value(builder, ir.Constant(row, [0.0] * n_lanes))
    first, last = (builder.zext(bound, _INT) if bound.type != _INT else bound for bound in arguments[2:4])
    with _emit.for_range_slice(builder, first, last, ir.Constant(_INT, 1), intp=_INT) as (e, _):
        j = builder.zext(builder.load(builder.gep(indices, [e])), _INT)
        values = builder.load(builder.gep(x_rows, [j]), align=size)
        weight = _in_all_lanes(builder, builder.load(builder.gep(weights, [e])), row)
        builder.store(builder.fadd(builder.load(total), builder.fmul(weight, values)), total)
    builder.store(builder.load(total), builder.gep(out_rows, [arguments[6]]), align=size)
    return context.get_dummy_value()


def _in_all_lanes(builder: Any, value: Any, row: Any) -> Any:
    nothing, places = ir.Constant(row, ir.Undefined), ir.VectorType(ir.IntType(32), row.count)
    first = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(places, [0] * row.count))


sum_of_rows: Any = intrinsic(_sum_of_rows)
