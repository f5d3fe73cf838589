/* selfattn convert: a file in another format, with nothing lost on the way. */
#include "cli/command.h"

#include "cli/in/matrix_file.h"
#include "cli/in/model_files.h"
#include "cli/line/options_parse.h"
#include "cli/out/outputs.h"
#include "cli/out/said.h"
#include "io/csv_write.h"

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

/* ---- what of a file would be lost in another format: said before anything is written ---- */

/* As messages call a matrix without a name. */
static const char UNNAMED[] = "the matrix";

/* Leaves unread entries out, and gives a matrix without a name this one. The others move to a new
 * bundle, since removing entries one by one would each time move all those after it. */
static bool leave_out(bundle *b, const char *unnamed, err *e)
{
    bundle stay = {0};
    bool done = true;
    for (size_t i = 0; i < b->count && done; i++) {
        entry *one = &b->entry[i];
        done = one->kind == ENTRY_UNREAD || bundle_take(&stay, write_name(one, unnamed), one, e);
    }
    bundle_free(b);
    *b = stay;
    return done;
}

static bool check_one_matrix(const converter *c, const bundle *b, size_t lost, err *e)
{
    const char *to = c->to->title;
    if (c->to->holds & HOLDS_MATRICES || b->count == 1)
        return true;
    place at = {.file = c->out};
    if (b->count == 0 && lost > 0)
        return err_at(e, &at, "%s holds one matrix, and nothing is left of %s", to, c->in);
    if (b->count == 0)
        return err_at(e, &at, "%s holds one matrix, and %s has none", to, c->in);
    text names = {0};
    for (size_t i = 0; i < b->count; i++)
        text_add_format(&names, "%s%s", i == 0 ? "" : ", ", write_name(&b->entry[i], UNNAMED));
    text_ok(&names, e); /* the first error stays */
    err_at(e, &at, "%s holds one matrix, and %s has %zu: %s", to, c->in, b->count,
           text_string(&names));
    text_free(&names);
    return err_remedy(e, "FILE:NAME takes one of them");
}

/* Cells of text: labels, or where a table has none, the names of its matrices. */
static void note_formulas(const converter *c, const bundle *b)
{
    bool has_labels = (c->to->holds & HOLDS_LABELS) != 0;
    const char *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++) {
        const entry *one = &b->entry[i];
        bool is_list = one->kind == ENTRY_LIST, is_cell = csv_is_labels(b, one) == has_labels;
        for (size_t j = 0; is_cell && j < (is_list ? one->list.count : 1); j++) {
            const char *cell = !has_labels ? one->name : is_list ? one->list.item[j] : one->text;
            if (csv_is_formula(cell))
                first = count++ == 0 ? cell : first;
        }
    }
    if (count > 0)
        note_say(c->world, c->o, NULL,
                 "%zu cell%s of text begin%s with = + - or @, first '%s', which a spreadsheet may "
                 "take for a formula; --csv-safe puts an apostrophe in front",
                 count, count == 1 ? "" : "s", count == 1 ? "s" : "", first);
}

/* Names each entry that the format has no place for, on its own line of stderr, and then fails;
 * with --force takes them out of the bundle, and goes on. Entries that only change their look are
 * told in notes. */
static bool check_lost(const converter *c, bundle *b, err *e)
{
    size_t lost = 0;
    for (size_t i = 0; i < b->count; i++) {
        entry *one = &b->entry[i];
        const char *what = format_lacks(c->to, b, one), *name = write_name(one, UNNAMED);
        if (what == NULL)
            continue;
        lost++;
        if (c->o->force) {
            note_say(c->world, c->o, NULL, "%s is left out: %s has no place for %s", name,
                     c->to->title, what);
            entry value = *one;
            *one = (entry){.name = value.name, .kind = ENTRY_UNREAD};
            value.name = NULL;
            entry_free(&value);
        } else {
            err said = {0};
            err_at(&said, &one->at, "%s would be lost: %s has no place for %s", name, c->to->title,
                   what);
            report_error(c->world, &said);
        }
    }
    if (lost > 0 && !c->o->force) {
        place at = {.file = c->out};
        if (b->count == 1)
            err_at(e, &at, "nothing is written: the only entry of %s would be lost", c->in);
        else
            err_at(e, &at, "nothing is written: %zu of the %zu entries of %s would be lost", lost,
                   b->count, c->in);
        return err_remedy(
            e, c->to->holds & HOLDS_MATRICES
                   ? "JSON holds them; --force leaves them out, FILE:NAME takes one matrix"
                   : "FILE:NAME takes one matrix, --force leaves the others out");
    }
    if ((lost > 0 && !leave_out(b, "", e)) || !check_one_matrix(c, b, lost, e))
        return false;
    static const char *const CHANGES[] = {
        [HELD_AS_ROW] = "reads vectors and numbers back as matrices of one row",
        [HELD_AS_DIGITS] = "reads true and false back as 1 and 0",
        [HELD_WIDER] = "keeps as f32 or f64 what was of other types",
        [HELD_NAMELESS] = "keeps no name"};
    for (held_change change = HELD_AS_ROW; change <= HELD_NAMELESS; change++) {
        /* "bq, bk and bv …": the names of all that change alike, in one note. */
        text names = {0};
        for (size_t j = 0; j < b->count; j++) {
            const entry *one = &b->entry[j];
            if (format_changes(c->to, one) == change)
                text_add_format(&names, "%s%s", names.length == 0 ? "" : ", ",
                                write_name(one, UNNAMED));
        }
        if (text_ok(&names, e) && names.length > 0)
            note_say(c->world, c->o, NULL, "%s %s: %s", c->to->title, CHANGES[change],
                     text_string(&names));
        text_free(&names);
    }
    if (c->to->has_delimiter && !c->o->csv_safe)
        note_formulas(c, b);
    return !e->is_set;
}

