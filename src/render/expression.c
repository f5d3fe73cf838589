#include "render/expression.h"

#include "model/parts.h"
#include "render/asked.h"
#include "render/brackets.h"
#include "render/display.h"
#include "render/number_text.h"
#include "trace/nodes.h"

#include <string.h>

/* Up to 16 terms are read one by one; of more, the first 8 and the last 3 say how it goes. */
enum { MOST_TERMS = 16, FIRST_TERMS = 8, LAST_TERMS = 3 };

/* An expression being written. */
typedef struct writer {
    text *out;
    const trace_item *item;
    const render_options *how;
    size_t begin;       /* where it begins in `out` */
    bool is_series;     /* a vector's number of this term is meant, not the whole: */
    size_t term, count; /* of the series' */
    size_t left_out;    /* so many terms there are, where not all are shown */
} writer;

/* A number, or a vector's element. */
static double element(const tensor *of, size_t index)
{
    tensor row = matrix_of(of);
    return matrix_at(&row, 0, of->rank == 0 ? 0 : index);
}

static selection shown_terms(size_t count, const render_options *how)
{
    if (how->is_full || count <= MOST_TERMS)
        return selection_all(count);
    return (selection){.total = count, .front = FIRST_TERMS, .back = LAST_TERMS};
}

static size_t count_of(const tensor *of)
{
    return of->data == NULL ? 0 : of->rank == 0 ? 1 : of->size[0];
}

static bool is_asked(const writer *w, const tensor *of, size_t index)
{
    tensor one = of->rank == 0 ? *of : tensor_at(of, index);
    asked_numbers number = asked_find(w->how->asked, &one);
    return asked_hides(&number, 0, 0);
}

/* Whether a negative number may stand here as it is. */
static bool is_open(const writer *w)
{
    const char *so_far = text_string(w->out);
    size_t at = w->out->length;
    while (at > w->begin && (so_far[at - 1] == ' ' || so_far[at - 1] == MATH_BREAK))
        at--;
    return at == w->begin || strchr("([,", so_far[at - 1]) != NULL;
}

static void add_number(const writer *w, const tensor *of, size_t index, bool is_operand)
{
    if (is_asked(w, of, index))
        text_add_string(w->out, ASKED_SIGN);
    else if (is_operand)
        number_text_add_operand(w->out, element(of, index), w->how->digits);
    else
        number_text_add(w->out, element(of, index), w->how->digits);
}

static void add_vector(const writer *w, const tensor *of)
{
    selection shown = shown_terms(of->size[0], w->how);
    text_add_string(w->out, "[");
    for (size_t slot = 0; slot < selection_count(&shown); slot++) {
        size_t index = selection_at(&shown, slot);
        text_add_string(w->out, slot > 0 ? ",\n " : "");
        if (index == SELECTION_GAP)
            text_add_string(w->out, "…");
        else
            add_number(w, of, index, false);
    }
    text_add_string(w->out, "]");
}

/* NULL: it is not the letter of one. */
static const tensor *operand_of(const writer *w, char letter)
{
    const trace_item *item = w->item;
    const tensor *const of[] = {&item->a, &item->b, &item->c, &item->d};
    return letter == 'i' ? &item->inner : letter >= 'a' && letter <= 'd' ? of[letter - 'a'] : NULL;
}

/* ---- spellings (attn/spec/operation.h) ---- */

static const char *add_spelled(writer *w, const char *at, const char *until, bool is_shown);

/* The operand of a place, from after the bracket; of {ab} the one that has the number. */
static const tensor *find_operand(const writer *w, const char *name, size_t *index)
{
    name += *name == '(';
    const tensor *of = operand_of(w, *name), *next = operand_of(w, name[1]);
    if (next == NULL || *index < count_of(of))
        return of;
    *index -= count_of(of);
    return next;
}

/* {a} and the like, from after the bracket; gives what follows. */
static const char *add_place(writer *w, const char *at, bool is_shown)
{
    const char *end = strchr(at, '}') + 1;
    bool is_factor = at[0] == '(';
    if (!is_shown)
        return end;
    if (at[0] == 'j') {
        text_add_format(w->out, "%zu", w->item->column);
    } else if (at[0] == 'n') {
        text_add_format(w->out, "%zu", w->count);
    } else if (at[0] == 'f') {
        add_spelled(w, w->item->map->function->spelled, "", true);
    } else {
        size_t index = w->term;
        const tensor *of = find_operand(w, at, &index);
        if (of->rank > 0 && !w->is_series)
            add_vector(w, of);
        else
            add_number(w, of, index, is_factor || !is_open(w));
    }
    return end;
}

/* <t;s;z> from after the bracket. */
static const char *add_series(writer *w, const char *term, bool is_shown)
{
    const char *between = strchr(term, ';') + 1, *end = strchr(term, '>');
    const char *zero = memchr(between, ';', (size_t)(end - between));
    const char *stop = zero == NULL ? end : zero;
    const char *first = strchr(term, '{') + 1;
    first += *first == '(';
    const tensor *of = operand_of(w, first[0]), *more = operand_of(w, first[1]);
    w->count = count_of(of) + (more == NULL ? 0 : count_of(more));
    selection terms = shown_terms(w->count, w->how);
    w->is_series = true;
    for (size_t slot = 0; is_shown && slot < selection_count(&terms); slot++) {
        w->term = selection_at(&terms, slot);
        if (slot > 0)
            text_add(w->out, between, (size_t)(stop - between));
        if (w->term == SELECTION_GAP)
            text_add_string(w->out, "…");
        else if (zero != NULL && element(of, w->term) == 0 && !is_asked(w, of, w->term))
            text_add(w->out, zero + 1, (size_t)(end - zero) - 1);
        else
            add_spelled(w, term, ";", true);
    }
    w->is_series = false;
    w->term = 0;
    w->left_out = terms.front < terms.total ? terms.total : 0;
    return end + 1;
}

