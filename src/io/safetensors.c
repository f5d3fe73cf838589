/* safetensors, as the table of formats knows it: named matrices after a header that says where
 * each lies.
 *
 * A matrix is used in place where io/stored_matrix.h allows it. One that is not asked for is never
 * looked at, but the whole header is checked. The text "name" of __metadata__ is the document's;
 * the other texts there are for the program that wrote them. */

#include "base/mem.h"
#include "io/json_scan.h"
#include "io/json_write.h"
#include "io/number_read.h"
#include "io/stored_matrix.h"

#include <stdlib.h>
#include <string.h>

const char SAFETENSORS_METADATA[] = "__metadata__";

/* ---- the header ----
 *
 * The header of a safetensors file: what is in the file, and where.
 *
 *     8 bytes: N, little-endian | N bytes: JSON, '{' first, padded with spaces | the data
 *
 * The JSON is one object: {"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …,
 * "__metadata__": {"any": "text", …}}. Offsets count from the first byte of the data.
 *
 * Sources: the format's description in the README of huggingface/safetensors, section "Format", and
 * what its reference reader refuses (safetensors/src/tensor.rs there: read_metadata, validate).
 * Refused are a header above 100 MB or past the end of the file, a key given twice, an offset past
 * the end, sizes that don't fit the offsets, and data that belong to two tensors or to none. The
 * reference passes over further keys of a tensor; here they are refused, since such a key could
 * change what the numbers mean. */

enum { MAX_HEADER = 100000000, LENGTH_BYTES = 8 };

/* One tensor. Addresses are those of bytes in the header. */
typedef struct stored_tensor {
    const char *name, *record; /* its key; its object */
    const char *dtype, *shape; /* the values in that */
    size_t begin, end;         /* in the data */
    stored_matrix matrix; /* without a type_name its type is not read, nor are sizes compared */
} stored_tensor;

typedef struct file_header {
    json_text text;
    const char *metadata; /* its object, or NULL */
    const char *data;
    size_t data_length;
    place data_at;
    stored_tensor *tensor; /* in the header's order */
    size_t count, capacity;
} file_header;

/* ---- the values of one tensor ---- */

/* Reads digits and nothing else, since JSON's numbers need not be whole. */
static bool read_size(file_header *h, const char *at, size_t *value, err *e)
{
    const char *p = at, *end = json_value_end(&h->text, at);
    bool fits = true;
    *value = 0;
    for (; p < end && is_digit(*p); p++)
        fits = fits && size_mul(*value, 10, value) && size_add(*value, (size_t)(*p - '0'), value);
    if (p < end)
        return json_expected(&h->text, at, "a whole number", e);
    char found[JSON_FOUND];
    place where = json_place(&h->text, at);
    return fits || err_at(e, &where, "%s is more than an address can hold",
                          json_found(&h->text, at, found));
}

/* Any number of axes; `count` is the product of their sizes. */
static bool read_shape(file_header *h, stored_tensor *t, size_t *count, err *e)
{
    if (*t->shape != '[')
        return json_expected(&h->text, t->shape, "a list of sizes", e);
    bool fits = true, has_zero = false;
    *count = 1;
    for (const char *at = json_first(&h->text, t->shape); at != NULL;) {
        size_t size;
        if (!read_size(h, at, &size, e))
            return false;
        if (t->matrix.rank < TENSOR_MAX_RANK)
            t->matrix.size[t->matrix.rank++] = size;
        t->matrix.axes++;
        has_zero = has_zero || size == 0;
        fits = fits && size_mul(*count, size, count);
        at = json_next(&h->text, at);
    }
    if (has_zero)
        *count = 0;
    place where = json_place(&h->text, t->shape);
    return fits || has_zero ||
           err_at(e, &where, "the product of these sizes is more than an address can hold");
}

/* ---- one tensor ---- */