/* ---- metadata ---- */

/* A safetensors file has texts besides its matrices: the document's name, and texts of the program
 * that wrote it. */

/* The metadata as its reader makes them, or as a person may write them in JSON. */
static entry *find_texts(const bundle *b)
{
    entry *found = bundle_find(b, SAFETENSORS_METADATA);
    if (found == NULL || found->kind != ENTRY_BUNDLE)
        return NULL;
    for (size_t i = 0; i < found->bundle->count; i++) {
        if (found->bundle->entry[i].kind != ENTRY_TEXT)
            return NULL;
    }
    return found;
}

static bool move(bundle *from, const char *name, bundle *to, err *e)
{
    bool done = bundle_take(to, name, bundle_find(from, name), e);
    bundle_remove(from, name);
    return done;
}

/* Moves them out of the bundle into `kept`, and points `how` there, where the format has a place
 * for metadata. Where it has none, the texts are left out, with a note: they tell of the file, and
 * not of its numbers. */
static bool take_metadata(converter *c, bundle *b, err *e)
{
    const entry *texts = find_texts(b);
    bool has_place = (c->to->holds & HOLDS_METADATA) != 0;
    if (c->to->holds & HOLDS_ALL || (texts == NULL && !has_place))
        return true;
    if (!has_place) {
        text names = {0};
        for (size_t i = 0; i < texts->bundle->count; i++)
            text_add_format(&names, "%s%s", i == 0 ? "" : ", ", texts->bundle->entry[i].name);
        bool done = text_ok(&names, e);
        if (done)
            note_say(c->world, c->o, NULL, "the metadata of %s are left out, %s has none: %s",
                     c->in, c->to->title, text_string(&names));
        text_free(&names);
        bundle_remove(b, SAFETENSORS_METADATA);
        return done;
    }
    c->how.name = bundle_text(b, "name");
    c->how.metadata = texts == NULL ? NULL : texts->bundle;
    return (texts == NULL || move(b, SAFETENSORS_METADATA, &c->kept, e)) &&
           (c->how.name == NULL || move(b, "name", &c->kept, e));
}

/* ---- writing ---- */

/* Bytes that the numbers take at least. There are addresses for them: their sum is a size. */
static size_t least_bytes(const bundle *b, const format *to)
{
    size_t sum = 0;
    for (size_t i = 0; i < b->count; i++) {
        const entry *one = &b->entry[i];
        if (one->kind == ENTRY_TENSOR)
            sum += output_format_bytes(to, tensor_count(&one->tensor), one->tensor.type);
        else if (one->kind == ENTRY_BUNDLE)
            sum += least_bytes(one->bundle, to);
    }
    return sum;
}

static bool write_one(converter *c, bundle *b, const format *from, err *e)
{
    /* Unread entries are left out, with the reason. */
    size_t unread = 0;
    for (size_t i = 0; i < b->count; i++) {
        const entry *one = &b->entry[i];
        if (one->kind != ENTRY_UNREAD)
            continue;
        unread++;
        note_say(c->world, c->o, NULL, "%s is left out: %s", write_name(one, UNNAMED), one->text);
    }
    /* Next to labels, a matrix of a table needs a name where it is written as something else. So
     * does a number alone in JSON, where a document is an object or a list. */
    const entry *unnamed = bundle_find(b, "");
    bool is_number = unnamed != NULL && unnamed->kind == ENTRY_TENSOR && unnamed->tensor.rank == 0;
    bool is_next_to_labels = from->holds & HOLDS_LABELS && !(c->to->holds & HOLDS_LABELS);
    bool is_to_be_named = unnamed != NULL && (b->count - unread == 1 ? is_number && c->to->is_json
                                                                     : is_next_to_labels);
    if (((unread > 0 || is_to_be_named) && !leave_out(b, is_to_be_named ? "matrix" : "", e)) ||
        !take_metadata(c, b, e) || !check_lost(c, b, e) ||
        !output_check_disk(c->o->operand[1], "the data", least_bytes(b, c->to),
                           "FILE:NAME takes one matrix", c->o, e))
        return false;
    for (size_t i = 0; i < b->count; i++)
        stack_find_axes(&b->entry[i]);
    if (!c->is_open)
        c->is_open = sink_open(&c->sink, c->o->operand[1], e);
    c->written++;
    return c->is_open && c->to->write(b, &c->how, &c->sink, e);
}

