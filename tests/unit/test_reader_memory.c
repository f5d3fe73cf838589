/* What reading takes, of texts that are nothing but names: 4 MB and 32 times their bytes at most,
 * whether they are read or refused. Arrays that grow double, and what of them was never touched
 * takes no memory: counts are just below powers of two, so that there is little of that. */
#include "heap.h"
#include "io/format.h"
#include "unit.h"

#include <string.h>

enum { TIMES = 32, FREE = 4 << 20 };

/* A text: `head`, `times` times the piece with a number for its %zx, and `tail`. */
static const struct row {
    const char *kind, *head, *piece, *tail;
    size_t times;
    bool is_read;
} ROWS[] = {
    {"json", "{\"\":0", ",\"%zx\":1", "}", 65000, true},
    {"json", "{\"\":0", ",\"%zx\":[0.5,1.25]", "}", 65000, true},
    {"json", "{\"\":0", ",\"%zx\":{}", "}", 65000, true},
    {"json", "{\"a\":[{}", ",{}", "]}", 65000, false},
    {"json", "{\"a\":[{}", ",{\"b\":{\"c\":1}}", "]}", 57000, false},
    {"json", "{\"a\":[{}", ", {\"row\": 12345, \"col\": 1}", "]}", 32000, true},
    {"json", "{\"a\":[\"\"", ",\"\"", "]}", 130000, true},
    {"json", "{\"a\":[0", ",1", "]}", 130000, true},
    {"json", "{\"a\":[[0]", ",[1]", "]}", 130000, true},
    {"csv", "a", ",a", "\n", 65000, false},
    {"csv", "x,y\n", "a,1\n", "", 65000, true},
    {"csv", "", "# a%zx 1x1\n1\n\n", "", 65000, true},
    {"csv", "", "# %zx 1x1\n1\n\n", "", 130000, true},
    {"csv", "", "1\n", "", 130000, true},
    {"tidy", "stage,batch,head,row,col,item,value\n", "%zx,,,0,0,,1\n", "", 65000, true},
    {"tidy", "stage,batch,head,row,col,item,value\n", "%zx,,,0,0,,1\n", "", 130000, true},
};

static void write_text(const struct row *one, text *to)
{
    text_add_string(to, one->head);
    for (size_t i = 0; i < one->times; i++) {
        char piece[64];
        const char *at = strstr(one->piece, "%zx");
        if (at == NULL) {
            text_add_string(to, one->piece);
            continue;
        }
        text_add(to, one->piece, (size_t)(at - one->piece));
        snprintf(piece, sizeof piece, "%zx", i);
        text_add_string(to, piece);
        text_add_string(to, at + strlen("%zx"));
    }
    text_add_string(to, one->tail);
}

/* Many matrices of one number, as a file of this kind. */
static void write_file(unit *u, const char *kind, text *to)
{
    bundle all = {0};
    err e = {0};
    sink out;
    for (size_t i = 0; i < 4000; i++) {
        char name[32];
        tensor one;
        snprintf(name, sizeof name, "%zx", i);
        CHECK(u, tensor_new(&one, DTYPE_F32, 2, (size_t[]){1, 1}, &e));
        *(float *)one.data = 1;
        CHECK(u, bundle_add_tensor(&all, name, &one, (place){0}, &e));
    }
    sink_open_memory(&out);
    CHECK(u, format_by_name(kind)->write(&all, &(write_options){.digits = -1}, &out, &e));
    text_add(to, text_string(sink_text(&out)), sink_text(&out)->length);
    sink_discard(&out);
    bundle_free(&all);
}

static void read_watched(unit *u, const char *kind, const char *what, const text *bytes,
                         bool is_read)
{
    static const read_options how = {
        .file = "f", .kind = KEY_MATRIX, .type = DTYPE_F64, .allow_nonfinite = true};
    bundle b = {0};
    err e = {0};
    heap_watch();
    bool done = format_by_name(kind)->read(text_string(bytes), bytes->length, &how, &b, &e);
    size_t most = heap_peak();
    if (!CHECK(u, done == is_read) || !CHECK(u, most <= FREE + TIMES * bytes->length))
        printf("  %s, %s: %zu bytes take %zu; %s %s\n", kind, what, bytes->length, most, e.where,
               e.what);
    bundle_free(&b);
}

UNIT(reader_memory)
{
    static const char *const BINARY[] = {"npz", "safetensors"};
    text bytes = {0};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        text_clear(&bytes);
        write_text(&ROWS[i], &bytes);
        read_watched(u, ROWS[i].kind, ROWS[i].piece, &bytes, ROWS[i].is_read);
    }
    for (size_t i = 0; i < 2; i++) {
        text_clear(&bytes);
        write_file(u, BINARY[i], &bytes);
        read_watched(u, BINARY[i], "of many", &bytes, true);
    }
    text_free(&bytes);
}
