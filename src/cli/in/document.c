#include "cli/in/document.h"

#include "attn/spec/keys.h"
#include "attn/spec/problem.h"
#include "attn/spec/stage.h"
#include "cli/line/options_parse.h"
#include "cli/out/said.h"
#include "io/format.h"
#include "model/stack_keys.h"

#include <assert.h>
#include <string.h>

/* ---- --stream ---- */

/* What each line says for itself. */
static const char *const OF_LINE[] = {"x",        "xk",       "xv",     "q",
                                      "k",        "v",        "tokens", "name",
                                      "title",    "source",   "notes",  "rope_positions",
                                      "exercise", "expected", "tol",    "errata"};
enum { OF_LINE_COUNT = sizeof OF_LINE / sizeof OF_LINE[0] };

/* Whether options ask for nothing that a stream can't do. */
static bool kv_session_check(const options *o, err *e)
{
    if (o->input_format != NULL && !(format_by_name(o->input_format)->holds & HOLDS_STREAM))
        return err_set(e, "--stream reads JSON Lines, and --input-format is %s", o->input_format);
    if (o->trace) {
        err_set(e, "--trace shows where every number comes from, and in a stream keys and values "
                   "come from lines before");
        return err_remedy(e, "--past-k and --past-v make one step of a document, to be traced");
    }
    if (o->picture != NULL)
        return err_set(e, "--picture draws the weights of one document, and a stream has more "
                          "lines than one");
    /* An option's matrix or list would come again with every line. */
    for (size_t i = 0; i < OF_LINE_COUNT; i++) {
        if (input_keys_value(o, OF_LINE[i]) != NULL)
            return err_set(e, "--stream reads %s line by line, and --%s gives it once", OF_LINE[i],
                           option_by_key(OF_LINE[i], strlen(OF_LINE[i]))->named.name);
    }
    return true;
}

/* Adds what all rows share to what a line says. A line that gives any of it again is refused. */
static bool kv_session_share(const kv_session *s, bundle *contents, err *e)
{
    if (!s->has_shared)
        return true;
    for (size_t i = 0; i < contents->count; i++) {
        const entry *one = &contents->entry[i];
        bool is_of_line = false;
        for (size_t j = 0; j < OF_LINE_COUNT && !is_of_line; j++)
            is_of_line = strcmp(OF_LINE[j], one->name) == 0;
        if (!is_of_line)
            return err_at(e, &one->at, "%s holds for the whole stream; give it in the first line",
                          one->name);
    }
    return bundle_borrow_all(contents, &s->shared, e);
}

/* ---- one document ---- */

/* A file that is one matrix without a name is the input rows. */
static bool name_the_only_matrix(bundle *b, err *e)
{
    entry *unnamed = bundle_find(b, "");
    const entry *rows = bundle_find(b, "rows");
    bundle x = {0};
    if (unnamed == NULL)
        return true;
    const place at = unnamed->at;
    bool done = bundle_take(&x, "x", unnamed, e) &&
                (rows == NULL || cli_inputs_add_labels(&x, "x", &rows->list, at, e));
    bundle_free(b);
    *b = x;
    return done;
}

static const elsewhere NO_KEYS[] = {
    {&STAGES, "it is a stage, which is computed; what it should be stands in \"expected\""},
    {&OPTIONS, "it is an option of the command line, not of the document"},
    {NULL, NULL},
};

static read_options options_of_contents(const document *one, const document_reader *all)
{
    read_options how = read_options_of(all->given, one->file, all->type);
    how.first_line = one->line;
    how.keys = &KEYS;
    how.document_keys = how.other_keys = &STACK_DOCUMENT;
    how.elsewhere = NO_KEYS;
    how.kind = KEY_MATRIX;
    how.types_expected = all->types_expected;
    how.type_is_fixed = input_keys_decides_type(all->given, &how.type);
    return how;
}

void document_free(document *one)
{
    bundle_free(&one->contents);
    unseen_free(&one->unseen);
}

place document_place(const document *one)
{
    bool is_standard = one->file != NULL && strcmp(one->file, "-") == 0;
    return (place){.file = is_standard ? "standard input" : one->file,
                   .line = one->line,
                   .column = one->line > 0};
}

