/* This instruction set's and type's table of kernels. All of them are compiled here, as one: the
 * compiler's header of vectors takes longer to read than they do to compile. */
#include "kernels/wide/activate.c"
#include "kernels/wide/additive.c"
#include "kernels/wide/angles.c"
#include "kernels/wide/cap.c"
#include "kernels/wide/draw.c"
#include "kernels/wide/elements.c"
#include "kernels/wide/hide.c"
#include "kernels/wide/norm.c"
#include "kernels/wide/pack.c"
#include "kernels/wide/product.c"
#include "kernels/wide/row_product.c"
#include "kernels/wide/softmax.c"
#include "kernels/wide/turn.c"

const kernels KERNEL(kernels);
const kernels KERNEL(kernels) = {
    .packed_bytes = KERNEL(packed_bytes),
    .pack = KERNEL(pack),
    .pack_at = KERNEL(pack_at),
    .product = KERNEL(product),
    .row_product = KERNEL(row_product),
    .product_of_nonzero = KERNEL(product_of_nonzero),
    .add_to_rows = KERNEL(add_to_rows),
    .is_finite = KERNEL(is_finite),
    .additive = KERNEL(additive),
    .fill = KERNEL(fill),
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
