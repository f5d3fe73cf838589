#include "cli/check/check_update.h"

#include "cli/out/report.h"
#include "compare/measure.h"
#include "io/source.h"
#include "io/number_read.h"
#include "io/number_write.h"
#include "io/sink.h"

#include <errno.h>
#include <math.h>
#include <string.h>

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

static int decimals_of_stage(const char *at, size_t count)
{
    int most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length;
        const char *leaf = next_leaf(&at, &length);
        /* Digits after the point; 0 for what is not plain number. */
        const char *point = memchr(leaf, '.', length);
        bool is_plain = leaf[0] != '"' && memchr(leaf, 'e', length) == NULL &&
                        memchr(leaf, 'E', length) == NULL;
        int decimals = point == NULL || !is_plain ? 0 : (int)(leaf + length - point) - 1;
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

/* Whether this is the text of the number that was read there. */
static bool stands(const char *leaf, size_t length, const element *one)
{
    double value;
    if (leaf[0] == '"')
        return !isfinite(one->wanted);
    return read_number(one, leaf, leaf + length, &value) && value == one->wanted;
}

/* Somebody else wrote to it meanwhile. */
static bool refuse_changed(const file_update *u, err *e)
{
    return err_at(e, &(place){.file = u->old.read.file}, "cannot be read: %s", strerror(ESTALE));
}

static bool edit_number(file_update *u, const char *leaf, size_t length, const element *one,
                        int decimals, err *e)
{
    if (!stands(leaf, length, one))
        return refuse_changed(u, e);
    edit *added = file_update_add(u, leaf, length, e);
    if (added != NULL)
        write_number(one, decimals, added->becomes);
    return added != NULL;
}

static bool edit_stage(file_update *u, const new_numbers *of, const entry *expected, double tol,
                       err *e)
{
    const tensor *computed = bundle_tensor(of->computed, expected->name);
    const char *at = file_update_find(u, &expected->at);
    tensor old, new;
    bool done = at != NULL && measure_align(&expected->tensor, computed, &old, &new);
    if (!done)
        return refuse_changed(u, e);
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
            done = edit_number(u, leaf, length, &one, decimals, e);
    } while (done && tensor_next(&old, one.index));
    return done;
}

/* ---- documents ---- */

bool check_update_open(checker *c, const char *file, err *e)
{
    if (sink_replaces(file))
        return file_update_open(&c->update, file, e);
    err_at(e, &(place){.file = descriptor_name(file)},
           "--update writes into files, and this is none");
    return err_remedy(e, "write what it holds into a file, and check that");
}

bool check_update(checker *c, const new_numbers *of, err *e)
{
    text *out = &c->out;
    size_t before = c->update.count;
    bool done = true;
    for (size_t i = 0; i < of->expected->count && done; i++) {
        const entry *one = &of->expected->entry[i];
        double tol = check_tolerance(c, &of->document->contents, one->name);
        done = edit_stage(&c->update, of, one, tol, e);
    }

    if (!done)
        return false;
    size_t count = c->update.count - before;
    text_add_string(out, "ok    ");
    report_document(out, of->document);
    text_add_format(out, ": %zu number%s recorded\n", count, count == 1 ? "" : "s");
    return true;
}
