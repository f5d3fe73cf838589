/* Rows that several threads format: the same bytes, and the same errors, as one thread's. */
#include "io/in_order.h"

#include "io/format.h"
#include "scratch.h"
#include "unit.h"

#include <math.h>
#include <string.h>

static const size_t THREADS[] = {0, 1, 2, 3, 7, 100000};
enum { WAYS = sizeof THREADS / sizeof THREADS[0] };

/* Large enough for several ranges, and no multiple of one. */
enum { ROWS = 601, COLUMNS = 211 };

static void write_row(const void *context, size_t row, text *to)
{
    text_add_format(to, "%s %zu\n", (const char *)context, row);
}

static void add_rows(text *wanted)
{
    text_add_string(wanted, "before\n");
    for (size_t row = 0; row < ROWS; row++)
        write_row("row", row, wanted);
    text_add_string(wanted, "after\n");
}

static bool write_all(sink *s, size_t threads, err *e)
{
    const tensor matrix = {.rank = 2, .size = {ROWS, COLUMNS}};
    const rows_text rows = {&matrix, write_row, "row"};
    const write_options how = {.threads = threads};
    text_add_string(sink_text(s), "before\n");
    bool done = rows_text_write(&rows, &how, s, e);
    text_add_string(sink_text(s), "after\n");
    return done;
}

static void rows_stand_in_order(unit *u, const char *wanted, size_t threads)
{
    sink s;
    err e = {0};
    sink_open_memory(&s);
    CHECK(u, write_all(&s, threads, &e));
    CHECK_TEXT(u, text_string(sink_text(&s)), wanted);
    sink_discard(&s);
    CHECK(u, sink_open(&s, scratch_path("rows"), &e));
    CHECK(u, write_all(&s, threads, &e) && sink_close(&s, &e));
    CHECK(u, scratch_holds("rows", wanted));
    remove(scratch_path("rows"));
}

typedef struct half {
    size_t rows; /* that are made at a time, until none more can be */
} half;

static bool make_half(void *context, const tensor *matrix, size_t first, size_t *count, err *e)
{
    const half *h = context;
    if (first >= matrix->size[0] / 2)
        return err_set(e, "row %zu can't be made", first + 1);
    if (*count > h->rows)
        *count = h->rows;
    return true;
}

/* Rows that are made as they are written: those before the ones that can't be are there. */
static void missing_rows_are_reported(unit *u, size_t threads)
{
    const tensor matrix = {.rank = 2, .size = {ROWS, COLUMNS}};
    const rows_text rows = {&matrix, write_row, "row"};
    half some = {100};
    const streamed_rows supply = {.context = &some, .make = make_half};
    const write_options how = {.threads = threads, .supply = &supply};
    sink s;
    err e = {0};
    sink_open_memory(&s);
    CHECK(u, !rows_text_write(&rows, &how, &s, &e));
    CHECK_TEXT(u, e.what, "row 301 can't be made");
    const char *written = text_string(sink_text(&s));
    CHECK(u, strstr(written, "row 0\n") == written && strstr(written, "row 299\n") != NULL &&
                 strstr(written, "row 300\n") == NULL);
    sink_discard(&s);
}

/* Long rows, so that more than one block is written. */
static void write_long_row(const void *context, size_t row, text *to)
{
    text_add_repeated(to, context, 1000 + row);
}

static void full_disk_is_reported(unit *u, size_t threads)
{
    const tensor matrix = {.rank = 2, .size = {ROWS, COLUMNS}};
    const rows_text rows = {&matrix, write_long_row, "12345678"};
    const write_options how = {.threads = threads};
    sink s;
    err e = {0};
    if (!CHECK(u, sink_open(&s, "/dev/full", &e)))
        return;
    CHECK(u, !rows_text_write(&rows, &how, &s, &e));
    CHECK_TEXT(u, e.where, "/dev/full");
    CHECK_TEXT(u, e.what, "cannot be written: No space left on device");
    sink_discard(&s);
}

/* No memory for a range is an error, as it is for the whole: be it short, or so long that it is
 * written at once. */
static void write_too_much(const void *context, size_t row, text *to)
{
    text_add_repeated(to, "row\n", *(const size_t *)context);
    if (row == ROWS / 2)
        text_room(to, SIZE_MAX / 2);
}

static void missing_memory_is_reported(unit *u, size_t threads, size_t length)
{
    const tensor matrix = {.rank = 2, .size = {ROWS, COLUMNS}};
    const rows_text rows = {&matrix, write_too_much, &length};
    const write_options how = {.threads = threads};
    sink s;
    err e = {0};
    if (!CHECK(u, sink_open(&s, "/dev/null", &e)))
        return;
    CHECK(u, !rows_text_write(&rows, &how, &s, &e) && e.is_memory);
    sink_discard(&s);
}

/* ---- formats ---- */

/* Numbers of all lengths, some that are none, and holes. */
static void fill(tensor *t)
{
    uint64_t state = 1;
    for (size_t i = 0; i < tensor_count(t); i++) {
        uint64_t bits = unit_random(&state);
        ((double *)t->data)[i] = i % 997 == 0   ? tensor_hole()
                                 : i % 991 == 0 ? -(double)INFINITY
                                                : (double)(int64_t)bits / (double)(1 + bits % 1000);
    }
}

static void write_result(unit *u, const bundle *result, const char *name, size_t threads, sink *to)
{
    err e = {0};
    const write_options how = {.digits = -1, .threads = threads, .names_alone = true};
    sink_open_memory(to);
    CHECK(u, format_by_name(name)->write(result, &how, to, &e));
}

static void formats_write_the_same(unit *u, int rank, const size_t *size)
{
    static const char *const NAMES[] = {"csv", "tsv", "json", "jsonl", "tidy"};
    bundle result = {0};
    tensor t;
    err e = {0};
    CHECK(u, tensor_new(&t, DTYPE_F64, rank, size, &e));
    fill(&t);
    CHECK(u, bundle_add_tensor(&result, "scores", &t, (place){0}, &e));
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        sink one, other;
        write_result(u, &result, NAMES[i], 1, &one);
        for (size_t way = 0; way < WAYS; way++) {
            write_result(u, &result, NAMES[i], THREADS[way], &other);
            CHECK(u, strcmp(text_string(sink_text(&one)), text_string(sink_text(&other))) == 0);
            sink_discard(&other);
        }
        sink_discard(&one);
    }
    bundle_free(&result);
}

UNIT(rows_text)
{
    text wanted = {0};
    if (!scratch_open(u))
        return;
    add_rows(&wanted);
    for (size_t i = 0; i < WAYS; i++) {
        rows_stand_in_order(u, text_string(&wanted), THREADS[i]);
        full_disk_is_reported(u, THREADS[i]);
        missing_rows_are_reported(u, THREADS[i]);
        missing_memory_is_reported(u, THREADS[i], 1);
        missing_memory_is_reported(u, THREADS[i], 1000);
    }
    text_free(&wanted);
    scratch_close(u);
    formats_write_the_same(u, 2, (const size_t[]){ROWS, COLUMNS});
    formats_write_the_same(u, 3, (const size_t[]){2, COLUMNS, ROWS});
}
