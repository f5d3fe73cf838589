#include "cli/check/check_marks.h"

#include "base/mem.h"
#include "cli/out/output_file.h"
#include "io/format.h"

#include <string.h>

typedef struct marked_file {
    double *mark; /* by question; those after the last one are holes */
    size_t marks, capacity;
    size_t asked, right;
} marked_file;

/* ---- collecting ---- */

bool check_marks_begin(check_marks *m, err *e)
{
    size_t had = m->capacity;
    marked_file *grown = mem_grow(m->marked, m->file.count, &m->capacity, sizeof grown[0], e);
    if (grown == NULL)
        return false;
    memset(grown + had, 0, (m->capacity - had) * sizeof grown[0]);
    m->marked = grown;
    marked_file *begun = &m->marked[m->file.count];
    begun->marks = begun->asked = begun->right = 0;
    return text_list_index(&m->question, e);
}

/* Files of one exercise have their questions in one order. */
static bool find_question(check_marks *m, const char *name, size_t first, size_t *found, err *e)
{
    text_list *all = &m->question;
    *found = first;
    if (first < all->count && strcmp(all->item[first], name) == 0)
        return true;
    const char *there = text_list_find(all, name);
    *found = 0;
    while (*found < all->count && all->item[*found] != there)
        ++*found;
    return there != NULL || text_list_add(all, name, strlen(name), e);
}

bool check_marks_add(check_marks *m, const char *question, double mark, err *e)
{
    marked_file *to = &m->marked[m->file.count];
    size_t at;
    if (!find_question(m, question, to->marks, &at, e))
        return false;
    while (to->marks <= at) {
        double *grown = mem_grow(to->mark, to->marks, &to->capacity, sizeof grown[0], e);
        if (grown == NULL)
            return false;
        to->mark = grown;
        to->mark[to->marks++] = tensor_hole();
    }
    to->mark[at] = mark;
    to->asked++;
    to->right += mark == 1;
    return true;
}

bool check_marks_end(check_marks *m, const char *file, err *e)
{
    return text_list_add(&m->file, file, strlen(file), e);
}

void check_marks_free(check_marks *m)
{
    for (size_t i = 0; i < m->capacity; i++)
        mem_free(m->marked[i].mark);
    mem_free(m->marked);
    text_list_free(&m->question);
    text_list_free(&m->file);
}

/* ---- writing ---- */

static const format *format_of(const options *o)
{
    const format *said = output_format_said(o, o->output == NULL ? "-" : o->output);
    return said == NULL ? format_by_name("csv") : said;
}

bool check_marks_check(const options *o, err *e)
{
    const format *to = format_of(o);
    if (to->holds & (HOLDS_LABELS | HOLDS_ALL))
        return true;
    err_set(e, "%s has no place for the names of files and questions", to->title);
    return err_remedy(e, "CSV, TSV and JSON have");
}

static bool add_totals(bundle *table, err *e)
{
    text_list *columns = &bundle_find(table, "columns")->list;
    return text_list_add(columns, "right", strlen("right"), e) &&
           text_list_add(columns, "of", strlen("of"), e);
}

static bool add_matrix(bundle *table, const check_marks *m, err *e)
{
    const size_t size[] = {m->file.count, m->question.count + 2};
    tensor all;
    if (!tensor_new(&all, DTYPE_F64, 2, size, e))
        return false;
    for (size_t i = 0; i < size[0]; i++) {
        const marked_file *one = &m->marked[i];
        double *row = (double *)all.data + i * size[1];
        for (size_t j = 0; j < m->question.count; j++)
            row[j] = j < one->marks ? one->mark[j] : tensor_hole();
        row[m->question.count] = (double)one->right;
        row[m->question.count + 1] = (double)one->asked;
    }
    return bundle_add_tensor(table, "marks", &all, (place){0}, e);
}

bool check_marks_write(const check_marks *m, const options *o, err *e)
{
    const write_options how = {.digits = -1};
    const format *to = format_of(o);
    bundle table = {0};
    sink out = {0};
    if (m->file.count == 0)
        return true;
    bool done = bundle_add_list(&table, "rows", &m->file, (place){0}, e) &&
                bundle_add_list(&table, "columns", &m->question, (place){0}, e) &&
                add_totals(&table, e) && add_matrix(&table, m, e) &&
                sink_open(&out, o->output == NULL ? "-" : o->output, e) &&
                to->write(&table, &how, &out, e) && sink_close(&out, e);
    sink_discard(&out);
    bundle_free(&table);
    return done;
}
