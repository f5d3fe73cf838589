#include "unit.h"

#include "filled.h"
#include "io/csv_read.h"
#include "io/format.h"
#include "listed.h"
#include "said.h"
#include "written.h"

#include <math.h>
#include <string.h>

static const write_options SHORTEST = {.digits = -1};

static void add(bundle *b, const char *name, const char *axes, int rank, const size_t *size,
                const double *numbers)
{
    bundle_add_filled(b, name, DTYPE_F64, rank, size, numbers)->axes = axes;
}

static void add_labels(bundle *b, const char *name, const char *const *labels, size_t count)
{
    err e = {0};
    entry *list = bundle_add(b, name, strlen(name), (place){0}, &e);
    list->kind = ENTRY_LIST;
    for (size_t i = 0; i < count; i++)
        text_list_add(&list->list, labels[i], strlen(labels[i]), &e);
}

/* What is written, or the error. The bundle is freed. */
static void check_written(unit *u, bundle *b, const write_options *how, const char *wanted)
{
    err e = {0};
    sink out;
    sink_open_memory(&out);
    bool done = csv_write(b, how, &out, &e);
    CHECK_TEXT(u, done ? text_string(sink_text(&out)) : said(&e), wanted);
    CHECK(u, done || sink_text(&out)->length == 0);
    sink_discard(&out);
    bundle_free(b);
}

static void plain(unit *u)
{
    static const double numbers[] = {1, -0.0, 0.1, 1e300, NAN, -INFINITY};
    bundle b = {0};
    add(&b, "weights", NULL, 2, (size_t[]){2, 3}, numbers);
    check_written(u, &b, &SHORTEST, "1,-0,0.1\n1e300,nan,-inf\n");
    add(&b, "weights", NULL, 1, (size_t[]){3}, numbers);
    check_written(u, &b, &SHORTEST, "1,-0,0.1\n");
    add(&b, "scale", NULL, 0, NULL, (double[]){0.5});
    check_written(u, &b, &SHORTEST, "0.5\n");
    add(&b, "weights", NULL, 2, (size_t[]){1, 3}, (double[]){0.25, 2, 1.0 / 3});
    check_written(u, &b, &(write_options){.digits = 3}, "0.250,2.000,0.333\n");
    add(&b, "weights", NULL, 2, (size_t[]){2, 1}, (double[]){tensor_hole(), 2});
    check_written(u, &b, &(write_options){.digits = -1, .delimiter = ';'}, "\"\"\n2\n");
    add(&b, "weights", NULL, 2, (size_t[]){1, 1}, (double[]){tensor_hole()});
    add_labels(&b, "rows", (const char *const[]){"a"}, 1);
    check_written(u, &b, &SHORTEST, "a,\n");
    add(&b, "weights", NULL, 2, (size_t[]){1, 3}, (double[]){tensor_hole(), 2, tensor_hole()});
    check_written(u, &b, &(write_options){.digits = 1, .delimiter = ';'}, ";2.0;\n");
}

static void blocks(unit *u)
{
    static const double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8};
    bundle b = {0};
    add(&b, "weights", "bhqk", 4, (size_t[]){2, 1, 1, 2}, numbers);
    add(&b, "output", NULL, 2, (size_t[]){2, 1}, numbers);
    check_written(u, &b, &SHORTEST,
                  "# weights batch=0 head=0 1x2\n1,2\n\n# weights batch=1 head=0 1x2\n3,4\n\n"
                  "# output 2x1\n1\n2\n");
    add(&b, "x", "bqk", 3, (size_t[]){1, 1, 2}, numbers);
    check_written(u, &b, &SHORTEST, "# x batch=0 1x2\n1,2\n");
    add(&b, "x", NULL, 3, (size_t[]){1, 1, 2}, numbers);
    check_written(u, &b, &SHORTEST, "# x head=0 1x2\n1,2\n");
    add(&b, "weighted", "qkd", 3, (size_t[]){2, 1, 2}, numbers);
    check_written(u, &b, &SHORTEST, "# weighted row=0 1x2\n1,2\n\n# weighted row=1 1x2\n3,4\n");
    add(&b, "", NULL, 3, (size_t[]){1, 1, 1}, numbers);
    check_written(u, &b, &SHORTEST, "# matrix head=0 1x1\n1\n");
}