static bool find_values(file_header *h, stored_tensor *t, const char **offsets, err *e)
{
    const struct {
        const char *name, **value;
    } members[] = {{"dtype", &t->dtype}, {"shape", &t->shape}, {"data_offsets", offsets}};
    enum { MEMBERS = sizeof members / sizeof members[0] };
    for (const char *at = json_first(&h->text, t->record); at != NULL;) {
        size_t i = 0;
        while (i < MEMBERS && !json_string_is(&h->text, at, members[i].name))
            i++;
        if (i == MEMBERS)
            return json_expected(&h->text, at, "dtype, shape or data_offsets", e);
        *members[i].value = json_member(&h->text, at);
        at = json_next(&h->text, *members[i].value);
    }
    char name[JSON_FOUND];
    place where = json_place(&h->text, t->record);
    for (size_t i = 0; i < MEMBERS; i++) {
        if (*members[i].value == NULL)
            return err_at(e, &where, "the tensor %s has no %s", json_found(&h->text, t->name, name),
                          members[i].name);
    }
    return true;
}

static bool read_record(file_header *h, const char *name, const char *record, err *e)
{
    stored_tensor t = {.name = name, .record = record};
    const char *offsets = NULL;
    size_t count, bytes;
    place where = json_place(&h->text, record);
    if (*record != '{')
        return json_expected(&h->text, record, "a tensor, '{'", e);
    if (!find_values(h, &t, &offsets, e))
        return false;
    if (*t.dtype != '"')
        return json_expected(&h->text, t.dtype, "a type in double quotes", e);
    for (element_type type = 0; type < ELEMENT_TYPES; type++) {
        if (!json_string_is(&h->text, t.dtype, ELEMENTS[type].name))
            continue;
        t.matrix.type = type;
        t.matrix.type_name = ELEMENTS[type].name;
    }
    if (!read_shape(h, &t, &count, e))
        return false;
    const char *begin = *offsets == '[' ? json_first(&h->text, offsets) : NULL;
    const char *end = begin == NULL ? NULL : json_next(&h->text, begin);
    if (end == NULL || json_next(&h->text, end) != NULL)
        return json_expected(&h->text, offsets, "two offsets, [begin, end]", e);
    if (!read_size(h, begin, &t.begin, e) || !read_size(h, end, &t.end, e))
        return false;
    place at = json_place(&h->text, offsets);
    if (t.begin > t.end)
        return err_at(e, &at, "the data begin at %zu and end before, at %zu", t.begin, t.end);
    if (t.end > h->data_length) {
        err_at(e, &at, "the data end at %zu, and the file has %zu byte%s of data", t.end,
               h->data_length, h->data_length == 1 ? "" : "s");
        return err_remedy(e, "the file is cut off, or its header is wrong");
    }
    if (t.matrix.type_name != NULL && !size_mul(count, ELEMENTS[t.matrix.type].size, &bytes))
        return err_at(e, &where, "%zu elements of type %s are more than an address can hold", count,
                      t.matrix.type_name);
    if (t.matrix.type_name != NULL && bytes != t.end - t.begin)
        return err_at(e, &where, "%zu elements of type %s are %zu bytes, and the offsets hold %zu",
                      count, t.matrix.type_name, bytes, t.end - t.begin);
    t.matrix.bytes = h->data + t.begin;
    t.matrix.at = h->data_at;
    t.matrix.at.byte += t.begin;
    stored_tensor *larger = mem_grow(h->tensor, h->count, &h->capacity, sizeof h->tensor[0], e);
    if (larger == NULL)
        return false;
    h->tensor = larger;
    h->tensor[h->count++] = t;
    return true;
}

/* ---- the whole header ---- */

static bool read_members(file_header *h, err *e)
{
    for (const char *at = json_first(&h->text, h->text.bytes); at != NULL;) {
        const char *value = json_member(&h->text, at);
        if (!json_string_is(&h->text, at, SAFETENSORS_METADATA)) {
            if (!read_record(h, at, value, e))
                return false;
            at = json_next(&h->text, value);
            continue;
        }
        h->metadata = value;
        if (*value != '{')
            return json_expected(&h->text, value, "an object of texts", e);
        for (const char *name = json_first(&h->text, value); name != NULL;) {
            const char *said = json_member(&h->text, name);
            if (*said != '"')
                return json_expected(&h->text, said, "a text in double quotes", e);
            name = json_next(&h->text, said);
        }
        at = json_next(&h->text, value);
    }
    return true;
}

