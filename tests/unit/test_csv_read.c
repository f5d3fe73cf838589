#include "unit.h"

#include "base/mem.h"
#include "io/format.h"
#include "listed.h"
#include "said.h"

#include <string.h>

static const key KEYS[] = {{{"wq", "a matrix"}, KEY_MATRIX},
                           {{"weights", "a matrix with heads"}, KEY_MATRIX},
                           {{"mask", "a mask"}, KEY_MASK},
                           {{"bias", "a bias"}, KEY_BIAS},
                           {{"heads", "a number"}, KEY_SETTING}};
static const named_table KEY_TABLE = NAMED_TABLE("key", KEYS);

typedef struct sample {
    const char *input, *wanted; /* what is read (listed.h), or the error (said.h) */
} sample;

static void check_samples(unit *u, const sample *samples, size_t count, const read_options *how)
{
    text shown = {0};
    for (size_t i = 0; i < count; i++) {
        bundle b = {0};
        err e = {0};
        bool done = csv_read(samples[i].input, strlen(samples[i].input), how, &b, &e);
        CHECK_TEXT(u, done ? listed(&b, &shown) : said(&e), samples[i].wanted);
        CHECK(u, done || (b.count == 0 && b.entry == NULL));
        bundle_free(&b);
    }
    text_free(&shown);
}

#define CHECK_SAMPLES(u, samples, ...)                                                             \
    check_samples((u), (samples), sizeof(samples) / sizeof((samples)[0]),                          \
                  &(read_options){.file = "f.csv", __VA_ARGS__})

static const sample SINGLE[] = {
    {"1,2,3\n4,5,6\n", "qk f32 2 x 3: 1 2 3 4 5 6; "},
    {"1,2\r\n3,4", "qk f32 2 x 2: 1 2 3 4; "},
    {"\xef\xbb\xbf"
     "7\n",
     "qk f32 1 x 1: 7; "},
    {"# any comment\n\n1\n# between\n2\n\n\n", "qk f32 2 x 1: 1 2; "},
    {"+1,.5,5.,-0,1e2, \t8 ,\"9\"\n", "qk f32 1 x 7: 1 0.5 5 -0 100 8 9; "},
    {"1,2\n3\n", "f.csv:2:2: row 2 has 1 number, row 1 has 2"},
    {"1,2\n# one more\n3,4\n5,6,7,8\n", "f.csv:4:5: row 3 has 4 numbers, row 1 has 2"},
    {"1,2\n\n3,4\n",
     "f.csv:3:1: a row stands here below a blank line (2), which ends a matrix | begin each of "
     "several matrices with a comment such as # wq 4x3"},
    {"", "f.csv: no matrix is in it"},
    {"\n# 1,2\n", "f.csv: no matrix is in it"},
    {"1,x\n", "f.csv:1:3: 'x' is not a number | if this is a header, quote the labels in it that "
              "are numbers"},
    {"1,2\n3, 0x10\n", "f.csv:2:4: '0x10' is not a number | hexadecimal is not read: write 16 for "
                       "0x10"},
    {"1,2\n3,\n",
     "f.csv:2:3: a number is missing | where the row ends before it, take the last delimiter out; "
     "else write nan, which --allow-nonfinite lets through"},
    {"1\n\"\"\n",
     "f.csv:2:2: a number is missing | write nan for it, which --allow-nonfinite lets through"},
    {"1,2\n ,3\n",
     "f.csv:2:2: a number is missing | write nan for it, which --allow-nonfinite lets through"},
    {"1\n1e39\n",
     "f.csv:2:1: 1e39 is too large for float32, whose largest number is 3.4028235e38 | "
     "--dtype f64 holds larger numbers"},
    {"1,-INF\n", "f.csv:1:3: -INF is not a finite number | --allow-nonfinite lets it through"},
    {"1,\"2\n", "f.csv:1:3: the quote that begins here is never closed"},
    {"1,2\n3,4\n5,\"6\"7\n", "f.csv:3:6: text follows a closing quote"},
};

