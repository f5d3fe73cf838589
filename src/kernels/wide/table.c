/* This instruction set's and type's table of kernels. All of them are compiled here, as one: the
 * compiler's header of vectors takes longer to read than they do to compile. */
#include "kernels/wide/activate.c"
#include "kernels/wide/angles.c"
#include "kernels/wide/draw.c"
#include "kernels/wide/elements.c"
#include "kernels/wide/norm.c"
#include "kernels/wide/pack.c"
#include "kernels/wide/product.c"
#include "kernels/wide/row_product.c"
#include "kernels/wide/scores.c"
#include "kernels/wide/softmax.c"

const kernels KERNEL(kernels);
const kernels KERNEL(kernels) = {
#define KERNEL_OF(type, name, takes) .name = KERNEL(name),
#include "kernels/kernel_list.h"
#undef KERNEL_OF
};
