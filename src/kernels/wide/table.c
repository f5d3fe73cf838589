/* This instruction set's and type's table of kernels. */
#include "kernels/wide/real.h"

const kernels KERNEL(kernels);
const kernels KERNEL(kernels) = {
    .packed_bytes = KERNEL(packed_bytes),
    .pack = KERNEL(pack),
    .pack_at = KERNEL(pack_at),
    .product = KERNEL(product),
    .row_product = KERNEL(row_product),
    .product_of_nonzero = KERNEL(product_of_nonzero),
    .add_to_rows = KERNEL(add_to_rows),
    .additive = KERNEL(additive),
    .cap = KERNEL(cap),
    .add = KERNEL(add),
    .hide = KERNEL(hide),
    .recede = KERNEL(recede),
    .weigh = KERNEL(weigh),
    .angles = KERNEL(angles),
    .turn = KERNEL(turn),
    .times = KERNEL(times),
    .relu = KERNEL(relu),
    .gelu = KERNEL(gelu),
    .gelu_tanh = KERNEL(gelu_tanh),
    .silu = KERNEL(silu),
    .row_norm = KERNEL(row_norm),
    .row_rms_norm = KERNEL(row_rms_norm),
    .scale = KERNEL(scale),
    .row_max = KERNEL(row_max),
    .row_exponent = KERNEL(row_exponent),
    .row_divide = KERNEL(row_divide),
    .draw_uniform = KERNEL(draw_uniform),
    .draw_normal = KERNEL(draw_normal),
};
