/* Matrices: each number at its row and column, each label, each shape. */
#include "checks.h"
#include "names.h"
#include "shown.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Of more heads only the focus's is shown. */
enum { MOST_HEADS = 4 };

static void read_column_labels(reader *r, const named_matrix *m, const shown *columns)
{
    for (size_t i = 0; i < columns->count && !r->failed; i++) {
        read_spaces(r);
        if (columns->place[i] == SHOWN_GAP)
            read_words(r, "…");
        else
            read_label(r, m->columns, m->column_names, columns->place[i]);
    }
    read_end(r);
}

/* "scores, head 1 of 2 (3 × 3)": the name, without its shape, which must be right. */
static void read_name(reader *r, const char *line, char name[64], named_matrix *m)
{
    line += strspn(line, " ");
    const char *shape = strstr(line, " (");
    size_t length = shape == NULL ? strlen(line) : (size_t)(shape - line);
    snprintf(name, 64, "%.*s", (int)length, line);
    *m = matrix_named(r, name);
    tensor *t = &m->numbers;
    if (r->failed)
        return;
    r->at = shape == NULL ? "" : shape;
    if (t->rank == 2)
        read_words(r, " (%zu × %zu)", t->size[0], t->size[1]);
    else if (t->rank == 1)
        read_words(r, " (%zu long)", t->size[0]);
    read_end(r);
}

static void read_matrix_row(reader *r, const char *line, const named_matrix *m, size_t row,
                            const shown *columns)
{
    tensor numbers = as_matrix(&m->numbers);
    r->at = line;
    read_spaces(r);
    if (reader_sees(r, "→ ") && row + 1 != m->focus)
        reader_fail(r, "the arrow is at row %zu, not at %zu", row + 1, m->focus);
    if (*r->at != '[' || isalpha((unsigned char)r->at[1])) {
        read_label(r, m->rows, m->row_names, row);
        read_spaces(r);
    } else if (numbers.size[0] > 1)
        reader_fail(r, "a row without its label");
    read_shown_row(r, &numbers, row, columns);
    read_end(r);
}

/* The name's line is off; what is left is one part, or all. */
static void read_matrix_lines(reader *r, paragraph *p, const named_matrix *m)
{
    shown rows, columns;
    tensor numbers = as_matrix(&m->numbers);
    shown_find(r, p, numbers.size[0], numbers.size[1], &rows, &columns);
    bool has_column_labels = numbers.size[1] > 1 || m->columns != NULL || m->column_names != NULL;
    size_t lines = rows.count + has_column_labels;
    if (p->count != lines)
        reader_fail(r, "%zu lines, expected %zu", p->count, lines);
    for (size_t i = 0; i < p->count && !r->failed; i++) {
        r->at = p->line[i];
        size_t at = i - has_column_labels;
        if (has_column_labels && i == 0)
            read_column_labels(r, m, &columns);
        else if (rows.place[at] == SHOWN_GAP) {
            read_spaces(r);
            read_words(r, "…");
            read_end(r);
        } else
            read_matrix_row(r, p->line[i], m, rows.place[at], &columns);
    }
}

bool is_next_part(const paragraph *p)
{
    return strncmp(p->line[0], "    column", strlen("    column")) == 0;
}

static bool ends_with_shape(const char *line)
{
    size_t length = strlen(line);
    return length > 1 && line[length - 1] == ')' &&
           (strstr(line, " long)") != NULL || strstr(line, " × ") != NULL) &&
           strstr(line, " (") != NULL && strstr(line, " = ") == NULL;
}

bool is_matrix(const paragraph *p)
{
    const char *first = p->line[0] + strspn(p->line[0], " ");
    bool is_alone = strlen(first) == 2 && p->count == 2 && strchr(p->line[1], '[') != NULL;
    return ends_with_shape(first) || is_alone;
}

/* The heads of a stage follow each other, or the focus's stands alone. */
static void check_head_order(reader *r, progress *at, const char *name)
{
    size_t head = 0, length = strcspn(name, ",");
    const char *said = strstr(name, ", head ");
    if (said == NULL || sscanf(said, ", head %zu", &head) != 1)
        return;
    bool is_same = strlen(at->matrix) == length && strncmp(at->matrix, name, length) == 0;
    size_t next = is_same ? at->head + 1 : 1;
    bool is_alone = r->of->heads > MOST_HEADS && !r->of->how.is_full;
    if (head != (is_alone ? r->of->how.head + 1 : next))
        reader_fail(r, "'%s' follows head %zu", name, next - 1);
    snprintf(at->matrix, sizeof at->matrix, "%.*s", (int)length, name);
    at->head = head;
}

void check_matrix(reader *r, progress *at, const paragraph *p, char name[64])
{
    named_matrix m;
    paragraph rest = *p;
    if (is_next_part(p))
        m = matrix_named(r, name);
    else {
        read_name(r, p->line[0], name, &m);
        check_head_order(r, at, name);
        rest.line++;
        rest.count--;
    }
    if (!r->failed)
        read_matrix_lines(r, &rest, &m);
}