/* The rows of a transposed view lie apart in memory. */
static void strided(unit *u)
{
    bundle b = {0};
    add(&b, "x", NULL, 2, (size_t[]){2, 3}, (double[]){1, 2, 3, 4, 5, 6});
    entry *one = bundle_find(&b, "x");
    bool owns = one->tensor.owns;
    one->tensor = tensor_transposed(&one->tensor);
    one->tensor.owns = owns;
    check_written(u, &b, &SHORTEST, "1,4\n2,5\n3,6\n");
}

static void labels(unit *u)
{
    static const char *const words[] = {"#the", "a,b"}, *const numbers[] = {"1", "2"},
                             *const three[] = {"a", "b", "c"}, *const first_empty[] = {"", "b"};
    static const size_t size[] = {2, 2};
    static const double four[] = {1, 2, 3, 4};
    bundle b = {0};
    add(&b, "x", NULL, 2, size, four);
    add_labels(&b, "columns", words, 2);
    add_labels(&b, "rows", numbers, 2);
    check_written(u, &b, &SHORTEST, ",\"#the\",\"a,b\"\n\"1\",1,2\n\"2\",3,4\n");
    add(&b, "x", NULL, 2, size, four);
    add_labels(&b, "columns", numbers, 2);
    check_written(u, &b, &SHORTEST, "\"1\",\"2\"\n1,2\n3,4\n");
    add(&b, "x", NULL, 2, size, four);
    add_labels(&b, "rows", words, 2);
    add(&b, "y", NULL, 2, (size_t[]){1, 1}, four);
    check_written(u, &b, &SHORTEST, "# x 2x2\n\"#the\",1,2\n\"a,b\",3,4\n\n# y 1x1\n1\n");
    add(&b, "x", NULL, 2, size, four);
    add_labels(&b, "columns", three, 3);
    check_written(u, &b, &SHORTEST, "the labels of columns are 3, but 'x' has 2");
    add(&b, "x", NULL, 2, size, four);
    add_labels(&b, "rows", three, 3);
    check_written(u, &b, &SHORTEST, "the labels of rows are 3, but 'x' has 2");
    add(&b, "x", NULL, 2, size, four);
    add_labels(&b, "columns", first_empty, 2);
    check_written(u, &b, &SHORTEST,
                  "the first column's label is empty, which reads as a column of labels");
}

static void refused(unit *u)
{
    static const double one[] = {1};
    bundle b = {0};
    err e = {0};
    bundle_add_text(&b, "title", "x", 1, (place){0}, &e);
    check_written(u, &b, &SHORTEST,
                  "'title' can't be written as CSV, which holds numbers only | JSON holds "
                  "everything");
    check_written(u, &b, &SHORTEST, "there is no matrix to write as CSV");
    add(&b, "x", NULL, 2, (size_t[]){3, 0}, one);
    check_written(u, &b, &SHORTEST,
                  "'x' is 3 x 0: CSV has no way to write a matrix without elements");
    add(&b, "a b", NULL, 2, (size_t[]){1, 1}, one);
    check_written(u, &b, &SHORTEST, "'a b' can't be the name of a matrix in a CSV: it has a space");
    add(&b, "x", NULL, 2, (size_t[]){1, 1}, one);
    check_written(u, &b, &(write_options){.digits = -1, .delimiter = '.'},
                  "--delimiter: '.' can't separate fields | use one of , ; : | a tab or a space");
}

/* ---- what is written reads back ---- */

static const key STAGES[] = {{{"weights", "float32 here"}, KEY_MATRIX},
                             {{"weighted", "float32 here"}, KEY_MATRIX},
                             {{"output", "float64"}, KEY_EXPECTED}};
static const named_table STAGE_TABLE = NAMED_TABLE("stage", STAGES);

/* Random bits are random floats: of every size, subnormal, infinite; a NaN is made the one that is
 * read. */
static void fill(tensor *t, uint64_t *state)
{
    for (size_t i = 0; i < tensor_count(t); i++) {
        uint64_t bits = unit_random(state);
        if (t->type == DTYPE_F32) {
            memcpy((float *)t->data + i, &bits, sizeof(float));
            if (isnan(((float *)t->data)[i]))
                ((float *)t->data)[i] = -0.0f;
        } else {
            memcpy((double *)t->data + i, &bits, sizeof(double));
            if (isnan(((double *)t->data)[i]))
                ((double *)t->data)[i] = tensor_hole();
        }
    }
}

static void add_random(bundle *b, const char *name, const char *axes, dtype type,
                       const size_t *size, uint64_t *state)
{
    err e = {0};
    tensor t;
    tensor_new(&t, type, (int)strlen(axes), size, &e);
    fill(&t, state);
    bundle_add_tensor(b, name, &t, (place){0}, &e);
    bundle_find(b, name)->axes = axes;
}

