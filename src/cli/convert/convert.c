/* selfattn convert: a file in another format, with nothing lost on the way. */
#include "base/mem.h"
#include "cli/command.h"
#include "cli/convert/convert_check.h"
#include "cli/convert/convert_metadata.h"
#include "cli/in/input_keys.h"
#include "cli/in/matrix_file.h"
#include "cli/out/output_file.h"
#include "cli/out/output_format.h"
#include "io/jsonl.h"
#include "io/source.h"
#include "model/stack.h"

#include <stdint.h>
#include <string.h>

typedef struct converter {
    const options *o;
    const env *world;
    const char *in, *out; /* as messages call them */
    const format *to;
    write_options how;
    sink sink;
    bool is_open;
    bundle kept;    /* what is written besides the matrices */
    size_t written; /* bundles so far */
} converter;

static const char *said_name(const char *file, const char *standard)
{
    return strcmp(file, "-") == 0 ? standard : file;
}

/* ---- the two formats ---- */

/* JSON for standard output, where nothing else is said. */
static const format *find_output_format(const options *o, const char *out, err *e)
{
    const format *said = output_format_said(o, out);
    if (said == NULL && strcmp(out, "-") == 0)
        return format_by_name("json");
    if (said == NULL) {
        err_at(e, &(place){.file = out}, "its ending is that of no format");
        err_remedy(e, "--format names it");
    }
    return said;
}

/* Text is read as float64, whose shortest decimals are those that stood there (up to 15 digits, and
 * those of any float32), or at once as the type that --dtype names; numbers that have a type keep
 * it. Nothing that is there is passed over. */
static read_options how_to_read(const converter *c)
{
    const options *o = c->o;
    dtype type = DTYPE_F64;
    bool is_given = input_keys_decides_type(o, &type);
    read_options how = read_options_of(o, o->operand[0], type);
    how.kind = type == DTYPE_F32 ? KEY_MATRIX : KEY_EXPECTED;
    how.type_is_fixed = how.allow_nonfinite = how.keeps_all = how.any_rank = true;
    how.takes_truths = true;
    how.keeps_types = !is_given;
    how.keeps_unread = o->force;
    how.keeps_json = o->force || c->to->is_json;
    return how;
}

/* ---- writing ---- */

/* The first of a tensor's axes may be a batch or heads: where its name is a stage's, that says
 * which. Stages are written with all their axes, of which b and h may be missing. */
static void find_axes(entry *one)
{
    const char *axes = stack_axes_of(one->name);
    if (*axes == '\0' || one->axes != NULL || one->kind != ENTRY_TENSOR)
        return;
    for (size_t missing = strlen(axes); missing > (size_t)one->tensor.rank; missing--) {
        if (*axes != 'b' && *axes != 'h')
            return;
        axes++;
    }
    if (strlen(axes) == (size_t)one->tensor.rank)
        one->axes = axes;
}

/* Next to labels, a matrix of a table needs a name where it is written as something else. So does a
 * number alone in JSON, where a document is an object or a list. */
static bool needs_name(const bundle *b, const entry *unnamed, const format *from, const format *to)
{
    if (b->count == 1)
        return unnamed->kind == ENTRY_TENSOR && unnamed->tensor.rank == 0 && to->is_json;
    return from->holds & HOLDS_LABELS && !(to->holds & HOLDS_LABELS);
}

static bool name_the_matrix(bundle *b, const format *from, const format *to, err *e)
{
    entry *unnamed = bundle_find(b, "");
    if (unnamed == NULL || !needs_name(b, unnamed, from, to))
        return true;
    bundle renamed = {0};
    bool done = true;
    for (size_t i = 0; i < b->count && done; i++) {
        entry *one = &b->entry[i];
        done = bundle_take(&renamed, one == unnamed ? "matrix" : one->name, one, e);
    }
    bundle_free(b);
    *b = renamed;
    return done;
}

/* Bytes that the numbers take at least. */
static size_t least_bytes(const bundle *b, const format *to)
{
    size_t sum = 0;
    for (size_t i = 0; i < b->count; i++) {
        const entry *one = &b->entry[i];
        size_t bytes = one->kind == ENTRY_TENSOR
                           ? output_format_bytes(to, tensor_count(&one->tensor), one->tensor.type)
                       : one->kind == ENTRY_BUNDLE ? least_bytes(one->bundle, to)
                                                   : 0;
        if (!size_add(sum, bytes, &sum))
            return SIZE_MAX;
    }
    return sum;
}

static bool check_disk(const converter *c, const bundle *b, err *e)
{
    return output_check_disk(c->o->operand[1], "the data", least_bytes(b, c->to),
                             "FILE:NAME takes one matrix", c->o, e);
}