static int compare_spans(const void *first, const void *second)
{
    const stored_tensor *a = *(const stored_tensor *const *)first;
    const stored_tensor *b = *(const stored_tensor *const *)second;
    int order = (a->begin > b->begin) - (a->begin < b->begin);
    return order != 0 ? order : (a->end > b->end) - (a->end < b->end);
}

/* Checks that, in the order of the data, each tensor begins where the one before it ends. */
static bool check_data(file_header *h, err *e)
{
    const stored_tensor **in_order = mem_alloc(h->count, sizeof in_order[0], e);
    if (in_order == NULL)
        return false;
    for (size_t i = 0; i < h->count; i++)
        in_order[i] = &h->tensor[i];
    qsort(in_order, h->count, sizeof in_order[0], compare_spans);
    size_t covered = 0, i = 0;
    for (; i < h->count && in_order[i]->begin == covered; i++)
        covered = in_order[i]->end;
    size_t next = i < h->count ? in_order[i]->begin : h->data_length;
    if (next > covered) {
        place where = h->data_at;
        bool is_one = next - covered == 1;
        where.byte += covered;
        err_at(e, &where, "%zu byte%s of data from here on belong%s to no tensor", next - covered,
               is_one ? "" : "s", is_one ? "s" : "");
    } else if (next < covered) {
        const stored_tensor *a = in_order[i - 1], *b = in_order[i];
        char first[JSON_FOUND], second[JSON_FOUND];
        place where = json_place(&h->text, b->record);
        err_at(e, &where, "the data of %s begin at %zu, inside those of %s, which end at %zu",
               json_found(&h->text, b->name, second), b->begin,
               json_found(&h->text, a->name, first), a->end);
    }
    mem_free(in_order);
    return next == covered;
}

/* ---- where it is ---- */

static bool find_header(file_header *h, const char *bytes, size_t length, const char *file, err *e)
{
    place at = {.file = file, .has_byte = true, .byte = length};
    if (length < LENGTH_BYTES)
        return err_at(e, &at, "the file ends here, and the length of the header takes %d bytes",
                      LENGTH_BYTES);
    uint64_t wanted = little_read(bytes, LENGTH_BYTES);
    size_t there = length - LENGTH_BYTES;
    at.byte = 0;
    if (wanted > MAX_HEADER)
        return err_at(e, &at, "the header has %llu bytes, and safetensors allows %d",
                      (unsigned long long)wanted, MAX_HEADER);
    if (wanted > there)
        return err_at(e, &at, "the header has %llu bytes, and the file ends after %zu of them",
                      (unsigned long long)wanted, there);
    bytes += LENGTH_BYTES;
    h->text = json_text_within(bytes, (size_t)wanted, file, LENGTH_BYTES);
    h->data = bytes + wanted;
    h->data_length = there - (size_t)wanted;
    h->data_at = (place){.file = file, .has_byte = true, .byte = LENGTH_BYTES + (size_t)wanted};
    return (wanted > 0 && *bytes == '{') ||
           json_expected(&h->text, h->text.bytes, "'{', which begins the header", e);
}

/* ---- matrices ---- */

static bool read_tensor(file_header *h, const stored_tensor *t, const read_options *how, bundle *to,
                        err *e)
{
    char *name = json_string_read(&h->text, t->name, JSON_MAX_LABEL, e);
    place at = json_place(&h->text, t->record);
    key_kind kind;
    entry *added = NULL;
    bool done =
        name != NULL && stored_matrix_add(how, "safetensors", name, &at, to, &added, &kind, e);
    if (added != NULL) {
        char found[JSON_FOUND];
        at = json_place(&h->text, t->matrix.type_name != NULL ? t->shape : t->dtype);
        bool is_read =
            t->matrix.type_name != NULL && stored_matrix_check_axes(&t->matrix, kind, how, &at, e);
        if (t->matrix.type_name == NULL) {
            err_at(e, &at, "elements of type %s are not read",
                   json_found(&h->text, t->dtype, found));
            err_remedy(e, "F64, F32, F16, BF16, I8 to I64, U8 to U64 and BOOL are");
        }
        if (!is_read && !how->keeps_unread)
            err_within(e, "%s", name);
        done = (is_read && stored_matrix_read(&t->matrix, kind, how, added, e)) ||
               read_leaves(how, added, e);
    }
    mem_free(name);
    return done;
}

