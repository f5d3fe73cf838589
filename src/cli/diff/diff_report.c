/* What diff says: to a machine all of it, to a person the first element that differs and a line a
 * stage. Indices of JSON count from 0. */
#include "cli/diff/diff_report.h"

#include "cli/out/report.h"
#include "io/number_read.h"
#include "io/number_write.h"
#include "render/display.h"

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

static void add_cosine(text *out, double value)
{
    char digits[NUMBER_FIXED_TEXT];
    number_write_fixed(value, 8, digits);
    text_add_string(out, isnan(value) ? "-" : value == 1 ? "1" : digits);
}

/* Millions of ulps are not count any more. */
static void add_ulps(text *out, uint64_t ulps)
{
    if (ulps < 1000000)
        text_add_format(out, "%" PRIu64, ulps);
    else
        report_rough(out, ulps == ULPS_INFINITE ? (double)INFINITY : (double)ulps);
}

static void tell_ulps(teller *t, const char *name, uint64_t ulps)
{
    if (ulps == ULPS_INFINITE)
        tell_number(t, name, DTYPE_F64, (double)INFINITY);
    else
        tell_count(t, name, NULL, (size_t)ulps);
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

/* ---- a stage ---- */

static const char TITLES[] =
    "stage\tdiffer\tof\tmax abs\tmax rel\tulps\tcosine\t--atol\t--rtol\tfirst row\n";

/* In words which row it is in. */
static void tell_first(teller *t, const diff_pair *p)
{
    const element one = diff_first(p);
    double apart = fabs(one.wanted - one.got);
    tell_open(t, "first", "{");
    if (!t->is_json && one.rank > 1)
        element_write_indices(&one, one.rank - 1, t->out);
    tell_sizes(t, "index", one.rank, one.index);
    tell_number(t, "a", DTYPE_F64, one.wanted);
    tell_number(t, "b", DTYPE_F64, one.got);
    tell_number(t, "difference", DTYPE_F64, isnan(apart) ? (double)NAN : apart);
    tell_ulps(t, "ulps", ulps_between(p->type, one.wanted, one.got));
    tell_close(t, "}");
}

static void tell_stage(teller *t, const diff_pair *p)
{
    const measurement *m = &p->found;
    tell_open(t, NULL, "{");
    tell_text(t, "stage", NULL, p->name);
    if (!t->is_json)
        display_add_string(t->out, p->name);
    tell_words(t, "\t");
    tell_sizes(t, "shape", p->view_a.rank, p->view_a.size);
    tell_text(t, "type", NULL, number_type_name(p->type));
    tell_open(t, "tolerance", "{");
    tell_number(t, "atol", DTYPE_F64, p->within.atol);
    tell_number(t, "rtol", DTYPE_F64, p->within.rtol);
    if (p->within.has_ulps)
        tell_count(t, "ulps", NULL, (size_t)p->within.ulps);
    tell_close(t, "}");
    tell_count(t, "numbers", NULL, m->count);
    tell_count(t, "unequal", NULL, m->unequal);
    tell_count(t, "differ", "%zu\t", m->different);
    tell_count(t, NULL, "%zu\t", m->count);
    tell_cell(t, "max_abs", DTYPE_F64, m->most_absolute, report_rough);
    tell_cell(t, "max_rel", DTYPE_F64, m->most_relative, report_rough);
    tell_ulps(t, "max_ulps", m->most_ulps);
    if (!t->is_json)
        add_ulps(t->out, m->most_ulps);
    tell_words(t, "\t");
    tell_cell(t, "cosine", DTYPE_F64, m->cosine, add_cosine);
    tell_cell(t, "least_atol", DTYPE_F64, m->least_atol, add_rough_above);
    tell_cell(t, "least_rtol", DTYPE_F64, m->least_rtol, add_rough_above);
    if (m->different > 0)
        tell_first(t, p);
    tell_words(t, "\n");
    tell_close(t, "}");
}

/* ---- all of it ---- */

static void write_table(const diff_result *d, text *out)
{
    text rows = {0};
    for (size_t i = 0; i < d->count; i++)
        tell_stage(&(teller){.out = &rows}, &d->pair[i]);
    tell_table(out, TITLES, &rows, "lrrrrrrrr", 0);
    text_free(&rows);
}

void diff_write_text(const diff_result *d, text *out)
{
    if (d->first == NULL)
        return;
    const diff_pair *p = d->first;
    const element one = diff_first(p);
    element_write_name(&one, out);
    text_add_format(out, ": %s ", d->name_a);
    add_value(out, diff_side_a(p), p->type, p->found.first_a);
    text_add_format(out, ", %s ", d->name_b);
    add_value(out, diff_side_b(p), p->type, p->found.first_b);
    add_distance(out, p);
    add_tolerance(out, &p->within);
    text_add_string(out, "\n\n");
    write_table(d, out);
}

void diff_write_summary(const diff_result *d, text *out)
{
    const char *stages = d->count == 1 ? "" : "s";
    write_table(d, out);
    if (d->different == 0)
        text_add_format(out, "no number differs, of %zu in %zu stage%s\n", d->numbers, d->count,
                        stages);
    else
        text_add_format(out, "%zu of %zu numbers differ, in %zu of %zu stage%s\n", d->different,
                        d->numbers, d->different_pairs, d->count, stages);
}

void diff_write_json(const diff_result *d, const diff_origins *from, const diff_mistakes *missed,
                     text *out)
{
    teller t = {.out = out, .is_json = true};
    tell_open(&t, NULL, "{");
    tell_text(&t, "a", NULL, d->name_a);
    tell_text(&t, "b", NULL, d->name_b);
    tell_truth(&t, "equal", d->first == NULL);
    if (d->first != NULL)
        tell_text(&t, "first_stage", NULL, d->first->name);
    tell_open(&t, "stages", "[");
    for (size_t i = 0; i < d->count; i++)
        tell_stage(&t, &d->pair[i]);
    tell_close(&t, "]");
    tell_list(&t, "only_a", &d->only_a);
    tell_list(&t, "only_b", &d->only_b);
    diff_origins_tell(from, &t);
    diff_mistakes_tell(missed, &t);
    tell_close(&t, "}\n");
}
