/* Texts that another program writes to while they are read, as a mapped file may be: at each
 * allocation in turn, with whatever would lead a walk astray. Each ends, and none goes beyond the
 * text. Most are JSON, in which walks go back. */
#include "attn/spec/keys.h"

#include "cli/info/facts.h"
#include "heap.h"
#include "io/format.h"
#include "io/json_read.h"
#include "io/json_scan.h"
#include "kernels/fence.h"
#include "listed.h"
#include "unit.h"

#include <string.h>

static const char *const TEXTS[] = {
    "{\"x\":[[1,2],[3,4]],\"q\":[[\"NaN\",2],[true,null]],\"name\":\"a\\u00e9\\ud834\\udd1e\"}",
    "{\"a\":{\"b\":{\"c\":[{\"d\":1},{\"e\":[[0.5,-2e3],[3,4]]}]}},\"dtype\":\"f64\",\"t\":true}",
    "{\"_header\":[\"o\",\"t\"],\"x\":[\"a\",\"b\\\"d\"],\"y\":[[\"-inf\"],[1]],\"z\":null}",
    "[[1,2,3],[4,5,6],[7,8,\"Infinity\"]]",
    "[[1,2],[3,4]]",
    "[[[[[1,[2]],\"a\"]]],{\"k\":[1,2,3]},\"plain text that is long enough to be cut\"]",
};

/* What the text becomes, from its byte `from` on: this again and again. */
static const char *const HOSTILE[] = {"{",       "[",    "}",      "]",        "\"",       "\\",
                                      "7",       " ",    "-",      ",",        ":",        "t",
                                      "\n",      "\xf4", "{\"\":", "[{\"a\":", "\"a\":",   "\\u",
                                      "\\ud834", "e",    "\"-in",  "[1,",      "[\"NaN\"", "a"};

typedef struct change {
    char *at;
    size_t length, from;
    const char *piece;
} change;

static void write_over(void *context)
{
    const change *c = context;
    size_t piece = strlen(c->piece);
    for (size_t i = c->from; i < c->length; i++)
        c->at[i] = c->piece[(i - c->from) % piece];
}

/* ---- who reads ---- */

static bool read_all(const char *bytes, size_t length, err *e)
{
    read_options how = {.file = "f",
                        .kind = KEY_MATRIX,
                        .type = DTYPE_F32,
                        .keeps_all = true,
                        .keeps_json = true,
                        .allow_nonfinite = true};
    bundle b = {0};
    bool done = json_read(bytes, length, &how, &b, e);
    bundle_free(&b);
    return done;
}

static bool read_again(const char *bytes, size_t length, err *e)
{
    text_list header = {0};
    json_again again = {0};
    read_options how = {
        .file = "f", .kind = KEY_BIAS, .type = DTYPE_F64, .header = &header, .again = &again};
    bundle b = {0};
    bool done = json_read(bytes, length, &how, &b, e);
    bundle_free(&b);
    text_list_free(&header);
    json_again_free(&again);
    return done;
}

static bool find_facts(const char *bytes, size_t length, err *e)
{
    fact all = {0};
    bool done = facts_of_json(&all, bytes, length, (place){.file = "f", .line = 1}, NULL, e);
    fact_free(&all);
    return done;
}

/* One that is deep in one of the texts. */
static const char WAY[] = "a.b.c.1.e";

static bool read_one(const char *bytes, size_t length, err *e)
{
    const key row[] = {{{WAY, ""}, KEY_MATRIX}};
    const named_table only = NAMED_TABLE("matrix", row);
    read_options how = {.file = "f",
                        .keys = &only,
                        .only = WAY,
                        .kind = KEY_MATRIX,
                        .type = DTYPE_F32,
                        .skips_unknown = true};
    bundle b = {0};
    bool done = json_read(bytes, length, &how, &b, e);
    bundle_free(&b);
    return done;
}

