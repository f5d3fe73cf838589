#include "cli/check/check_update.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "cli/check/checker.h"
#include "cli/check/errata.h"
#include "compare/measure.h"
#include "io/number_read.h"
#include "cli/check/check_document.h"
#include "cli/out/said.h"
#include "io/sink.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a file is to become ---- */

static size_t bytes_from(const file_update *u, const char *at)
{
    return u->old.read.length - (size_t)(at - u->old.read.bytes);
}

/* The text of a value that was read there; NULL where the file is not so long any more. Values are
 * looked for in the order of the file, so that lines are walked through once. */
static const char *find_value(file_update *u, const place *at)
{
    assert(at->line >= u->number);
    if (u->number == 0) {
        u->line = u->old.read.bytes + utf8_mark(u->old.read.bytes, u->old.read.length);
        u->number = 1;
    }
    for (; u->number < at->line; u->number++) {
        const char *end = memchr(u->line, '\n', bytes_from(u, u->line));
        if (end == NULL)
            return NULL;
        u->line = end + 1;
    }
    return at->column - 1 < bytes_from(u, u->line) ? u->line + at->column - 1 : NULL;
}

static int by_place(const void *a, const void *b)
{
    const edit *one = a, *other = b;
    return (one->at > other->at) - (one->at < other->at);
}

/* Writes only if something is new. If that fails, the old file stays. */
static bool write_file(file_update *u, err *e)
{
    const char *at = u->old.read.bytes;
    sink to;
    if (!sink_open(&to, u->old.read.file, e))
        return false;
    to.over = &u->old;
    to.syncs = true;
    qsort(u->edit, u->count, sizeof u->edit[0], by_place);
    for (size_t i = 0; i < u->count; i++) {
        text_add(sink_text(&to), at, (size_t)(u->edit[i].at - at));
        text_add_string(sink_text(&to), u->edit[i].becomes);
        at = u->edit[i].at + u->edit[i].length;
    }
    text_add(sink_text(&to), at, bytes_from(u, at));
    return sink_close(&to, e);
}

/* ---- the text ---- */

/* The next number, null or word of a matrix at or after *at, and its length; brackets and commas
 * are passed. */
static const char *next_leaf(const char **at, size_t *length)
{
    const char *leaf = *at + strspn(*at, "[], \t\r\n");
    size_t word = leaf[0] == '"' ? 1 + strcspn(leaf + 1, "\"") : 0;
    *length = word + strcspn(leaf + word, "[],} \t\r\n");
    *at = leaf + *length;
    return leaf;
}

/* ---- new numbers ---- */

/* Reads a number in the type in which the expected stage was read. */
static bool read_number(const element *one, const char *from, const char *end, double *value)
{
    float narrow = 0;
    if (!one->is_f32)
        return number_read_f64(from, end, value);
    bool fits = number_read_f32(from, end, &narrow);
    *value = (double)narrow;
    return fits;
}

/* In so many decimals where they come near enough, else the shortest that reads back. −0.00 becomes
 * 0.00. */
static void write_number(const element *one, int decimals, char out[NUMBER_FIXED_TEXT])
{
    double value = one->got;
    if (!isfinite(value)) {
        assert(!isnan(value)); /* no compared stage has one */
        strcpy(out, value < 0 ? "\"-inf\"" : "\"inf\"");
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

/* Another program wrote to the file meanwhile. */
static bool refuse_changed(const file_update *u, err *e)
{
    return err_at(e, &(place){.file = u->old.read.file}, "cannot be read: %s", strerror(ESTALE));
}

/* Pieces may come in any order. */
static bool edit_stage(file_update *u, const named_stages *of, const entry *expected, double tol,
                       err *e)
{
    const tensor *computed = bundle_tensor(of->computed, expected->name);
    const char *at = find_value(u, &expected->at), *ahead = at;
    size_t length;
    int decimals = 0; /* the most that one of its numbers has */
    tensor old, new;
    if (at == NULL)
        return refuse_changed(u, e);
    measure_align(&expected->tensor, computed, &old, &new); /* as they were compared */
    for (size_t i = 0, count = tensor_count(&old); i < count; i++) {
        const char *leaf = next_leaf(&ahead, &length), *dot = memchr(leaf, '.', length);
        size_t here = dot == NULL ? 0 : strspn(dot + 1, "0123456789");
        bool has_exponent = dot != NULL && dot + 1 + here < leaf + length;
        decimals = (int)here > decimals && !has_exponent ? (int)here : decimals;
    }
    decimals = decimals > NUMBER_MAX_DIGITS ? NUMBER_MAX_DIGITS : decimals;
    element one = {
        .stage = expected->name, .rank = old.rank, .tol = tol, .is_f32 = old.type == DTYPE_F32};
    do {
        double value = 0;
        const char *leaf = next_leaf(&at, &length);
        one.wanted = tensor_get(&old, one.index);
        one.got = tensor_get(&new, one.index);
        bool is_same = one.wanted == one.got || fabs(one.got - one.wanted) <= one.tol;
        if (is_same || tensor_is_hole(one.wanted) || errata_lists(of->known, &one))
            continue;
        /* Whether this is the text of the number that was read there. */
        bool stands = leaf[0] == '"'
                          ? !isfinite(one.wanted)
                          : read_number(&one, leaf, leaf + length, &value) && value == one.wanted;
        if (!stands)
            return refuse_changed(u, e);
        edit *grown = mem_grow(u->edit, u->count, &u->capacity, sizeof u->edit[0], e);
        if (grown == NULL)
            return false;
        u->edit = grown;
        edit *added = &u->edit[u->count++];
        *added = (edit){.at = leaf, .length = length};
        write_number(&one, decimals, added->becomes);
    } while (tensor_next(&old, one.index));
    return true;
}

/* ---- documents ---- */

bool check_update_open(checker *c, const char *file, err *e)
{
    if (sink_replaces(file))
        return old_file_open(&c->update.old, file, e);
    err_at(e, &(place){.file = descriptor_name(file)},
           "--update writes into files, and this is not a file");
    return err_remedy(e, "write what it holds into a file, and check that");
}

bool check_update(checker *c, const named_stages *of, err *e)
{
    text *out = &c->file.lines;
    size_t before = c->update.count;
    for (size_t i = 0; i < of->numbers->count; i++) {
        const entry *one = &of->numbers->entry[i];
        if (!edit_stage(&c->update, of, one, check_tolerance(c, of, one->name), e))
            return false;
    }
    size_t count = c->update.count - before;
    text_add_string(out, "ok    ");
    report_document(out, of->document);
    text_add_format(out, ": %zu number%s recorded\n", count, count == 1 ? "" : "s");
    return true;
}

void check_update_end(checker *c, bool is_checked, err *e)
{
    file_update *u = &c->update;
    bool is_whole = is_checked && c->file.passed_over == 0;
    c->file.is_taken_back = u->count > 0 && !(is_whole && write_file(u, e));
    old_file_close(&u->old);
    mem_free(u->edit);
    *u = (file_update){0};
}
