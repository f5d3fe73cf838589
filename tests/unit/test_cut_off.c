/* Text that is cut off at any byte: it is read, or refused with its place, and nothing is left
 * after. (Binary files, where each cut is an error, are cut in their own tests.) */
#include "base/mem.h"
#include "io/format.h"
#include "unit.h"

#include <glob.h>
#include <string.h>

static const struct {
    const char *kind, *bytes;
    bool is_one_piece; /* every part of it is an error */
} SAMPLES[] = {
    {"json",
     "\xef\xbb\xbf{\"name\": \"two \\\"heads\\\" \\ud83d\\ude00 \xe2\x82\xac\", \"heads\": 2,\n"
     " \"x\": [[1, -0.5e+2], [\"NaN\", 1E-3]], \"mask\": [true, false], \"none\": null,\n"
     " \"vocab\": {\"the\": [0.1, 0], \"\": [[[[2]]]]}, \"tokens\": [\"a\", \"\\n\"],\n"
     " \"errata\": [{\"stage\": \"q\", \"row\": 0}, {}]\r\n}",
     true},
    {"json", "[[[1, 2.50], [3e0, \"-inf\"]], [[5, 6], [7, 8]]]", true},
    {"jsonl", "{\"x\": [[1, 2], [3, 4]], \"causal\": true}", true},
    {"csv",
     "\xef\xbb\xbf# a comment\ntoken,\"a \"\"b\"\"\",c\r\n\"the, cat\",1,-2.5e-3\r\n"
     "walks,+.5,inf\r\n",
     false},
    {"csv",
     "# weights head=0 1x2\n0.25,0.75\n\n# weights head=1 1x2\n1,nan\n\n"
     "# output batch=0 2x1\n1\n\"\"\n",
     false},
    {"csv", "\"\",a,b\n3,4,5\n", false},
    {"tsv", "a\tb\n1\t\"2\"\n3\t4", false},
    {"tidy",
     "stage,batch,head,row,col,item,value\nweighted,0,0,0,0,0,1\nweighted,0,0,0,0,1,2\n"
     "\"a,b\",,1,0,0,,-inf\n# remark\n\"a,b\",,0,0,0,,\n",
     false},
};

static bool is_clean(bool done, const bundle *b, const err *e)
{
    bool has_place = strncmp(e->where, "f:", 2) == 0 || strcmp(e->where, "f") == 0;
    return done ? !e->is_set : e->is_set && has_place && b->entry == NULL;
}

/* What became of the parts of one text. */
typedef struct counts {
    size_t read, unclean;
} counts;

/* In a block that ends where the text does: whatever reads on is seen by the sanitizer. */
static void read_part(const char *kind, const char *bytes, size_t length, counts *c)
{
    static const read_options how = {
        .file = "f", .kind = KEY_EXPECTED, .type = DTYPE_F64, .allow_nonfinite = true};
    bundle b = {0};
    err e = {0};
    char *exact = mem_alloc(length, 1, &e);
    memcpy(exact, bytes, length);
    bool done = format_by_name(kind)->read(exact, length, &how, &b, &e);
    c->read += done;
    if (!is_clean(done, &b, &e)) {
        c->unclean++;
        printf("  %s, %zu bytes: %s: %s\n", kind, length, e.where, e.what);
    }
    bundle_free(&b);
    mem_free(exact);
}

/* Long documents are cut at some places only: each takes as long as the bytes before it. */
static size_t step_of(size_t length)
{
    enum { CUT_EVERYWHERE = 8192 };
    return 1 + length / CUT_EVERYWHERE;
}

static counts read_parts(const char *kind, const char *bytes, size_t length)
{
    counts c = {0};
    for (size_t cut = 0; cut < length; cut += step_of(length))
        read_part(kind, bytes, cut, &c);
    return c;
}

static void cut_samples(unit *u)
{
    for (size_t i = 0; i < sizeof SAMPLES / sizeof SAMPLES[0]; i++) {
        size_t length = strlen(SAMPLES[i].bytes);
        counts whole = {0}, parts = read_parts(SAMPLES[i].kind, SAMPLES[i].bytes, length);
        read_part(SAMPLES[i].kind, SAMPLES[i].bytes, length, &whole);
        CHECK(u, whole.read == 1 && parts.unclean + whole.unclean == 0);
        CHECK(u, parts.read == 0 || !SAMPLES[i].is_one_piece);
    }
}

/* The last byte of all is a line's end, without which the document is whole. */
static void cut_file(unit *u, const char *name)
{
    static char bytes[1 << 16];
    FILE *file = fopen(name, "r");
    size_t length = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);
    if (file != NULL)
        fclose(file);
    CHECK(u, length > 1 && length < sizeof bytes);
    counts parts = read_parts("json", bytes, length > 0 ? length - 1 : 0);
    CHECK(u, parts.read == 0 && parts.unclean == 0);
}

static void cut_documents(unit *u)
{
    glob_t found;
    if (glob("testdata/*/*.json", 0, NULL, &found) != 0) {
        unit_skip(u, "testdata: the tests run elsewhere");
        return;
    }
    for (size_t i = 0; i < found.gl_pathc; i++)
        cut_file(u, found.gl_pathv[i]);
    globfree(&found);
}

UNIT_OF(cut_off, "csv json npy truncated")
{
    cut_samples(u);
    cut_documents(u);
}
