#include "render/markup.h"

#include "base/mem.h"
#include "render/display.h"
#include "render/expression.h"

#include <string.h>

static void add_paragraphs(const markup_page *p, const char *words)
{
    text line = {0};
    while (*words != '\0') {
        size_t length = strcspn(words, "\n");
        text_clear(&line);
        text_add(&line, words, length);
        p->marks->add_words(p->out, text_string(&line));
        text_add_string(p->out, "\n\n");
        words += length + (words[length] != '\0');
    }
    text_close(&line, p->out);
}

void markup_add_left_out(const markup_page *p, const selection *rows, const selection *columns)
{
    text note = {0};
    selection_add_left_out(&note, rows, columns);
    add_paragraphs(p, text_string(&note));
    text_close(&note, p->out);
}

/* A line of so many characters fits a slide, and GitHub's column; the left side, which all lines
 * below each other leave room for, and what is right of it fit a page. However long a left side is,
 * numbers stand next to it. */
enum { LONGEST_LINE = 80, WIDEST_PAGE = 88, SHORTEST_LINE = 40, EXPONENT_COLUMNS = 2 };

/* ---- how wide ---- */

/* ·10⁻⁵ is wider than e-05, of which the first digit is the third character. */
static size_t columns_of_piece(const char *piece, size_t length)
{
    size_t columns = display_columns(piece, length);
    for (size_t i = 1; i + 1 < length; i++) {
        bool is_exponent = piece[i] == 'e' && piece[i - 1] >= '0' && piece[i - 1] <= '9';
        columns += is_exponent ? EXPONENT_COLUMNS : 0;
    }
    return columns;
}

static size_t columns_of(const text *part)
{
    return columns_of_piece(text_string(part), part->length);
}

static size_t left_columns(const trace_item *item)
{
    const char *left = item->kind == TRACE_FORMULA ? item->text
                       : item->left != NULL        ? item->left
                                                   : item->letters;
    const char *sign = left == NULL ? NULL : strstr(left, " = ");
    bool is_whole = item->kind == TRACE_LINE || sign == NULL;
    return left == NULL ? 0
                        : display_columns(left, is_whole ? strlen(left) : (size_t)(sign - left));
}

/* What is left of a page after the left sides. */
static size_t most_columns(const markup_page *p)
{
    size_t most = p->left < WIDEST_PAGE ? WIDEST_PAGE - p->left : 0;
    return most > LONGEST_LINE ? LONGEST_LINE : most < SHORTEST_LINE ? SHORTEST_LINE : most;
}

/* ---- formulas and worked lines ---- */

static void add_math(const markup_page *p, const char *formula, size_t length)
{
    math_add(p->out, formula, length, p->marks->math_words);
}

static void add_formula(const markup_page *p, const char *formula)
{
    const char *sign = strstr(formula, " = ");
    size_t left = sign == NULL ? 0 : (size_t)(sign - formula) + 1;
    add_math(p, formula, left);
    text_add_string(p->out, "&");
    add_math(p, formula + left, strlen(formula + left));
}

/* An expression, broken between its terms where the line is long; `column` is how much of the
 * line is used already. */
static void add_broken(const markup_page *p, const text *part, size_t column)
{
    for (const char *piece = text_string(part); *piece != '\0';) {
        size_t length = math_piece(piece), columns = columns_of_piece(piece, length);
        if (column + columns > most_columns(p) && column > 0) {
            text_add_string(p->out, " \\\\\n&\\quad {}");
            column = 0;
        }
        add_math(p, piece, length);
        column += columns;
        piece += length + (piece[length] != '\0');
    }
}

static bool is_in_word(const worked_line *l, size_t at)
{
    for (size_t i = 0; i < l->words; i++) {
        if (at >= l->word[i].at && at < l->word[i].at + l->word[i].bytes)
            return true;
    }
    return false;
}

/* Where the sign after the left side is, the head's length where there is none. */
static size_t find_sign(const worked_line *l)
{
    const char *head = text_string(&l->head), *sign = strstr(head, " = ");
    while (sign != NULL && is_in_word(l, (size_t)(sign - head)))
        sign = strstr(sign + 1, " = ");
    return sign == NULL ? l->head.length : (size_t)(sign - head);
}

/* The left side and the letters, aligned at the sign between them; true where the numbers may go on
 * below. */
static bool add_head(const markup_page *p, const worked_line *l)
{
    const char *head = text_string(&l->head);
    size_t sign = find_sign(l), end = l->head.length, left = sign < end ? sign + 1 : end;
    math_add_part(p->out, head, 0, left, l->word, l->words, p->marks->math_words);
    text_add_string(p->out, "&");
    math_add_part(p->out, head, left, end, l->word, l->words, p->marks->math_words);
    return sign < end;
}

