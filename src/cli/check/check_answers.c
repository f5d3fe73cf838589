#include "cli/check/check_answers.h"

#include "cli/check/check_page.h"
#include "cli/out/report.h"
#include "cli/run/trace_command.h"
#include "compare/measure.h"
#include "render/asked.h"
#include "render/display.h"
#include "render/number_text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct marking {
    const named_stages *of;
    const trace *trace; /* for the formulas */
    check_marks *marks; /* of the class */
    int digits;         /* decimals that were asked for, below 0 those of a trace */
    text lines;         /* of those that are not right */
    size_t numbers, right;
} marking;

/* ---- one answer ---- */

enum { DECIMALS = NUMBER_TEXT_DECIMALS };

/* What the last decimal counts that is shown; of a large number, which is shown with an exponent,
 * the last of its digits. */
static double last_decimal(double computed, int digits)
{
    enum { MORE_DIGITS = 4 }; /* after the first one */
    char shown[NUMBER_FIXED_TEXT];
    number_text_write(computed, digits, shown);
    const char *exponent = strchr(shown, 'e');
    double unit = pow(10, digits < 0 ? -DECIMALS : -digits);
    return exponent == NULL ? unit : fmax(unit, pow(10, atoi(exponent + 1) - MORE_DIGITS));
}

/* An answer is right within half of the last decimal that is shown, in whatever notation; and a
 * little more, since binary fractions can't hold decimals, and whoever computes more exactly than
 * in float32 may come to another last decimal. The page's rule is the same (exercise.js, isRight).
 */
static bool is_right(double answer, double computed, int digits)
{
    static const double FLOAT32 = 8 * (double)FLT_EPSILON;
    if (tensor_is_hole(answer) || !isfinite(computed) || !isfinite(answer))
        return !tensor_is_hole(answer) && answer == computed;
    return fabs(answer - computed) <=
           0.5 * last_decimal(computed, digits) * (1 + 1e-6) + FLOAT32 * fabs(computed);
}

/* To how many decimals, fewer than count, an answer is the rounded number; 0: to none. */
static int decimals_of(double answer, double computed, int digits)
{
    for (int fewer = (digits < 0 ? DECIMALS : digits) - 1; fewer > 0; fewer--) {
        double units = pow(10, fewer);
        if (fabs(answer * units - nearbyint(computed * units)) <= 1e-6)
            return fewer;
    }
    return 0;
}

static void add_wrong(marking *m, const element *one)
{
    const trace_map *map = trace_command_map_of(m->trace, one->stage);
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
        text_add_format(&m->lines, "; " ASKED_HINT " %s%s = %s", map->name,
                        one->rank == 0 ? "" : "[i,j]", map->letters);
    text_add_string(&m->lines, "\n");
}

static bool mark(marking *m, element *one, err *e)
{
    bool right = is_right(one->wanted, one->got, m->digits);
    text question = {0};
    element_write_name(one, &question);
    bool done = text_ok(&question, e) &&
                check_marks_add(m->marks, text_string(&question),
                                tensor_is_hole(one->wanted) ? one->wanted : right, e);
    text_free(&question);
    m->numbers++;
    m->right += right;
    if (!right)
        add_wrong(m, one);
    return done;
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
static bool find_asked(const marking *m, const entry *answers, const tensor *made, tensor *view,
                       const tensor **cells, err *e)
{
    tensor as_made;
    bool done = check_page_asked(m->of->numbers, answers->name, cells, e);
    *cells = *cells != NULL && measure_align(*cells, made, view, &as_made) ? view : NULL;
    return done;
}

static bool mark_stage(marking *m, const entry *answers, const entry *whole, err *e)
{
    comparison shapes = {0}; /* comparing checks them */
    tensor a, b, part;
    const entry of_page = entry_of_page(m->of->numbers, whole), *made = &of_page;
    if (!compare_stage(&shapes, answers->name, answers, made, 0, NULL, e) ||
        !measure_align(&answers->tensor, &made->tensor, &a, &b))
        return false;
    const char *axes = made->axes == NULL ? NULL : made->axes + (made->tensor.rank - b.rank);
    element one = {.stage = answers->name, .axes = axes, .rank = a.rank};
    const tensor *cells;
    if (!find_asked(m, answers, &made->tensor, &part, &cells, e))
        return false;
    do {
        one.wanted = tensor_get(&a, one.index);
        one.got = tensor_get(&b, one.index);
        if ((cells == NULL || tensor_get(cells, one.index) != 0) && !mark(m, &one, e))
            return false;
    } while (tensor_next(&a, one.index));
    return true;
}

static bool mark_all(marking *m, err *e)
{
    for (size_t i = 0; i < m->of->computed->count; i++) {
        const entry *made = &m->of->computed->entry[i];
        const entry *answers = bundle_find(m->of->numbers, made->name);
        if (answers != NULL && !mark_stage(m, answers, made, e))
            return false;
    }
    return true;
}

bool check_answers(checker *c, const named_stages *of, const trace *made, err *e)
{
    const options *o = c->given;
    const char *file = of->numbers->entry[0].at.file;
    marking m = {.of = of, .trace = made, .marks = c->marks, .digits = option_digits(o)};
    bool done = check_marks_begin(c->marks, e) && mark_all(&m, e) && text_ok(&m.lines, e) &&
                check_marks_end(c->marks, file, e);
    if (done) {
        text_add_string(&c->out, m.right == m.numbers ? "ok    " : "FAIL  ");
        display_add_string(&c->out, file);
        text_add_format(&c->out, ": %zu of %zu answers are right (", m.right, m.numbers);
        report_name(&c->out, of->document);
        text_add_format(&c->out, ")\n%s", text_string(&m.lines));
        c->failed += m.right < m.numbers;
    }
    text_free(&m.lines);
    return done;
}