/* ---- reading ---- */

/* Text is read as float64, whose shortest decimals are those that stood there (up to 15 digits, and
 * those of any float32), or at once as the type that --dtype names; numbers that have a type keep
 * it. Nothing that is there is passed over. */
static read_options how_to_read(const converter *c, read_options how)
{
    how.keeps_types = !input_keys_decides_type(c->o, &how.type);
    how.kind = how.type == DTYPE_F32 ? KEY_MATRIX : KEY_EXPECTED;
    how.type_is_fixed = how.allow_nonfinite = how.keeps_all = how.any_rank = true;
    how.takes_truths = true;
    how.keeps_unread = c->o->force;
    how.keeps_json = c->o->force || c->to->is_json;
    return how;
}

/* The weights of a model's folder, of all its files, as one. */
static bool convert_model(converter *c, err *e)
{
    options o = *c->o;
    model_files files;
    bundle b = {0};
    o.bundle = o.operand[0];
    bool done = model_files_open(&files, &o, e);
    for (size_t i = 0; done && i < files.parts; i++) {
        const source *s = &files.part[i];
        read_options how = how_to_read(c, read_options_of(c->o, s->file, DTYPE_F64));
        how.map = s->map;
        bundle_remove(&b, SAFETENSORS_METADATA); /* each file has them */
        done = files.format->read(s->bytes, s->length, &how, &b, e);
    }
    done = done && write_one(c, &b, files.format, e);
    bundle_free(&b);
    model_files_close(&files);
    return done;
}

static bool convert_file(converter *c, err *e)
{
    input_file in;
    bool done = input_file_open(&in, c->o->operand[0], true, c->o, e) &&
                (in.matrix == NULL || input_file_is_one(&in, e));
    /* Where both formats have one, --delimiter is the input's. */
    if (done && in.format->has_delimiter && c->to->has_delimiter)
        c->how.delimiter = '\0';
    while (done && input_file_next(&in)) {
        bundle b = {0};
        read_options how = how_to_read(c, input_file_how(&in, c->o, DTYPE_F64));
        if (c->written > 0 && !(c->to->holds & HOLDS_STREAM)) {
            err_at(e, &(place){.file = c->out}, "%s holds one document, and %s has more",
                   c->to->title, c->in);
            done = err_remedy(e, "--format jsonl writes a document a line");
        }
        /* Of FILE:NAME nothing but that entry is wanted. */
        if (in.matrix != NULL)
            how.keeps_all = how.keeps_unread = false;
        done = done && input_file_read(&in, &how, &b, e);
        if (done && in.matrix != NULL) {
            /* A single matrix needs no name. */
            bundle only = {0};
            entry *found = bundle_find(&b, in.matrix);
            stack_find_axes(found);
            done = bundle_take(&only, "", found, e);
            bundle_free(&b);
            b = only;
        }
        done = done && write_one(c, &b, in.format, e);
        bundle_free(&b);
    }
    input_file_close(&in);
    return done && (c->written > 0 || err_at(e, &(place){.file = c->in}, "no document is in it"));
}

int command_convert(const options *o, env *world, err *e)
{
    if (o->operands != 2) {
        err_set(e, "convert takes an input and an output, %zu %s named", o->operands,
                o->operands == 1 ? "is" : "are");
        return EXIT_WRONG;
    }
    const char *in = o->operand[0], *out = o->operand[1];
    bool is_standard = strcmp(out, "-") == 0;
    converter c = {.o = o, .world = world, .in = descriptor_name(in)};
    c.out = is_standard ? "standard output" : out;
    c.to = is_standard ? output_format_or(o, out, "json") : output_format_said(o, out);
    if (c.to == NULL) {
        err_at(e, &(place){.file = out}, "its ending is that of no format");
        err_remedy(e, "--format names it");
        return EXIT_WRONG;
    }
    c.how = output_how(o, c.to);
    c.how.names_alone = true;
    bool done = input_keys_check_type(o, e) &&
                (path_is_model(in) ? convert_model(&c, e) : convert_file(&c, e));
    bundle_free(&c.kept);
    done = c.is_open && sink_end(&c.sink, done, e);
    return done ? EXIT_DONE : EXIT_WRONG;
}
