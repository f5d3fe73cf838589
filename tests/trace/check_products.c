/* Products, row × matrix = row side by side, and stacks, rows that are added up. */
#include "checks.h"
#include "names.h"
#include "shown.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- stacks ---- */

static bool is_rule(const char *line)
{
    line += strspn(line, " ");
    return strlen(line) >= 3 && strspn(line, "-") == strlen(line);
}

bool is_stack(const paragraph *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (is_rule(p->line[i]))
            return true;
    }
    return false;
}

/* The sum, again, of what stands above it. */
static void check_sums(reader *r, const tensor *terms, const tensor *sum)
{
    double step = r->of->how.type == DTYPE_F32 ? 1.2e-7 : 2.3e-16;
    for (size_t column = 0; column < sum->size[1]; column++) {
        double again = 0, size = 0;
        for (size_t row = 0; row < terms->size[0]; row++) {
            double term = number_at(terms, row, column);
            again += term;
            size += term < 0 ? -term : term;
        }
        double off = again - number_at(sum, 0, column);
        if ((off < 0 ? -off : off) > step * size * (double)(terms->size[0] + 2))
            reader_fail(r, "column %zu adds up to %.9g", column + 1, again);
    }
}

/* A stack being read: its rows, their sum, and what of them is shown. */
typedef struct stack {
    tensor terms, sum;
    shown rows, columns;
} stack;

/* Line `line`: a row behind its sign, the rule, or the sum. */
static void read_stack_line(reader *r, const stack *s, size_t line)
{
    const truth *t = r->of;
    char letter[32];
    snprintf(letter, sizeof letter, "weighted[%zu", t->how.row + 1);
    bool is_sum = line > s->rows.count;
    if (line == s->rows.count) {
        if (!is_rule(r->at))
            reader_fail(r, "expected the line above the sum");
        return;
    }
    if (!is_sum && s->rows.place[line] == SHOWN_GAP) {
        read_words(r, "…");
        read_end(r);
        return;
    }
    if (is_sum)
        read_words(r, "attended[%zu]", t->how.row + 1);
    else
        read_label(r, letter, truth_value_tokens(t), s->rows.place[line]);
    read_spaces(r);
    read_words(r, is_sum ? "= " : line > 0 ? "+ " : "");
    read_shown_row(r, is_sum ? &s->sum : &s->terms, is_sum ? 0 : s->rows.place[line], &s->columns);
    read_end(r);
}

void check_stack_products(reader *r, const paragraph *p)
{
    const truth *t = r->of;
    tensor weighted = truth_stage(t, "weighted", t->how.head),
           attended = truth_stage(t, "attended", t->how.head),
           result = tensor_at(&attended, t->how.row);
    stack s = {.terms = tensor_at(&weighted, t->how.row), .sum = as_matrix(&result)};
    paragraph rest = *p;
    shown_find(r, &rest, s.terms.size[0], s.terms.size[1], &s.rows, &s.columns);
    if (rest.count != s.rows.count + 2)
        reader_fail(r, "%zu lines, expected %zu", rest.count, s.rows.count + 2);
    for (size_t i = 0; i < rest.count && !r->failed; i++) {
        r->at = rest.line[i];
        read_spaces(r);
        read_stack_line(r, &s, i);
    }
    check_sums(r, &s.terms, &s.sum);
}

/* ---- products ---- */

/* The three, by their columns on the page. */
typedef struct found_name {
    size_t column;
    char name[64];
} found_name;

bool is_product(const paragraph *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (strstr(p->line[i], "  ×  ") != NULL)
            return true;
    }
    return false;
}

/* Where the next numbers or name on a line begin; a name is a letter and what follows it up to two
 * spaces. */
static const char *next_word(const char *at)
{
    while (*at != '\0' && *at != '[' && !isalpha((unsigned char)*at) &&
           strncmp(at, "…", strlen("…")) != 0)
        at++;
    return at;
}

static const char *word_end(const char *at)
{
    if (*at == '[')
        return at + strcspn(at, "]") + 1;
    const char *end = strstr(at, "  ");
    return end == NULL ? at + strlen(at) : end;
}

static void find_names(const paragraph *p, found_name found[3], size_t *count)
{
    for (size_t i = 0; i < p->count; i++) {
        for (const char *at = next_word(p->line[i]); *at != '\0'; at = next_word(word_end(at))) {
            if (!isalpha((unsigned char)*at) || *count == 3)
                continue;
            size_t column = (size_t)(at - p->line[i]), slot = (*count)++;
            for (; slot > 0 && found[slot - 1].column > column; slot--)
                found[slot] = found[slot - 1];
            found[slot].column = column;
            snprintf(found[slot].name, sizeof found[slot].name, "%.*s", (int)(word_end(at) - at),
                     at);
        }
    }
}

