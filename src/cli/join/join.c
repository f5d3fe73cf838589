/* selfattn join: the rows that several runs of --rows computed, as the result of one run. */
#include "base/mem.h"
#include "cli/command.h"
#include "cli/in/matrix_file.h"
#include "cli/out/said.h"
#include "cli/out/outputs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct run_part {
    place at; /* its file */
    input_file in;
    bundle of; /* its document, and what made it */
    text_list header;
    row_choice rows; /* that it says it has; empty if it says nothing */
    size_t count;    /* of rows */
} run_part;

/* Where a row of the whole is. */
typedef struct row_place {
    const run_part *in; /* NULL: nowhere, so far */
    size_t row;
} row_place;

typedef struct joiner {
    const options *o;
    const env *world;
    run_part *part;
    size_t parts;
    row_place *row;
    size_t rows;
    bundle whole;
    const format *to;
    sink sink;
    bool is_open; /* a document was written */
} joiner;

/* ---- what a part says of itself ---- */

static const char ROWS[] = "rows: ", INPUT[] = "input: ";

static bool starts_with(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* "rows: 3:8 of 64" */
static bool read_rows(run_part *p, const char *line, err *e)
{
    const char *of = strstr(line, " of ");
    entry said = {.name = "rows", .at = p->at, .kind = ENTRY_TEXT};
    char *rest = NULL;
    unsigned long long count = of == NULL ? 0 : strtoull(of + strlen(" of "), &rest, 10);
    if (count == 0 || *rest != '\0' || count > SIZE_MAX / sizeof(size_t))
        return err_at(e, &p->at, "it says \"%s\", which is not a choice of rows", line);
    const char *list = line + strlen(ROWS);
    said.text = mem_copy_text(list, (size_t)(of - list), e);
    row_choice_free(&p->rows);
    bool done = said.text != NULL && row_choice_read(&p->rows, &said, "row", (size_t)count, e);
    mem_free(said.text);
    return done;
}

/* Checks that all parts that name their inputs had the same. */
static bool check_inputs(const run_part *p, const run_part *other, err *e)
{
    for (size_t i = 0; i < other->header.count; i++) {
        const char *line = other->header.item[i];
        if (starts_with(line, INPUT) && text_list_find(&p->header, line) == NULL)
            return err_at(e, &p->at, "it is a part of another run than %s, which says \"%s\"",
                          other->at.file, line);
    }
    return true;
}

/* ---- reading ---- */

static void forget(run_part *p)
{
    bundle_free(&p->of);
    text_list_free(&p->header);
    row_choice_free(&p->rows);
}

/* The next documents of all parts; none after their last ones. Text is read as float64, whose
 * shortest decimals are those that stood there. */
static bool read_all(const joiner *j, bool *are_there, err *e)
{
    for (size_t i = 0; i < j->parts; i++) {
        run_part *p = &j->part[i];
        forget(p);
        bool is_there = input_file_next(&p->in);
        p->at.line = p->in.is_stream ? p->in.lines.number : 0;
        p->at.column = p->in.is_stream;
        read_options how = input_file_how(&p->in, j->o, DTYPE_F64);
        how.kind = KEY_EXPECTED;
        how.type_is_fixed = how.allow_nonfinite = how.any_rank = how.keeps_types = true;
        how.takes_truths = how.is_result = true;
        how.header = &p->header;
        bool done = !is_there || input_file_read(&p->in, &how, &p->of, e);
        for (size_t k = 0; k < p->header.count && done; k++)
            done = !starts_with(p->header.item[k], ROWS) || read_rows(p, p->header.item[k], e);
        if (!done)
            return false;
        if (i > 0 && is_there != *are_there)
            return err_at(e, &p->at, "it has %s documents than %s", is_there ? "more" : "fewer",
                          j->part[0].at.file);
        *are_there = is_there;
    }
    return true;
}

/* ---- rows ---- */

/* The axis of a matrix's rows; -1 if its rows were not chosen from, as those of keys. A matrix that
 * is not a stage has rows. */
static int axis_of(const entry *one)
{
    const char *axes = stack_axes_of(one->name), *queries = strchr(axes, 'q');
    int after = queries != NULL ? (int)strlen(queries) : axes[0] == '\0' ? 2 : 0;
    return after == 0 ? -1 : one->tensor.rank - after;
}

static bool is_remark(const entry *one)
{
    return one->name[0] == '_' || strcmp(one->name, "name") == 0;
}

/* Checks that all parts have the same matrices, with as many rows as they say. */
static bool check_matrix(run_part *p, const entry *like, const run_part *first, err *e)
{
    const entry *one = bundle_find(&p->of, like->name);
    const char *name = like->name[0] == '\0' ? "the matrix" : like->name;
    char shape[SHAPE_TEXT], other[SHAPE_TEXT];
    if (one == NULL)
        return err_at(e, &p->at, "it has no %s, and %s has", name, first->at.file);
    if (one->kind != ENTRY_TENSOR || one->tensor.rank < 2)
        return err_at(e, &one->at, "%s is not a matrix of rows", name);
    int axis = axis_of(one);
    bool is_alike = one->tensor.type == like->tensor.type && one->tensor.rank == like->tensor.rank;
    for (int i = 0; is_alike && i < one->tensor.rank; i++)
        is_alike = i == axis || one->tensor.size[i] == like->tensor.size[i];
    if (!is_alike)
        return err_at(e, &one->at, "%s is %s %s, and in %s %s %s", name,
                      tensor_shape_text(&one->tensor, shape), dtype_name(one->tensor.type),
                      first->at.file, tensor_shape_text(&like->tensor, other),
                      dtype_name(like->tensor.type));
    if (axis < 0)
        return true;
    size_t rows = one->tensor.size[axis];
    p->count = p->count == 0 ? rows : p->count;
    return rows == p->count || err_at(e, &one->at, "%s has %zu row%s, and this part is of %zu",
                                      name, rows, rows == 1 ? "" : "s", p->count);
}

static bool check_part(run_part *p, const run_part *first, err *e)
{
    const char *name = bundle_text(&p->of, "name"), *other = bundle_text(&first->of, "name");
    p->count = p->rows.count;
    const run_part *fewer = p->rows.of < first->rows.of ? p : first, *more = fewer == p ? first : p;
    if (fewer->rows.of == 0 && more->rows.of > 0)
        return err_at(e, &fewer->at, "it does not say which rows it has, and %s does",
                      more->at.file);
    if (p->rows.of != first->rows.of)
        return err_at(e, &p->at, "it is a part of %zu rows, and %s of %zu", p->rows.of,
                      first->at.file, first->rows.of);
    name = name == NULL ? "" : name;
    other = other == NULL ? "" : other;
    if (strcmp(name, other) != 0)
        return err_at(e, &p->at, "its name is \"%s\", and that of %s \"%s\"", name, first->at.file,
                      other);
    if (!check_inputs(p, first, e) || !check_inputs(first, p, e))
        return false;
    for (size_t i = 0; i < p->of.count; i++) {
        const entry *one = &p->of.entry[i];
        if (!is_remark(one) && bundle_find(&first->of, one->name) == NULL)
            return err_at(e, &first->at, "it has no %s, and %s has", one->name, p->at.file);
    }
    for (size_t i = 0; i < first->of.count; i++) {
        const entry *like = &first->of.entry[i];
        if (!is_remark(like) && !check_matrix(p, like, first, e))
            return false;
    }
    return p->count > 0 || err_at(e, &p->at, "no matrix is in it that has rows of queries");
}

/* If parts don't say which rows they have, they are joined in the order of the operands. */
static bool place_rows(joiner *j, err *e)
{
    size_t next = 0;
    bool is_said = j->part[0].rows.count > 0;
    j->rows = j->part[0].rows.of;
    for (size_t i = 0; !is_said && i < j->parts; i++)
        j->rows += j->part[i].count;
    mem_free(j->row);
    j->row = mem_alloc_zeroed(j->rows, sizeof j->row[0], e);
    if (j->row == NULL)
        return false;
    for (size_t i = 0; i < j->parts; i++) {
        const run_part *p = &j->part[i];
        for (size_t row = 0; row < p->count; row++) {
            size_t of_whole = is_said ? p->rows.row[row] : next++;
            row_place *to = &j->row[of_whole];
            if (to->in != NULL)
                return err_at(e, &p->at, "row %zu is in it, and in %s too", of_whole + 1,
                              to->in->at.file);
            *to = (row_place){p, row};
        }
    }
    for (size_t row = 0; row < j->rows; row++) {
        if (j->row[row].in == NULL)
            return err_set(e, "row %zu of %zu is in no part", row + 1, j->rows);
    }
    if (!is_said && !j->is_open)
        note_say(j->world, j->o, NULL,
                 "the parts don't say which rows they have: they are joined in this order");
    return true;
}

/* ---- the whole ---- */

static bool join_matrix(joiner *j, const entry *like, err *e)
{
    int axis = axis_of(like);
    size_t size[TENSOR_MAX_RANK];
    tensor whole;
    /* Matrices of keys are the same in all parts. */
    for (size_t i = 1; i < j->parts && axis < 0; i++) {
        const entry *one = bundle_find(&j->part[i].of, like->name);
        size_t at[TENSOR_MAX_RANK] = {0};
        do {
            double a = tensor_get(&one->tensor, at), b = tensor_get(&like->tensor, at);
            if (memcmp(&a, &b, sizeof a) != 0)
                return err_at(e, &one->at,
                              "%s differs from the one in %s: these are parts of two runs",
                              one->name, j->part[0].at.file);
        } while (tensor_next(&like->tensor, at));
    }
    if (axis < 0)
        return bundle_borrow(&j->whole, like->name, like, e) != NULL;
    memcpy(size, like->tensor.size, sizeof size);
    size[axis] = j->rows;
    if (!tensor_new(&whole, like->tensor.type, like->tensor.rank, size, e))
        return false;
    for (size_t row = 0, count; row < j->rows; row += count) {
        const row_place *from = &j->row[row];
        for (count = 1; row + count < j->rows && from[count].in == from->in;)
            count++; /* a part has its rows in the order of the whole */
        const entry *in = bundle_find(&from->in->of, like->name);
        tensor rows = tensor_range(&in->tensor, axis, from->row, count);
        tensor to = tensor_range(&whole, axis, row, count);
        tensor_copy(&rows, &to);
    }
    return bundle_add_tensor(&j->whole, like->name, &whole, like->at, e);
}

static bool join(joiner *j, err *e)
{
    const options *o = j->o;
    const run_part *first = &j->part[0];
    const char *out = o->operand[j->parts];
    for (size_t i = 0; i < j->parts; i++) {
        run_part *p = &j->part[i];
        if (!input_file_open(&p->in, o->operand[i], false, o, e))
            return false;
        p->at.file = p->in.name;
    }
    j->to = output_format_said(o, out);
    j->to = j->to == NULL ? first->in.format : j->to;
    for (bool are_there = true; read_all(j, &are_there, e) && are_there;) {
        write_options how = output_how(o, j->to);
        bundle_free(&j->whole);
        for (size_t i = 0; i < j->parts; i++) {
            if (!check_part(&j->part[i], first, e))
                return false;
        }
        if (!place_rows(j, e))
            return false;
        for (size_t i = 0; i < first->of.count; i++) {
            if (!is_remark(&first->of.entry[i]) && !join_matrix(j, &first->of.entry[i], e))
                return false;
        }
        for (size_t i = 0; i < j->whole.count; i++)
            stack_find_axes(&j->whole.entry[i]);
        if (j->is_open && !(j->to->holds & HOLDS_STREAM))
            return err_at(e, &first->at, "it has several documents, and %s holds one",
                          j->to->title);
        how.name = bundle_text(&first->of, "name");
        j->is_open = j->is_open || sink_open(&j->sink, out, e);
        if (!j->is_open || !j->to->write(&j->whole, &how, &j->sink, e))
            return false;
    }
    return !e->is_set && (j->is_open || err_at(e, &first->at, "no document is in it"));
}

int command_join(const options *o, env *world, err *e)
{
    if (o->operands < 2) {
        err_set(e, "join takes parts and an output, %zu %s named", o->operands,
                o->operands == 1 ? "is" : "are");
        return EXIT_WRONG;
    }
    joiner j = {.o = o, .world = world, .parts = o->operands - 1};
    j.part = mem_alloc_zeroed(j.parts, sizeof j.part[0], e);
    bool done = j.part != NULL && join(&j, e);
    for (size_t i = 0; j.part != NULL && i < j.parts; i++) {
        forget(&j.part[i]);
        input_file_close(&j.part[i].in);
    }
    bundle_free(&j.whole);
    mem_free(j.row);
    mem_free(j.part);
    done = j.is_open && sink_end(&j.sink, done, e);
    return done ? EXIT_DONE : EXIT_WRONG;
}
