
#include "io/format.h"

#include "base/mem.h"
#include "io/csv_write.h"
#include "io/slips.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    JSON_HOLDS = HOLDS_MATRICES | HOLDS_VECTORS | HOLDS_TRUTH | HOLDS_HOLES | HOLDS_ALL |
                 HOLDS_SUPPLIED | HOLDS_HEADER,
    CSV_HOLDS = HOLDS_MATRICES | HOLDS_HOLES | HOLDS_LABELS | HOLDS_SUPPLIED | HOLDS_HEADER,
    TIDY_HOLDS = HOLDS_MATRICES | HOLDS_HOLES | HOLDS_SUPPLIED | HOLDS_HEADER,
    BINARY_HOLDS = HOLDS_VECTORS | HOLDS_TRUTH | HOLDS_TYPES
};

/* clang-format off */
static const format ROWS[] = {
    {{"jsonl", "a JSON document a line"}, ".jsonl .ndjson", jsonl_probe, json_read, json_write,
     "JSON Lines", .holds = JSON_HOLDS | HOLDS_STREAM, .is_json = true},
    {{"json", "one document, or one array"}, ".json", json_probe, json_read, json_write,
     "JSON", .holds = JSON_HOLDS, .may_be = json_may_be, .is_json = true},
    {{"csv", "matrices as comma-separated rows"}, ".csv .txt", csv_probe, csv_read, csv_write,
     "CSV", .holds = CSV_HOLDS, .is_table = true, .has_delimiter = true,
     .may_be = csv_may_be},
    {{"tsv", "matrices as rows separated by tabs"}, ".tsv .tab", tsv_probe, tsv_read, tsv_write,
     "TSV", .holds = CSV_HOLDS, .is_table = true, .has_delimiter = true,
     .may_be = tsv_may_be},
    {{"tidy", "one long table, a number a line"}, ".tidy", tidy_probe, tidy_read, tidy_write,
     "tidy", .holds = TIDY_HOLDS, .has_delimiter = true, .may_be = tidy_may_be},
    {{"npy", "one matrix as NumPy saves it"}, ".npy", npy_probe, npy_read, npy_write,
     "NPY", .holds = BINARY_HOLDS, .write_head = npy_header_write},
    {{"npz", "matrices as NumPy saves several"}, ".npz", npz_probe, npz_read, npz_write,
     "NPZ", .holds = BINARY_HOLDS | HOLDS_MATRICES},
    {{"safetensors", "named matrices, mapped where they lie"}, ".safetensors",
     safetensors_probe, safetensors_read, safetensors_write,
     "safetensors", .holds = BINARY_HOLDS | HOLDS_MATRICES | HOLDS_METADATA |
     HOLDS_HEADER},
};
/* clang-format on */

const named_table FORMATS = NAMED_TABLE("format", ROWS);
const ending_table FORMAT_ENDINGS = {&FORMATS, offsetof(format, endings)};

static const size_t ROW_COUNT = sizeof ROWS / sizeof ROWS[0];

bool read_skip(const read_options *how, const char *name, size_t length, err *e)
{
    return how->skipped == NULL || text_list_add(how->skipped, name, length, e);
}

bool read_find_kind(const read_options *how, const char *name, size_t length, const place *at,
                    key_kind *kind, bool *is_wanted, err *e)
{
    const named *row = how->keys == NULL ? NULL : named_find(how->keys, name, length);
    *is_wanted = row != NULL || how->keys == NULL;
    *kind = row == NULL ? how->kind : ((const key *)(const void *)row)->kind;
    if (*kind == KEY_FILLED) /* which is a matrix, where there are no words */
        *kind = KEY_MATRIX;
    if (*is_wanted)
        return true;
    if (how->skips_unknown)
        return read_skip(how, name, length, e);
    err_at(e, at, "unknown %s '%.*s'", how->keys->what, (int)length, name);
    row = named_nearest(how->keys, name, length);
    return row != NULL && err_remedy(e, "did you mean '%s'?", row->name);
}

bool read_leaves(const read_options *how, entry *unread, err *e)
{
    if (!how->keeps_unread || e->is_memory)
        return false;
    err missing = {0};
    unread->kind = ENTRY_UNREAD;
    unread->stored = NULL;
    unread->text = mem_copy_text(e->what, strlen(e->what), &missing);
    *e = missing;
    return unread->text != NULL;
}

bool read_end(bundle *out, bool is_whole)
{
    if (!is_whole)
        bundle_free(out);
    return is_whole;
}

int read_most_rank(const read_options *how, key_kind kind)
{
    bool is_input = kind != KEY_EXPECTED && kind != KEY_TRUTHS && !how->any_rank;
    return is_input ? TENSOR_MAX_INPUT_RANK : TENSOR_MAX_RANK;
}

bool read_takes_nonfinite(key_kind kind, bool allowed, double value)
{
    return allowed || kind == KEY_EXPECTED || (kind == KEY_BIAS && value == -(double)INFINITY);
}

bool read_header_line(const read_options *how, const char *line, size_t length, err *e)
{
    size_t space = length > 0 && line[0] == ' ' ? 1 : 0;
    return how->header == NULL || text_list_add(how->header, line + space, length - space, e);
}

const char *write_name(const entry *one, const char *unnamed)
{
    return one->name[0] == '\0' ? unnamed : one->name;
}

bool write_check_unnamed(const bundle *result, const char *unnamed, err *e)
{
    const entry *found = bundle_find(result, "");
    return found == NULL || bundle_find(result, unnamed) == NULL ||
           err_at(e, &found->at,
                  "the matrix without a name would be '%s', and there is one of that name",
                  unnamed);
}

