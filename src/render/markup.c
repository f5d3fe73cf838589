#include "render/markup.h"

#include "base/mem.h"
#include "render/brackets.h"
#include "render/text_items.h"

#include <math.h>
#include <string.h>

/* ---- words ---- */

static void add_words(const markup_page *p, const char *words)
{
    p->marks->add_words(p->out, p->marks->dialect, words, strlen(words));
}

static void add_strong(const markup_page *p, const char *words)
{
    text_add_string(p->out, p->marks->strong_before);
    add_words(p, words);
    text_add_string(p->out, p->marks->strong_after);
}

static void add_paragraphs(const markup_page *p, const char *words)
{
    while (*words != '\0') {
        size_t length = strcspn(words, "\n");
        p->marks->add_words(p->out, p->marks->dialect, words, length);
        text_add_string(p->out, "\n\n");
        words += length + (words[length] != '\0');
    }
}

/* Adds a paragraph that says what of a matrix is not shown, if anything is not. */
static void add_left_out(const markup_page *p, const selection *rows, const selection *columns)
{
    text note = {0};
    selection_add_left_out(&note, rows, columns);
    add_paragraphs(p, text_string(&note));
    text_close(&note, p->out);
}

static void add_math(const markup_page *p, const char *formula, size_t length)
{
    math_add(p->out, formula, length, p->marks->math_words);
}

static void add_formula(const markup_page *p, const char *formula)
{
    add_math(p, formula, strlen(formula));
}

/* ---- how wide ---- */

/* In characters: a line that fits a slide and GitHub's column; a page, which holds the longest left
 * side of aligned lines and what is right of it; and the least that numbers get next to a long left
 * side. */
enum { LONGEST_LINE = 80, WIDEST_PAGE = 88, SHORTEST_LINE = 40, EXPONENT_COLUMNS = 2 };

/* A page of letters, which are narrower than digits. */
enum { WIDEST_LETTERS = 96 };

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
    const char *left = item->kind == TRACE_LINE ? item->left : item->text,
               *sign = strstr(left, " = ");
    bool is_whole = item->kind == TRACE_LINE || sign == NULL;
    return display_columns(left, is_whole ? strlen(left) : (size_t)(sign - left));
}

/* ---- formulas and worked lines ---- */

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

/* The letters of a line, or of a formula. */
typedef struct letters {
    const char *text;
    const math_span *word; /* words in them are never broken */
    size_t words;
} letters;

static bool begins_with(const char *at, const char *word)
{
    return strncmp(at, word, strlen(word)) == 0;
}

/* Where letters that are too long for a page go on below: before the last sum, or where there is
 * none the last product, that leaves what is before it short enough and is in no parentheses; else
 * their end. */
static size_t break_of(const markup_page *p, const letters *l, size_t first, size_t end)
{
    const size_t most = WIDEST_LETTERS > p->left ? WIDEST_LETTERS - p->left : 0;
    size_t depth = 0, sum = end, product = end, word = 0;
    if (display_columns(l->text + first, end - first) <= most)
        return end;
    for (size_t i = first; i < end && display_columns(l->text + first, i - first) <= most; i++) {
        const char *at = l->text + i;
        while (word < l->words && l->word[word].at < i)
            word++;
        if (word < l->words && l->word[word].at == i)
            i += l->word[word].bytes - 1;
        else if (strchr("([", *at) != NULL)
            depth++;
        else if (strchr(")]", *at) != NULL)
            depth--;
        else if (depth == 0 && i > first && (begins_with(at, " + ") || begins_with(at, " − ")))
            sum = i;
        else if (depth == 0 && i > first && begins_with(at, "·"))
            product = i;
    }
    return sum < end ? sum : product;
}

static void add_letters(const markup_page *p, const letters *l, size_t first, size_t end)
{
    for (size_t next; first < end; first = next) {
        next = break_of(p, l, first, end);
        math_add_part(p->out, l->text, first, next, l->word, l->words, p->marks->math_words);
        text_add_string(p->out, next < end ? " \\\\\n&\\quad {}" : "");
    }
}

