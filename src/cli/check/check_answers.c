#include "cli/check/check_answers.h"

#include "cli/check/check_page.h"
#include "cli/report.h"
#include "compare/measure.h"
#include "io/number_read.h"
#include "render/display.h"
#include "render/number_text.h"
#include "trace/map.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct marking {
    const exercise *of;
    int digits; /* decimals that were asked for, below 0 those of a trace */
    text lines; /* of those that are not right */
    size_t numbers, right;
} marking;

/* ---- one answer ---- */

enum { DECIMALS = 4 };

/* The number as it is shown, and the unit of its last decimal; one with an exponent is given to
 * five digits. */
static double as_shown(double computed, int digits, double *unit)
{
    char shown[NUMBER_FIXED_TEXT];
    double rounded = computed;
    size_t length = number_text_write(computed, digits, shown);
    number_read_f64(shown, shown + length, &rounded);
    *unit = strchr(shown, 'e') != NULL ? fabs(rounded) * 1e-4
                                       : pow(10, digits < 0 ? -DECIMALS : -digits);
    return rounded;
}

/* Half a unit of the last decimal of what a trace shows, and a little for what binary fractions
 * can't hold. The same as in exercise.js. */
static bool is_as_shown(double answer, double computed, int digits)
{
    double unit;
    return fabs(answer - as_shown(computed, digits, &unit)) <= 0.5 * unit * (1 + 1e-6);
}

/* Whoever computes more exactly than in float32 may come to another last decimal, or to another
 * number where float32 has fewer decimals than are shown. */
static bool is_right(double answer, double computed, int digits)
{
    static const double FLOAT32 = 8 * (double)FLT_EPSILON;
    if (tensor_is_hole(answer) || !isfinite(computed) || !isfinite(answer))
        return !tensor_is_hole(answer) && answer == computed;
    return fabs(answer - computed) <= FLOAT32 * fabs(computed) ||
           is_as_shown(answer, computed, digits) ||
           is_as_shown(answer, computed * (1 - FLOAT32), digits) ||
           is_as_shown(answer, computed * (1 + FLOAT32), digits);
}

/* To how many decimals, fewer than count, an answer is the rounded number; 0: to none. */
static int decimals_of(double answer, double computed, int digits)
{
    double unit;
    int fewer = (digits < 0 ? DECIMALS : digits) - 1;
    while (fewer > 0 && !(fabs(answer - as_shown(computed, fewer, &unit)) <= 1e-6 * unit))
        fewer--;
    return fewer < 0 ? 0 : fewer;
}

const trace_map *check_map_of(const trace *t, const char *name)
{
    const trace_map *found = NULL;
    for (size_t i = 0; i < trace_rooms(t) && found == NULL; i++) {
        const trace *room = trace_room(t, i);
        size_t length = strlen(room->place.way);
        if (strncmp(name, room->place.way, length) == 0)
            found = map_named(room, name + length);
    }
    return found;
}

static void add_wrong(marking *m, const element *one)
{
    const trace_map *map = check_map_of(m->of->trace, one->stage);
    char number[NUMBER_TEXT];
    text_add_string(&m->lines, tensor_is_hole(one->wanted) ? "empty: " : "wrong: ");
    element_write_name(one, &m->lines);
    if (!tensor_is_hole(one->wanted)) {
        int decimals = decimals_of(one->wanted, one->got, m->digits);
        number_write_f64(one->wanted, number);
        text_add_format(&m->lines, " is not %s", number);
        if (decimals > 0)
            text_add_format(&m->lines, ", which is right to %d decimal%s, and %d count", decimals,
                            decimals == 1 ? "" : "s", m->digits < 0 ? DECIMALS : m->digits);
    }
    if (map != NULL && map->letters != NULL)
        text_add_format(&m->lines, "; the formula: %s%s = %s", map->name,
                        one->rank == 0 ? "" : "[i,j]", map->letters);
    text_add_string(&m->lines, "\n");
}

static void mark(marking *m, element *one)
{
    m->numbers++;
    if (is_right(one->wanted, one->got, m->digits))
        m->right++;
    else
        add_wrong(m, one);
}

/* ---- all of them ---- */

/* Of a batch, a page has one entry. */
static entry entry_of_page(const bundle *answers, const entry *made)
{
    entry one = *made;
    double number = check_page_batch(answers);
    if (made->axes == NULL || made->axes[0] != 'b' ||
        !(number >= 1 && number <= (double)made->tensor.size[0]))
        return one;
    one.tensor = tensor_at(&made->tensor, (size_t)number - 1);
    one.axes = made->axes + 1;
    return one;
}

/* What of a stage was asked for, seen as what was made is; NULL: all of it. */
static const tensor *asked_of(const marking *m, const entry *answers, const tensor *made,
                              tensor *view)
{
    const tensor *asked = check_page_asked(m->of->answers, answers->name);
    tensor as_made;
    return asked != NULL && measure_align(asked, made, view, &as_made) ? view : NULL;
}

static bool mark_stage(marking *m, const entry *answers, const entry *whole, err *e)
{
    comparison shapes = {0}; /* comparing checks them */
    tensor a, b, part;
    const entry of_page = entry_of_page(m->of->answers, whole), *made = &of_page;
    if (!compare_stage(&shapes, answers->name, answers, made, 0, NULL, e) ||
        !measure_align(&answers->tensor, &made->tensor, &a, &b))
        return false;
    const char *axes = made->axes == NULL ? NULL : made->axes + (made->tensor.rank - b.rank);
    element one = {.stage = answers->name, .axes = axes, .rank = a.rank};
    const tensor *asked = asked_of(m, answers, &made->tensor, &part);
    do {
        one.wanted = tensor_get(&a, one.index);
        one.got = tensor_get(&b, one.index);
        if (asked == NULL || tensor_get(asked, one.index) != 0)
            mark(m, &one);
    } while (tensor_next(&a, one.index));
    return true;
}

static bool mark_all(marking *m, err *e)
{
    for (size_t i = 0; i < m->of->computed->count; i++) {
        const entry *made = &m->of->computed->entry[i];
        const entry *answers = bundle_find(m->of->answers, made->name);
        if (answers != NULL && !mark_stage(m, answers, made, e))
            return false;
    }
    return true;
}

bool check_answers(checker *c, const exercise *of, err *e)
{
    const options *o = c->given;
    marking m = {.of = of, .digits = option_digits(o)};
    bool done = mark_all(&m, e) && text_ok(&m.lines, e);
    if (done) {
        text_add_string(&c->out, m.right == m.numbers ? "ok    " : "FAIL  ");
        display_add_string(&c->out, of->answers->entry[0].at.file);
        text_add_format(&c->out, ": %zu of %zu answers are right (", m.right, m.numbers);
        report_name(&c->out, of->document);
        text_add_format(&c->out, ")\n%s", text_string(&m.lines));
        c->failed += m.right < m.numbers;
    }
    text_free(&m.lines);
    return done;
}