static const sample LABELS[] = {
    {"a,b\n1,2\n", "qk f32 1 x 2: 1 2; columns a|b; "},
    {"a\n1\n2\n", "qk f32 2 x 1: 1 2; columns a; "},
    {"the,1,2\ncat,3,4\n", "qk f32 2 x 2: 1 2 3 4; rows the|cat; "},
    {"word,a,b\nthe,1,2\n", "qk f32 1 x 2: 1 2; columns a|b; rows the; "},
    {",a,b\n0,1,2\n1,3,4\n", "qk f32 2 x 2: 1 2 3 4; columns a|b; rows 0|1; "},
    /* as R's write.csv and write.table write a matrix */
    {"\"\",\"V1\",\"V2\"\n\"1\",1,2\n", "qk f32 1 x 2: 1 2; columns V1|V2; rows 1; "},
    {"\"V1\",\"V2\"\n\"1\",1,2\n", "qk f32 1 x 2: 1 2; columns V1|V2; rows 1; "},
    {"\"1\",\"2\"\n3,4\n", "qk f32 1 x 2: 3 4; columns 1|2; "},
    {"\"1\",\"2\"\n\"3\",\"4\"\n", "qk f32 2 x 2: 1 2 3 4; "},
    {"\"2\",1,2\ncat,3,4\n", "qk f32 2 x 2: 1 2 3 4; rows 2|cat; "},
    {"\"#x\", y ,\"a,\"\"b\"\n1,2,3\n", "qk f32 1 x 3: 1 2 3; columns #x|y|a,\"b; "},
    {"cat,1\n3,4\n", "f.csv:2:1: row 2 begins with the number 3, row 1 with the label 'cat' | "
                     "quote a label that is "
                     "a number, or write a number for 'cat'"},
    {"1,2\ncat,4\n", "f.csv:2:1: 'cat' is not a number"},
    {"a,2,b\n1,2,3\n", "f.csv:1:5: 'b' is not a number | if this is a header, quote the labels in "
                       "it that are numbers"},
    {"a,b,c\n1,2\n", "f.csv:2:4: row 1 has 2 numbers, the header 3 labels"},
    {"a,b\n1,2,3\n", "f.csv:2:5: row 1 has 3 numbers, the header 2 labels"},
    {"# wq 1x2\na\n1,2\n", "f.csv:3:3: row 1 has 2 numbers, the header 1 label"},
    {",a\nx\n", "f.csv:2:2: row 1 has 0 numbers, the header 1 label"},
    {"a,b\n", "f.csv:1:1: no row of numbers stands below this line"},
    {"a,b\xff\n1,2\n", "f.csv:1:3: a label is not UTF-8 here | save the file in UTF-8"},
};

#define ALL_LOOK " stands in a column of labels that all look like numbers | "
#define NO_COMMAS "decimal commas are not read: write 0.5 for 0,5; "
#define NO_THOUSANDS "numbers are read without separators of thousands: write 1234.5 for 1,234.5; "
#define IN_ASCII "numbers are read in ASCII, not in characters of full width: write 12 for １２; "
#define NEED_HEADER "labels like this need a header that begins with \"\""
#define NEED_QUOTES "quote labels like this"

