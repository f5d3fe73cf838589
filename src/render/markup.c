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

/* ---- formulas and worked lines ---- */

static void add_math(const markup_page *p, const char *formula, size_t length)
{
    math_add(p->out, formula, length, p->marks->math_words);
}

/* An expression, broken between its terms where the line is long; `column` is how much of the
 * line is used already. */
static void add_broken(const markup_page *p, const text *part, size_t column)
{
    size_t left = p->left < WIDEST_PAGE ? WIDEST_PAGE - p->left : 0; /* of a page */
    size_t most = left > LONGEST_LINE ? LONGEST_LINE : size_larger(left, SHORTEST_LINE);
    for (const char *piece = text_string(part); *piece != '\0';) {
        size_t length = math_piece(piece), columns = columns_of_piece(piece, length);
        if (column + columns > most && column > 0) {
            text_add_string(p->out, " \\\\\n&\\quad {}");
            column = 0;
        }
        add_math(p, piece, length);
        column += columns;
        piece += length + (piece[length] != '\0');
    }
}

/* Where the sign after the left side is, the head's length where there is none. */
static size_t find_sign(const worked_line *l)
{
    const char *head = text_string(&l->head), *sign = strstr(head, " = ");
    for (size_t i = 0; i < l->words; i++) {
        const char *word = head + l->word[i].at;
        while (sign != NULL && sign >= word && sign < word + l->word[i].bytes)
            sign = strstr(sign + 1, " = ");
    }
    return sign == NULL ? l->head.length : (size_t)(sign - head);
}

static void add_line(const markup_page *p, const trace_item *item)
{
    worked_line l = worked_line_of(item, p->how);
    size_t own = left_columns(item), shift = p->left > own ? p->left - own : 0;
    size_t head = columns_of(&l.head), expression = columns_of(&l.expression);
    bool is_long =
        shift + head + expression + columns_of(&l.inner) + columns_of(&l.result) + 6 > LONGEST_LINE;
    bool has_expression = l.expression.length > 0;
    /* The left side and the letters, aligned at the sign between them; where there is one, the
     * numbers may go on below. */
    size_t sign = find_sign(&l), end = l.head.length, left = sign < end ? sign + 1 : end;
    const char *letters = text_string(&l.head);
    math_add_part(p->out, letters, 0, left, l.word, l.words, p->marks->math_words);
    text_add_string(p->out, "&");
    math_add_part(p->out, letters, left, end, l.word, l.words, p->marks->math_words);
    if (sign < end && is_long && has_expression) {
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

/* Formulas and the lines that work them out, from `first` on, below each other. */
static size_t add_aligned(const markup_page *page, const trace_step *step, size_t first)
{
    markup_page aligned = *page, *p = &aligned;
    size_t end = first;
    for (p->left = 0; end < step->count && is_math(&step->item[end]); end++)
        p->left = size_larger(p->left, left_columns(&step->item[end]));
    text_add_string(p->out, p->marks->math_before);
    for (size_t i = first; i < end; i++) {
        const trace_item *item = &step->item[i];
        text_add_string(p->out, i > first ? " \\\\\n" : "\n");
        if (item->kind == TRACE_LINE) {
            add_line(p, item);
            continue;
        }
        const char *sign = strstr(item->text, " = ");
        size_t left = sign == NULL ? 0 : (size_t)(sign - item->text) + 1;
        add_math(p, item->text, left);
        text_add_string(p->out, "&");
        add_math(p, item->text + left, strlen(item->text + left));
    }
    text_add_string(p->out, p->marks->math_after);
    return end;
}

bool markup_add_step(const markup_page *p, const trace_step *step, size_t number, err *e)
{
    text_add_format(p->out, "%s%zu. ", p->marks->heading_before[1], number);
    p->marks->add_words(p->out, step->name);
    text_add_string(p->out, p->marks->heading_after);
    for (size_t i = 0; i < step->count;) {
        const trace_item *item = &step->item[i];
        if (!sink_spill(p->to, e))
            return false;
        if (is_math(item)) {
            i = add_aligned(p, step, i);
            continue;
        }
        if (item->kind == TRACE_ROW_PRODUCT)
            markup_add_product(p, item);
        else if (item->kind == TRACE_STACK)
            markup_add_stack(p, item);
        else if (item->kind == TRACE_MATRIX)
            markup_add_matrix(p, item);
        else if (item->kind == TRACE_TABLE)
            markup_add_table(p, item);
        else
            add_paragraphs(p, item->text);
        i++;
    }
    return true;
}

/* ---- the document ---- */

void markup_add_beginning(const markup_page *p, const trace *t)
{
    const char *name = render_name(t, p->how);
    text notes = {0};
    if (name != NULL || t->title != NULL) {
        text_add_string(p->out, p->marks->heading_before[0]);
        p->marks->add_words(p->out, name == NULL ? "" : name);
        text_add_string(p->out, name != NULL && t->title != NULL ? ": " : "");
        p->marks->add_words(p->out, t->title == NULL ? "" : t->title);
        text_add_string(p->out, p->marks->heading_after);
    }
    display_add_lines(&notes, t->notes == NULL ? "" : t->notes);
    add_paragraphs(p, text_string(&notes));
    text_close(&notes, p->out);
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
