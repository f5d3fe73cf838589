/* What `info` says: what a file is, what is inside, and for a problem document what it asks for. */
#include "base/mem.h"

#include "cli/info/facts.h"
#include "cli/info/info_file.h"
#include "model/experts.h"
#include "render/display.h"
#include "render/number_text.h"

#include <string.h>

enum {
    LINE_COLUMNS = 100,
    NAME_COLUMNS = 160, /* a name is there to be typed: those of models have 100 at most */
    VALUE_COLUMNS = 40, /* that a value has at least, however long names are */
    INSIDE_MOST = 8,    /* rows of an object that is inside another: a vocabulary is long */
    INDENT = 2
};

/* A kind of file, and what one that can be computed asks for. */
static const struct {
    const char *key, *words, *asks, *asks_words;
} KINDS[] = {[INFO_DOCUMENT] = {"document", "problem document", "attention", "attention"},
             [INFO_LAYERS] = {"layers", "document of layers", "stack", "layers"},
             [INFO_RESULT] = {"result", "result", NULL, NULL},
             [INFO_MODEL] = {"model", "model", "stack", "layers"}};

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- a value ---- */

/* What stands before the next of several remarks. */
static const char *comma_in(const text *out)
{
    bool is_first = out->length == 0 || strchr(" \t", out->data[out->length - 1]) != NULL;
    return is_first ? "" : ", ";
}

/* "3 numbers, 1 text": what there is some of. */
static void tell_part(teller *t, const char *name, size_t count, const char *one, const char *many)
{
    tell_count(t, name, NULL, count);
    if (count > 0)
        tell_words(t, "%s%zu %s", comma_in(t->out), count, count == 1 ? one : many);
}

static void tell_array(teller *t, const fact *f)
{
    size_t some = f->numbers.finite + f->texts + f->truths + f->nulls + f->objects;
    tell_count(t, "count", NULL, f->count);
    tell_count(t, "depth", NULL, f->depth);
    if (f->count == 0)
        tell_words(t, "an empty list");
    else if (f->depth == 1)
        tell_words(t, "a list of ");
    else
        tell_words(t, "%slists, %zu deep%s",
                   some == 0      ? "empty "
                   : f->is_ragged ? "ragged "
                                  : "",
                   f->depth, some == 0 ? "" : ": ");
    tell_part(t, "numbers", f->numbers.finite, "number", "numbers");
    tell_part(t, "texts", f->texts, "text", "texts");
    tell_part(t, "truths", f->truths, "true or false", "true or false");
    tell_part(t, "nulls", f->nulls, "null", "null");
    tell_part(t, "objects", f->objects, "object", "objects");
    tell_truth(t, "ragged", f->is_ragged);
}

static void show_cell(text *out, double value)
{
    if (!tensor_is_hole(value))
        number_text_add(out, value, -1);
}

/* In words the row of a table. */
static void tell_matrix(teller *t, const fact *f)
{
    const statistics *of = &f->numbers;
    bool is_empty = of->finite == 0;
    dtype type = f->type == DTYPE_BOOL ? DTYPE_F64 : f->type; /* true is 1 */
    char shape[SHAPE_TEXT];
    tell_words(t, "%s\t", f->varies ? "varies" : sizes_text(f->rank, f->size, shape));
    if (!f->varies)
        tell_sizes(t, "shape", f->rank, f->size);
    tell_text(t, "type", "%s\t",
              f->stored != NULL       ? f->stored
              : f->type == DTYPE_BOOL ? "bool"
                                      : "number");
    if (f->stored != NULL)
        tell_count(t, "bytes", "%zu", f->bytes);
    tell_words(t, "\t");
    if (f->is_unlooked)
        return;
    tell_cell(t, "min", type, is_empty ? tensor_hole() : of->least, show_cell);
    tell_cell(t, "max", type, is_empty ? tensor_hole() : of->greatest, show_cell);
    tell_cell(t, "mean", DTYPE_F64, is_empty ? tensor_hole() : statistics_mean(of), show_cell);
    tell_part(t, "nan", of->nan, "NaN", "NaN");
    tell_part(t, "infinite", of->infinite, "infinite", "infinite");
    tell_part(t, "null", of->holes, "null", "null");
}

static void tell_entries(teller *t, const fact *object, bool is_stream);

