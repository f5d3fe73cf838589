#include "cli/check/check_update.h"

#include "base/mem.h"
#include "cli/report.h"
#include "compare/measure.h"
#include "io/number_read.h"
#include "io/number_write.h"
#include "io/sink.h"
#include "io/source.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number of the text that becomes another one. */
typedef struct edit {
    const char *at;
    size_t length;
    char becomes[NUMBER_FIXED_TEXT];
} edit;

typedef struct edits {
    edit *one;
    size_t count, capacity;
} edits;

/* ---- the text ---- */

/* The text is JSON that was read before, so its values end where they should. */
static const char *value_at(const source *file, const place *at)
{
    const char *line = file->bytes;
    for (size_t n = 1; n < at->line && line != NULL; n++) {
        line = memchr(line, '\n', file->length - (size_t)(line - file->bytes));
        line = line == NULL ? NULL : line + 1;
    }
    size_t before = line == NULL ? file->length : (size_t)(line - file->bytes) + at->column - 1;
    return before < file->length ? file->bytes + before : NULL;
}

/* The next number, null or word of a matrix at or behind *at, and its length; brackets and commas
 * are passed. */
static const char *next_leaf(const char **at, size_t *length)
{
    const char *leaf = *at + strspn(*at, "[], \t\r\n");
    size_t word = leaf[0] == '"' ? 1 + strcspn(leaf + 1, "\"") : 0;
    *length = word + strcspn(leaf + word, "[],} \t\r\n");
    *at = leaf + *length;
    return leaf;
}

/* Digits behind the point; 0 for what is no plain number. */
static int decimals_of(const char *leaf, size_t length)
{
    const char *point = memchr(leaf, '.', length);
    bool is_plain =
        leaf[0] != '"' && memchr(leaf, 'e', length) == NULL && memchr(leaf, 'E', length) == NULL;
    return point == NULL || !is_plain ? 0 : (int)(leaf + length - point) - 1;
}

static int decimals_of_stage(const char *at, size_t count)
{
    int most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length;
        const char *leaf = next_leaf(&at, &length);
        int decimals = decimals_of(leaf, length);
        most = decimals > most ? decimals : most;
    }
    return most > NUMBER_MAX_DIGITS ? NUMBER_MAX_DIGITS : most;
}

/* ---- new numbers ---- */

/* In the type that what is expected was read in. */
static bool read_number(const element *one, const char *from, const char *end, double *value)
{
    float narrow = 0;
    if (!one->is_f32)
        return number_read_f64(from, end, value);
    bool fits = number_read_f32(from, end, &narrow);
    *value = (double)narrow;
    return fits;
}

/* In so many decimals where they come near enough, else the shortest that reads back. −0.00 is a 0
 * to who looks at so few of its digits. */
static void write_number(const element *one, int decimals, char out[NUMBER_FIXED_TEXT])
{
    double value = one->got;
    if (!isfinite(value)) {
        strcpy(out, isnan(value) ? "\"NaN\"" : value < 0 ? "\"-inf\"" : "\"inf\"");
        return;
    }
    number_write_fixed(value, decimals, out);
    double written = 0;
    read_number(one, out, out + strlen(out), &written);
    if (fabs(written - value) > one->tol && one->is_f32)
        number_write_f32((float)value, out);
    else if (fabs(written - value) > one->tol)
        number_write_f64(value, out);
    else if (written == 0 && out[0] == '-')
        memmove(out, out + 1, strlen(out));
}

static bool differs(const new_numbers *of, const element *one)
{
    bool is_same = one->wanted == one->got || fabs(one->got - one->wanted) <= one->tol;
    return !is_same && !tensor_is_hole(one->wanted) && !errata_lists(of->known, one);
}

static bool add_edit(edits *all, const char *at, size_t length, const element *one, int decimals,
                     err *e)
{
    edit *grown = mem_grow(all->one, all->count, &all->capacity, sizeof all->one[0], e);
    if (grown == NULL)
        return false;
    all->one = grown;
    edit *added = &all->one[all->count++];
    added->at = at;
    added->length = length;
    write_number(one, decimals, added->becomes);
    return true;
}