dtype document_type(const document *one)
{
    return type_of_word(bundle_text(&one->contents, "dtype"), DTYPE_F32);
}

bool document_blame(const document *one, err *e)
{
    place at = document_place(one);
    char called[PLACE_TEXT];
    err_place(e, &at);
    place_text(&at, called);
    if (one->line > 0)
        *strrchr(called, ':') = '\0'; /* the column */
    /* Whether the error's place is in what is called so: "lines.jsonl:3". */
    size_t length = strlen(called);
    bool is_in = strncmp(e->where, called, length) == 0 && strchr(":", e->where[length]) != NULL;
    return one->is_of_many && !is_in && err_within(e, "%s", called);
}

/* ---- one after the other ---- */

bool document_reader_open(document_reader *all, const options *given, weights_input *weights,
                          const env *world, dtype type, err *e)
{
    static const char *const STANDARD_INPUT[] = {"-"};
    *all = (document_reader){.given = given,
                             .weights = weights,
                             .type = type,
                             .file = (const char *const *)given->operand,
                             .files = given->operands};
    if (all->files == 0 && (input_keys_has_input(given) || given->bundle != NULL)) {
        all->has_options_only = true;
    } else if (all->files == 0) {
        if (world->stdin_is_terminal) {
            err_set(e, "there is nothing to compute with: name a document, or matrices by options");
            return err_remedy(e, "selfattn example walkthrough | selfattn --trace");
        }
        all->file = STANDARD_INPUT;
        all->files = 1;
    }
    all->is_many = all->files > 1;
    if (given->stream && !kv_session_check(given, e))
        return false;
    if (given->stream && all->has_options_only) {
        err_set(e, "--stream reads rows line by line, and no document is named");
        return err_remedy(e, "- names standard input");
    }
    if (!input_keys_check_standard_input(given, all->file, all->files, e) ||
        !cli_inputs_open(&all->from_options, given, world, e) ||
        !weights_input_open(weights, given, world, e))
        return false;
    all->from_options.later = &weights->unseen;
    all->type = type_of_word(weights->type_word, type);
    all->packed_weights.most = document_reader_packed_most(all, 1);
    return true;
}

/* A file is mapped, to look at more than its first block. */
static bool look_at_whole(line_source *l, jsonl_look *look, err *e)
{
    source whole = {0};
    lines_restart(l);
    bool done = source_open(&whole, l->file, SIZE_MAX, e);
    if (done)
        *look = jsonl_look_at(whole.bytes, whole.length);
    source_close(&whole);
    lines_restart(l);
    return done;
}

/* What the first bytes say, of which no more are waited for than it takes. */
static bool look_at_first(line_source *l, jsonl_look *look, err *e)
{
    *look = JSONL_MAY_BE;
    while (!l->ends && *look == JSONL_MAY_BE) {
        size_t seen = l->read.length;
        if (!lines_peek(l, e))
            return false;
        /* A first line that goes on and on says nothing new. */
        if (l->ends || seen < READ_BLOCK ||
            memchr(l->read.data + seen, '\n', l->read.length - seen) != NULL)
            *look = jsonl_look_at(l->read.data, l->read.length);
        if (!l->ends && *look == JSONL_MAY_BE && lines_can_restart(l))
            return look_at_whole(l, look, e);
    }
    return true;
}

/* Whether the input is lines that are documents, as its name's ending or its first bytes say. A
 * stream of one line has the first bytes of JSON, and so has one whose lines are lists: then the
 * ending says it. */
static bool find_if_lines(document_reader *all, err *e)
{
    line_source *l = &all->lines;
    const char *format_name = all->given->input_format;
    const format *by_ending = format_by_ending(l->file);
    jsonl_look look;
    if (format_name != NULL || all->given->stream) {
        all->is_stream = all->given->stream || format_by_name(format_name)->holds & HOLDS_STREAM;
        return true;
    }
    if (by_ending != NULL && by_ending->holds & HOLDS_STREAM) {
        /* A name that ends as a stream's does is believed, unless the first bytes are binary.
         * Nothing at all is a stream of no documents. */
        err unsaid = {0}; /* reading the whole finds the error again */
        if (!lines_peek(l, e))
            return false;
        const format *f = format_recognise(l->read.data, l->read.length, l->file, &unsaid);
        all->is_stream = l->read.length == 0 || (f != NULL && f->holds & HOLDS_STREAM);
        return true;
    }
    if (!look_at_first(l, &look, e))
        return false;
    all->is_stream = look == JSONL_IS;
    return true;
}

