/* What diff says to a person. */
#include "cli/diff/columns.h"
#include "cli/diff/diff_report.h"
#include "cli/report.h"
#include "io/number_read.h"
#include "io/number_write.h"

#include <inttypes.h>
#include <math.h>

/* ---- numbers ---- */

/* A number of one side, as the shortest decimal of the type in which it is compared. */
static void add_value(text *out, measured_side from, number_type type, double value)
{
    report_number_as(out, value,
                     from.of->type == DTYPE_F32 || (from.is_text && type != NUMBER_F64));
}

/* Three digits too, never below the value: a tolerance that is copied from here does pass. */
static void add_rough_above(text *out, double value)
{
    char digits[NUMBER_FIXED_TEXT];
    double shown;
    if (value == 0 || !isfinite(value)) {
        text_add_string(out, value == 0 ? "0" : "none");
        return;
    }
    size_t length = number_write_exponent(value, 3, digits);
    if (number_read_f64(digits, digits + length, &shown) && shown < value) {
        int exponent = (int)floor(log10(shown) + 1e-9);
        number_write_exponent(shown + pow(10, exponent - 2), 3, digits);
    }
    text_add_string(out, digits);
}

/* Millions of ulps are no count any more. */
static void add_ulps(text *out, uint64_t ulps)
{
    if (ulps == ULPS_INFINITE)
        text_add_string(out, "inf");
    else if (ulps < 1000000)
        text_add_format(out, "%" PRIu64, ulps);
    else
        report_rough(out, (double)ulps);
}

/* ---- the first difference ---- */

static void add_distance(text *out, const diff_pair *p)
{
    double a = p->found.first_a, b = p->found.first_b;
    if (!isfinite(a) || !isfinite(b))
        return;
    uint64_t ulps = ulps_between(p->type, a, b);
    text_add_string(out, ", apart by ");
    report_rough(out, fabs(a - b));
    if (ulps == ULPS_INFINITE)
        return;
    text_add_string(out, " or ");
    add_ulps(out, ulps);
    text_add_format(out, " ulp%s of %s", ulps == 1 ? "" : "s", number_type_name(p->type));
}

/* " (atol 1e-06, rtol 0.001)": what was asked for, or nothing. */
static void add_tolerance(text *out, const tolerance *by)
{
    size_t start = out->length;
    if (by->atol > 0) {
        text_add_string(out, " (atol ");
        report_number(out, by->atol);
    }
    if (by->rtol > 0) {
        text_add_string(out, out->length == start ? " (rtol " : ", rtol ");
        report_number(out, by->rtol);
    }
    if (by->has_ulps)
        text_add_format(out, "%s %" PRIu64, out->length == start ? " (ulps" : ", ulps", by->ulps);
    text_add_string(out, out->length == start ? "" : ")");
}

static void add_first(text *out, const diff_result *d)
{
    const diff_pair *p = d->first;
    const element one = diff_first(p);
    element_write_name(&one, out);
    text_add_format(out, ": %s ", d->name_a);
    add_value(out, diff_side_a(p), p->type, p->found.first_a);
    text_add_format(out, ", %s ", d->name_b);
    add_value(out, diff_side_b(p), p->type, p->found.first_b);
    add_distance(out, p);
    add_tolerance(out, &p->within);
    text_add_string(out, "\n");
}

/* ---- a line a stage ---- */

static const char ALIGNMENT[] = "lrrrrrrrrl";

static bool add_titles(columns *c, err *e)
{
    static const char *const TITLES[] = {"stage", "differ", "of",     "max abs", "max rel",
                                         "ulps",  "cosine", "--atol", "--rtol",  "first row"};
    for (size_t i = 0; i < sizeof TITLES / sizeof TITLES[0]; i++) {
        if (!columns_add(c, TITLES[i], e))
            return false;
    }
    return true;
}

static bool add_row_name(columns *c, const diff_pair *p, err *e)
{
    const element one = diff_first(p);
    if (p->found.different > 0 && one.rank > 1)
        element_write_indices(&one, one.rank - 1, columns_cell(c));
    return columns_next(c, e);
}

static bool add_number(columns *c, void (*add)(text *, double), double value, err *e)
{
    add(columns_cell(c), value);
    return columns_next(c, e);
}

static void add_cosine(text *out, double value)
{
    char digits[NUMBER_FIXED_TEXT];
    if (isnan(value)) {
        text_add_string(out, "-");
        return;
    }
    number_write_fixed(value, 8, digits);
    text_add_string(out, value == 1 ? "1" : digits);
}

static bool add_line(columns *c, const diff_pair *p, err *e)
{
    const measurement *m = &p->found;
    if (!columns_add(c, p->name, e))
        return false;
    text_add_format(columns_cell(c), "%zu", m->different);
    if (!columns_next(c, e))
        return false;
    text_add_format(columns_cell(c), "%zu", m->count);
    if (!columns_next(c, e) || !add_number(c, report_rough, m->most_absolute, e) ||
        !add_number(c, report_rough, m->most_relative, e))
        return false;
    add_ulps(columns_cell(c), m->most_ulps);
    return columns_next(c, e) && add_number(c, add_cosine, m->cosine, e) &&
           add_number(c, add_rough_above, m->least_atol, e) &&
           add_number(c, add_rough_above, m->least_rtol, e) && add_row_name(c, p, e);
}

static bool write_table(const diff_result *d, text *out, err *e)
{
    columns c = {.alignment = ALIGNMENT};
    bool done = add_titles(&c, e);
    for (size_t i = 0; i < d->count && done; i++)
        done = add_line(&c, &d->pair[i], e);
    if (done)
        columns_write(&c, out);
    columns_free(&c);
    return done;
}

bool diff_write_text(const diff_result *d, text *out, err *e)
{
    if (d->first == NULL)
        return true;
    add_first(out, d);
    text_add_string(out, "\n");
    return write_table(d, out, e);
}

bool diff_write_summary(const diff_result *d, text *out, err *e)
{
    if (!write_table(d, out, e))
        return false;
    const char *stages = d->count == 1 ? "" : "s";
    if (d->different == 0)
        text_add_format(out, "no number differs, of %zu in %zu stage%s\n", d->numbers, d->count,
                        stages);
    else
        text_add_format(out, "%zu of %zu numbers differ, in %zu of %zu stage%s\n", d->different,
                        d->numbers, d->different_pairs, d->count, stages);
    return true;
}