/* NaN is a text in JSON, and so is a number too large for float64. */
static void tell_value(teller *t, const fact *f)
{
    char shape[SHAPE_TEXT];
    const char *shown = text_string(&f->shown);
    switch (f->kind) {
    case FACT_MATRIX: /* alone in its file */
        tell_words(t, "a %s, %s", f->rank == 1 ? "list" : "matrix",
                   sizes_text(f->rank, f->size, shape));
        break;
    case FACT_TEXT:
        tell_text(t, "value", "\"%s\"", shown);
        break;
    case FACT_LIST:
        tell_count(t, "count", NULL, f->count);
        tell_words(t, "%zu text%s: %s", f->count, plural(f->count), shown);
        break;
    case FACT_ARRAY:
        tell_array(t, f);
        break;
    case FACT_OBJECT:
        tell_words(t, f->count == 0 ? "an empty object" : "an object with %zu key%s", f->count,
                   plural(f->count));
        tell_entries(t, f, false);
        break;
    case FACT_UNREAD:
        tell_text(t, "error", "not read: %s", shown);
        break;
    case FACT_NULL:
        tell_words(t, "null");
        break;
    case FACT_NUMBER:
        if (f->numbers.finite == 1)
            tell_number(t, "value", f->type, f->numbers.least);
        tell_text(t, f->numbers.finite == 1 ? NULL : "value", "%s", shown);
        break;
    default:
        tell_truth(t, "value", strcmp(shown, "true") == 0);
        tell_words(t, "%s", shown);
    }
}

/* ---- for a machine ---- */

static void tell_fact(teller *t, const fact *f, bool is_stream)
{
    static const char *const NAMES[] = {
        [FACT_NULL] = "null",   [FACT_TRUTH] = "truth",   [FACT_NUMBER] = "number",
        [FACT_TEXT] = "text",   [FACT_MATRIX] = "matrix", [FACT_LIST] = "list",
        [FACT_ARRAY] = "array", [FACT_OBJECT] = "object", [FACT_UNREAD] = "unread"};
    bool is_one = f->kind == FACT_TEXT || f->kind == FACT_NUMBER || f->kind == FACT_TRUTH;
    tell_text(t, "kind", NULL, NAMES[f->kind]);
    if (is_stream) {
        tell_count(t, "documents", NULL, f->lines);
        tell_truth(t, "varies", f->varies);
    }
    if (f->kind == FACT_MATRIX)
        tell_matrix(t, f);
    else if (!is_one || !f->varies)
        tell_value(t, f);
}

static void tell_entries(teller *t, const fact *object, bool is_stream)
{
    tell_open(t, "entries", "[");
    for (size_t i = 0; t->is_json && i < object->insides; i++) {
        tell_open(t, NULL, "{");
        tell_text(t, "name", NULL, text_string(&object->inside[i].name));
        tell_fact(t, &object->inside[i], is_stream);
        tell_close(t, "}");
    }
    tell_close(t, "]");
}

/* ---- for a person ---- */

static const char *name_of(const fact *f)
{
    return f->name.length == 0 ? "(no name)" : f->name.data;
}

/* Adds a value in at most so many columns; the reason why a value is missing may take more. */
static void add_value(text *out, const fact *f, size_t columns)
{
    text value = {0};
    teller t = {.out = &value};
    if (f->varies)
        tell_words(&t, "varies");
    else
        tell_value(&t, f);
    if (f->kind == FACT_UNREAD)
        display_add_string(out, text_string(&value));
    else
        display_add_cut(out, text_string(&value), columns);
    text_close(&value, out);
}

typedef struct table {
    text rows;
    size_t documents;    /* of a stream */
    size_t name_columns; /* of the longest name */
    bool has_matrix;
} table;

static void measure_row(table *to, const fact *f, size_t indent)
{
    to->name_columns =
        size_larger(to->name_columns, indent + display_cut_columns(name_of(f), NAME_COLUMNS));
    to->has_matrix = to->has_matrix || f->kind == FACT_MATRIX;
}

/* Adds a row: the name, what it is, how many of its numbers are not finite or missing, and which
 * documents have it. */
static void add_row(table *to, const fact *f, size_t indent)
{
    teller t = {.out = &to->rows};
    size_t taken = INDENT + to->name_columns + 2;
    text_add_repeated(t.out, " ", indent);
    display_add_cut(t.out, name_of(f), NAME_COLUMNS);
    tell_words(&t, "\t");
    if (f->kind == FACT_MATRIX) {
        tell_matrix(&t, f);
    } else {
        add_value(t.out, f, size_larger(LINE_COLUMNS, taken + VALUE_COLUMNS) - taken);
        tell_words(&t, "  ");
    }
    if (f->lines < to->documents)
        tell_words(&t, "%sin %zu of %zu documents", comma_in(t.out), f->lines, to->documents);
    tell_words(&t, "\n");
}