/* Numbers as others write them are not labels where all are such, unless that is said. */
static const sample SPOILED[] = {
    {"\"0,5\",1\n,2\n\"-7,5e3\",3\n", "f.csv:1:1: '0,5'" ALL_LOOK NO_COMMAS NEED_HEADER},
    {"\"−0,5\",1\n", "f.csv:1:1: '−0,5'" ALL_LOOK NO_COMMAS NEED_HEADER},
    {"\"1.234,5\",1\n", "f.csv:1:1: '1.234,5'" ALL_LOOK NO_THOUSANDS NEED_HEADER},
    {"\"-1,234,567\",1\n", "f.csv:1:1: '-1,234,567'" ALL_LOOK NO_THOUSANDS NEED_HEADER},
    {"1'234,1\n", "f.csv:1:1: '1'234'" ALL_LOOK NO_THOUSANDS NEED_QUOTES},
    {"1\xc2\xa0"
     "234.5,1\n",
     "f.csv:1:1: '1\xc2\xa0"
     "234.5'" ALL_LOOK NO_THOUSANDS NEED_QUOTES},
    {"−１．５,1\n", "f.csv:1:1: '−１．５'" ALL_LOOK IN_ASCII NEED_QUOTES},
    {"a,b\n 0x1F,1\n-0XaB,2\n",
     "f.csv:2:1: ' 0x1F'" ALL_LOOK "hexadecimal is not read: write 16 for 0x10; " NEED_QUOTES},
    {"0x,1\n", "qk f32 1 x 1: 1; rows 0x; "},
    {"0x1G,1\n", "qk f32 1 x 1: 1; rows 0x1G; "},
    {"\"1,23,456\",1\n", "qk f32 1 x 1: 1; rows 1,23,456; "},
    {"1'2345,1\n", "qk f32 1 x 1: 1; rows 1'2345; "},
    {"1.234.567,1\n", "qk f32 1 x 1: 1; rows 1.234.567; "},
    {"１月,1\n", "qk f32 1 x 1: 1; rows １月; "},
    {"−,1\n", "qk f32 1 x 1: 1; rows −; "},
    {"−1,1\nword,2\n", "qk f32 2 x 1: 1 2; rows −1|word; "},
    {"\"−1\",1\n", "qk f32 1 x 1: 1; rows −1; "},
    {",a\n\"0,5\",1\n", "qk f32 1 x 1: 1; columns a; rows 0,5; "},
    {",−1\n−2,1\n", "qk f32 1 x 1: 1; columns −1; rows −2; "},
    {"\"1,5\",\"2,5\"\n1,2\n",
     "f.csv:1:1: '1,5' stands in a header of labels that all look like numbers | " NO_COMMAS
         NEED_HEADER},
};

static const sample OTHER_DELIMITERS[] = {
    {"1;2\n3;4\n",
     "f.csv:1:1: '1;2' is not a number | the fields look separated by ';': --delimiter ';'"},
    {"0,5;1,5\n",
     "f.csv:1:3: '5;1' is not a number | decimal commas are not read: write 0.5 for 0,5 (then "
     "--delimiter ';')"},
    {"a;b\n1,5;2\n",
     "f.csv:2:3: row 1 has 2 numbers, the header 1 label | decimal commas are not read: write 0.5 "
     "for 0,5 (then --delimiter ';')"},
    {"1\t2\n",
     "f.csv:1:1: '1\?2' is not a number | the fields look separated by tabs: --input-format tsv"},
    {"1 2\n",
     "f.csv:1:1: '1 2' is not a number | the fields look separated by ' ': --delimiter ' '"},
};

static const sample SEMICOLONS[] = {
    {"1;2\n3;4\n", "qk f64 2 x 2: 1 2 3 4; "},
    {"0,5;1,5\n", "f.csv:1:1: '0,5' is not a number | decimal commas are not read: write 0.5 for "
                  "0,5"},
};

