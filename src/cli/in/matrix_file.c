#include "cli/in/matrix_file.h"

#include "base/mem.h"
#include "io/source.h"
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
    if (!source_open_within(&f->bytes, splits ? f->path : file, o->max_memory, e))
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

static bool refuse_several(const format *f, const source *s, const char *file, err *e)
{
    if (!input_is_several(f, s->bytes, s->length))
        return true;
    err_at(e, &(place){.file = file}, "these are several documents, and one is wanted");
    return err_remedy(e, "sed -n 2p takes the second out of them");
}

const format *input_open(const options *o, const char *file, const char *name, source *s, err *e)
{
    if (!source_open_within(s, file, o->max_memory, e))
        return NULL;
    const format *f = input_format_of(o, s->bytes, s->length, name, e);
    if (f != NULL && refuse_several(f, s, name, e))
        return f;
    source_close(s);
    return NULL;
}

const format *input_read(const options *o, const char *file, const read_options *how, bundle *to,
                         err *e)
{
    source s;
    const format *f = input_open(o, file, how->file, &s, e);
    if (f == NULL)
        return NULL;
    read_options mapped = *how;
    mapped.map = s.map;
    bool done = f->read(s.bytes, s.length, &mapped, to, e);
    source_close(&s);
    return done ? f : NULL;
}

static bool exists(const char *file)
{
    return access(file, F_OK) == 0;
}

/* The colon at which FILE:NAME is split, or NULL where it is all a file's name. `scratch` has room
 * for the name. */
static char *find_split(char *scratch)
{
    if (strcmp(scratch, "-") == 0 || exists(scratch))
        return NULL;
    for (char *colon = strchr(scratch, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        *colon = '\0';
        bool is_file = exists(scratch);
        *colon = ':';
        if (is_file)
            return colon;
    }
    return NULL;
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

bool matrix_file_refuse(const char *file, const char *name, const text_list *others, err *e)
{
    nearest_names near = {.wanted = name};
    for (size_t i = 0; i < others->count; i++)
        nearest_names_look(&near, others->item[i]);
    err_at(e, &(place){.file = file}, "there is no matrix \"%s\" in this file", name);
    nearest_names_suggest(&near, INFO_LISTS, e);
    return false;
}

bool matrix_file_read_only(const format *f, const char *bytes, size_t length, const char *name,
                           read_options how, bundle *to, err *e)
{
    const key row[] = {{{name, ""}, how.kind}};
    const named_table only = NAMED_TABLE("matrix", row);
    text_list others = {0};
    how.keys = &only;
    how.only = name;
    how.skips_unknown = true;
    how.skipped = &others;
    bool done = f->read(bytes, length, &how, to, e) &&
                (bundle_find(to, name) != NULL || matrix_file_refuse(how.file, name, &others, e));
    text_list_free(&others);
    return done;
}

bool input_file_read(const input_file *f, const read_options *how, bundle *to, err *e)
{
    const char *bytes = f->lines.line;
    size_t length = f->lines.length;
    return f->matrix != NULL
               ? matrix_file_read_only(f->format, bytes, length, f->matrix, *how, to, e)
               : f->format->read(bytes, length, how, to, e);
}

bool matrix_file_names_one(const char *name, bool *names_one, err *e)
{
    char *scratch = mem_copy_text(name, strlen(name), e);
    *names_one = scratch != NULL && find_split(scratch) != NULL;
    mem_free(scratch);
    return scratch != NULL;
}

char *matrix_file_split(const char *name, const char **matrix, err *e)
{
    char *file = mem_copy_text(name, strlen(name), e);
    if (file == NULL)
        return NULL;
    char *colon = find_split(file);
    *matrix = colon == NULL ? NULL : colon + 1;
    if (colon != NULL)
        *colon = '\0';
    return file;
}

bool matrix_file_read(matrix_file *m, const char *name, const read_options *how, const options *o,
                      err *e)
{
    const char *matrix;
    source s;
    *m = (matrix_file){0};
    char *file = matrix_file_split(name, &matrix, e);
    m->format = file == NULL ? NULL : input_open(o, file, how->file, &s, e);
    if (m->format != NULL) {
        read_options mapped = *how;
        mapped.map = s.map;
        bool is_read = matrix != NULL
                           ? matrix_file_read_only(m->format, s.bytes, s.length, matrix, mapped,
                                                   &m->contents, e)
                           : m->format->read(s.bytes, s.length, &mapped, &m->contents, e);
        if (is_read)
            m->matrix = matrix != NULL ? bundle_find(&m->contents, matrix)
                                       : only_matrix(&m->contents, how->file, e);
        source_close(&s);
    }
    bool done = m->matrix != NULL;
    if (m->matrix != NULL)
        m->matrix->at.file = how->file; /* the copy of the name goes */
    mem_free(file);
    if (!done)
        matrix_file_free(m);
    return done;
}

void matrix_file_free(matrix_file *m)
{
    bundle_free(&m->contents);
    m->matrix = NULL;
}