/* Does something with each row that is shown: entries, and the first entries of objects in it. */
static void each_row(table *to, const fact *root, void (*row)(table *, const fact *, size_t))
{
    for (size_t i = 0; i < root->insides; i++) {
        const fact *one = &root->inside[i];
        row(to, one, 0);
        for (size_t j = 0; j < one->insides && j < INSIDE_MOST; j++)
            row(to, &one->inside[j], INDENT);
        if (one->insides > INSIDE_MOST && row == add_row)
            text_add_format(&to->rows, "%*s… %zu more\n", INDENT, "", one->insides - INSIDE_MOST);
    }
}

static void write_headline(text *out, const info_file *of)
{
    const fact *root = &of->root;
    bool is_json = of->format->holds & HOLDS_ALL;
    size_t matrices = 0, unread = 0, unlooked = 0;
    for (size_t i = 0; i < root->insides; i++) {
        matrices += root->inside[i].kind == FACT_MATRIX;
        unread += root->inside[i].kind == FACT_UNREAD;
        unlooked += root->inside[i].is_unlooked;
    }
    display_add_string(out, of->file);
    if (of->only != NULL) {
        text_add_string(out, ":");
        display_add_string(out, of->only);
    }
    text_add_format(out, ": %s, %s%zu byte%s%s", of->format->title, is_json ? "well-formed, " : "",
                    of->bytes, plural(of->bytes), of->only != NULL ? " in all\n" : ": ");
    if (of->only != NULL)
        return;
    if (of->documents > 0) {
        text_add_format(out, "%zu document%s, %zu key%s", of->documents, plural(of->documents),
                        root->count, plural(root->count));
    } else if (of->kind != INFO_ANYTHING) {
        text_add_format(out, "a %s with %zu key%s", KINDS[of->kind].words, root->count,
                        plural(root->count));
    } else if (is_json) {
        add_value(out, root, LINE_COLUMNS);
    } else {
        text_add_format(out, "%zu matri%s", matrices, matrices == 1 ? "x" : "ces");
        if (unread > 0)
            text_add_format(out, ", %zu not read", unread);
        if (unlooked > 0)
            text_add_string(out, ", by the header alone: FILE:NAME reads the numbers of one");
    }
    text_add_string(out, "\n");
}

/* ---- what a document asks for ---- */

/* A paragraph; it is freed. */
static void add_lines(text *out, text *words)
{
    display_add_wrapped(out, text_string(words), INDENT, LINE_COLUMNS);
    text_close(words, out);
}

/* "doc.json:3:1: what is wrong" */
static void tell_error(teller *t, const char *of_what, const err *error)
{
    text said = {0}, line = {0};
    text_add_format(&said, "%s%s%s", error->where, error->where[0] == '\0' ? "" : ": ",
                    error->what);
    tell_text(t, "error", NULL, text_string(&said));
    if (!t->is_json) {
        text_add_format(&line, "%s: not as it stands: %s", of_what, text_string(&said));
        add_lines(t->out, &line);
    }
    text_close(&said, t->out);
}

static size_t cache_bytes_of(const plan *p)
{
    return p->kv_heads * (p->k.width + p->v.width) * dtype_size(p->type);
}

static void tell_sharing(teller *t, const plan *p)
{
    size_t heads = p->heads, shared = p->kv_heads;
    tell_text(t, "sharing", "%s",
              heads == 1        ? "one head"
              : shared == heads ? "MHA"
              : shared == 1     ? "MQA"
                                : "GQA");
    tell_count(t, "heads", heads > 1 ? ", %zu heads" : NULL, heads);
    tell_count(t, "kv_heads", NULL, shared);
    if (shared < heads)
        tell_words(t, " over %zu key/value head%s", shared, plural(shared));
}

static void tell_widths(teller *t, const plan *p)
{
    tell_count(t, "d_k", ", d_k %zu", p->k.width);
    tell_count(t, "d_v", ", d_v %zu", p->v.width);
    if (p->q_latent.width > 0)
        tell_count(t, "q_latent", ", queries of a latent of %zu", p->q_latent.width);
    if (p->kv_latent.width > 0) {
        tell_count(t, "kv_latent", ", keys and values of one of %zu", p->kv_latent.width);
        tell_count(t, "shared", " and %zu shared", p->k.shared);
    }
}