static void add_line(const markup_page *p, const trace_item *item)
{
    worked_line l = worked_line_of(item, p->how);
    size_t own = left_columns(item), shift = p->left > own ? p->left - own : 0;
    size_t before = columns_of(&l.head);
    bool is_long = l.expression.length > 0 && shift + before + columns_of(&l.expression) +
                                                      columns_of(&l.inner) + columns_of(&l.result) +
                                                      6 >
                                                  LONGEST_LINE;
    /* The left side and the letters are aligned at the equals sign between them. A sign inside of a
     * word does not count. If there is one, the numbers may go on below. */
    const char *head = text_string(&l.head), *sign = strstr(head, " = ");
    for (size_t i = 0; i < l.words; i++) {
        const char *word = head + l.word[i].at;
        while (sign != NULL && sign >= word && sign < word + l.word[i].bytes)
            sign = strstr(sign + 1, " = ");
    }
    size_t end = l.head.length, left = sign == NULL ? end : (size_t)(sign - head) + 1;
    const letters all = {head, l.word, l.words};
    math_add_part(p->out, head, 0, left, l.word, l.words, p->marks->math_words);
    text_add_string(p->out, "&");
    add_letters(p, &all, left, end);
    if (sign != NULL && is_long) {
        text_add_string(p->out, " \\\\\n&");
        before = 0;
    }
    add_formula(p, l.before);
    add_broken(p, &l.expression, before);
    if (l.inner.length > 0) {
        text_add_string(p->out, is_long ? " \\\\\n&" : "");
        add_formula(p, " = ");
        add_broken(p, &l.inner, 0);
    }
    text_add_string(p->out, is_long ? " \\\\\n&" : "");
    add_formula(p, l.sign);
    add_broken(p, &l.result, 0);
    worked_line_free(&l, p->out);
}

/* What is said of a long formula after a colon stands below it. */
static void add_formula_and_words(const markup_page *p, const char *formula)
{
    const char *colon = strstr(formula, ": ");
    size_t length = strlen(formula), left = p->left;
    bool is_long = colon != NULL && left + display_columns(formula, length) > LONGEST_LINE;
    size_t first = is_long ? (size_t)(colon + 1 - formula) : length;
    add_letters(p, &(letters){.text = formula}, 0, first);
    if (is_long) {
        text_add_string(p->out, " \\\\\n&\\quad {}");
        add_formula(p, colon + 2);
    }
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
        add_formula_and_words(p, item->text + left);
    }
    text_add_string(p->out, p->marks->math_after);
    return end;
}

/* ---- one matrix ---- */

/* One matrix being written, as much of it as fits side by side: the slots from `first` to before
 * `end` of its columns. */
typedef struct grid {
    const markup_page *page;
    column_source from;
    selection columns;
    size_t first, end, focus;
    number_width *width; /* of each slot of `columns` */
} grid;

/* ---- cells ---- */

/* Mathematics in a cell. */
static void add_inline(const markup_page *p, const char *formula)
{
    text_add_string(p->out, p->marks->inline_before);
    add_formula(p, formula);
    text_add_string(p->out, p->marks->inline_after);
}

static void add_label(const grid *g, const trace_labels *labels, size_t index, bool is_strong)
{
    text label = {0};
    label_add(&label, labels, index);
    (is_strong ? add_strong : add_words)(g->page, text_string(&label));
    text_close(&label, g->page->out);
}

static void add_between(const grid *g, bool is_first)
{
    const markup *marks = g->page->marks;
    text_add_string(g->page->out, is_first ? marks->row_before : marks->cell_between);
}

static void add_numbers(const grid *g, const tensor *from, size_t row)
{
    const markup *marks = g->page->marks;
    text *out = g->page->out;
    for (size_t slot = g->first; slot < g->end; slot++) {
        size_t column = selection_at(&g->columns, slot);
        text number = {0};
        add_between(g, slot == g->first && g->from.row_labels == NULL);
        if (row == SELECTION_GAP || column == SELECTION_GAP) {
            add_words(g->page, "…");
            continue;
        }
        double value = matrix_at(from, row, column);
        number_text_add_aligned(&number, value, g->page->how->digits, &g->width[slot]);
        const char *written = text_string(&number) + strspn(text_string(&number), " ");
        if (marks->numbers_are_math)
            add_inline(g->page, written);
        else if (isinf(value))
            text_add_string(out, value < 0 ? "−∞" : "∞");
        else
            text_add_string(out, written);
        text_close(&number, out);
    }
    text_add_string(out, marks->row_after);
}

static void begin_table(const markup_page *p, const char *columns)
{
    if (p->marks->columns_before != NULL)
        text_add_format(p->out, "%s%s%s", p->marks->columns_before, columns,
                        p->marks->columns_after);
}

static void add_rule(const markup_page *p, const char *columns)
{
    if (p->marks->rule != NULL) {
        text_add_string(p->out, p->marks->rule);
        return;
    }
    text_add_string(p->out, "|");
    for (; *columns != '\0'; columns++)
        text_add_string(p->out, *columns == 'r' ? "--:|" : ":--|");
    text_add_string(p->out, "\n");
}