const format *format_by_name(const char *name)
{
    return (const format *)(const void *)named_find(&FORMATS, name, strlen(name));
}

const format *format_by_ending(const char *file)
{
    return (const format *)(const void *)ending_find(&FORMAT_ENDINGS, file);
}

/* The format that recognises the bytes, of those that hold all of this; or NULL. */
static const format *find_format(const char *bytes, size_t length, unsigned holds)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if ((ROWS[i].holds & holds) == holds && ROWS[i].probe(bytes, length))
            return &ROWS[i];
    }
    return NULL;
}

static const format *refuse(const slip *f, const char *file, err *e)
{
    err_at(e, &(place){.file = file, .has_byte = true}, "this is %s, which is not read", f->meant);
    err_remedy(e, "%s", f->remedy);
    return NULL;
}

bool format_check_block(const char *bytes, size_t length, const char *file, err *e)
{
    enum { LOOKED_AT = 4096 };
    const char *nul = memchr(bytes, '\0', length < LOOKED_AT ? length : LOOKED_AT);
    if (nul == NULL || find_format(bytes, length, HOLDS_TYPES) != NULL)
        return true;
    place at = {.file = file, .byte = (size_t)(nul - bytes), .has_byte = true};
    const slip *other = slip_find(SLIP_FORMAT, bytes, bytes, bytes + length);
    if (other != NULL)
        return refuse(other, file, e) != NULL;
    bool may_be_text = bytes[0] != '\0' || bytes[1] != '\0';
    place first = {.file = file, .line = 1, .column = 1};
    return (!may_be_text || encoding_check(bytes, length, first, e)) &&
           err_at(e, &at,
                  "a NUL stands here: text has none, and no binary format that is read begins so");
}

const format *format_recognise(const char *bytes, size_t length, const char *file, err *e)
{
    if (length == 0) {
        err_at(e, &(place){.file = file}, "the input is empty");
        return NULL;
    }
    const format *found = find_format(bytes, length, HOLDS_TYPES); /* a binary one */
    const slip *other = slip_find(SLIP_FORMAT, bytes, bytes, bytes + length);
    if (found != NULL)
        return found;
    if (other != NULL)
        return refuse(other, file, e);
    /* If two formats fit, the one that the ending names is meant. The ending of a stream is
     * believed in any case, since its first line may be a bad one. */
    const format *by_ending = format_by_ending(file);
    if (by_ending != NULL &&
        (by_ending->holds & HOLDS_STREAM ||
         (by_ending->may_be != NULL ? by_ending->may_be : by_ending->probe)(bytes, length)))
        return by_ending;
    found = find_format(bytes, length, 0);
    if (found != NULL || by_ending != NULL)
        return found != NULL ? found : by_ending;
    if (other_delimiter_is_likely(bytes, length))
        return format_by_name("csv");
    if (!encoding_check(bytes, length, (place){.file = file, .line = 1, .column = 1}, e))
        return NULL;
    char names[256];
    size_t used = 0;
    for (size_t i = 0; i < ROW_COUNT; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ",
                                 ROWS[i].named.name);
    err_at(e, &(place){.file = file}, "the format is not recognised");
    err_remedy(e, "--input-format names it: %s", names);
    return NULL;
}

/* ---- what a format has a place for ---- */

const char *format_lacks(const format *f, const bundle *b, const entry *one)
{
    if (one->kind == ENTRY_TENSOR) {
        bool is_number = one->tensor.rank == 0, has_numbers = f->holds & HOLDS_VECTORS;
        bool has_holes = f->holds & HOLDS_HOLES && (!is_number || has_numbers);
        if (!has_holes && tensor_has_hole(&one->tensor))
            return is_number ? "null" : "a matrix with holes (null)";
        /* A number with a name is a setting; a number without a name is a file's whole content. */
        if (!is_number || has_numbers || one->name[0] == '\0')
            return NULL;
        return one->tensor.type == DTYPE_BOOL ? "true or false" : "a number";
    }
    if (f->holds & HOLDS_ALL || (f->holds & HOLDS_LABELS && csv_is_labels(b, one)))
        return NULL;
    switch (one->kind) {
    case ENTRY_TEXT:
        return "a text";
    case ENTRY_LIST:
        return one->list.count == 0 ? "an empty list" : "a list of texts";
    case ENTRY_JSON:
        return one->text[0] == '"' ? "a text" : "a list that is not a matrix";
    default:
        return one->is_list ? "a list of objects" : "an object";
    }
}

held_change format_changes(const format *f, const entry *one)
{
    /* The types in which matrices are written, as NPY and as safetensors name them. */
    static const char *const WRITTEN[] = {"f4", "f8", "b1", "F32", "F64", "BOOL"};
    if (one->kind != ENTRY_TENSOR)
        return HELD_AS_IT_IS;
    if (one->tensor.rank < 2 && !(f->holds & HOLDS_VECTORS))
        return HELD_AS_ROW;
    if (one->tensor.type == DTYPE_BOOL && !(f->holds & HOLDS_TRUTH))
        return HELD_AS_DIGITS;
    bool is_wider = f->holds & HOLDS_TYPES && one->stored != NULL;
    for (size_t i = 0; is_wider && i < sizeof WRITTEN / sizeof WRITTEN[0]; i++)
        is_wider = strcmp(one->stored + strspn(one->stored, "<>|="), WRITTEN[i]) != 0;
    if (is_wider)
        return HELD_WIDER;
    return one->name[0] != '\0' && !(f->holds & HOLDS_MATRICES) ? HELD_NAMELESS : HELD_AS_IT_IS;
}