static const sample BLOCKS[] = {
    {"# wq 1x2\n1,2\n\n# bias 1x2\n3,-inf\n\n# mask 2x1\ntrue\n0\n",
     "wq qk f32 1 x 2: 1 2; bias qk f32 1 x 2: 3 -inf; mask qk bool 2 x 1: 1 0; "},
    {"# weights batch=1 head=0 1x2\n5,6\n# weights batch=0 head=1 1x2\n3,4\n\n"
     "# weights batch=1 head=1 1x2\n7,8\n\n# weights batch=0 head=0 1x2\n1,2\n",
     "weights bhqk f32 2 x 2 x 1 x 2: 1 2 3 4 5 6 7 8; "},
    {"# weights head=0 1x1\n1\n\n# wq 1x1\n9\n\n# weights head=1 1x1\n2\n",
     "weights hqk f32 2 x 1 x 1: 1 2; wq qk f32 1 x 1: 9; "},
    {"# weights batch=0 1x1\n1\n", "weights bqk f32 1 x 1 x 1: 1; "},
    {"# weights head=0 row=0 1x2\n1,2\n\n# weights head=0 row=1 1x2\n3,4\n",
     "weights hqkd f32 1 x 2 x 1 x 2: 1 2 3 4; "},
    {"# wq 2x1\nx\n1\n2\n\n# bias 1x1\ny\n3\n",
     "wq qk f32 2 x 1: 1 2; bias qk f32 1 x 1: 3; columns x; "},
    {"# weights head=0 1x1\n1\n\n# weights head=2 1x1\n2\n",
     "f.csv:4:1: weights head=2 is here, but head=1 is missing"},
    {"# weights batch=1 head=0 1x1\n1\n\n# weights batch=0 head=1 1x1\n2\n",
     "f.csv:4:1: weights batch=0 head=1 is here, but batch=0 head=0 is missing"},
    {"# weights head=99999999999999999999999 1x1\n1\n",
     "f.csv:1:16: 99999999999999999999999 is larger than any size"},
    {"# weights head=0 1x1\n1\n\n# weights head=0 1x1\n2\n",
     "f.csv:4:1: weights head=0 is here a second time, first in line 1"},
    {"# wq 1x1\n1\n\n# wq 1x1\n2\n", "f.csv:4:1: wq is here a second time, first in line 1"},
    {"# weights head=0 1x2\n1,2\n\n# weights head=1 2x1\n1\n2\n",
     "f.csv:4:1: weights is 2x1 here, 1x2 in line 1"},
    {"# weights head=0 1x1\n1\n\n# weights batch=0 1x1\n2\n",
     "f.csv:4:1: weights has other axes (batch, head) here than in line 1"},
    {"# wieghts 1x1\n1\n", "f.csv:1:1: unknown key 'wieghts' | did you mean 'weights'?"},
    {"# xyzzy 1x1\n1\n", "f.csv:1:1: unknown key 'xyzzy'"},
    {"# heads 1x1\n1\n", "f.csv:1:1: 'heads' isn't a matrix, and CSV holds nothing else"},
    {"# wq 1x2\n1,2\n3,4\n",
     "f.csv:3:1: wq has more rows than the 1 that its comment in line 1 says"},
    {"# wq 2x2\n1,2\n", "f.csv:1:1: wq has 1 row, its comment says 2"},
    {"# wq 2x2\n1,2\n# bias 1x1\n", "f.csv:1:1: wq has 1 row, its comment says 2"},
    {"# wq 1x2\n1,2,3\n", "f.csv:2:5: row 1 of wq has 3 numbers, its comment in line 1 says 2"},
    {"# wq 1x2\n1\n", "f.csv:2:2: row 1 of wq has 1 number, its comment in line 1 says 2"},
    {"# wq 0x2\n", "f.csv:1:1: no row of numbers stands below this line"},
    {"1,2\n# wq 1x2\n3,4\n",
     "f.csv:2:1: a block begins here, but rows without a name stand above it | give them a comment "
     "like this one: # NAME 1x2"},
    {"# mask 1x1\n2\n", "f.csv:2:1: '2' is neither true (1) nor false (0)"},
    {"# bias 1x1\ninf\n",
     "f.csv:2:1: inf can't be a bias: finite numbers and -inf can | --allow-nonfinite lets it "
     "through"},
};

/* Comments that are nearly a block's are comments. */
static const sample PLAIN_COMMENTS[] = {
    {"#wq 1x1\n1\n", "qk f32 1 x 1: 1; "},
    {"# wq  1x1\n1\n", "qk f32 1 x 1: 1; "},
    {"# wq 1x1 \n1\n", "qk f32 1 x 1: 1; "},
    {"# wq 1 x 1\n1\n", "qk f32 1 x 1: 1; "},
    {"# wq head=0 batch=0 1x1\n1\n", "qk f32 1 x 1: 1; "},
    {"# wq head= 1x1\n1\n", "qk f32 1 x 1: 1; "},
    {"# wq heads=1 1x1\n1\n", "qk f32 1 x 1: 1; "},
    {"# 1x1\n1\n", "qk f32 1 x 1: 1; "},
};

static const sample HOLES[] = {
    {"1,,nan\n\"\", ,-Infinity\n", "qk f64 2 x 3: 1 hole nan hole hole -inf; "},
    {"\"\"\n0.1\n", "qk f64 2 x 1: hole 0.1; "},
    {"1e309\n", "f.csv:1:1: 1e309 is too large for float64, whose largest number is "
                "1.7976931348623157e308"},
};