/* A heading, the rows, and the row below a sum's line. */
static void add_part(const grid *g, const char *sum)
{
    const markup *marks = g->page->marks;
    text *out = g->page->out, aligns = {0};
    text_add_repeated(&aligns, "l", g->from.row_labels != NULL);
    text_add_repeated(&aligns, "r", g->end - g->first);
    begin_table(g->page, text_string(&aligns));
    if (g->from.labels != NULL || marks->rule == NULL) {
        if (g->from.row_labels != NULL)
            add_between(g, true);
        for (size_t slot = g->first; slot < g->end; slot++) {
            size_t column = selection_at(&g->columns, slot);
            add_between(g, slot == g->first && g->from.row_labels == NULL);
            if (column == SELECTION_GAP || g->from.labels != NULL)
                add_label(g, g->from.labels, column, false);
        }
        text_add_string(out, marks->row_after);
        add_rule(g->page, text_string(&aligns));
    }
    for (size_t slot = 0; slot < selection_count(&g->from.rows); slot++) {
        size_t row = selection_at(&g->from.rows, slot);
        if (g->from.row_labels != NULL) {
            add_between(g, true);
            add_label(g, g->from.row_labels, row, row != SELECTION_GAP && row + 1 == g->focus);
        }
        add_numbers(g, &g->from.matrix, row);
    }
    if (sum != NULL) {
        if (marks->rule != NULL)
            add_rule(g->page, text_string(&aligns));
        add_between(g, true);
        add_strong(g->page, sum);
        add_numbers(g, &g->from.also, 0);
    }
    text_close(&aligns, out);
    text_add_string(out, marks->table_after);
}

/* ---- parts that fit ---- */

static const size_t BETWEEN = 3; /* of two columns, in characters */

static size_t label_characters(const grid *g, const trace_labels *labels, size_t index)
{
    text label = {0};
    label_add(&label, labels, index);
    size_t characters = g->page->marks->characters(text_string(&label));
    text_close(&label, g->page->out);
    return characters;
}

/* Or the rows of a sum. */
static void add_matrix(const markup_page *p, const trace_item *item)
{
    bool is_sum = item->kind == TRACE_STACK;
    text *out = p->out, shape = {0};
    err e = {0};
    grid g = {.page = p, .from = column_source_of(item, p->how), .focus = item->focus};
    if (!is_sum) {
        matrix_add_shape(&shape, &item->a);
        add_strong(p, item->text);
        add_words(p, text_string(&shape));
        text_add_string(out, "\n\n");
        text_close(&shape, out);
    }
    g.columns = selection_of_rows(g.from.matrix.size[1], 0, p->how->is_full);
    g.columns.has_ids = g.from.has_ids;
    size_t count = selection_count(&g.columns), most = p->marks->most_characters, labels = 0;
    g.width = mem_alloc_zeroed(count, sizeof g.width[0], &e);
    if (g.width == NULL) {
        out->failed = true;
        return;
    }
    for (size_t slot = 0; slot < count; slot++) {
        size_t column = selection_at(&g.columns, slot);
        if (column != SELECTION_GAP)
            g.width[slot] = column_number_width(&g.from, column);
    }
    bool has_labels = most > 0 && g.from.row_labels != NULL;
    for (size_t slot = 0; has_labels && slot < selection_count(&g.from.rows); slot++) {
        size_t row = selection_at(&g.from.rows, slot);
        size_t label = row == SELECTION_GAP ? 1 : label_characters(&g, g.from.row_labels, row);
        labels = size_larger(labels, label);
    }
    for (; g.end < count; g.first = g.end) {
        if (most == 0)
            g.end = count;
        /* One column at least, and as many as fit. */
        for (size_t used = labels; g.end < count; g.end++) {
            size_t column = selection_at(&g.columns, g.end), label = 0;
            if (g.from.labels != NULL && column != SELECTION_GAP)
                label = label_characters(&g, g.from.labels, column);
            used += BETWEEN + size_larger(label, number_width_columns(&g.width[g.end]));
            if (used > most && g.end > g.first)
                break;
        }
        /* If there are several parts, each has a name. */
        size_t from = selection_at(&g.columns, g.first), last = selection_at(&g.columns, g.end - 1);
        if (g.end - g.first < count && from != SELECTION_GAP && last != SELECTION_GAP) {
            text words = {0};
            selection_add_part(&words, g.columns.has_ids, from, last + 1, g.columns.total);
            add_paragraphs(p, text_string(&words));
            text_close(&words, out);
        }
        add_part(&g, is_sum ? item->text : NULL);
    }
    mem_free(g.width);
    add_left_out(p, &g.from.rows, &g.columns);
}

