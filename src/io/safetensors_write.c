/* Writing of safetensors (declared in io/safetensors.h).
 *
 * The header lists the entries in their order. The data lie by the size of their elements, the
 * largest first, and begin at a multiple of 8, so that each tensor is aligned where the file is
 * mapped: what the reference writer does too. */
#include "io/element_bytes.h"
#include "io/json_write.h"
#include "io/safetensors.h"
#include "io/safetensors_header.h"

static const char *const TYPES[] = {
    [DTYPE_F32] = "F32", [DTYPE_F64] = "F64", [DTYPE_BOOL] = "BOOL"};

enum { LARGEST_ELEMENT = 8, DATA_ALIGN = 8 };

/* What a matrix without a name is called. */
static const char UNNAMED[] = "matrix";

/* All that can be wrong, before the first byte is written. */
static bool check(const bundle *result, err *e)
{
    const entry *metadata = bundle_find(result, SAFETENSORS_METADATA);
    if (metadata != NULL)
        return err_at(e, &metadata->at, "'%s' can't be the name of a matrix in safetensors",
                      SAFETENSORS_METADATA);
    return write_check_unnamed(result, UNNAMED, e) && element_bytes_check(result, "safetensors", e);
}

/* ---- the header ---- */

static void add_key(text *to, const char *name)
{
    bool is_first = to->length > 0 && to->data[to->length - 1] == '{';
    text_add_string(to, is_first ? "" : ",");
    json_string_write(to, name);
    text_add_string(to, ":");
}

/* One text of many lines: __metadata__ holds no lists. */
static void add_made_by(text *to, const text_list *made_by)
{
    text lines = {0};
    for (size_t i = 0; i < made_by->count; i++)
        text_add_format(&lines, "%s%s", i == 0 ? "" : "\n", made_by->item[i]);
    add_key(to, "header");
    json_string_write(to, text_string(&lines));
    to->failed = to->failed || lines.failed;
    text_free(&lines);
}

static void add_metadata(text *to, const write_options *how)
{
    add_key(to, SAFETENSORS_METADATA);
    text_add_string(to, "{");
    if (how->name != NULL) {
        add_key(to, "name");
        json_string_write(to, how->name);
    }
    if (how->header != NULL)
        add_made_by(to, how->header);
    for (size_t i = 0; how->metadata != NULL && i < how->metadata->count; i++) {
        add_key(to, how->metadata->entry[i].name);
        json_string_write(to, how->metadata->entry[i].text);
    }
    text_add_string(to, "}");
}

static size_t size_in_bytes(const tensor *t)
{
    return tensor_count(t) * dtype_size(t->type);
}

/* Where the next tensor of each element size begins. */
typedef struct offsets {
    size_t next[LARGEST_ELEMENT + 1];
} offsets;

static offsets offsets_of(const bundle *result)
{
    offsets to = {0};
    size_t bytes[LARGEST_ELEMENT + 1] = {0}, begin = 0;
    for (size_t i = 0; i < result->count; i++) {
        const tensor *t = &result->entry[i].tensor;
        bytes[dtype_size(t->type)] += size_in_bytes(t);
    }
    for (size_t size = LARGEST_ELEMENT; size > 0; size--) {
        to.next[size] = begin;
        begin += bytes[size];
    }
    return to;
}

static void add_tensor(text *to, const entry *one, offsets *at)
{
    const tensor *t = &one->tensor;
    size_t *next = &at->next[dtype_size(t->type)], end = *next + size_in_bytes(t);
    add_key(to, write_name(one, UNNAMED));
    text_add_format(to, "{\"dtype\":\"%s\",\"shape\":[", TYPES[t->type]);
    for (int axis = 0; axis < t->rank; axis++)
        text_add_format(to, "%s%zu", axis == 0 ? "" : ",", t->size[axis]);
    text_add_format(to, "],\"data_offsets\":[%zu,%zu]}", *next, end);
    *next = end;
}

static void make_header(text *to, const bundle *result, const write_options *how)
{
    offsets at = offsets_of(result);
    text_add_string(to, "{");
    if (how->name != NULL || how->header != NULL || how->metadata != NULL)
        add_metadata(to, how);
    for (size_t i = 0; i < result->count; i++)
        add_tensor(to, &result->entry[i], &at);
    text_add_string(to, "}");
    text_add_repeated(to, " ", (DATA_ALIGN - to->length % DATA_ALIGN) % DATA_ALIGN);
}

/* ---- the whole ---- */

static bool write_header(const text *header, sink *out, err *e)
{
    char length[SAFETENSORS_LENGTH_BYTES];
    if (!text_ok(header, e))
        return false;
    for (int i = 0; i < SAFETENSORS_LENGTH_BYTES; i++)
        length[i] = (char)((uint64_t)header->length >> 8 * i & 0xff);
    text_add(sink_text(out), length, sizeof length);
    text_add(sink_text(out), text_string(header), header->length);
    return sink_spill(out, e);
}

static bool write_data(const bundle *result, size_t element_size, sink *out, err *e)
{
    for (size_t i = 0; i < result->count; i++) {
        const tensor *t = &result->entry[i].tensor;
        if (dtype_size(t->type) == element_size && !element_bytes_write(t, out, e))
            return false;
    }
    return true;
}

bool safetensors_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    text header = {0};
    bool done = check(result, e);
    if (done) {
        make_header(&header, result, how);
        done = write_header(&header, out, e);
    }
    for (size_t size = LARGEST_ELEMENT; done && size > 0; size--)
        done = write_data(result, size, out, e);
    text_free(&header);
    return done && text_ok(sink_text(out), e);
}