/* result = left × matrix, each by its name: they must belong together. */
static void check_names(reader *r, const found_name found[3])
{
    const truth *t = r->of;
    char which = *found[2].name, want[3][64], of_head[32] = "", of_keys[32] = "";
    size_t row = 1 + (which == 'k' || which == 'v' ? truth_key_row(t) : t->how.row);
    if (t->has_heads) {
        snprintf(of_head, sizeof of_head, " in head %zu", t->how.head + 1);
        snprintf(of_keys, sizeof of_keys, " in head %zu", truth_kv_head(t, t->how.head) + 1);
    }
    const char *head = which == 'k' || which == 'v' ? of_keys : of_head;
    if (which == 's') {
        snprintf(want[0], 64, "%s[%zu]%s", truth_last_form(t, 'q'), row, of_head);
        snprintf(want[1], 64, "%sᵀ%s", truth_last_form(t, 'k'), of_keys);
        snprintf(want[2], 64, "scores[%zu]%s", row, of_head);
    } else if (which == 'o') {
        const char *name;
        truth_joined(t, &name);
        snprintf(want[0], 64, "%s[%zu]", name, row);
        snprintf(want[1], 64, "Wo");
        snprintf(want[2], 64, "output[%zu]", row);
    } else {
        const char *source = strchr("qkv", which) == NULL ? NULL : truth_source(t, which);
        snprintf(want[0], 64, "%s[%zu]", source == NULL ? "" : source, row);
        snprintf(want[1], 64, "W%c%s", which, head);
        snprintf(want[2], 64, "%c[%zu]%s", which, row, head);
    }
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(found[i].name, want[i]) != 0)
            reader_fail(r, "a product of '%s', expected '%s'", found[i].name, want[i]);
    }
}

/* A product being read line by line: its three parts, and what of them is shown. */
typedef struct product {
    tensor part[3];
    shown inner, outer; /* the matrix's rows and columns */
    size_t line;        /* of the matrix, the next one */
} product;

/* One row in brackets, or …, of the row (0), the matrix (1) or the result (2). Returns its end. */
static const char *read_part(reader *r, product *p, size_t which, const char *at)
{
    const char *end = word_end(at);
    r->at = at;
    if (which > 2 || (which == 1 && p->line >= p->inner.count))
        reader_fail(r, "more numbers than the product has");
    else if (which == 1 && p->inner.place[p->line] == SHOWN_GAP) {
        read_words(r, "…");
        end = r->at;
    } else
        read_shown_row(r, &p->part[which], which == 1 ? p->inner.place[p->line] : 0,
                       which == 0 ? &p->inner : &p->outer);
    p->line += which == 1;
    return end;
}

/* All three stand on the line with the sign; on the others the matrix is alone. Names are passed
 * over. */
static void read_product_line(reader *r, product *p, const char *line)
{
    bool has_all = strstr(line, "  ×  ") != NULL;
    size_t parts = 0;
    for (const char *at = next_word(line); *at != '\0' && !r->failed;) {
        const char *end = word_end(at);
        if (!isalpha((unsigned char)*at))
            end = read_part(r, p, has_all ? parts++ : 1, at);
        at = next_word(end);
    }
    if (has_all && parts != 3)
        reader_fail(r, "a product of %zu parts", parts);
}

static void find_parts(reader *r, const paragraph *of, product *p)
{
    found_name found[3] = {0};
    size_t count = 0;
    paragraph numbers = *of;
    while (numbers.count > 1 && strchr(numbers.line[numbers.count - 1], '[') == NULL)
        numbers.count--;
    find_names(&numbers, found, &count);
    if (count != 3)
        reader_fail(r, "a product of %zu names", count);
    else
        check_names(r, found);
    for (size_t i = 0; i < 3 && !r->failed; i++) {
        named_matrix m = matrix_named(r, found[i].name);
        p->part[i] = as_matrix(&m.numbers);
    }
}

void check_product(reader *r, const paragraph *of)
{
    product p = {0};
    paragraph rest = *of;
    find_parts(r, of, &p);
    if (r->failed)
        return;
    shown_find(r, &rest, p.part[1].size[0], p.part[1].size[1], &p.inner, &p.outer);
    for (size_t i = 0; i < rest.count && !r->failed; i++)
        read_product_line(r, &p, rest.line[i]);
    if (p.line != p.inner.count)
        reader_fail(r, "the matrix has %zu lines, expected %zu", p.line, p.inner.count);
}