static bool find_one(const char *bytes, size_t length, err *e)
{
    fact one = {0};
    bool done = facts_of_json(&one, bytes, length, (place){.file = "f", .line = 1}, WAY, e);
    fact_free(&one);
    return done;
}

typedef bool reads(const char *bytes, size_t length, err *e);

static reads *const READERS[] = {read_all, read_again, read_one, find_facts, find_one};
enum { READER_COUNT = sizeof READERS / sizeof READERS[0] };

/* ---- other texts ---- */

static bool read_with(reader *by, const char *bytes, size_t length, err *e)
{
    text_list header = {0};
    read_options how = {
        .file = "f", .kind = KEY_EXPECTED, .type = DTYPE_F32, .keeps_all = true, .header = &header};
    bundle b = {0};
    bool done = by(bytes, length, &how, &b, e);
    bundle_free(&b);
    text_list_free(&header);
    return done;
}

static bool read_safetensors(const char *bytes, size_t length, err *e)
{
    return read_with(safetensors_read, bytes, length, e);
}

static bool read_csv(const char *bytes, size_t length, err *e)
{
    return read_with(csv_read, bytes, length, e);
}

static bool read_tidy(const char *bytes, size_t length, err *e)
{
    return read_with(tidy_read, bytes, length, e);
}

#define BYTES(literal) (literal), sizeof(literal) - 1

static const struct {
    reads *read;
    const char *bytes;
    size_t length;
} OTHERS[] = {
    {read_safetensors,
     BYTES("\x95\0\0\0\0\0\0\0{\"__metadata__\":{\"name\":\"n\",\"header\":\"a\\nb\"},\"a\":{"
           "\"dtype\":"
           "\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"b\":{\"dtype\":\"U8\",\"shape\":"
           "[1],\"data_offsets\":[1,2]}}ab")},
    {read_csv, BYTES("# made by: a\n\"to \"\"ken\"\"\",a,b,c\nthe,1,2,3\n\"cat\",4,5,6\n")},
    {read_csv, BYTES("# a head=0 1x2\n1,2\n\n# a head=1 1x2\n3,4\n\n# b 1x1\n5\n")},
    {read_tidy, BYTES("# made by: a\nstage,row,col,value\nx,0,0,1\nx,0,1,2\ny,0,0,3\n")},
};

/* ---- what is said ---- */

typedef struct tried {
    reads *read;
    change change;
    size_t number; /* of the allocation */
    bool is_reached, is_right;
} tried;

static void try_once(void *context)
{
    tried *t = context;
    err e = {0};
    heap_disturb(t->number, write_over, &t->change);
    bool done = t->read(t->change.at, t->change.length, &e);
    t->is_reached = heap_disturb(0, NULL, NULL);
    t->is_right = done != e.is_set;
    err_clear(&e);
}

static bool try_all_allocations(fence *f, tried *t, const char *before)
{
    bool is_right = true;
    t->is_reached = true;
    for (t->number = 0; t->is_reached && is_right; t->number++) {
        memcpy(t->change.at, before, t->change.length);
        is_right = fence_holds(try_once, t) && t->is_right && fence_is_intact(f);
    }
    return is_right;
}

static void try_text(unit *u, reads *by, const char *before, size_t length)
{
    enum { STEP = 4 }; /* bytes: less than most of the pieces and words that are met */
    fence f;
    fence_open(&f, length);
    for (size_t i = 0; i < sizeof HOSTILE / sizeof HOSTILE[0]; i++) {
        tried t = {
            .read = by,
            .change = {.at = fence_place_last(&f, length), .length = length, .piece = HOSTILE[i]}};
        bool is_right = true;
        for (; t.change.from < length && is_right; t.change.from += STEP)
            is_right = try_all_allocations(&f, &t, before);
        if (!CHECK(u, is_right))
            fprintf(stderr, "'%s' before byte %zu at allocation %zu of %s\n", t.change.piece,
                    t.change.from, t.number - 1, before);
    }
    fence_close(&f);
}

