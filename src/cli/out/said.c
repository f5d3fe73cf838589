#include "cli/out/said.h"

#include "base/utf8.h"
#include "cli/out/progress.h"
#include "io/number_write.h"
#include "render/display.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- notes ---- */

enum { MOST_BYTES = 4096 }; /* of a note without its place: what lists more is cut */

/* Nothing is allocated: a note is said also where memory has run out. */
void note_say(const env *world, const options *o, const place *at, const char *said, ...)
{
    char where[PLACE_TEXT] = "";
    static const char CUT[] = "…";
    char line[PLACE_TEXT + 32 + MOST_BYTES];
    va_list args;
    if (o->quiet)
        return;
    if (world->is_noted != NULL) {
        *world->is_noted = true;
        return;
    }
    if (at != NULL)
        place_text(at, where);
    bool is_named = where[0] != '\0' && strcmp(where, "standard input") != 0;
    char *words = line + snprintf(line, sizeof line, "selfattn: note: %s%s", is_named ? where : "",
                                  is_named ? ": " : "");
    va_start(args, said);
    int length = vsnprintf(words, MOST_BYTES - sizeof CUT, said, args);
    va_end(args);
    utf8_make_printable(words);
    strcat(words, (size_t)length >= MOST_BYTES - sizeof CUT ? CUT : "");
    strcat(words, "\n");
    progress_pause(world->progress);
    env_say(world, line, strlen(line));
    progress_resume(world->progress);
}

bool note_say_lines(const env *world, const options *o, text *lines, err *e)
{
    bool done = text_ok(lines, e);
    for (const char *line = text_string(lines); done && *line != '\0';) {
        size_t length = strcspn(line, "\n");
        note_say(world, o, NULL, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
    text_free(lines);
    return done;
}

void note_empty_rows(const env *world, const options *o, const place *at, const run_report *of,
                     const char *rows)
{
    if (of->empty_rows > 0)
        note_say(world, o, at, "%zu %s may attend to nothing, first %s: their weights are 0%s",
                 of->empty_rows, rows, of->first_empty, of->doubt);
}

void note_missing_threads(const env *world, const options *o, const place *at, size_t ran,
                          size_t asked)
{
    if (ran < asked)
        note_say(world, o, at,
                 "%zu of %zu threads ran, no more could be started: the result is the same", ran,
                 asked);
}

void note_index_header(const env *world, const options *o, const entry *matrix)
{
    enum { COLUMNS_LEAST = 3 }; /* fewer are often meant as numbers: 0, 1 */
    const tensor *t = &matrix->tensor;
    bool is_index = t->rank == 2 && t->size[0] > 1 && t->size[1] >= COLUMNS_LEAST;
    for (size_t j = 0; is_index && j < t->size[1]; j++)
        is_index = tensor_get(t, (size_t[]){0, j}) == (double)j;
    for (size_t i = 1; is_index && i < t->size[0]; i++) {
        is_index = false;
        for (size_t j = 0; !is_index && j < t->size[1]; j++) {
            double number = tensor_get(t, (size_t[]){i, j});
            is_index = number != floor(number);
        }
    }
    if (is_index)
        note_say(world, o, &matrix->at,
                 "the first row, 0 to %zu, is read as numbers; where pandas wrote it as a header, "
                 "to_csv(header=False, index=False) leaves it out",
                 t->size[1] - 1);
}

/* ---- errors, and lines of check and diff ---- */

void report_error(const env *world, const err *e)
{
    char said[ERR_TEXT];
    progress_pause(world->progress);
    err_text(e, said);
    env_say(world, said, strlen(said));
    progress_resume(world->progress);
}

void report_number(text *out, double value)
{
    report_number_as(out, value, false);
}

void report_number_as(text *out, double value, bool is_f32)
{
    char digits[NUMBER_TEXT];
    if (is_f32 && (double)(float)value == value)
        number_write_f32((float)value, digits);
    else
        number_write_f64(value, digits);
    text_add_string(out, tensor_is_hole(value) ? "no number" : digits);
}

void report_rough(text *out, double value)
{
    char digits[NUMBER_FIXED_TEXT];
    if (value == 0 || !isfinite(value)) {
        assert(!isnan(value));
        text_add_string(out, value == 0 ? "0" : "inf");
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

/* An empty name counts as none. */
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