/* [a?t:u] from after the bracket. */
static const char *add_choice(writer *w, const char *at, bool is_shown)
{
    bool is_there = operand_of(w, at[0])->data != NULL;
    at = add_spelled(w, at + 2, ":]", is_shown && is_there);
    return at[-1] == ':' ? add_spelled(w, at, "]", is_shown && !is_there) : at;
}

/* ~t~u~ from after the first sign. */
static const char *add_of_pair(writer *w, const char *at, bool is_shown)
{
    map_pair pair;
    bool is_first = map_pair_of(w->item->map, w->item->cell[2], &pair) && pair.is_first;
    at = add_spelled(w, at, "~", is_shown && is_first);
    return add_spelled(w, at, "~", is_shown && !is_first);
}

/* As far as a byte of `until`; gives what follows that. */
static const char *add_spelled(writer *w, const char *at, const char *until, bool is_shown)
{
    while (*at != '\0' && strchr(until, *at) == NULL) {
        char here = *at++;
        if (here == '{')
            at = add_place(w, at, is_shown);
        else if (here == '<')
            at = add_series(w, at, is_shown);
        else if (here == '[')
            at = add_choice(w, at, is_shown);
        else if (here == '~')
            at = add_of_pair(w, at, is_shown);
        else if (is_shown)
            text_add(w->out, &here, 1);
    }
    return *at == '\0' ? at : at + 1;
}

/* ---- the whole ---- */

void expression_add_value(text *out, const tensor *value, const render_options *how)
{
    writer w = {.out = out, .how = how};
    if (value->rank == 0)
        add_number(&w, value, 0, false);
    else
        add_vector(&w, value);
}

bool expression_is_change(operation op)
{
    return op == OP_ROUND || op == OP_HIDE;
}

void expression_add(text *out, const trace_item *item, const render_options *how, size_t *left_out)
{
    writer w = {.out = out, .item = item, .how = how, .begin = out->length};
    add_spelled(&w, operation_of(item->op)->spelled, "", true);
    *left_out = w.left_out;
}

void expression_add_inner(text *out, const trace_item *item, const render_options *how)
{
    writer w = {.out = out, .item = item, .how = how, .begin = out->length};
    if (item->inner.data != NULL)
        add_spelled(&w, operation_of(item->op)->inner, "", true);
}

/* ---- worked lines ---- */

/* The left side or the letters; where their words are is kept. */
static void add_side(worked_line *l, const trace_item *item, const char *side)
{
    const char *at = side;
    for (size_t i = 0; i < item->words; i++) {
        const trace_word *word = &item->word[i];
        if (word->in != side)
            continue;
        display_add(&l->head, at, (size_t)(side + word->at - at));
        size_t first = l->head.length;
        at = side + word->at + word->bytes;
        display_add(&l->head, side + word->at, word->bytes);
        l->word[l->words++] = (math_span){first, l->head.length - first};
    }
    display_add_string(&l->head, at);
}

static void make_head(worked_line *l, const trace_item *item)
{
    if (item->left != NULL)
        add_side(l, item, item->left);
    if (item->letters == NULL)
        return;
    if (item->left != NULL)
        text_add_string(&l->head, expression_is_change(item->op) ? ": " : " = ");
    add_side(l, item, item->letters);
}

/* A sum of one number is that number. */
static bool is_itself(const trace_item *item)
{
    return item->op == OP_COPY ||
           (item->op == OP_SUM && tensor_count(&item->a) == 1 && item->c.data == NULL);
}

static void make_result(text *out, const trace_item *item, const render_options *how)
{
    tensor value = is_itself(item) ? item->a : item->result;
    if (is_itself(item) && value.rank > 0)
        value = tensor_at(&value, 0);
    expression_add_value(out, &value, how);
}

/* Decimals that say what was rounded away: by themselves numbers have fewer than what is left may
 * have. */
enum { ROUNDED_AWAY = 2 };

/* How the numbers of a line are written, `more` decimals after those that rounding leaves. */
static render_options options_of(const trace_item *item, const render_options *how, int more)
{
    render_options of = *how;
    if (item->op == OP_ROUND && how->digits < 0 && item->decimals >= NUMBER_TEXT_DECIMALS)
        of.digits = item->decimals + more;
    return of;
}

worked_line worked_line_of(const trace_item *item, const render_options *how)
{
    worked_line l = {.before = " = ", .sign = expression_is_change(item->op) ? " → " : " = "};
    render_options before = options_of(item, how, ROUNDED_AWAY), after = options_of(item, how, 0);
    size_t terms = 0;
    make_head(&l, item);
    if (!is_itself(item))
        expression_add(&l.expression, item, &before, &terms);
    expression_add_inner(&l.inner, item, how);
    if (l.head.length == 0 || l.expression.length == 0)
        l.before = "";
    else if (expression_is_change(item->op) && item->letters == NULL)
        l.before = ": ";
    make_result(&l.result, item, &after);
    if (terms > 0)
        text_add_format(&l.result, "  (%zu %s)", terms, item->op == OP_MAX ? "numbers" : "terms");
    return l;
}

void worked_line_free(worked_line *l, text *out)
{
    text_close(&l->head, out);
    text_close(&l->expression, out);
    text_close(&l->inner, out);
    text_close(&l->result, out);
}