static void tell_attention(teller *t, const plan *p, bool has_inputs)
{
    static const char *const CAUSALS[] = {[CAUSAL_NONE] = "none",
                                          [CAUSAL_UPPER_LEFT] = "upper-left",
                                          [CAUSAL_LOWER_RIGHT] = "lower-right"};
    char scale[NUMBER_FIXED_TEXT];
    number_text_write(p->scale, -1, scale);
    tell_words(t, "  attention: ");
    tell_sharing(t, p);
    if (has_inputs) {
        tell_count(t, "batches", NULL, p->batches);
        tell_count(t, "queries", NULL, p->n_q);
        tell_count(t, "keys", NULL, p->n_k);
    }
    tell_widths(t, p);
    if (has_inputs)
        tell_words(t, "; %zu quer%s, %zu key%s", p->n_q, p->n_q == 1 ? "y" : "ies", p->n_k,
                   plural(p->n_k));
    if (p->batches > 1)
        tell_words(t, ", a batch of %zu", p->batches);
    tell_text(t, "dtype", NULL, dtype_name(p->type));
    tell_count(t, "cache_bytes_per_token", "\n  key/value cache: %zu bytes a token",
               cache_bytes_of(p));
    tell_words(t, " in %s, %zu · (%zu + %zu) numbers\n", dtype_name(p->type), p->kv_heads,
               p->k.width, p->v.width);
    tell_text(t, "causal", "  causal: %s", CAUSALS[p->asked->causal]);
    tell_text(t, "score", "; score: %s", p->asked->score->named.name);
    tell_number(t, "scale", DTYPE_F64, p->scale);
    tell_words(t, ", scale %s\n", scale);
    tell_list(t, "notes", &p->notes);
    for (size_t i = 0; !t->is_json && i < p->notes.count; i++) {
        text note = {0};
        text_add_format(&note, "note: %s", p->notes.item[i]);
        add_lines(t->out, &note);
    }
}

/* ---- layers ---- */

static void tell_feed_forward(teller *t, const feed_forward *f)
{
    tell_count(t, "hidden", "%zu hidden", f->hidden);
    tell_text(t, "activation", ", %s", f->by->named.name);
}

static void tell_experts(teller *t, const expert_mix *m)
{
    tell_count(t, "experts", "%zu expert", m->count);
    tell_words(t, "%s", plural(m->count));
    tell_count(t, "top", ", %zu a row", m->top);
    tell_text(t, "routing", " by %s", m->by->named.name);
    tell_words(t, ", ");
    tell_feed_forward(t, m->expert);
    tell_words(t, m->has_shared ? ", one shared" : "");
}

static void tell_layer(teller *t, const layer *l)
{
    tell_text(t, "norm", "norms %s", l->order->named.name);
    for (size_t i = 0; i < l->parts; i++) {
        const layer_part *p = &l->part[i];
        tell_open(t, part_name(p->as->kind), "{");
        tell_words(t, "; %s: ", part_name(p->as->kind));
        if (p->experts != NULL) {
            tell_experts(t, p->experts);
        } else if (p->as->kind == PART_FEED_FORWARD) {
            tell_feed_forward(t, p->feed_forward);
        } else {
            tell_sharing(t, &p->attention->plan);
            tell_widths(t, &p->attention->plan);
        }
        tell_close(t, "}");
    }
}