static bool read_contents(const document_reader *all, const document_line *from, document *one,
                          json_again *again, err *e)
{
    read_options how = options_of_contents(one, all);
    how.threads = 1; /* lines are read side by side */
    how.again = again;
    return json_read(from->bytes, from->length, &how, &one->contents, e) &&
           name_the_only_matrix(&one->contents, e) &&
           kv_session_share(&all->rows, &one->contents, e);
}

/* All of an input that is not a stream. */
static bool read_file(document_reader *all, document *one, err *e)
{
    source whole = {0};
    read_options how = options_of_contents(one, all);
    bool done = lines_become_source(&all->lines, &whole, e);
    if (done) {
        how.map = whole.map;
        how.later = &one->unseen;
        const format *f = input_format_of(all->given, whole.bytes, whole.length, how.file, e);
        done = f != NULL && f->read(whole.bytes, whole.length, &how, &one->contents, e) &&
               name_the_only_matrix(&one->contents, e);
        if (done && f->is_table) {
            for (size_t i = 0; i < one->contents.count; i++) {
                if (one->contents.entry[i].kind == ENTRY_TENSOR)
                    note_index_header(all->from_options.world, all->given, &one->contents.entry[i]);
            }
        }
    }
    source_close(&whole);
    lines_close(&all->lines);
    return done;
}

/* The next line of the stream that holds a document; after the last one it is closed. */
static bool read_next_line(document_reader *all, document *one, bool *is_there, err *e)
{
    document_line next;
    one->file = all->lines.file;
    do {
        next.bytes = lines_next(&all->lines, &next.length, e);
        one->line = next.number = all->lines.number;
    } while (next.bytes != NULL && jsonl_is_blank(next.bytes, next.length));
    *is_there = next.bytes != NULL;
    if (*is_there)
        return read_contents(all, &next, one, NULL, e);
    if (e->is_set)
        return false;
    all->is_stream = false;
    lines_close(&all->lines);
    return true;
}

/* The next file, which may be a stream. */
static bool open_next(document_reader *all, document *one, err *e)
{
    size_t most = all->given->max_memory;
    bool is_open = true;
    *one = (document){.file = all->file[all->next++]};
    if (all->read != NULL)
        lines_open_read(&all->lines, all->read, most);
    else
        is_open = lines_open(&all->lines, one->file, most, e);
    if (is_open && find_if_lines(all, e)) {
        all->is_many = all->is_many || all->is_stream;
        return true;
    }
    all->is_stream = false;
    lines_close(&all->lines);
    return false;
}

static bool read_next(document_reader *all, document *one, bool *is_there, err *e)
{
    while (!*is_there && (all->is_stream || all->next < all->files)) {
        if (!all->is_stream && !open_next(all, one, e))
            return false;
        *is_there = !all->is_stream;
        if (*is_there)
            return read_file(all, one, e);
        if (!read_next_line(all, one, is_there, e))
            return false;
    }
    return true;
}

static bool has_read_files(const document_reader *all, const bundle *contents)
{
    return cli_inputs_is_read(&all->from_options, all->weights, all->type, contents);
}

/* An options' file that can't be read is missing to all documents. */
static bool apply_options(document_reader *all, document *one, err *e)
{
    bool done = cli_inputs_apply(&all->from_options, all->weights, all->type, &one->contents,
                                 &one->is_all_tables, e);
    all->is_over = !done && !has_read_files(all, &one->contents);
    all->was_applied = all->was_applied || done;
    one->is_all_tables = one->is_all_tables && one->file == NULL;
    one->cache = all->given->stream ? &all->rows.cache : NULL;
    one->packed_weights = all->is_many ? &all->packed_weights : NULL;
    one->is_of_many = all->is_many && !all->is_over;
    return done;
}