static void add_line(const markup_page *p, const trace_item *item)
{
    worked_line l = worked_line_of(item, p->how);
    size_t own = left_columns(item), shift = p->left > own ? p->left - own : 0;
    size_t head = columns_of(&l.head), expression = columns_of(&l.expression);
    bool is_long =
        shift + head + expression + columns_of(&l.inner) + columns_of(&l.result) + 6 > LONGEST_LINE;
    bool has_expression = l.expression.length > 0;
    if (add_head(p, &l) && is_long && has_expression) {
        text_add_string(p->out, " \\\\\n&");
        head = 0;
    }
    add_math(p, l.before, strlen(l.before));
    add_broken(p, &l.expression, head);
    if (l.inner.length > 0) {
        text_add_string(p->out, is_long ? " \\\\\n&" : "");
        add_math(p, " = ", strlen(" = "));
        add_broken(p, &l.inner, 0);
    }
    if (is_long && has_expression)
        text_add_string(p->out, " \\\\\n&");
    add_math(p, l.sign, strlen(l.sign));
    add_broken(p, &l.result, 0);
    worked_line_free(&l, p->out);
}

static bool is_math(const trace_item *item)
{
    return item->kind == TRACE_FORMULA || item->kind == TRACE_LINE;
}

static size_t widest_left(const trace_step *step, size_t first)
{
    size_t widest = 0;
    for (size_t i = first; i < step->count && is_math(&step->item[i]); i++)
        widest = size_larger(widest, left_columns(&step->item[i]));
    return widest;
}

/* Formulas and the lines that work them out, from `first` on, below each other. */
static size_t add_aligned(const markup_page *page, const trace_step *step, size_t first)
{
    markup_page aligned = *page, *p = &aligned;
    size_t i = first;
    p->left = widest_left(step, first);
    text_add_string(p->out, p->marks->math_before);
    for (; i < step->count && is_math(&step->item[i]); i++) {
        text_add_string(p->out, i > first ? " \\\\\n" : "\n");
        if (step->item[i].kind == TRACE_FORMULA)
            add_formula(p, step->item[i].text);
        else
            add_line(p, &step->item[i]);
    }
    text_add_string(p->out, p->marks->math_after);
    return i;
}

static void add_item(const markup_page *p, const trace_item *item)
{
    switch (item->kind) {
    case TRACE_ROW_PRODUCT:
        markup_add_product(p, item);
        break;
    case TRACE_STACK:
        markup_add_stack(p, item);
        break;
    case TRACE_MATRIX:
        markup_add_matrix(p, item);
        break;
    case TRACE_TABLE:
        markup_add_table(p, item);
        break;
    default:
        add_paragraphs(p, item->text);
    }
}

bool markup_add_step(const markup_page *p, const trace_step *step, size_t number, err *e)
{
    text_add_format(p->out, "%s%zu. ", p->marks->heading_before[1], number);
    p->marks->add_words(p->out, step->name);
    text_add_string(p->out, p->marks->heading_after);
    for (size_t i = 0; i < step->count;) {
        if (!sink_spill(p->to, e))
            return false;
        if (is_math(&step->item[i]))
            i = add_aligned(p, step, i);
        else
            add_item(p, &step->item[i++]);
    }
    return true;
}

/* ---- the document ---- */

static void add_title(const markup_page *p, const trace *t)
{
    const char *name = render_name(t, p->how);
    bool has_both = name != NULL && t->title != NULL;
    if (name == NULL && t->title == NULL)
        return;
    text_add_string(p->out, p->marks->heading_before[0]);
    p->marks->add_words(p->out, name == NULL ? "" : name);
    text_add_string(p->out, has_both ? ": " : "");
    p->marks->add_words(p->out, t->title == NULL ? "" : t->title);
    text_add_string(p->out, p->marks->heading_after);
}

static void add_notes(const markup_page *p, const trace *t)
{
    text notes = {0};
    display_add_lines(&notes, t->notes == NULL ? "" : t->notes);
    add_paragraphs(p, text_string(&notes));
    text_close(&notes, p->out);
}

void markup_add_beginning(const markup_page *p, const trace *t)
{
    add_title(p, t);
    add_notes(p, t);
}

bool markup_render(const trace *t, const render_options *how, const markup *marks, sink *to, err *e)
{
    text *out = sink_text(to);
    markup_page p = {.to = to, .out = out, .marks = marks, .how = how};
    markup_add_beginning(&p, t);
    for (size_t i = 0; i < t->steps; i++) {
        if (!markup_add_step(&p, &t->step[i], i + 1, e))
            return false;
    }
    /* The empty line after the last paragraph, which is never spilled. */
    if (out->length > 1 && !out->failed)
        out->data[--out->length] = '\0';
    return sink_spill(to, e);
}
