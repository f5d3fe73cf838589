/* What diff says: to a machine all of it, to a person the first element that differs and a line a
 * stage. Indices of JSON count from 0. */
#include "cli/diff/diff_report.h"

#include "base/mem.h"
#include "cli/out/said.h"
#include "io/number_read.h"
#include "io/number_write.h"
#include "render/display.h"
#include "render/heat_map.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- numbers ---- */

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

/* ---- a stage ---- */

static const char TITLES[] =
    "stage\tdiffer\tof\tmax abs\tmax rel\tulps\tcosine\t--atol\t--rtol\tfirst row\n";

static void tell_stage(teller *t, const diff_pair *p)
{
    const measurement *m = &p->found;
    tell_open(t, NULL, "{");
    tell_text(t, "stage", NULL, p->name);
    if (!t->is_json)
        display_add_string(t->out, p->name);
    tell_words(t, "\t");
    tell_sizes(t, "shape", p->view[0].rank, p->view[0].size);
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
    if (m->different > 0) {
        /* In words which row it is in. */
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
    const tolerance *by = &p->within;
    const element one = diff_first(p);
    const double a = p->found.first_a, b = p->found.first_b;
    element_write_name(&one, out);
    for (int side = 0; side < 2; side++) {
        /* As the shortest decimal of the type in which it is compared. */
        measured_side from = diff_side(p, side);
        bool is_f32 = from.of->type == DTYPE_F32 || (from.is_text && p->type != NUMBER_F64);
        text_add_format(out, "%s %s ", side == 0 ? ":" : ",", d->file[side]);
        report_number_as(out, side == 0 ? a : b, is_f32);
    }
    if (isfinite(a) && isfinite(b)) {
        uint64_t ulps = ulps_between(p->type, a, b);
        text_add_string(out, ", apart by ");
        report_rough(out, fabs(a - b));
        if (ulps != ULPS_INFINITE) {
            text_add_string(out, " or ");
            add_ulps(out, ulps);
            text_add_format(out, " ulp%s of %s", ulps == 1 ? "" : "s", number_type_name(p->type));
        }
    }
    /* " (atol 1e-06, rtol 0.001)": what was asked for, or nothing. */
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
    text_add_string(out, out->length == start ? "\n\n" : ")\n\n");
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
    tell_text(&t, "a", NULL, d->file[0]);
    tell_text(&t, "b", NULL, d->file[1]);
    tell_truth(&t, "equal", d->first == NULL);
    if (d->first != NULL)
        tell_text(&t, "first_stage", NULL, d->first->name);
    tell_open(&t, "stages", "[");
    for (size_t i = 0; i < d->count; i++)
        tell_stage(&t, &d->pair[i]);
    tell_close(&t, "]");
    tell_list(&t, "only_a", &d->only[0]);
    tell_list(&t, "only_b", &d->only[1]);
    diff_origins_tell(from, &t);
    diff_mistakes_tell(missed, &t);
    tell_close(&t, "}\n");
}

/* ---- where a stage differs, as a heat map of the matrix that holds the first difference ---- */

/* As many rows of cells as fit on a screen in colour, where a character shows two; or of SVG. */
enum { MOST_ROWS = 40, SVG_MOST = 64 };

bool diff_draw(const diff_pair *p, size_t width, bool color, text *out, err *e)
{
    enum { FRAME = 2 };
    const bool is_svg = width == 0;
    element one = diff_first(p);
    const int rank = one.rank;
    size_t rows = rank < 2 ? 1 : p->view[0].size[rank - 2]; /* a vector is a matrix of one */
    size_t columns = rank < 1 ? 1 : p->view[0].size[rank - 1];
    const sampling by = sampling_of(rows, columns, is_svg ? SVG_MOST : MOST_ROWS,
                                    is_svg ? SVG_MOST : width - FRAME);
    const measured_side side_a = diff_side(p, 0), side_b = diff_side(p, 1);
    text title = {0};
    double *cell = mem_alloc_zeroed(by.rows * by.columns, sizeof cell[0], e);
    if (cell == NULL)
        return false;
    text_add_format(&title, "|a-b| of %s", one.stage);
    if (rank > 2) {
        text_add_string(&title, "[");
        element_write_indices(&one, rank - 2, &title);
        text_add_string(&title, "]");
    }
    text_add_format(&title, ", %zu x %zu", rows, columns);
    if (by.tall > 1 || by.wide > 1)
        text_add_format(&title, ", the greatest of %zu x %zu numbers in a cell", by.tall, by.wide);
    /* A cell is as hot as the hottest of its elements. */
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < columns; column++) {
            double *at = cell + row / by.tall * by.columns + column / by.wide;
            if (rank > 1)
                one.index[rank - 2] = row;
            if (rank > 0)
                one.index[rank - 1] = column;
            double a = measure_value(side_a, p->type, one.index);
            double b = measure_value(side_b, p->type, one.index);
            if (!measure_is_same(side_a, side_b, &p->within, a, b))
                *at = fmax(*at, isfinite(a) && isfinite(b) ? fabs(a - b) : (double)INFINITY);
        }
    }
    heat_map map = {.rows = by.rows, .columns = by.columns, .magnitude = cell};
    for (size_t i = 0; i < by.rows * by.columns; i++)
        heat_scale_add(&map.scale, cell[i]);
    bool done = text_ok(&title, e);
    if (done && is_svg) {
        heat_map_add_svg(out, &map, text_string(&title));
    } else if (done) {
        text_add_format(out, "\n%s:\n", text_string(&title));
        heat_map_add(out, &map, color);
    }
    text_free(&title);
    mem_free(cell);
    return done;
}
