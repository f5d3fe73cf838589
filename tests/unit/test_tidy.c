#include "unit.h"

#include "filled.h"
#include "io/format.h"
#include "listed.h"
#include "said.h"
#include "written.h"

#include <string.h>

/* A bundle made by the CSV reader, which sets the axes. */
static void check_written(unit *u, const char *csv, const write_options *how, const char *wanted)
{
    err e = {0};
    bundle b = {0}, back = {0};
    sink out;
    sink_open_memory(&out);
    read_options from = {.file = "f", .kind = KEY_EXPECTED};
    CHECK(u, csv_read(csv, strlen(csv), &from, &b, &e));
    CHECK(u, tidy_write(&b, how, &out, &e));
    CHECK_TEXT(u, text_string(sink_text(&out)), wanted);
    from.delimiter = how->delimiter;
    CHECK(u, tidy_read(sink_text(&out)->data, sink_text(&out)->length, &from, &back, &e));
    CHECK(u, how->digits >= 0 || same_bits(&b, &back));
    CHECK_TEXT(u, said(&e), "");
    sink_discard(&out);
    bundle_free(&b);
    bundle_free(&back);
}

static void written(unit *u)
{
    static const write_options shortest = {.digits = -1};
    check_written(u,
                  "# weights batch=0 head=0 1x2\n1,-0\n\n# weights batch=0 head=1 1x2\n-inf,nan\n",
                  &shortest,
                  "stage,batch,head,row,col,value\nweights,0,0,0,0,1\nweights,0,0,0,1,-0\n"
                  "weights,0,1,0,0,-inf\nweights,0,1,0,1,nan\n");
    check_written(u, "# weights head=0 1x1\n1\n\n# output 2x1\n0.1\n\"\"\n", &shortest,
                  "stage,batch,head,row,col,value\nweights,,0,0,0,1\noutput,,,0,0,0.1\n"
                  "output,,,1,0,\n");
    check_written(u, "# x batch=0 1x1\n1\n\n# x batch=1 1x1\n2\n",
                  &(write_options){.digits = 2, .delimiter = '\t'},
                  "stage\tbatch\thead\trow\tcol\tvalue\nx\t0\t\t0\t0\t1.00\nx\t1\t\t0\t0\t2.00\n");
    /* weighted[query 0, key 1] = (3, 4): row 0, col 1, items 0 and 1 */
    check_written(u, "# weighted row=0 2x2\n1,2\n3,4\n\n# \"a\",b 1x1\n5\n", &shortest,
                  "stage,batch,head,row,col,item,value\nweighted,,,0,0,0,1\nweighted,,,0,0,1,2\n"
                  "weighted,,,0,1,0,3\nweighted,,,0,1,1,4\n\"\"\"a\"\",b\",,,0,0,,5\n");
    check_written(u, "1,2\n", &shortest, "stage,batch,head,row,col,value\n,,,0,0,1\n,,,0,1,2\n");
    check_written(u, "# x 1x12\n0,1,2,3,4,5,6,7,8,9,10,11\n", &(write_options){.digits = 0},
                  "stage,batch,head,row,col,value\nx,,,0,0,0\nx,,,0,1,1\nx,,,0,2,2\nx,,,0,3,3\n"
                  "x,,,0,4,4\nx,,,0,5,5\nx,,,0,6,6\nx,,,0,7,7\nx,,,0,8,8\nx,,,0,9,9\n"
                  "x,,,0,10,10\nx,,,0,11,11\n");
}

#define HEAD "stage,batch,head,row,col,value\n"
#define HEAD_ITEM "stage,batch,head,row,col,item,value\n"

#define BEGINS                                                                                     \
    " | a tidy table begins with the line stage,batch,head,row,col,value, in which stage, batch "  \
    "and head may be left out"

