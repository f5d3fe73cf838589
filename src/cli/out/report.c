#include "cli/out/report.h"

#include "cli/out/progress.h"
#include "io/number_write.h"
#include "render/display.h"

#include <math.h>
#include <stdio.h>

void report_error(const env *world, const err *e)
{
    char said[ERR_TEXT];
    progress_pause(world->progress);
    fputs(err_text(e, said), world->err);
    progress_resume(world->progress);
}

void report_number(text *out, double value)
{
    char digits[NUMBER_TEXT];
    number_write_f64(value, digits);
    text_add_string(out, tensor_is_hole(value) ? "no number" : digits);
}

void report_number_as(text *out, double value, bool is_f32)
{
    char digits[NUMBER_TEXT];
    if (!is_f32 || (double)(float)value != value) {
        report_number(out, value);
        return;
    }
    number_write_f32((float)value, digits);
    text_add_string(out, digits);
}

void report_rough(text *out, double value)
{
    char digits[NUMBER_FIXED_TEXT];
    if (value == 0 || !isfinite(value)) {
        text_add_string(out, value == 0 ? "0" : isnan(value) ? "-" : "inf");
        return;
    }
    number_write_exponent(value, 3, digits);
    text_add_string(out, digits);
}

void report_numbers(text *out, const element *one, const char *wanted_name, const char *got_name)
{
    element_write_name(one, out);
    text_add_format(out, ": %s ", wanted_name);
    report_number_as(out, one->wanted, one->is_f32);
    text_add_format(out, ", %s ", got_name);
    report_number_as(out, one->got, one->is_f32);
    if (isfinite(one->got) && isfinite(one->wanted)) {
        text_add_string(out, ", apart by ");
        report_rough(out, fabs(one->got - one->wanted));
    }
}

void report_element(text *out, const element *one, const char *wanted_name, const char *got_name)
{
    report_numbers(out, one, wanted_name, got_name);
    text_add_string(out, " (tol ");
    report_number(out, one->tol);
    text_add_string(out, ")");
}

/* An empty one is none. */
static const char *name_of(const document *one)
{
    const char *name = bundle_text(&one->contents, "name");
    return name == NULL || name[0] == '\0' ? NULL : name;
}

void report_name(text *out, const document *one)
{
    const char *name = name_of(one);
    display_add_string(out, name != NULL ? name : document_place(one).file);
}

void report_document(text *out, const document *one)
{
    const char *name = name_of(one);
    display_add_string(out, document_place(one).file);
    if (one->line > 0)
        text_add_format(out, ":%zu", one->line);
    if (name == NULL)
        return;
    text_add_string(out, " (");
    display_add_string(out, name);
    text_add_string(out, ")");
}