static bool write_one(converter *c, bundle *b, const format *from, err *e)
{
    if (!convert_leave_unread(b, c->o, c->world, e) || !name_the_matrix(b, from, c->to, e) ||
        !convert_take_metadata(b, c->to, c->in, c->o, c->world, &c->kept, &c->how, e) ||
        !convert_check(b, c->to, c->in, c->out, c->o, c->world, e) || !check_disk(c, b, e))
        return false;
    for (size_t i = 0; i < b->count; i++)
        find_axes(&b->entry[i]);
    if (!c->is_open)
        c->is_open = sink_open(&c->sink, c->o->operand[1], e);
    c->written++;
    return c->is_open && c->to->write(b, &c->how, &c->sink, e);
}

/* ---- reading ---- */

static bool check_room(const converter *c, err *e)
{
    if (c->written == 0 || c->to->holds & HOLDS_STREAM)
        return true;
    err_at(e, &(place){.file = c->out}, "%s holds one document, and %s has more", c->to->title,
           c->in);
    return err_remedy(e, "--format jsonl writes a document a line");
}

static bool read_lines(converter *c, const source *s, const format *from, read_options how, err *e)
{
    jsonl_lines lines = jsonl_lines_of(s->bytes, s->length);
    while (jsonl_next(&lines)) {
        bundle b = {0};
        how.first_line = lines.number;
        bool done = check_room(c, e) && from->read(lines.line, lines.length, &how, &b, e) &&
                    write_one(c, &b, from, e);
        bundle_free(&b);
        if (!done)
            return false;
    }
    return c->written > 0 || err_at(e, &(place){.file = c->in}, "no document is in it");
}

/* Where both formats have one, --delimiter is the input's. */
static void take_delimiter(converter *c, const format *from)
{
    if (from->has_delimiter && c->to->has_delimiter)
        c->how.delimiter = '\0';
}

static bool convert_bytes(converter *c, const source *s, err *e)
{
    read_options how = how_to_read(c);
    const format *from = input_format_of(c->o, s->bytes, s->length, how.file, e);
    if (from == NULL)
        return false;
    take_delimiter(c, from);
    if (from->holds & HOLDS_STREAM)
        return read_lines(c, s, from, how, e);
    bundle b = {0};
    how.map = s->map;
    bool done = from->read(s->bytes, s->length, &how, &b, e) && write_one(c, &b, from, e);
    bundle_free(&b);
    return done;
}

static bool convert_file(converter *c, err *e)
{
    source s;
    if (!source_open_within(&s, c->o->operand[0], c->o->max_memory, e))
        return false;
    bool done = convert_bytes(c, &s, e);
    source_close(&s);
    return done;
}

/* FILE:NAME: the one matrix, which needs a name no more. */
static bool convert_matrix(converter *c, err *e)
{
    read_options how = how_to_read(c);
    matrix_file m;
    bundle b = {0};
    how.keeps_all = how.keeps_unread = false; /* what else is in the file is not asked for */
    bool done = matrix_file_read(&m, c->o->operand[0], &how, c->o, e);
    if (!done)
        return false;
    take_delimiter(c, m.format);
    find_axes(m.matrix);
    done = bundle_take(&b, "", m.matrix, e) && write_one(c, &b, c->to, e);
    bundle_free(&b);
    matrix_file_free(&m);
    return done;
}

static bool convert(converter *c, err *e)
{
    bool names_one;
    return matrix_file_names_one(c->o->operand[0], &names_one, e) &&
           (names_one ? convert_matrix(c, e) : convert_file(c, e));
}

int command_convert(const options *o, env *world, err *e)
{
    if (o->operands != 2) {
        err_set(e, "convert takes an input and an output, %zu %s named", o->operands,
                o->operands == 1 ? "is" : "are");
        return EXIT_WRONG;
    }
    converter c = {.o = o, .world = world};
    c.in = said_name(o->operand[0], "standard input");
    c.out = said_name(o->operand[1], "standard output");
    c.to = find_output_format(o, o->operand[1], e);
    if (c.to == NULL)
        return EXIT_WRONG;
    c.how = (write_options){.digits = option_digits(o),
                            .single_line = (c.to->holds & HOLDS_STREAM) != 0,
                            .names_alone = true,
                            .delimiter = o->delimiter == NULL ? '\0' : o->delimiter[0],
                            .csv_safe = o->csv_safe,
                            .threads = o->threads};
    bool done = input_keys_check_type(o, e) && convert(&c, e);
    bundle_free(&c.kept);
    if (done)
        return sink_close(&c.sink, e) ? EXIT_DONE : EXIT_WRONG;
    if (c.is_open)
        sink_discard(&c.sink);
    return EXIT_WRONG;
}
