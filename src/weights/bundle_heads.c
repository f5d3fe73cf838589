#include "weights/bundle_heads.h"

#include "attn/setting.h"

size_t bundle_columns(const entry *weight, const bundle *top)
{
    bool of_all = setting_is_out_in(bundle_find(top, "layout"));
    bool is_out_in = weight != NULL && entry_is_out_in(weight, of_all);
    bool is_matrix = weight != NULL && weight->kind == ENTRY_TENSOR && weight->tensor.rank == 2;
    return is_matrix ? weight->tensor.size[is_out_in ? 0 : 1] : 0;
}

bool bundle_heads_check(const cutting *how, const char *name, input which, const bundle *in,
                        const bundle *top, err *e)
{
    if (which != INPUT_WK || how->heads <= 1 || how->kv_heads > 0)
        return true;
    const entry *keys = bundle_find(in, input_key(INPUT_WK));
    size_t q = bundle_columns(bundle_find(in, input_key(INPUT_WQ)), top);
    size_t k = bundle_columns(keys, top), width = q / how->heads;
    bool is_some = width > 0 && q % how->heads == 0 && k > 0 && k < q && k % width == 0;
    if (!is_some || how->heads % (k / width) != 0)
        return true;
    err_at(e, &keys->at,
           "%s has %zu columns, and Wq %zu: for %zu heads of queries there are %zu of keys", name,
           k, q, how->heads, k / width);
    return err_remedy(e, "--kv-heads %zu says so", k / width);
}