/* ---- the document's name, and other metadata ---- */

static bool add_text(file_header *h, const char *name, const char *at, bundle *to, err *e)
{
    char *value = json_string_read(&h->text, at, 0, e);
    bool done = value != NULL &&
                bundle_add_text(to, name, value, strlen(value), json_place(&h->text, at), e);
    mem_free(value);
    return done;
}

/* Adds the document's name, what made the result (a text of lines), and all other texts, as an
 * object, if everything is to be kept. */
static bool read_metadata(file_header *h, const read_options *how, bundle *to, err *e)
{
    if (h->metadata == NULL)
        return true;
    const named *row = how->keys == NULL ? NULL : named_find(how->keys, "name", 4);
    bool wants_name =
        how->keys == NULL || (row != NULL && ((const key *)(const void *)row)->kind == KEY_TEXT);
    const char *name_at = json_way_find(&h->text, h->metadata, "name");
    if (name_at != NULL && wants_name && bundle_find(to, "name") == NULL &&
        !add_text(h, "name", name_at, to, e))
        return false;
    const char *at = json_first(&h->text, h->metadata);
    bool done = true, has_name = bundle_text(to, "name") != NULL;
    if (how->keeps_all && at != NULL) { /* then no keys were given */
        entry *added = bundle_add(to, SAFETENSORS_METADATA, strlen(SAFETENSORS_METADATA),
                                  json_place(&h->text, h->metadata), e);
        if (added == NULL)
            return false;
        added->kind = ENTRY_BUNDLE;
        added->bundle = mem_alloc_zeroed(1, sizeof *added->bundle, e);
        done = added->bundle != NULL;
        for (; done && at != NULL; at = json_next(&h->text, json_member(&h->text, at))) {
            if (has_name && json_string_is(&h->text, at, "name"))
                continue;
            char *name = json_string_read(&h->text, at, JSON_MAX_LABEL, e);
            done = name != NULL && add_text(h, name, json_member(&h->text, at), added->bundle, e);
            mem_free(name);
        }
        if (done && added->bundle->count == 0)
            bundle_remove(to, SAFETENSORS_METADATA);
    }
    const char *header = json_way_find(&h->text, h->metadata, "header");
    if (!done || how->header == NULL || header == NULL)
        return done;
    char *all = json_string_read(&h->text, header, 0, e);
    done = all != NULL;
    for (const char *line = all; done && line != NULL;) {
        size_t length = strcspn(line, "\n");
        done = read_header_line(how, line, length, e);
        line = line[length] == '\n' ? line + length + 1 : NULL;
    }
    mem_free(all);
    return done;
}

bool safetensors_probe(const char *bytes, size_t length)
{
    return length > LENGTH_BYTES && bytes[LENGTH_BYTES] == '{' &&
           little_read(bytes, LENGTH_BYTES) <= MAX_HEADER;
}

bool safetensors_read(const char *bytes, size_t length, const read_options *how, bundle *out,
                      err *e)
{
    file_header h = {0};
    /* All of the header is found and checked before any of the data is read. */
    bool done = find_header(&h, bytes, length, how->file, e) && json_scan(&h.text, NULL, e) &&
                read_members(&h, e) && check_data(&h, e);
    for (size_t i = 0; done && i < h.count; i++)
        done = read_tensor(&h, &h.tensor[i], how, out, e);
    done = done && read_metadata(&h, how, out, e);
    done = json_check_unchanged(&h.text, e) && done;
    mem_free(h.tensor);
    return read_end(out, done);
}

/* ---- writing ----
 *
 * The header lists the entries in their order. The data lie by the size of their elements, the
 * largest first, and begin at a multiple of 8, so that each tensor is aligned where the file is
 * mapped: what the reference writer does too. */