static const struct {
    const char *input, *wanted;
} CASES[] = {
    {HEAD "w,,1,0,1,8\r\nw,,0,0,1,6\r\nv,,,0,0,1\r\nw,,0,0,0,5\r\nw,,1,0,0,7\r\n",
     "w hqk f64 2 x 1 x 2: 5 6 7 8; v qk f64 1 x 1: 1; "},
    {"\xef\xbb\xbf" HEAD "# a comment\n\nw,0,,0,0,\n", "w bqk f64 1 x 1 x 1: hole; "},
    {HEAD_ITEM "w,0,0,0,0,0,1\nw,0,0,0,0,1,2\n", "w bhqkd f64 1 x 1 x 1 x 1 x 2: 1 2; "},
    {HEAD_ITEM "w,,,0,0,,1\n", "w qk f64 1 x 1: 1; "},
    {HEAD, "f: no number is in it"},
    {"", "f:1:1: the header has no column row" BEGINS},
    {"stage,batch,head,row,col\n", "f:1:1: the header has no column value" BEGINS},
    {"stage,row,value\n", "f:1:1: the header has no column col" BEGINS},
    {"stage,row,row,value\n", "f:1:11: the column row is here a second time" BEGINS},
    {"stage,row,col,,value\n", "f:1:15: '' is not a column of a tidy table" BEGINS},
    {",,stage,row,col,value\n", "f:1:2: '' is not a column of a tidy table" BEGINS},
    {"1,2\n", "f:1:1: '1' is not a column of a tidy table" BEGINS},
    {"stage\trow\tvalue\nw\t0\t1\n", "f:1:1: the header has no column col" BEGINS},
    /* with another delimiter, in another order, with less, with more */
    {"stage\tbatch\thead\trow\tcol\tvalue\nw\t\t0\t0\t0\t5\n", "w hqk f64 1 x 1 x 1: 5; "},
    {"stage;row;col;value\nw;0;0;5\nw;0;1;\n", "w qk f64 1 x 2: 5 hole; "},
    {"stage|row|col|value\nw|0|0|5\n", "w qk f64 1 x 1: 5; "},
    {"value,col,row,head,stage\n5,0,1,,w\n4,0,0,,w\n", "w qk f64 2 x 1: 4 5; "},
    {"stage,row,col,item,value\nw,0,0,1,6\nw,0,0,0,5\n", "w qkd f64 1 x 1 x 2: 5 6; "},
    {"# made by hand\n\n" HEAD "w,,,0,0,1\n", "w qk f64 1 x 1: 1; "},
    {",stage,row,col,value\n0,w,0,0,5\n", "w qk f64 1 x 1: 5; "},
    {"\"\",\"stage\",\"head\",\"row\",\"col\",\"value\"\n\"1\",\"w\",NA,0,0,5\n",
     "w qk f64 1 x 1: 5; "},
    {HEAD "w,NA,0.0,0,0,1\nw,NA,1.0,0,0,2\n", "w hqk f64 2 x 1 x 1: 1 2; "},
    {HEAD_ITEM "w,,,0,0,NA,1\n", "w qk f64 1 x 1: 1; "},
    {HEAD "w,,,NA,0,1\n", "f:2:5: the row is 'NA' here, which is not an index (0, 1, 2, …)"},
    {HEAD "w,,0.5,0,0,1\n", "f:2:4: the head is '0.5' here, which is not an index (0, 1, 2, …)"},
    {HEAD "w,,0.,0,0,1\n", "f:2:4: the head is '0.' here, which is not an index (0, 1, 2, …)"},
    {HEAD "w,,.0,0,0,1\n", "f:2:4: the head is '.0' here, which is not an index (0, 1, 2, …)"},
    {HEAD "w,,1x0,0,0,1\n", "f:2:4: the head is '1x0' here, which is not an index (0, 1, 2, …)"},
    {HEAD "w,,,0,0,1,2\n", "f:2:11: this line has 7 fields, the header 6"},
    {HEAD "w,,,0,0\n", "f:2:7: this line has 5 fields, the header 6"},
    {HEAD_ITEM "w,,,0,0,1\n", "f:2:9: this line has 6 fields, the header 7"},
    {HEAD "w,,,0,x,1\n", "f:2:7: the col is 'x' here, which is not an index (0, 1, 2, …)"},
    {HEAD "w,-1,,0,0,1\n", "f:2:3: the batch is '-1' here, which is not an index (0, 1, 2, …)"},
    {HEAD "w,,,,0,1\n", "f:2:5: the row is '' here, which is not an index (0, 1, 2, …)"},
    {HEAD "w,,,0,99999999999999999999,1\n",
     "f:2:7: the col is '99999999999999999999' here, which is not an index (0, 1, 2, …)"},
    {HEAD "w,,,0,1234567890123,1\n",
     "f:2:1: w row=0 col=1234567890123 is here, but row=0 col=0 is missing"},
    {HEAD "w,,,0,0,1\nw,,,1,1,2\nw,,,0,1,3\n",
     "f:3:1: w row=1 col=1 is here, but row=1 col=0 is missing"},
    {HEAD "w,,,0,0,1\nw,,,0,1,1\nw,,,1,0,1\n",
     "f:4:1: w row=1 col=0 is here, but row=1 col=1 is missing"},
    {HEAD "w,,,0,0,1\nw,,,0,0,1\n", "f:3:1: w row=0 col=0 is here a second time, first in line 2"},
    {HEAD "w,,,0,0,1\nw,,0,0,1,1\n",
     "f:3:1: w has other indices (batch, head, item) here than in line 2"},
    {HEAD "w,,,0,0,one\n", "f:2:9: 'one' is not a number"},
    {HEAD "w\xff,,,0,0,1\n", "f:2:1: a label is not UTF-8 here | save the file in UTF-8"},
};

