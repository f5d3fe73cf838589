#include "weights/bundle_unfinished.h"

#include <string.h>

/* What stands behind the name of the linear map, q_proj of q_proj.weight. */
typedef struct mark {
    const char *name;
    const char *kind;     /* of numbers; NULL: they lack an adapter */
    bool is_in_its_place; /* there is no q_proj.weight then */
} mark;

/* Sources: bitsandbytes' Linear8bitLt (SCB) and Linear4bit (absmax, quant_state); the layers of
 * AutoGPTQ and AutoAWQ; compressed-tensors (weight_packed, weight_scale); transformers' finegrained
 * FP8 (weight_scale_inv); peft's lora.Linear, whose base_layer keeps the weight. */
static const mark MARKS[] = {
    {"SCB", "8-bit integers of bitsandbytes", false},
    {"weight.absmax", "4-bit numbers of bitsandbytes", false},
    {"weight.quant_state", "4-bit numbers of bitsandbytes", false},
    {"qweight", "packed integers of GPTQ or AWQ", true},
    {"qzeros", "packed integers of GPTQ or AWQ", true},
    {"scales", "packed integers of GPTQ or AWQ", false},
    {"weight_packed", "packed integers of compressed-tensors", true},
    {"weight_scale", "integers or 8-bit floats with a scale", false},
    {"weight_scale_inv", "8-bit floats with scales", false},
    {"lora_A", NULL, true},
    {"lora_B", NULL, true},
};

enum { MARK_COUNT = sizeof MARKS / sizeof MARKS[0] };

static const mark *find_mark(const char *rest)
{
    for (size_t i = 0; i < MARK_COUNT; i++) {
        size_t length = strlen(MARKS[i].name);
        if (strncmp(rest, MARKS[i].name, length) == 0 &&
            (rest[length] == '\0' || name_is_separator(rest[length])))
            return &MARKS[i];
    }
    return NULL;
}

static bool refuse(const char *file, const char *name, const mark *why, err *e)
{
    place at = {.file = file};
    if (why->kind == NULL) {
        err_at(e, &at, "%s belongs to an adapter (LoRA), which is not added to the weight here",
               name);
        return err_remedy(e, "merge it first, as merge_and_unload() of peft does, and save that");
    }
    err_at(e, &at, "%s shows that the weight is quantised (%s), which is not undone here", name,
           why->kind);
    return err_remedy(e,
                      "dequantise it first, as model.dequantize() of transformers does, and save "
                      "that");
}

bool bundle_unfinished_check(const name_index *names, const char *file, const char *weight, err *e)
{
    static const char LAST[] = "weight";
    size_t length = strlen(weight), last = strlen(LAST);
    if (length <= last || strcmp(weight + length - last, LAST) != 0 ||
        !name_is_separator(weight[length - last - 1]))
        return true;
    text stem = {0};
    text_add(&stem, weight, length - last);
    bool done = text_ok(&stem, e);
    for (size_t i = name_index_first(names, text_string(&stem));
         done && i < names->count && name_begins(&names->item[i], stem.data, stem.length); i++) {
        const mark *found = find_mark(names->item[i].name + stem.length);
        done = found == NULL || refuse(file, names->item[i].name, found, e);
    }
    text_free(&stem);
    return done;
}

bool bundle_unfinished_check_all(const name_index *names, const char *file, const char *prefix,
                                 err *e)
{
    size_t length = strlen(prefix);
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->item[i].name;
        if (!name_begins(&names->item[i], prefix, length))
            continue;
        for (const char *at = name; *at != '\0'; at++) {
            const mark *found = name_is_separator(*at) ? find_mark(at + 1) : NULL;
            if (found != NULL && found->is_in_its_place)
                return refuse(file, name, found, e);
        }
    }
    return true;
}

void bundle_unfinished_describe(text *out)
{
    for (size_t i = 0; i < MARK_COUNT; i++)
        text_add_format(out, "%s%s", i == 0 ? "" : ", ", MARKS[i].name);
}
