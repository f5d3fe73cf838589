#include "cli/in/matrix_file.h"

#include "base/mem.h"
#include "weights/names.h"

#include <string.h>
#include <unistd.h>

static const char INFO_LISTS[] = "selfattn info lists what is in it";

read_options read_options_of(const options *o, const char *file, dtype type)
{
    return (read_options){.file = descriptor_name(file),
                          .first_line = 1,
                          .type = type,
                          .allow_nonfinite = o->allow_nonfinite,
                          .delimiter = o->delimiter == NULL ? '\0' : o->delimiter[0],
                          .most_bytes = o->max_memory,
                          .threads = o->threads};
}

const format *input_format_of(const options *o, const char *bytes, size_t length, const char *file,
                              err *e)
{
    if (o->input_format != NULL)
        return format_by_name(o->input_format);
    return format_recognise(bytes, length, file, e);
}

bool input_file_open(input_file *f, const char *file, bool splits, const options *o, err *e)
{
    *f = (input_file){.name = descriptor_name(file)};
    if (splits && (f->path = matrix_file_split(file, &f->matrix, e)) == NULL)
        return false;
    if (!source_open(&f->bytes, splits ? f->path : file, o->max_memory, e))
        return false;
    f->format = input_format_of(o, f->bytes.bytes, f->bytes.length, f->name, e);
    f->is_stream = f->format != NULL && (f->format->holds & HOLDS_STREAM) != 0;
    if (f->is_stream)
        f->lines = jsonl_lines_of(f->bytes.bytes, f->bytes.length);
    return f->format != NULL;
}

void input_file_close(input_file *f)
{
    source_close(&f->bytes);
    mem_free(f->path);
}

bool input_file_next(input_file *f)
{
    if (f->is_stream)
        return jsonl_next(&f->lines);
    bool is_first = f->lines.number == 0;
    f->lines = (jsonl_lines){f->bytes.bytes, f->bytes.length, 1, NULL, NULL};
    return is_first;
}

read_options input_file_how(const input_file *f, const options *o, dtype type)
{
    read_options how = read_options_of(o, f->name, type);
    how.map = f->is_stream ? NULL : f->bytes.map;
    how.first_line = f->lines.number;
    return how;
}

bool input_is_several(const format *f, const char *bytes, size_t length)
{
    return (f->holds & HOLDS_STREAM) != 0 && jsonl_look_at(bytes, length) == JSONL_IS;
}

bool input_file_is_one(input_file *f, err *e)
{
    if (input_is_several(f->format, f->bytes.bytes, f->bytes.length)) {
        err_at(e, &(place){.file = f->name}, "these are several documents, and one is wanted");
        return err_remedy(e, "sed -n 2p takes the second out of them");
    }
    f->is_stream = false;
    return true;
}

bool input_file_open_one(input_file *f, const char *file, bool splits, const options *o, err *e)
{
    return input_file_open(f, file, splits, o, e) && input_file_is_one(f, e);
}

bool matrix_file_refuse(const char *file, const char *name, const text_list *others, err *e)
{
    nearest_names near = {.wanted = name};
    for (size_t i = 0; i < others->count; i++)
        nearest_names_look(&near, others->item[i]);
    err_at(e, &(place){.file = file}, "there is no matrix \"%s\" in this file", name);
    nearest_names_suggest(&near, INFO_LISTS, e);
    return false;
}

bool input_file_read(const input_file *f, const read_options *how, bundle *to, err *e)
{
    const char *bytes = f->lines.line;
    size_t length = f->lines.length;
    if (f->matrix == NULL)
        return f->format->read(bytes, length, how, to, e);
    /* The matrix of this name, and no other where the format can pass over others. */
    const key row[] = {{{f->matrix, ""}, how->kind}};
    const named_table only = NAMED_TABLE("matrix", row);
    read_options of_one = *how;
    text_list others = {0};
    of_one.keys = &only;
    of_one.only = f->matrix;
    of_one.skips_unknown = true;
    of_one.skipped = &others;
    bool done = f->format->read(bytes, length, &of_one, to, e) &&
                (bundle_find(to, f->matrix) != NULL ||
                 matrix_file_refuse(how->file, f->matrix, &others, e));
    text_list_free(&others);
    return done;
}

/* All of a file that is one document, or with `splits` of FILE:NAME that matrix. */
static bool read_one(input_file *f, const char *file, bool splits, const read_options *how,
                     const options *o, bundle *to, err *e)
{
    read_options mapped = *how;
    if (!input_file_open_one(f, file, splits, o, e))
        return false;
    input_file_next(f); /* of one document the first is there */
    mapped.map = f->bytes.map;
    return input_file_read(f, &mapped, to, e);
}

const format *input_read(const options *o, const char *file, const read_options *how, bundle *to,
                         err *e)
{
    input_file f;
    bool done = read_one(&f, file, false, how, o, to, e);
    input_file_close(&f);
    return done ? f.format : NULL;
}

/* The only matrix; an entry's rank 0 is a number next to it. */
static entry *only_matrix(bundle *b, const char *file, err *e)
{
    entry *found = NULL;
    size_t matrices = 0;
    for (size_t i = 0; i < b->count; i++) {
        bool is_matrix =
            b->entry[i].kind == ENTRY_TENSOR && (b->entry[i].tensor.rank > 0 || b->count == 1);
        found = is_matrix ? &b->entry[i] : found;
        matrices += is_matrix;
    }
    if (matrices == 1)
        return found;
    text names = {0};
    for (size_t i = 0; i < b->count; i++) {
        if (b->entry[i].kind == ENTRY_TENSOR && b->entry[i].tensor.rank > 0)
            text_add_format(&names, "%s%s", names.length == 0 ? "" : ", ", b->entry[i].name);
    }
    err_at(e, &(place){.file = file}, "%zu matrices are in this file, one is wanted", matrices);
    if (matrices > 0)
        err_remedy(e, "%s:NAME takes one: %s", file, text_string(&names));
    else
        err_remedy(e, "%s", INFO_LISTS);
    text_free(&names);
    return NULL;
}

char *matrix_file_split(const char *name, const char **matrix, err *e)
{
    char *file = mem_copy_text(name, strlen(name), e);
    *matrix = NULL;
    if (file == NULL || strcmp(name, "-") == 0 || access(name, F_OK) == 0)
        return file;
    for (char *colon = strchr(file, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        *colon = '\0';
        if (access(file, F_OK) == 0) {
            *matrix = colon + 1;
            return file;
        }
        *colon = ':';
    }
    return file;
}

bool matrix_file_read(matrix_file *m, const char *name, const read_options *how, const options *o,
                      err *e)
{
    input_file f;
    *m = (matrix_file){0};
    if (read_one(&f, name, true, how, o, &m->contents, e))
        m->matrix = f.matrix != NULL ? bundle_find(&m->contents, f.matrix)
                                     : only_matrix(&m->contents, how->file, e);
    m->format = f.format;
    bool done = m->matrix != NULL;
    if (done)
        m->matrix->at.file = how->file; /* the copy of the name goes */
    else
        matrix_file_free(m);
    input_file_close(&f);
    return done;
}

void matrix_file_free(matrix_file *m)
{
    bundle_free(&m->contents);
    m->matrix = NULL;
}
