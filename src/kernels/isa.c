/* The table of instruction sets, and which of them this machine has. */
#include "kernels/kernels.h"

#include <string.h>

extern const kernels kernels_scalar_f32, kernels_scalar_f64;
extern const kernels kernels_fused_f32, kernels_fused_f64;

/* The scalar kernels are built twice, for machines with and without fma as an instruction: the same
 * bits, but a call of the C library's fma costs some 35 times the instruction. */
#if defined(__x86_64__)
static bool has_fma(void)
{
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
}
#else
static bool has_fma(void)
{
    return true;
}
#endif

static bool always(void)
{
    return true;
}

static const kernels *scalar_table(dtype type)
{
    if (has_fma())
        return type == DTYPE_F64 ? &kernels_fused_f64 : &kernels_fused_f32;
    return type == DTYPE_F64 ? &kernels_scalar_f64 : &kernels_scalar_f32;
}

static const isa ROWS[] = {
    {{"scalar", "plain C, the definition of every result"}, always, scalar_table},
};

const named_table ISAS = NAMED_TABLE("instruction set", ROWS);

const isa *isa_best(void)
{
    const isa *best = ROWS;
    while (!best->is_here())
        best++;
    return best;
}

const isa *isa_by_name(const char *name, err *e)
{
    if (strcmp(name, "auto") == 0)
        return isa_best();
    const isa *found = (const isa *)(const void *)named_find(&ISAS, name, strlen(name));
    if (found != NULL && found->is_here())
        return found;
    err_set(e, "--isa %s: this machine does not have it", name);
    err_remedy(e, "--isa auto takes the best that is here");
    return NULL;
}
