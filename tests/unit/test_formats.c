#include "unit.h"

#include "io/format.h"
#include "said.h"

#include <string.h>

static void by_name_and_ending(unit *u)
{
    static const struct {
        const char *file, *name;
    } cases[] = {{"a.json", "json"},    {"a.JSONL", "jsonl"},
                 {"a.ndjson", "jsonl"}, {"dir.csv/a", NULL},
                 {"a.csv", "csv"},      {"a.CSV", "csv"},
                 {"a.txt", "csv"},      {"a.tsv", "tsv"},
                 {"a.tab", "tsv"},      {"result.tidy", "tidy"},
                 {".csv", NULL},        {"-", NULL},
                 {"acsv", NULL},        {"", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const format *found = format_by_ending(cases[i].file);
        CHECK_TEXT(u, found == NULL ? "none" : found->named.name,
                   cases[i].name == NULL ? "none" : cases[i].name);
    }
    for (size_t i = 0; i < FORMATS.count; i++) {
        const format *row = (const format *)(const void *)named_row(&FORMATS, i);
        CHECK(u, format_by_name(row->named.name) == row);
        CHECK(u, row->named.help[0] != '\0' && row->endings[0] != '\0');
        CHECK(u, row->probe != NULL && row->read != NULL && row->write != NULL);
    }
    CHECK(u, format_by_name("cvs") == NULL && format_by_name("") == NULL);
    CHECK_TEXT(u, named_nearest(&FORMATS, "cvs", 3)->name, "csv");
}

static void recognised(unit *u)
{
    static const struct {
        const char *bytes, *file, *wanted; /* a format, or the error */
    } cases[] = {
        {"{\"x\": [[1]]}", "-", "json"},
        {" \n[[1, 2]]", "a.csv", "json"},
        {"{}\n{}\n", "a.jsonl", "jsonl"},
        {"1,2\n3,4\n", "-", "csv"},
        {"1,2\n3,4\n", "a.jsonl", "jsonl"},
        {"\x1f\x8b\x08", "a.jsonl",
         "a.jsonl: byte 0: this is gzip, which is not read | gunzip -c FILE unpacks it into a "
         "pipe"},
        {"# a comment\n\n1,2\n", "-", "csv"},
        {"5\n", "-", "csv"},
        {"the,cat\n1,2\n", "-", "csv"},
        {"# wq 1x2\n1\t2\n", "-", "tsv"},
        {"1\t2\n", "a.tsv", "tsv"},
        {"1\t2\n", "a.csv", "tsv"},
        {"1,5\t2\n", "a.tsv", "tsv"},
        {"1\n", "a.tsv", "tsv"},
        {"1\n", "a.tab", "tsv"},
        /* numbers decide, wherever they stand; where they don't, the name does */
        {"# row_max 2x1\n7\n8\n\n# weights 1x2\n1\t2\n", "-", "tsv"},
        {"# a 2x1\n7\n8\n\n# b 1x2\n\"x\t1\",2\n", "a.tsv", "csv"},
        {"a,b\n1\n2\n", "a.tsv", "tsv"},
        {"a,b\n1\n2\n", "-", "csv"},
        {"a,b\n1,2\n", "a.tsv", "csv"},
        {"a,b\tc\n1\t2\n", "-", "tsv"},
        {"a\tb\n1\n2\n", "a.csv", "csv"},
        {"a\tb\n1\n2\n", "-", "tsv"},
        {"a\tb\n1\n2\n", "a.txt", "csv"},
        {"a\tb\n1\t2\n", "a.csv", "tsv"},
        {"0,5\t1,5\n", "a.tsv", "tsv"},
        {"word\n1\n", "-", "csv"},
        /* JSON is none of them, whatever its name */
        {"[\n1,\n2\n]\n", "a.csv", "json"},
        {"[[1, 2, 3]]\n", "a.tsv", "json"},
        {"[CLS],1,2\n", "a.csv", "csv"},
        {"1;2\n", "-", "csv"},
        {"x;1;2\ny;3;4\n", "-", "csv"},
        {"token|a|b\nx|1|2\n", "a.md", "csv"},
        {"token;a\nx;1\n", "a.json", "json"},
        {"stage,batch,head,row,col,value\n", "a.csv", "tidy"},
        {"stage,batch,head,row,col,item,value\n", "-", "tidy"},
        {"# by hand\nstage\tbatch\thead\trow\tcol\tvalue\n", "a.tsv", "tidy"},
        {"stage;row;col;value\n", "-", "tidy"},
        {"stage,row,value\nq,0,1\n", "-", "csv"},
        {"stage,row,value\nq,0,1\n", "a.tidy", "tidy"},
        {"stage\trow\tvalue\nq\t0\t1\n", "a.tidy", "tidy"},
        {"[[1, 2]]\n", "a.tidy", "json"},
        {"", "a.csv", "a.csv: the input is empty"},
        {"word\n1\n", "a.csv", "csv"},
        {"|", "a.safetensors", "safetensors"},
        {"", "-", "-: the input is empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        err e = {0};
        const format *found =
            format_recognise(cases[i].bytes, strlen(cases[i].bytes), cases[i].file, &e);
        CHECK_TEXT(u, found == NULL ? said(&e) : found->named.name, cases[i].wanted);
    }
}

/* From a pipe too, where no name says what it is: the order of the table must not decide it. */
static void written_are_recognised(unit *u)
{
    static const size_t size[] = {2, 3};
    for (size_t i = 0; i < FORMATS.count; i++) {
        const format *row = (const format *)(const void *)named_row(&FORMATS, i);
        bundle b = {0};
        err e = {0};
        sink out;
        write_options how = {.digits = -1, .single_line = (row->holds & HOLDS_STREAM) != 0};
        tensor t;
        CHECK(u, tensor_new(&t, DTYPE_F32, 2, size, &e));
        memset(t.data, 0, tensor_count(&t) * dtype_size(t.type));
        CHECK(u, bundle_add_tensor(&b, "weights", &t, (place){0}, &e));
        sink_open_memory(&out);
        for (size_t line = 0; line < (row->holds & HOLDS_STREAM ? 2 : 1); line++)
            CHECK(u, row->write(&b, &how, &out, &e));
        const text *all = sink_text(&out);
        const format *found = format_recognise(text_string(all), all->length, "-", &e);
        CHECK_TEXT(u, found == NULL ? said(&e) : found->named.name, row->named.name);
        sink_discard(&out);
        bundle_free(&b);
    }
}

/* All formats are offered. */
static void not_recognised(unit *u)
{
    err e = {0};
    CHECK(u, format_recognise("Hello\n", 6, "a.md", &e) == NULL);
    const char *all = said(&e), *names = strrchr(all, ':');
    CHECK(u, strstr(all, "a.md: the format is not recognised | --input-format names it:") == all);
    for (size_t i = 0; i < FORMATS.count; i++)
        CHECK(u, strstr(names, named_row(&FORMATS, i)->name) != NULL);
    e = (err){0};
    CHECK(u, format_recognise("\"1\n", 3, "-", &e) == NULL);
}

/* Asked one by one, formats of text say the same as in their order. */
static void tables_are_told_apart(unit *u)
{
    static const struct {
        const char *bytes, *is;
    } TABLES[] = {
        {"1\n2\n", "csv"},
        {"1\t2\n3\t4\n", "tsv"},
        {"[1],[b]\n1,2\n", "csv"},
    };
    static const char *const NAMES[] = {"csv", "tsv"};
    for (size_t i = 0; i < sizeof TABLES / sizeof TABLES[0]; i++) {
        for (size_t j = 0; j < 2; j++)
            CHECK(u, format_by_name(NAMES[j])->probe(TABLES[i].bytes, strlen(TABLES[i].bytes)) ==
                         (strcmp(NAMES[j], TABLES[i].is) == 0));
    }
}

/* What a first block with a NUL in it says; a binary format is let through, whatever it holds. */
static void nuls_are_refused(unit *u)
{
    static const struct {
        const char *bytes, *says;
    } BLOCKS[] = {
        {"1,2\n3,4\n", ""},
        {"\x93NUMPY\1\0v\0", ""},
        {"1,2\n\0,4\n", "x: byte 4: a NUL stands here: text has none, and no binary format that is "
                        "read begins so"},
        {"\0001,2,3,\n", "x: byte 0: a NUL stands here: text has none, and no binary format that "
                         "is read begins so"},
        {"\0\0\1\2\3\4\5", "x: byte 0: a NUL stands here: text has none, and no binary format that "
                           "is read begins so"},
        {"\xff\xfe\061\0\n\0",
         "x:1:1: the text is in UTF-16, and only UTF-8 is read | iconv -f UTF-16 -t UTF-8 x"},
    };
    static const size_t LENGTHS[] = {8, 10, 8, 8, 7, 6};
    for (size_t i = 0; i < sizeof BLOCKS / sizeof BLOCKS[0]; i++) {
        err e = {0};
        bool is_let_through = format_check_block(BLOCKS[i].bytes, LENGTHS[i], "x", &e);
        CHECK(u, is_let_through == (BLOCKS[i].says[0] == '\0'));
        CHECK_TEXT(u, said(&e), BLOCKS[i].says);
    }
}

UNIT(formats)
{
    tables_are_told_apart(u);
    nuls_are_refused(u);
    by_name_and_ending(u);
    recognised(u);
    written_are_recognised(u);
    not_recognised(u);
}