static const sample MASKS[] = {
    {"true,FALSE,1\n0,1.0,False\n", "qk bool 2 x 3: 1 0 1 0 1 0; "},
    {"1,yes\n", "f.csv:1:3: 'yes' is neither true (1) nor false (0) | if this is a header, quote "
                "the labels in it that are numbers"},
    {"nan\n", "f.csv:1:1: 'nan' is neither true (1) nor false (0)"},
};

/* Without keys every name is taken, as float64 and with whatever is not finite. */
static const sample WITHOUT_KEYS[] = {
    {"# a 1x2\n0.1,inf\n\n# layer.0.b head=0 1x1\n\"\"\n",
     "a qk f64 1 x 2: 0.1 inf; layer.0.b hqk f64 1 x 1 x 1: hole; "},
};

static void tabs(unit *u)
{
    static const char input[] = "\ta\tb,c\n\"x\ty\"\t1\t2\n";
    bundle b = {0};
    text shown = {0};
    err e = {0};
    CHECK(u, tsv_read(input, strlen(input), &(read_options){.file = "f.tsv"}, &b, &e));
    CHECK_TEXT(u, listed(&b, &shown), "qk f32 1 x 2: 1 2; columns a|b,c; rows x\ty; ");
    bundle_free(&b);
    text_free(&shown);
}

static void lines_and_options(unit *u)
{
    static const sample later[] = {{"1\nx\n", "f.csv:42:1: 'x' is not a number"}};
    static const sample wide[] = {{"1e39,inf\n", "qk f64 1 x 2: 1e+39 inf; "}};
    static const sample quoted[] = {{"1\n",
                                     "--delimiter: '\"' can't separate fields | use one of , "
                                     "; : | a tab or a space"}};
    CHECK_SAMPLES(u, later, .first_line = 41);
    CHECK_SAMPLES(u, wide, .type = DTYPE_F64, .allow_nonfinite = true);
    CHECK_SAMPLES(u, quoted, .delimiter = '"');
    CHECK_SAMPLES(u, SEMICOLONS, .delimiter = ';', .type = DTYPE_F64);
}

/* Cut at any byte, a file is read or refused with a place, and nothing is left over. */
static void truncation(unit *u)
{
    static const char whole[] =
        "\xef\xbb\xbf# weights batch=0 head=0 2x2\r\n,\"a\",b\r\nx,1,2e1\r\n"
        "y,.5,-inf\r\n\r\n# weights batch=0 head=1 2x2\r\n1,2\r\n3,4\r\n";
    for (size_t length = 0; length < sizeof whole - 1; length++) {
        err e = {0};
        bundle b = {0};
        char *exact = mem_copy_text(whole, length, &e);
        read_options how = {.file = "f.csv", .allow_nonfinite = true};
        bool done = csv_read(exact, length, &how, &b, &e);
        CHECK(u, done ? b.count > 0 : e.where[0] != '\0' && b.entry == NULL);
        bundle_free(&b);
        mem_free(exact);
    }
}

UNIT(csv_read)
{
    CHECK_SAMPLES(u, SINGLE, .keys = &KEY_TABLE);
    CHECK_SAMPLES(u, LABELS, .keys = &KEY_TABLE);
    CHECK_SAMPLES(u, SPOILED, .keys = &KEY_TABLE);
    CHECK_SAMPLES(u, OTHER_DELIMITERS, .type = DTYPE_F64);
    CHECK_SAMPLES(u, BLOCKS, .keys = &KEY_TABLE);
    CHECK_SAMPLES(u, PLAIN_COMMENTS, .keys = &KEY_TABLE);
    CHECK_SAMPLES(u, HOLES, .kind = KEY_EXPECTED);
    CHECK_SAMPLES(u, MASKS, .kind = KEY_MASK);
    CHECK_SAMPLES(u, WITHOUT_KEYS, .kind = KEY_EXPECTED);
    tabs(u);
    lines_and_options(u);
    truncation(u);
}