/* As much nesting as the text has room for, which no scan would have let pass. */
static void deep_ones_end(unit *u)
{
    enum { LENGTH = 1 << 18 };
    static char bytes[LENGTH];
    static const char *const DEEP[] = {"{\"x\":", "[", "[{\"x\":", "{"};
    for (size_t i = 0; i < READER_COUNT * 4; i++) {
        tried t = {.read = READERS[i % READER_COUNT],
                   .change = {bytes, LENGTH, 1, DEEP[i / READER_COUNT]}};
        t.is_reached = true;
        for (t.number = 0; t.number < 12; t.number++) {
            memset(bytes, ' ', LENGTH);
            memcpy(bytes, TEXTS[1], strlen(TEXTS[1]));
            try_once(&t);
            CHECK(u, t.is_right);
        }
    }
}

/* It is said of the file, whatever else was wrong with what came. */
static void it_is_said(unit *u)
{
    char bytes[] = "{\"x\":[[1,2],[\"a\",4]],\"yyy\":[1,2]}";
    change c = {.at = bytes, .length = sizeof bytes - 1, .from = 6, .piece = "{"};
    json_text t = json_text_of(bytes, c.length, "f", 1);
    err e = {0};
    write_over(&c);
    CHECK(u, json_value_end(&t, bytes) == bytes + c.length && t.has_changed);
    CHECK(u, !json_check_unchanged(&t, &e));
    CHECK_TEXT(u, e.where, "f");
    CHECK_TEXT(u, e.what, "the file changed while it was read");
    err_clear(&e);
    CHECK(u, !err_no_memory(&e, 5) && !json_check_unchanged(&t, &e)); /* that was missing anyway */
    CHECK_TEXT(u, e.what, "out of memory: 5 bytes could not be had");
}

/* A text that goes on beyond a matrix for a moment: both can't have been in one text, so that it is
 * not remembered. */
typedef struct moment {
    char *bytes;
    const char *now, *then;
    bool has_come;
} moment;

static void change_back(void *context)
{
    const moment *m = context;
    memcpy(m->bytes, m->then, strlen(m->then));
}

static void change_for_a_moment(void *context)
{
    moment *m = context;
    m->has_come = true;
    memcpy(m->bytes, m->now, strlen(m->now));
    heap_disturb(0, change_back, context);
}

static void values_overlap(unit *u)
{
    static const char BEFORE[] = "{\"name\":\"a\",\"x\":[[1,2]]}",
                      MEANWHILE[] = "{\"name\":\"a , x :[[1,2 \"}";
    char bytes[sizeof BEFORE];
    size_t forgotten = 0;
    bool is_reached = true;
    for (size_t number = 0; is_reached; number++) {
        moment m = {bytes, MEANWHILE, BEFORE, false};
        json_again again = {0};
        const read_options how = {
            .file = "f", .keys = &KEYS, .kind = KEY_MATRIX, .type = DTYPE_F32, .again = &again};
        bundle b = {0};
        err e = {0};
        memcpy(bytes, BEFORE, sizeof BEFORE);
        heap_disturb(number, change_for_a_moment, &m);
        bool done = json_read(bytes, strlen(bytes), &how, &b, &e);
        heap_disturb(0, NULL, NULL);
        is_reached = m.has_come;
        CHECK(u, done != e.is_set);
        forgotten += done && !again.is_set;
        bundle_free(&b);
        json_again_free(&again);
    }
    CHECK(u, forgotten > 0);
}

UNIT(json_changed)
{
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0] * READER_COUNT; i++) {
        const char *one = TEXTS[i / READER_COUNT];
        try_text(u, READERS[i % READER_COUNT], one, strlen(one));
    }
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++)
        try_text(u, OTHERS[i].read, OTHERS[i].bytes, OTHERS[i].length);
    deep_ones_end(u);
    values_overlap(u);
    it_is_said(u);
}