static const char *const WRITTEN[] = {
    [DTYPE_F32] = "F32", [DTYPE_F64] = "F64", [DTYPE_BOOL] = "BOOL"};

enum { LARGEST_ELEMENT = 8, DATA_ALIGN = 8 };

/* What a matrix without a name is called. */
static const char UNNAMED[] = "matrix";

static void add_key(text *to, const char *name)
{
    bool is_first = to->length > 0 && to->data[to->length - 1] == '{';
    text_add_string(to, is_first ? "" : ",");
    json_string_write(to, name);
    text_add_string(to, ":");
}

static void add_metadata(text *to, const write_options *how)
{
    add_key(to, SAFETENSORS_METADATA);
    text_add_string(to, "{");
    if (how->name != NULL) {
        add_key(to, "name");
        json_string_write(to, how->name);
    }
    /* What made the result is one text of many lines: __metadata__ holds no lists. */
    if (how->header != NULL) {
        text lines = {0};
        for (size_t i = 0; i < how->header->count; i++)
            text_add_format(&lines, "%s%s", i == 0 ? "" : "\n", how->header->item[i]);
        add_key(to, "header");
        json_string_write(to, text_string(&lines));
        text_close(&lines, to);
    }
    for (size_t i = 0; how->metadata != NULL && i < how->metadata->count; i++) {
        add_key(to, how->metadata->entry[i].name);
        json_string_write(to, how->metadata->entry[i].text);
    }
    text_add_string(to, "}");
}

bool safetensors_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    const entry *metadata = bundle_find(result, SAFETENSORS_METADATA);
    if (metadata != NULL)
        return err_at(e, &metadata->at, "'%s' can't be the name of a matrix in safetensors",
                      SAFETENSORS_METADATA);
    if (!write_check_unnamed(result, UNNAMED, e) || !element_bytes_check(result, "safetensors", e))
        return false;

    /* Where the next tensor of each element size begins. */
    size_t next[LARGEST_ELEMENT + 1], bytes[LARGEST_ELEMENT + 1] = {0}, begin = 0;
    for (size_t i = 0; i < result->count; i++) {
        const tensor *t = &result->entry[i].tensor;
        bytes[dtype_size(t->type)] += tensor_count(t) * dtype_size(t->type);
    }
    for (size_t size = LARGEST_ELEMENT; size > 0; size--) {
        next[size] = begin;
        begin += bytes[size];
    }

    text header = {0};
    text_add_string(&header, "{");
    if (how->name != NULL || how->header != NULL || how->metadata != NULL)
        add_metadata(&header, how);
    for (size_t i = 0; i < result->count; i++) {
        const tensor *t = &result->entry[i].tensor;
        size_t size = dtype_size(t->type), *from = &next[size];
        size_t end = *from + tensor_count(t) * size;
        add_key(&header, write_name(&result->entry[i], UNNAMED));
        text_add_format(&header, "{\"dtype\":\"%s\",\"shape\":[", WRITTEN[t->type]);
        for (int axis = 0; axis < t->rank; axis++)
            text_add_format(&header, "%s%zu", axis == 0 ? "" : ",", t->size[axis]);
        text_add_format(&header, "],\"data_offsets\":[%zu,%zu]}", *from, end);
        *from = end;
    }
    text_add_string(&header, "}");
    text_add_repeated(&header, " ", (DATA_ALIGN - header.length % DATA_ALIGN) % DATA_ALIGN);

    bool done = text_ok(&header, e);
    if (done) {
        little_write(sink_text(out), header.length, LENGTH_BYTES);
        text_add(sink_text(out), text_string(&header), header.length);
        done = sink_spill(out, e);
    }
    text_free(&header);
    for (size_t size = LARGEST_ELEMENT; done && size > 0; size--) {
        for (size_t i = 0; done && i < result->count; i++) {
            const tensor *t = &result->entry[i].tensor;
            done = dtype_size(t->type) != size || element_bytes_write(t, out, e);
        }
    }
    return done;
}
