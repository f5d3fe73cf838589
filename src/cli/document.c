#include "cli/document.h"

#include "attn/keys.h"
#include "base/mem.h"
#include "cli/given.h"
#include "cli/matrix_file.h"

#include <string.h>

/* ---- one document ---- */

/* A file that is one matrix without a name is the input rows. */
static bool name_the_only_matrix(bundle *b, err *e)
{
    entry *unnamed = bundle_find(b, "");
    if (unnamed == NULL)
        return true;
    entry *rows = bundle_find(b, "rows"), taken = *unnamed;
    text_list labels = rows == NULL ? (text_list){0} : rows->list;
    if (rows != NULL)
        rows->list = (text_list){0};
    unnamed->tensor = (tensor){0};
    bundle_free(b);
    if (!bundle_add_tensor(b, "x", &taken.tensor, taken.at, e)) {
        text_list_free(&labels);
        return false;
    }
    return given_add_labels(b, "x", &labels, taken.at, e);
}

static bool read_contents(document *one, const documents *all, const char *bytes, size_t length,
                          size_t line, err *e)
{
    const options *o = all->given;
    read_options how = read_options_of(o, one->file, all->type);
    how.first_line = line;
    how.map = all->open.map;
    how.keys = &KEYS;
    how.kind = KEY_MATRIX;
    how.type_is_fixed = given_decides_type(o, &how.type);
    const format *f = input_format_of(o, bytes, length, how.file, e);
    return f != NULL && f->read(bytes, length, &how, &one->contents, e) &&
           name_the_only_matrix(&one->contents, e);
}

void document_free(document *one)
{
    bundle_free(&one->contents);
}

place document_place(const document *one)
{
    bool is_standard = one->file != NULL && strcmp(one->file, "-") == 0;
    return (place){.file = is_standard ? "standard input" : one->file,
                   .line = one->line,
                   .column = one->line > 0};
}

/* ---- one after the other ---- */

bool documents_open(documents *all, const options *given, given_bundle *weights, const env *world,
                    dtype type, err *e)
{
    static const char *const STANDARD_INPUT[] = {"-"};
    *all = (documents){.given = given,
                       .weights = weights,
                       .type = type,
                       .file = (const char *const *)given->operand,
                       .files = given->operands};
    if (all->files == 0 && (given_has_input(given) || given->bundle != NULL)) {
        all->has_options_only = true;
    } else if (all->files == 0) {
        if (world->stdin_is_terminal) {
            err_set(e, "there is nothing to compute with: name a document, or matrices by options");
            return err_remedy(e, "selfattn example karim | selfattn --trace");
        }
        all->file = STANDARD_INPUT;
        all->files = 1;
    }
    all->is_many = all->files > 1;
    if (!given_check_standard_input(given, all->file, all->files, e) ||
        !given_bundle_open(weights, given, world, e))
        return false;
    all->type = given_bundle_type(weights, type);
    return true;
}

static bool is_json_lines(const documents *all)
{
    err ignored = {0};
    const format *f =
        input_format_of(all->given, all->open.bytes, all->open.length, all->open.file, &ignored);
    const format *by_ending =
        all->given->input_format == NULL ? format_by_ending(all->open.file) : NULL;
    /* A stream of one line has the first bytes of JSON: then the ending says it. */
    if (f != NULL && strcmp(f->named.name, "json") == 0 && by_ending != NULL)
        f = by_ending;
    return f != NULL && strcmp(f->named.name, "jsonl") == 0;
}

static bool is_blank(const char *line, size_t length)
{
    return strspn(line, " \t\r") >= length;
}

/* The next line of a JSON Lines file that holds a document. */
static bool next_line(documents *all, const char **line, size_t *length)
{
    while (all->offset < all->open.length) {
        *line = all->open.bytes + all->offset;
        const char *newline = memchr(*line, '\n', all->open.length - all->offset);
        *length = newline == NULL ? all->open.length - all->offset : (size_t)(newline - *line);
        all->offset += *length + (newline != NULL);
        all->line++;
        if (!is_blank(*line, *length))
            return true;
    }
    return false;
}

static bool read_next(documents *all, document *one, bool *is_there, err *e)
{
    const char *bytes;
    size_t length;
    for (;;) {
        if (all->open.bytes != NULL && next_line(all, &bytes, &length)) {
            one->file = all->open.file;
            one->line = all->line;
            *is_there = true;
            return read_contents(one, all, bytes, length, all->line, e);
        }
        source_close(&all->open);
        if (all->next == all->files)
            return true;
        if (!source_open(&all->open, all->file[all->next], e))
            return false;
        all->next++;
        all->offset = all->line = 0;
        if (is_json_lines(all)) {
            all->is_many = true;
            continue;
        }
        one->file = all->open.file;
        *is_there = true;
        all->offset = all->open.length;
        return read_contents(one, all, all->open.bytes, all->open.length, 1, e);
    }
}

bool documents_next(documents *all, document *one, bool *is_there, err *e)
{
    *one = (document){0};
    *is_there = false;
    bool done = true;
    if (all->has_options_only)
        *is_there = all->next++ == 0;
    else
        done = read_next(all, one, is_there, e);
    if (done && *is_there)
        done = given_apply(all->given, all->weights, all->type, &one->contents, &one->is_all_tables,
                           e);
    one->is_all_tables = one->is_all_tables && one->file == NULL;
    if (!done)
        document_free(one);
    return done;
}

void documents_close(documents *all)
{
    source_close(&all->open);
}
