/* Any bytes as CSV, as TSV or as a tidy table: what is read is written, and comes back to the same
 * bits. An input is read in one way of twelve, which its length picks: ten times as many inputs in
 * the same time as with all ways of each, which the corpus gets (does_all_of_each). */
#include "fuzz/claims.h"
#include "fuzz/grown.h"

/* The stage of a lone matrix is not written in CSV. */
static const entry *find_matrix(const bundle *in, const entry *like, bool is_alone)
{
    if (!is_alone)
        return bundle_find(in, like->name);
    for (size_t i = 0; i < in->count; i++) {
        if (in->entry[i].kind == ENTRY_TENSOR)
            return &in->entry[i];
    }
    return NULL;
}

static size_t count_matrices(const bundle *b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++)
        count += b->entry[i].kind == ENTRY_TENSOR;
    return count;
}

static void check_same(const bundle *a, const bundle *b)
{
    bool is_alone = count_matrices(a) == 1;
    claim(a->count == b->count, "as many entries come back");
    for (size_t i = 0; i < a->count; i++) {
        const entry *one = &a->entry[i];
        const entry *other =
            one->kind == ENTRY_TENSOR ? find_matrix(b, one, is_alone) : bundle_find(b, one->name);
        claim(other != NULL && same_entries(one, other), "values come back to the same bits");
    }
}

static void check_there_and_back(const format *f, const bundle *first, const read_options *how)
{
    text written = written_as(f, first, how->delimiter);
    bundle second = read_again(f, &written, how);
    check_same(first, &second);
    claim_written_again(f, &second, how->delimiter, &written);
    text_free(&written);
    bundle_free(&second);
}

/* Labels above a row of nothing but holes, where those labels are empty too, look like one more
 * such row: no quoting tells them apart. */
static bool begins_with_holes(const bundle *b)
{
    size_t i = 0;
    while (i < b->count && b->entry[i].kind != ENTRY_TENSOR)
        i++;
    const tensor *t = i < b->count ? &b->entry[i].tensor : NULL;
    if (t == NULL || t->type != DTYPE_F64 || bundle_find(b, "columns") == NULL)
        return false;
    size_t column = 0, columns = t->size[t->rank - 1];
    while (column < columns && tensor_is_hole(((const double *)t->data)[column]))
        column++;
    return column == columns;
}

static void check_format(const char *name, const char *bytes, size_t length,
                         const read_options *how)
{
    const format *f = format_by_name(name);
    bundle first = {0};
    bool done = read_any(f, bytes, length, how, &first);
    if (done && how->kind != KEY_MASK && !begins_with_holes(&first))
        check_there_and_back(f, &first, how);
    bundle_free(&first);
    if (length > 0 && bytes[length - 1] != '\r') /* a line feed would make a line end of it */
        check_read_alike(f, bytes, length, "\n#", how);
    (void)f->probe(bytes, length);
}

/* ---- inputs ---- */

static void add_cell(grown *g)
{
    static const char *const CELLS[] = {"1,",        "-0.5,",       "NaN,",  ",",     "\"a,b\",",
                                        "word,",     "1;2;",        "1\t2",  "1e39,", "−1,",
                                        "\"\"\"\",", "true,",       "1,5;2", "$1,",   "#N/A,",
                                        "0x1p-3,",   "\xEF\xBB\xBF"};
    grown_put_text(g, grown_after(g, ',', true), GROWN_ONE_OF(g, CELLS));
}

static void add_line(grown *g)
{
    static const char *const LINES[] = {"\n",
                                        "# wq 2x2\n",
                                        "# output 1x2x2\n",
                                        "a,b\n",
                                        "1,2\n3,4\n",
                                        ",a,b\nr,1,2\n",
                                        "# name: x\n",
                                        "\"1\",2\r\n",
                                        "stage,row,col,value\n",
                                        "weights,0,0,1\n",
                                        "sep=;\n"};
    grown_put_text(g, grown_after(g, '\n', true), GROWN_ONE_OF(g, LINES));
}

/* What separates cells is another character from here on. */
static void turn_delimiters(grown *g)
{
    static const char DELIMITERS[] = {',', ';', '\t', '|', ' '};
    char from = GROWN_ONE_OF(g, DELIMITERS), to = GROWN_ONE_OF(g, DELIMITERS);
    for (size_t i = grown_pick(g, g->size + 1); i < g->size; i++) {
        if (g->data[i] == from)
            g->data[i] = to;
    }
}

static void edit(grown *g)
{
    static void (*const EDITS[])(grown * g) = {add_cell, add_cell, add_line, turn_delimiters};
    GROWN_ONE_OF(g, EDITS)(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static const char *const FORMS[] = {"csv", "tsv", "tidy"};
    read_options how[] = {
        {.file = "fuzz", .kind = KEY_MATRIX, .type = DTYPE_F32},
        {.file = "fuzz", .kind = KEY_EXPECTED, .type = DTYPE_F64, .allow_nonfinite = true},
        {.file = "fuzz", .kind = KEY_MASK, .type = DTYPE_F32},
        {.file = "fuzz", .kind = KEY_BIAS, .type = DTYPE_F64, .delimiter = ';'}};
    size_t forms = sizeof FORMS / sizeof FORMS[0], ways = forms * sizeof how / sizeof how[0];
    for (size_t way = 0; way < ways; way++) {
        if (way == length % ways || does_all_of_each())
            check_format(FORMS[way % forms], (const char *)data, length, &how[way / forms]);
    }
    return 0;
}
