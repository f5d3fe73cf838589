/* Facts of what a reader made of a file. */
#include "cli/info/facts.h"
#include "io/number_write.h"

#include <string.h>

/* NPY's "<f4" counts bytes, safetensors' "BF16" bits; BOOL is a byte. */
static size_t element_bytes(const char *stored)
{
    size_t number = 0;
    bool counts_bytes = strchr("<>|=", stored[0]) != NULL;
    for (const char *p = stored; *p != '\0'; p++) {
        if (*p >= '0' && *p <= '9')
            number = number * 10 + (size_t)(*p - '0');
    }
    return number == 0 ? 1 : counts_bytes ? number : number / 8;
}

size_t fact_stored_bytes(const fact *of)
{
    size_t count;
    if (of->stored == NULL || !sizes_count(of->rank, of->size, &count))
        return 0;
    return count * element_bytes(of->stored);
}

static void show_number(fact *out, const tensor *number)
{
    char digits[NUMBER_TEXT];
    double value = tensor_get(number, NULL);
    out->kind = tensor_is_hole(value) ? FACT_NULL : FACT_NUMBER;
    if (number->type == DTYPE_BOOL) {
        out->kind = FACT_TRUTH;
        text_add_string(&out->shown, value != 0 ? "true" : "false");
    } else if (number->type == DTYPE_F32) {
        text_add(&out->shown, digits, number_write_f32((float)value, digits));
    } else {
        text_add(&out->shown, digits, number_write_f64(value, digits));
    }
}

static void add_tensor(fact *out, const entry *one)
{
    const tensor *t = &one->tensor;
    out->kind = FACT_MATRIX;
    out->stored = one->stored;
    out->type = t->type;
    out->rank = t->rank;
    memcpy(out->size, t->size, sizeof out->size);
    statistics_add_tensor(&out->numbers, t);
    if (t->rank == 0)
        show_number(out, t);
}

static void add_list(fact *out, const text_list *list)
{
    out->kind = FACT_LIST;
    out->count = list->count;
    for (size_t i = 0; i < list->count; i++)
        fact_show_item(out, list->item[i], strlen(list->item[i]));
}

static bool add_entry(fact *to, const entry *one, err *e)
{
    fact *added = fact_add(to, one->name, strlen(one->name), e);
    if (added == NULL)
        return false;
    switch (one->kind) {
    case ENTRY_TENSOR:
        add_tensor(added, one);
        break;
    case ENTRY_LIST:
        add_list(added, &one->list);
        break;
    case ENTRY_TEXT:
    case ENTRY_UNREAD:
        added->kind = one->kind == ENTRY_TEXT ? FACT_TEXT : FACT_UNREAD;
        text_add_string(&added->shown, one->text);
        break;
    default:
        return facts_of_bundle(added, one->bundle, e);
    }
    return text_ok(&added->shown, e);
}

bool facts_of_bundle(fact *out, const bundle *of, err *e)
{
    out->kind = FACT_OBJECT;
    out->count = of->count;
    for (size_t i = 0; i < of->count; i++) {
        if (!add_entry(out, &of->entry[i], e))
            return false;
    }
    return true;
}