bool document_reader_next(document_reader *all, document *one, bool *is_there, err *e)
{
    *one = (document){0};
    *is_there = false;
    bool done = true;
    if (all->has_options_only)
        *is_there = all->next++ == 0;
    else
        done = read_next(all, one, is_there, e);
    if (done && *is_there)
        done = apply_options(all, one, e);
    if (!done)
        document_free(one);
    return done;
}

size_t document_reader_take(document_reader *all, document_line *to, size_t most)
{
    static const bundle NOTHING;
    size_t count = 0;
    if (!all->was_applied || !has_read_files(all, &NOTHING) || all->weights->unseen.count > 0)
        return 0;
    while (count < most) {
        document_line *next = &to[count];
        next->bytes = lines_take(&all->lines, &next->length);
        next->number = all->lines.number;
        if (next->bytes == NULL)
            break;
        count += !jsonl_is_blank(next->bytes, next->length);
    }
    return count;
}

bool document_reader_read_line(document_reader *all, const document_line *from, document *one,
                               err *e)
{
    *one = (document){.file = all->lines.file, .line = from->number};
    return read_contents(all, from, one, NULL, e) && apply_options(all, one, e);
}

bool document_reader_try_line(document_reader *all, const document_line *from, document *one,
                              json_again *again, err *e)
{
    *one = (document){.file = all->lines.file, .line = from->number, .is_of_many = true};
    bool done = read_contents(all, from, one, again, e) && has_read_files(all, &one->contents) &&
                encoder_rows(&one->contents) == NULL &&
                cli_inputs_apply(&all->from_options, all->weights, all->type, &one->contents,
                                 &one->is_all_tables, e);
    /* Whether what was made of the document holds for other numbers in the same places: the numbers
     * are still its own, and those of inputs, of which a plan reads only the shapes. */
    bool comes_again = done;
    for (size_t i = 0; comes_again && i < again->values; i++) {
        const json_again_value *value = &again->value[i];
        const tensor *now = bundle_tensor(&one->contents, value->name);
        bool is_input = input_of_key(value->name) != INPUT_COUNT && now != NULL && now->owns;
        assert(!is_input || now->data == value->numbers.data); /* an option's is not owned here */
        comes_again = value->is_text || is_input;
    }
    if (!comes_again)
        json_again_forget(again);
    return done;
}

bool document_reader_try_again(const document_reader *all, const document_line *from, document *one,
                               json_again *again)
{
    one->file = all->lines.file;
    one->line = from->number;
    return json_again_read(again, from->bytes, from->length, &one->contents);
}

bool document_reader_has_next(const document_reader *all)
{
    return all->is_stream && lines_has_next(&all->lines);
}

/* An options' file is bad for all documents. */
bool document_reader_look(document_reader *all, document *one, err *e)
{
    if (!unseen_look(&one->unseen, e))
        return false;
    all->is_over = !unseen_look(&all->weights->unseen, e);
    one->is_of_many = one->is_of_many && !all->is_over;
    return !all->is_over;
}

void document_reader_keep(document_reader *all, document *one)
{
    if (!all->given->stream || all->rows.has_shared)
        return;
    all->type = document_type(one);
    all->rows.has_shared = true;
    all->rows.shared = one->contents;
    one->contents = (bundle){0};
    for (size_t i = 0; i < OF_LINE_COUNT; i++)
        bundle_remove(&all->rows.shared, OF_LINE[i]);
    bundle_set_stays(&all->rows.shared);
}

size_t document_reader_packed_most(const document_reader *all, size_t sharers)
{
    static const size_t MOST = 48 << 20; /* an encoder layer that is 1,024 wide */
    size_t share = all->given->max_memory / 8 / sharers;
    return share < MOST ? share : MOST;
}

void document_reader_close(document_reader *all)
{
    packed_weights_free(&all->packed_weights);
    bundle_free(&all->rows.shared);
    kv_cache_free(&all->rows.cache);
    lines_close(&all->lines);
    cli_inputs_close(&all->from_options);
}