/* ---- a table of words ---- */

static void add_table_row(const markup_page *p, const trace_item *item, size_t row)
{
    size_t columns = item->columns_count;
    for (size_t column = 0; column < columns; column++) {
        const char *words = item->cells.item[row * columns + column];
        bool is_math = row > 0 && *words != '\0' && item->columns_hold[column] == 'm';
        text_add_string(p->out, column == 0 ? p->marks->row_before : p->marks->cell_between);
        if (is_math && !math_is_words(words))
            add_inline(p, words);
        else
            add_words(p, words);
    }
    text_add_string(p->out, p->marks->row_after);
}

/* Where it has more rows than fit it goes on as another table. */
static void add_table(const markup_page *p, const trace_item *item)
{
    char aligns[TABLE_MOST + 1] = "";
    size_t columns = item->columns_count;
    for (size_t column = 0; column < columns; column++)
        aligns[column] = table_text_is_right(&item->cells, columns, column) ? 'r' : 'l';
    size_t rows = item->cells.count / columns, most = p->marks->most_rows;
    for (size_t row = 1, end; row < rows; row = end) {
        end = most == 0 || rows - row < most ? rows : row + most;
        begin_table(p, aligns);
        add_table_row(p, item, 0);
        add_rule(p, aligns);
        for (size_t i = row; i < end; i++)
            add_table_row(p, item, i);
        text_add_string(p->out, p->marks->table_after);
    }
}

/* ---- products ---- */

/* Of a row, or of several, and a matrix: on one line where that fits a page, else each of the three
 * on its own, without the columns that have no room there. */

/* Columns that are read at one look, characters that fit a page (a digit is a character), the sign
 * between two matrices, and the columns that stay in any case. */
enum { MOST_COLUMNS = 8, WIDEST_PRODUCT = 84, SIGN_COLUMNS = 4, FEWEST = 2 };

/* A matrix, and the rows and columns of it that are shown. */
typedef struct excerpt {
    tensor matrix;
    const selection *rows, *columns;
} excerpt;

static selection shown(size_t total, const render_options *how)
{
    return how->is_full || total <= MOST_COLUMNS ? selection_all(total)
                                                 : selection_of_ends(total, MOST_COLUMNS - 1);
}

/* In characters; what is wider than any page can't be measured. */
static size_t width_of(const excerpt *of, const render_options *how)
{
    column_source from = {.matrix = of->matrix, .digits = how->digits, .rows = *of->rows};
    brackets b = {0};
    if (selection_count(of->columns) > BRACKETS_MOST)
        return SIZE_MAX / 4;
    brackets_measure(&b, &from, of->columns);
    return brackets_columns(&b);
}

/* Takes a column away where there is one to take. */
static bool shorten(selection *s)
{
    size_t left = s->front + s->back;
    if (left <= FEWEST)
        return false;
    *s = selection_of_ends(s->total, left - 1);
    return true;
}

static void add_brackets(const markup_page *p, const excerpt *of)
{
    text_add_string(p->out, "\\begin{bmatrix} ");
    for (size_t i = 0; i < selection_count(of->rows); i++) {
        size_t row = selection_at(of->rows, i);
        text_add_string(p->out, i > 0 ? " \\\\ " : "");
        for (size_t j = 0; j < selection_count(of->columns); j++) {
            size_t column = selection_at(of->columns, j);
            text number = {0};
            text_add_string(p->out, j > 0 ? " & " : "");
            if (row == SELECTION_GAP || column == SELECTION_GAP) {
                text_add_string(p->out, row == column          ? "\\ddots"
                                        : row == SELECTION_GAP ? "\\vdots"
                                                               : "\\cdots");
                continue;
            }
            number_text_add(&number, matrix_at(&of->matrix, row, column), p->how->digits);
            add_formula(p, text_string(&number));
            text_close(&number, p->out);
        }
    }
    text_add_string(p->out, " \\end{bmatrix}");
}