static void tell_stack(teller *t, const stack *s)
{
    /* Keys and values of cross-attention are of the memory's rows, and become no more. */
    size_t cache_bytes = 0;
    for (size_t i = 0; i < s->layers; i++) {
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            const layer_part *p = &s->layer[i].part[j];
            cache_bytes += p->as->kind == PART_ATTENTION ? cache_bytes_of(&p->attention->plan) : 0;
        }
    }
    tell_words(t, "  layers: %zu, for %s", s->layers,
               bundle_find(s->document, "kind") == NULL ? "run, encode, decode and generate"
               : s->how.is_decoder                      ? "run, decode and generate"
                                                        : "run and encode");
    if (s->batches > 0)
        tell_count(t, "batches", NULL, s->batches);
    tell_count(t, "rows", "; %zu row", s->rows);
    tell_words(t, "%s", plural(s->rows));
    tell_count(t, "width", " of width %zu", s->width);
    if (s->batches > 0)
        tell_words(t, ", a batch of %zu", s->batches);
    tell_words(t, "\n");
    tell_text(t, "dtype", NULL, dtype_name(s->type));
    tell_count(t, "cache_bytes_per_token", NULL, cache_bytes);
    tell_open(t, "layers", "[");
    for (size_t first = 0, end = 1; first < s->layers; first = end++) {
        text words = {0}, others = {0}, line = {0};
        tell_open(t, NULL, "{");
        tell_layer(t->is_json ? t : &(teller){.out = &words}, &s->layer[first]);
        tell_close(t, "}");
        if (t->is_json)
            continue;
        /* To people, equal layers are described once. */
        for (; end < s->layers; end++) {
            text_clear(&others);
            tell_layer(&(teller){.out = &others}, &s->layer[end]);
            if (strcmp(text_string(&others), text_string(&words)) != 0)
                break;
        }
        text_add_format(&line, "layer%s %zu", plural(end - first), first + 1);
        if (end > first + 1)
            text_add_format(&line, " to %zu", end);
        text_add_format(&line, ": %s", text_string(&words));
        text_close(&words, &line);
        text_close(&others, &line);
        add_lines(t->out, &line);
    }
    tell_close(t, "]");
    if (s->has_end) {
        tell_open(t, part_name(PART_FEED_FORWARD), "{");
        tell_words(t, "  after them: %s: ", part_name(PART_FEED_FORWARD));
        tell_feed_forward(t, &s->end);
        tell_words(t, "\n");
        tell_close(t, "}");
    }
    tell_words(t, "  key/value cache: %zu bytes a token in %s, of all layers\n", cache_bytes,
               dtype_name(s->type));
}

/* ---- all of it ---- */

/* "llama: a model in 2 files, 1888 bytes", and what config.json says. */
static void tell_model(teller *t, const info_file *of)
{
    text words = {0};
    tell_count(t, "files", NULL, of->files);
    tell_text(t, "model", NULL, text_string(&of->says));
    if (t->is_json)
        return;
    display_add_string(t->out, of->file);
    text_add_format(t->out, ": a model in %zu file%s, %zu bytes\n", of->files, plural(of->files),
                    of->bytes);
    text_add_string(&words, text_string(&of->says));
    if (of->says.length > 0)
        add_lines(t->out, &words);
    else
        text_free(&words);
}

void info_tell(teller *t, const info_file *of, const err *error)
{
    tell_open(t, NULL, "{");
    tell_text(t, "file", NULL, of->file);
    if (error->is_set) {
        tell_error(t, "", error);
        tell_close(t, "}\n");
        return;
    }
    if (of->format != NULL)
        tell_text(t, "format", NULL, of->format->named.name);
    tell_count(t, "bytes", NULL, of->bytes);
    if (of->documents > 0)
        tell_count(t, "documents", NULL, of->documents);
    if (of->kind != INFO_ANYTHING)
        tell_text(t, "is", NULL, KINDS[of->kind].key);
    if (of->kind == INFO_MODEL) {
        tell_model(t, of);
    } else if (t->is_json && of->documents > 0) {
        tell_entries(t, &of->root, true);
    } else if (t->is_json) {
        tell_fact(t, &of->root, false);
    } else {
        table rows = {.documents = of->documents};
        fact alone = {.kind = FACT_OBJECT, .inside = (fact *)(void *)&of->root, .insides = 1};
        const fact *root = of->root.kind == FACT_MATRIX ? &alone : &of->root;
        write_headline(t->out, of);
        each_row(&rows, root, measure_row);
        each_row(&rows, root, add_row);
        tell_table(t->out, rows.has_matrix ? "name\tshape\ttype\tbytes\tmin\tmax\tmean\t\n" : NULL,
                   &rows.rows, "lllllll", INDENT);
        text_free(&rows.rows);
    }
    if (of->is_asked) {
        tell_open(t, KINDS[of->kind].asks, "{");
        if (of->trouble.is_set)
            tell_error(t, KINDS[of->kind].asks_words, &of->trouble);
        else if (of->kind != INFO_DOCUMENT)
            tell_stack(t, &of->stack);
        else
            tell_attention(t, &of->plan, of->has_inputs);
        tell_close(t, "}");
    }
    tell_close(t, "}\n");
}