static void cases_are_read(unit *u)
{
    text shown = {0};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        bundle b = {0};
        err e = {0};
        bool done = tidy_read(CASES[i].input, strlen(CASES[i].input),
                              &(read_options){.file = "f", .kind = KEY_EXPECTED}, &b, &e);
        CHECK_TEXT(u, done ? listed(&b, &shown) : said(&e), CASES[i].wanted);
        CHECK(u, done || b.entry == NULL);
        bundle_free(&b);
    }
    text_free(&shown);
}

static void texts_are_refused(unit *u)
{
    bundle b = {0};
    err e = {0};
    CHECK(u, bundle_add_text(&b, "name", "x", 1, (place){0}, &e));
    CHECK_TEXT(u, write_error(tidy_write, &b, &(write_options){.digits = -1}),
               "'name' can't be written as a tidy table, which holds numbers only | JSON holds "
               "everything");
    bundle_free(&b);
    CHECK_TEXT(u, write_error(tidy_write, &b, &(write_options){.digits = -1, .delimiter = 'a'}),
               "--delimiter: 'a' can't separate fields | use one of , ; : | a tab or a space");
    const read_options by_letters = {.file = "f", .delimiter = 'a'};
    CHECK(u, !tidy_read("stage,row,col,value\n", 20, &by_letters, &b, &e));
    CHECK_TEXT(u, said(&e),
               "--delimiter: 'a' can't separate fields | use one of , ; : | a tab or a space");
}

/* Labels have no place in it, and are none of its stages. */
static void labels_are_left_out(unit *u)
{
    static const char *const LABELS[] = {"a", "b"};
    err e = {0};
    bundle b = {0};
    text_list rows = {0};
    sink out;
    for (size_t i = 0; i < 2; i++)
        CHECK(u, text_list_add(&rows, LABELS[i], 1, &e));
    CHECK(u, bundle_add_list(&b, "rows", &rows, (place){0}, &e));
    bundle_add_filled(&b, "x", DTYPE_F64, 2, (size_t[]){2, 1}, (double[]){3, 4});
    sink_open_memory(&out);
    CHECK(u, tidy_write(&b, &(write_options){.digits = -1}, &out, &e));
    text got = sink_take(&out);
    CHECK_TEXT(u, text_string(&got), "stage,batch,head,row,col,value\nx,,,0,0,3\nx,,,1,0,4\n");
    text_free(&got);
    text_list_free(&rows);
    bundle_free(&b);
}

UNIT(tidy)
{
    texts_are_refused(u);
    labels_are_left_out(u);
    written(u);
    cases_are_read(u);
    CHECK(u, tidy_probe(HEAD, strlen(HEAD)) && tidy_probe(HEAD_ITEM, strlen(HEAD_ITEM)));
    CHECK(u, !tidy_probe("stage,batch,head,row,value\n", 27) && !tidy_probe("1,2\n", 4));
}