static void check_read_back(unit *u, const bundle *b, writer *write, reader *read, char delimiter)
{
    sink out;
    err e = {0};
    bundle back = {0};
    sink_open_memory(&out);
    write_options to = {.digits = -1, .delimiter = delimiter};
    read_options from = {
        .file = "f", .keys = &STAGE_TABLE, .allow_nonfinite = true, .delimiter = delimiter};
    CHECK(u, write(b, &to, &out, &e));
    CHECK(u, read(sink_text(&out)->data, sink_text(&out)->length, &from, &back, &e));
    CHECK_TEXT(u, said(&e), "");
    CHECK(u, same_bits(b, &back));
    bundle_free(&back);
    sink_discard(&out);
}

static void read_back(unit *u)
{
    static const struct {
        const char *weights, *weighted, *output;
    } axes[] = {{"qk", "qkd", "qk"},
                {"hqk", "hqkd", "qk"},
                {"bqk", "bqkd", "bqk"},
                {"bhqk", "bhqkd", "bqk"}};
    uint64_t state = 20170612;
    for (size_t i = 0; i < 4 * sizeof axes / sizeof axes[0]; i++) {
        size_t size[5];
        for (int axis = 0; axis < 5; axis++)
            size[axis] = 1 + (size_t)(unit_random(&state) % 4);
        bundle b = {0};
        add_random(&b, "weights", axes[i % 4].weights, DTYPE_F32, size, &state);
        add_random(&b, "weighted", axes[i % 4].weighted, DTYPE_F32, size, &state);
        add_random(&b, "output", axes[i % 4].output, DTYPE_F64, size, &state);
        check_read_back(u, &b, csv_write, csv_read, i % 2 == 0 ? 0 : ';');
        check_read_back(u, &b, tsv_write, tsv_read, 0);
        bundle_free(&b);
    }
}

static void check_labels_read_back(unit *u, const char *const columns[4], const char *const rows[4],
                                   char delimiter)
{
    const double none = tensor_hole();
    const double numbers[][16] = {{1, 2, 3}, {none, none, none, none, 1, 2, 3}};
    for (int which = 0; which < 8; which++) {
        bundle b = {0}, back = {0};
        add(&b, "", "qk", 2, (size_t[]){4, 4}, numbers[which & 1]);
        if (which & 2)
            add_labels(&b, "columns", columns, 4);
        if (which & 4)
            add_labels(&b, "rows", rows, 4);
        sink out;
        err e = {0};
        text wanted = {0}, got = {0};
        sink_open_memory(&out);
        write_options to = {.digits = -1, .delimiter = delimiter};
        read_options how = {.file = "f", .kind = KEY_EXPECTED, .delimiter = delimiter};
        CHECK(u, csv_write(&b, &to, &out, &e));
        CHECK(u, csv_read(sink_text(&out)->data, sink_text(&out)->length, &how, &back, &e));
        /* The name of a block's comment, where the matrix has one so that it is not misread. */
        const char *all = listed(&back, &got), *name = "matrix ";
        size_t skipped = strncmp(all, name, strlen(name)) == 0 ? strlen(name) : 0;
        CHECK_TEXT(u, all + skipped, listed(&b, &wanted));
        text_free(&wanted);
        text_free(&got);
        sink_discard(&out);
        bundle_free(&b);
        bundle_free(&back);
    }
}

/* Labels that look like something else. */
static void labels_read_back(unit *u)
{
    static const char *const columns[][4] = {{"1", "#2", "a\n\"b\"", "1;2"},
                                             {"1a", "", "\xef\xbb\xbf-7", "0.5"},
                                             {"a", "b", "c", "d"},
                                             {"1", "2", "3", "4"}},
                             *const rows[][4] = {{"true", "", "nan", " x "},
                                                 {"\t", "\xef\xbb\xbf-8", "1,5", "a"},
                                                 {"0", "00", "0", "1"},
                                                 {"2", "", "7", "8"}};
    for (size_t i = 0; i < 4; i++) {
        check_labels_read_back(u, columns[i], rows[i], ',');
        check_labels_read_back(u, columns[i], rows[i], ' ');
    }
}

UNIT(csv_write)
{
    /* A row that begins with nothing and counts from 0 on is one of labels; half a text is none. */
    CHECK(u, csv_row_counts(",0,1\n", 5, ',') && !csv_row_counts("\",0,1\n", 6, ','));
    plain(u);
    blocks(u);
    strided(u);
    labels(u);
    refused(u);
    read_back(u);
    labels_read_back(u);
}