/* Whether this is the text of the number that was read there. */
static bool stands(const char *leaf, size_t length, const element *one)
{
    double value;
    if (leaf[0] == '"')
        return !isfinite(one->wanted);
    return read_number(one, leaf, leaf + length, &value) && value == one->wanted;
}

/* Somebody else wrote to it meanwhile. */
static bool refuse_changed(const source *file, err *e)
{
    return err_at(e, &(place){.file = file->file}, "cannot be read: %s", strerror(ESTALE));
}

static bool edit_stage(const new_numbers *of, const entry *expected, double tol, const source *file,
                       edits *all, err *e)
{
    const tensor *computed = bundle_tensor(of->computed, expected->name);
    const char *at = value_at(file, &expected->at);
    tensor old, new;
    bool done = at != NULL && measure_align(&expected->tensor, computed, &old, &new);
    if (!done)
        return refuse_changed(file, e);
    int decimals = decimals_of_stage(at, tensor_count(&old));
    element one = {.stage = expected->name,
                   .rank = old.rank,
                   .tol = tol,
                   .is_f32 = old.type == DTYPE_F32 && new.type == DTYPE_F32};
    do {
        size_t length;
        const char *leaf = next_leaf(&at, &length);
        one.wanted = tensor_get(&old, one.index);
        one.got = tensor_get(&new, one.index);
        if (differs(of, &one))
            done = (stands(leaf, length, &one) || refuse_changed(file, e)) &&
                   add_edit(all, leaf, length, &one, decimals, e);
    } while (done && tensor_next(&old, one.index));
    return done;
}

/* ---- the file ---- */

static int by_place(const void *a, const void *b)
{
    const edit *one = a, *other = b;
    return (one->at > other->at) - (one->at < other->at);
}

static bool write_edited(const source *file, edits *all, err *e)
{
    const char *at = file->bytes, *end = file->bytes + file->length;
    sink to;
    if (!sink_open(&to, file->file, e))
        return false;
    qsort(all->one, all->count, sizeof all->one[0], by_place);
    for (size_t i = 0; i < all->count; i++) {
        text_add(sink_text(&to), at, (size_t)(all->one[i].at - at));
        text_add_string(sink_text(&to), all->one[i].becomes);
        at = all->one[i].at + all->one[i].length;
    }
    text_add(sink_text(&to), at, (size_t)(end - at));
    if (sink_secure(&to, e))
        return sink_close(&to, e);
    sink_discard(&to);
    return false;
}

/* The bytes are another file's once it is in place, so they are given back last. */
static bool rewrite(const checker *c, const new_numbers *of, edits *all, err *e)
{
    source file;
    if (!source_open(&file, of->document->file, e))
        return false;
    bool done = true;
    for (size_t i = 0; i < of->expected->count && done; i++) {
        const entry *one = &of->expected->entry[i];
        double tol = check_tolerance(c, &of->document->contents, one->name);
        done = edit_stage(of, one, tol, &file, all, e);
    }
    done = done && write_edited(&file, all, e);
    source_close(&file);
    return done;
}

bool check_update_takes(const document *one, err *e)
{
    place at = document_place(one);
    if (one->line == 0 && sink_replaces(one->file))
        return true;
    err_at(e, &at, "--update writes into files of one document, and this is none");
    return err_remedy(e, "write the document into a file of its own, and check that");
}

bool check_update(checker *c, const new_numbers *of, err *e)
{
    text *out = &c->out;
    const document *one = of->document;
    edits all = {0};
    bool done = rewrite(c, of, &all, e);
    if (done) {
        text_add_string(out, "ok    ");
        report_document(out, one);
        text_add_format(out, ": %zu number%s recorded\n", all.count, all.count == 1 ? "" : "s");
    }
    mem_free(all.one);
    return done;
}