/* Where the three don't fit on one line, each has one, and shows as many columns as fit there. */
static void add_product(const markup_page *p, const trace_item *item)
{
    /* What stands before the names, and before the matrices: on lines all begin at the left, so
     * that no name takes room from the numbers; on one they are aligned at the equals sign. */
    static const char *const BEFORE[][6] = {
        {"&", "\\times ", " = ", " \\\\\n&", " \\\\\n&\\times ", " \\\\\n&= "},
        {"", "\\times ", " &= ", " \\\\\n", " \\times ", " &= "},
    };
    const render_options *how = p->how;
    selection rows, inner, outer; /* inner: the columns of a, which are the rows of b */
    const char *const name[] = {item->left, item->letters, item->text};
    const excerpt row = {matrix_of(&item->a), &rows, &inner},
                  matrix = {matrix_of(&item->b), &inner, &outer},
                  result = {matrix_of(&item->result), &rows, &outer};
    const excerpt *const excerpts[] = {&row, &matrix, &result};
    rows = selection_all(row.matrix.size[0]);
    inner = shown(matrix.matrix.size[0], how);
    outer = shown(matrix.matrix.size[1], how);
    size_t names = display_columns(item->left, strlen(item->left)) +
                   display_columns(item->letters, strlen(item->letters)) + SIGN_COLUMNS;
    size_t left = size_larger(names, width_of(&row, how) + SIGN_COLUMNS + width_of(&matrix, how));
    bool is_on_one_line = left + SIGN_COLUMNS + width_of(&result, how) <= WIDEST_PRODUCT;
    for (bool is_shorter = !is_on_one_line && !how->is_full; is_shorter;) {
        size_t below = size_larger(width_of(&matrix, how), width_of(&result, how)) + SIGN_COLUMNS;
        is_shorter = (width_of(&row, how) > WIDEST_PRODUCT && shorten(&inner)) ||
                     (below > WIDEST_PRODUCT && shorten(&outer));
    }
    text_add_string(p->out, p->marks->math_before);
    text_add_string(p->out, "\n");
    for (size_t i = 0; i < 3; i++) {
        text_add_string(p->out, BEFORE[is_on_one_line][i]);
        add_formula(p, name[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        text_add_string(p->out, BEFORE[is_on_one_line][3 + i]);
        add_brackets(p, excerpts[i]);
    }
    text_add_string(p->out, p->marks->math_after);
    add_left_out(p, &inner, &outer);
}

/* ---- the document ---- */

static void add_sentence(const markup_page *p, const trace_item *item)
{
    add_paragraphs(p, item->text);
}

/* Without those that are aligned below each other. */
static void (*const ADD_ITEM[])(const markup_page *p, const trace_item *item) = {
    [TRACE_SENTENCE] = add_sentence, [TRACE_ROW_PRODUCT] = add_product, [TRACE_STACK] = add_matrix,
    [TRACE_MATRIX] = add_matrix,     [TRACE_TABLE] = add_table,
};

static void end_frame(const markup_page *p)
{
    text_add_string(p->out, p->marks->frame_after == NULL ? "" : p->marks->frame_after);
}

bool markup_add_step(const markup_page *p, const trace_step *step, size_t number, err *e)
{
    text_add_format(p->out, "%s%zu. ", p->marks->heading_before[1], number);
    add_words(p, step->name);
    text_add_string(p->out, p->marks->heading_after);
    for (size_t i = 0; i < step->count;) {
        const trace_item *item = &step->item[i];
        if (!sink_spill(p->to, e))
            return false;
        if (is_math(item)) {
            i = add_aligned(p, step, i);
        } else {
            ADD_ITEM[item->kind](p, item);
            i++;
        }
    }
    end_frame(p);
    return true;
}

void markup_add_beginning(const markup_page *p, const trace *t)
{
    bool needs_title = p->marks->frame_after != NULL;
    text title =
        render_title(t, needs_title && p->how->source == NULL ? RENDER_UNTITLED : p->how->source);
    text notes = {0};
    if (title.length > 0) {
        text_add_string(p->out, p->marks->heading_before[0]);
        add_words(p, text_string(&title));
        text_add_string(p->out, p->marks->heading_after);
    }
    display_add_lines(&notes, t->notes == NULL ? "" : t->notes);
    add_paragraphs(p, text_string(&notes));
    end_frame(p);
    text_close(&title, p->out);
    text_close(&notes, p->out);
}

bool markup_render(const trace *t, const render_options *how, const markup *marks, sink *to, err *e)
{
    text *out = sink_text(to);
    markup_page p = {.to = to, .out = out, .marks = marks, .how = how};
    markup_add_beginning(&p, t);
    for (size_t i = 0; i < t->steps; i++) {
        if (!markup_add_step(&p, t->step[i], i + 1, e))
            return false;
    }
    /* Removes the empty line after the last paragraph, which was not spilled. */
    if (out->length > 0)
        out->data[--out->length] = '\0';
    return sink_spill(to, e);
}
