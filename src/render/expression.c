#include "render/expression.h"

#include "attn/spec/spelling.h"
#include "model/parts.h"
#include "render/brackets.h"
#include "trace/trace.h"

#include <assert.h>
#include <string.h>

/* Up to so many terms are written out; of more, the first and the last show the pattern. */
enum { MOST_TERMS = 16 };

/* An expression being written. */
typedef struct expression_writer {
    text *out;
    const trace_item *item;
    const render_options *how;
    bool is_series;     /* a vector stands for its number of this term: */
    size_t term, count; /* of the series' */
    size_t left_out;    /* so many terms there are, where not all are shown */
} expression_writer;

/* A number, or a vector's element. */
static double element(const tensor *of, size_t index)
{
    tensor row = matrix_of(of);
    return matrix_at(&row, 0, of->rank == 0 ? 0 : index);
}

static selection shown_terms(size_t count, const render_options *how)
{
    return selection_of_rows(count, 0, how->is_full || count <= MOST_TERMS);
}

static size_t count_of(const tensor *of)
{
    return of->data == NULL ? 0 : of->rank == 0 ? 1 : of->size[0];
}

static void add_number(const expression_writer *w, const tensor *of, size_t index, bool is_operand)
{
    if (is_operand)
        number_text_add_operand(w->out, element(of, index), w->how->digits);
    else
        number_text_add(w->out, element(of, index), w->how->digits);
}

static void add_vector(const expression_writer *w, const tensor *of)
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

/* The operand of a letter; NULL: the letter has none. */
static const tensor *operand_of(const expression_writer *w, char letter)
{
    const trace_item *item = w->item;
    const tensor *const of[] = {&item->a, &item->b, &item->c, &item->d, &item->e};
    return letter == 'i'                                    ? &item->inner
           : letter >= 'a' && letter < 'a' + TRACE_OPERANDS ? of[letter - 'a']
                                                            : NULL;
}

/* ---- what a spelling is with numbers ---- */

static const spelling_reader NUMBERS;

static void spell_text(void *to, spelled words)
{
    text_add(((expression_writer *)to)->out, words.at, (size_t)(words.end - words.at));
}

static void spell_place(void *to, spelled name)
{
    expression_writer *w = to;
    const char *at = name.at;
    if (at[0] == 'j') {
        text_add_format(w->out, "%zu", w->item->column);
    } else if (at[0] == 'n') {
        text_add_format(w->out, "%zu", w->count);
    } else if (at[0] == 'f' || at[0] == 'g') {
        const activation *by = w->item->map->function;
        spelling_read(&NUMBERS, w, spelled_whole(at[0] == 'f' ? by->spelled : by->slope_spelled));
    } else {
        /* A negative number needs no parentheses at the beginning of the text or of a list. */
        const char *so_far = text_string(w->out), *end = so_far + w->out->length;
        while (end > so_far && (end[-1] == ' ' || end[-1] == MATH_BREAK))
            end--;
        bool is_open = end == so_far || strchr("([,", end[-1]) != NULL, is_factor = at[0] == '(';
        /* Of {ab} the one that has the number. */
        size_t index = w->term;
        const tensor *of = operand_of(w, at[is_factor]), *next = operand_of(w, at[is_factor + 1]);
        if (next != NULL && index >= count_of(of)) {
            index -= count_of(of);
            of = next;
        }
        if (of->rank > 0 && !w->is_series)
            add_vector(w, of);
        else
            add_number(w, of, index, is_factor || !is_open);
    }
}

static void spell_series(void *to, const spelled_series *series)
{
    expression_writer *w = to;
    const char *first = strchr(series->term.at, '{') + 1;
    first += *first == '(';
    const tensor *of = operand_of(w, first[0]), *more = operand_of(w, first[1]);
    w->count = count_of(of) + (more == NULL ? 0 : count_of(more));
    selection terms = shown_terms(w->count, w->how);
    w->is_series = true;
    for (size_t slot = 0; slot < selection_count(&terms); slot++) {
        w->term = selection_at(&terms, slot);
        if (slot > 0)
            spell_text(w, series->between);
        if (w->term == SELECTION_GAP)
            text_add_string(w->out, "…");
        else if (series->zero.at != NULL && element(of, w->term) == 0)
            spell_text(w, series->zero);
        else
            spelling_read(&NUMBERS, w, series->term);
    }
    w->is_series = false;
    w->term = 0;
    w->left_out = terms.front < terms.total ? terms.total : 0;
}

static bool spell_has(const void *to, char letter)
{
    return operand_of(to, letter)->data != NULL;
}

static bool spell_is_first(const void *to)
{
    const trace_item *item = ((const expression_writer *)to)->item;
    return map_pair_of(item->map, item->cell[2]).is_first;
}

static const spelling_reader NUMBERS = {.text = spell_text,
                                        .place = spell_place,
                                        .series = spell_series,
                                        .has = spell_has,
                                        .is_first = spell_is_first};

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

worked_line worked_line_of(const trace_item *item, const render_options *how)
{
    /* Further decimals that show what was rounded away, if the number's own decimals are too few to
     * show it. */
    enum { ROUNDED_AWAY = 2 };
    bool is_change = item->op == OP_ROUND || item->op == OP_HIDE;
    /* A sum of one number is that number. */
    bool is_itself = item->op == OP_COPY || item->op == OP_BESIDE ||
                     (item->op == OP_SUM && tensor_count(&item->a) == 1 && item->c.data == NULL);
    worked_line l = {.before = " = ", .sign = is_change ? " → " : " = "};
    render_options before = *how, after = *how;
    if (item->op == OP_ROUND && how->digits < 0 && item->decimals >= NUMBER_TEXT_DECIMALS) {
        before.digits = item->decimals + ROUNDED_AWAY;
        after.digits = item->decimals;
    }
    add_side(&l, item, item->left);
    if (item->letters != NULL) {
        text_add_string(&l.head, is_change ? ": " : " = ");
        add_side(&l, item, item->letters);
    }
    expression_writer numbers = {.out = &l.expression, .item = item, .how = &before};
    if (!is_itself)
        spelling_read(&NUMBERS, &numbers, spelled_whole(operation_of(item->op)->spelled));
    if (l.expression.length == 0)
        l.before = "";
    else if (is_change && item->letters == NULL)
        l.before = ": ";
    expression_writer inner = {.out = &l.inner, .item = item, .how = how};
    if (item->inner.data != NULL)
        spelling_read(&NUMBERS, &inner, spelled_whole(operation_of(item->op)->inner));
    expression_writer result = {.out = &l.result, .how = &after};
    tensor value = is_itself ? item->a : item->result;
    if (is_itself && value.rank > 0)
        value = tensor_at(&value, 0);
    if (value.rank == 0)
        add_number(&result, &value, 0, false);
    else
        add_vector(&result, &value);
    if (numbers.left_out > 0)
        text_add_format(&l.result, "  (%zu %s)", numbers.left_out,
                        item->op == OP_MAX ? "numbers" : "terms");
    return l;
}

void worked_line_free(worked_line *l, text *out)
{
    text_close(&l->head, out);
    text_close(&l->expression, out);
    text_close(&l->inner, out);
    text_close(&l->result, out);
}
