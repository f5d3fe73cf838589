/* Matrices, stacks and products, laid out by hand with the numbers of seed 001's walkthrough. */
#include "unit.h"

#include "render/text_items.h"
#include "render_parts.h"

#include <math.h>

typedef void (*drawer)(text *out, const trace_item *item, const render_options *how);

static void check_item(unit *u, drawer draw, const trace_item *item, const render_options *how,
                       const char *expected)
{
    text out = {0};
    draw(&out, item, how);
    CHECK_TEXT(u, text_string(&out), expected);
    text_free(&out);
}

static trace_item matrix(const char *name, tensor a)
{
    return (trace_item){.kind = TRACE_MATRIX, .text = name, .a = a};
}

static void check_weights(unit *u)
{
    static const double WEIGHTS[] = {6.3379e-02, 4.6831e-01, 4.6831e-01, 6.0337e-06, 9.8201e-01,
                                     1.7986e-02, 2.9539e-04, 8.8054e-01, 1.1917e-01};
    render_options how = part_options();
    trace_item item = matrix("weights", part_matrix(3, 3, WEIGHTS));
    item.rows.letter = "q";
    item.columns.letter = "k";
    item.focus = 1;
    check_item(u, matrix_text_add, &item, &how,
               "    weights (3 × 3)\n"
               "                 k[1]    k[2]    k[3]\n"
               "  → q[1]  [    0.0634, 0.4683, 0.4683]\n"
               "    q[2]  [6.0337e-06, 0.9820, 0.0180]\n"
               "    q[3]  [2.9539e-04, 0.8805, 0.1192]\n");
    how.color = true;
    how.digits = 2;
    check_item(u, matrix_text_add, &item, &how,
               "    weights (3 × 3)\n"
               "           k[1]  k[2]  k[3]\n"
               "  \033[1m→ q[1]  [0.06, 0.47, 0.47]\033[0m\n"
               "    q[2]  [0.00, 0.98, 0.02]\n"
               "    q[3]  [0.00, 0.88, 0.12]\n");
}

/* Tokens as labels, some of them wide, some that would be orders, one too long. */
static void check_labels(unit *u)
{
    static char *names[] = {"cat", "東京", "\033[2J", "anticonstitutionally"};
    static const double MASKED[] = {2, -INFINITY, 4, 1.5, -4, 16, 12, 10};
    render_options how = part_options();
    text_list rows = {.item = names, .count = 4}, columns = {.item = names + 1, .count = 2};
    trace_item item = matrix("masked", part_matrix(4, 2, MASKED));
    item.rows.names = &rows;
    item.columns.names = &columns;
    check_item(u, matrix_text_add, &item, &how,
               "    masked (4 × 2)\n"
               "                       東京  ?[2J\n"
               "    cat               [   2, -inf]\n"
               "    東京              [   4,  1.5]\n"
               "    ?[2J              [  -4, 16.0]\n"
               "    anticonstitutio…  [  12, 10.0]\n");
}

/* 20 rows of 30 columns that count: row i, column j holds i·100 + j. */
static const double *counted(void)
{
    static double values[20 * 30];
    for (size_t i = 0; i < 20; i++) {
        for (size_t j = 0; j < 30; j++)
            values[i * 30 + j] = (double)((i + 1) * 100 + j + 1);
    }
    return values;
}

/* A name without a letter in it is not a label: its number stands there. A letter with an open
 * bracket goes on in it. */
static void check_numbered_labels(unit *u)
{
    static char *names[] = {"cat", ""};
    static const double VALUES[] = {1, 2, 3, 4};
    render_options how = part_options();
    text_list rows = {.item = names, .count = 2};
    trace_item item = matrix("x", part_matrix(2, 2, VALUES));
    item.rows = (trace_labels){.names = &rows, .letter = "x"};
    item.columns.letter = "weighted[2";
    check_item(u, matrix_text_add, &item, &how,
               "    x (2 × 2)\n"
               "           weighted[2,1]  weighted[2,2]\n"
               "    cat   [            1,             2]\n"
               "    x[2]  [            3,             4]\n");
}

/* In full, the last part may be one column alone. */
static void check_last_column(unit *u)
{
    render_options how = part_options();
    how.width = 40;
    how.is_full = true;
    trace_item item = matrix("row", part_vector(9, counted()));
    check_item(u, matrix_text_add, &item, &how,
               "    row (9 long)\n"
               "    columns 1 to 7 of 9\n"
               "       1    2    3    4    5    6    7\n"
               "    [101, 102, 103, 104, 105, 106, 107]\n"
               "\n"
               "    columns 8 to 9 of 9\n"
               "       8    9\n"
               "    [108, 109]\n");
    item.a = part_vector(8, counted());
    check_item(u, matrix_text_add, &item, &how,
               "    row (8 long)\n"
               "    columns 1 to 7 of 8\n"
               "       1    2    3    4    5    6    7\n"
               "    [101, 102, 103, 104, 105, 106, 107]\n"
               "\n"
               "    column 8 of 8\n"
               "       8\n"
               "    [108]\n");
}

static void check_vector(unit *u)
{
    static const double BIAS[] = {1, -2, 0.5};
    render_options how = part_options();
    trace_item item = matrix("bq", part_vector(3, BIAS));
    check_item(u, matrix_text_add, &item, &how,
               "    bq (3 long)\n"
               "     1   2    3\n"
               "    [1, -2, 0.5]\n");
    item = matrix("row_max", part_matrix(3, 1, BIAS));
    item.rows.letter = "q";
    check_item(u, matrix_text_add, &item, &how,
               "    row_max (3 × 1)\n"
               "    q[1]  [ 1.0]\n"
               "    q[2]  [-2.0]\n"
               "    q[3]  [ 0.5]\n");
    item = matrix("scale", part_number(BIAS));
    check_item(u, matrix_text_add, &item, &how, "    scale\n    [1]\n");
}

static void check_shortened(unit *u)
{
    render_options how = part_options();
    how.width = 40;
    trace_item item = matrix("big", part_matrix(20, 30, counted()));
    item.focus = 12;
    check_item(u, matrix_text_add, &item, &how,
               "    big (20 × 30)\n"
               "            1     2  …    29    30\n"
               "    1   [ 101,  102, …,  129,  130]\n"
               "    2   [ 201,  202, …,  229,  230]\n"
               "    3   [ 301,  302, …,  329,  330]\n"
               "    4   [ 401,  402, …,  429,  430]\n"
               "    5   [ 501,  502, …,  529,  530]\n"
               "    6   [ 601,  602, …,  629,  630]\n"
               "    7   [ 701,  702, …,  729,  730]\n"
               "    8   [ 801,  802, …,  829,  830]\n"
               "    …\n"
               "  → 12  [1201, 1202, …, 1229, 1230]\n"
               "    …\n"
               "    18  [1801, 1802, …, 1829, 1830]\n"
               "    19  [1901, 1902, …, 1929, 1930]\n"
               "    20  [2001, 2002, …, 2029, 2030]\n"
               "    rows 9 to 11 and 13 to 17 of 20 and\n"
               "    columns 3 to 28 of 30 are left out;\n"
               "    --full shows them\n");
}

/* In full, every column is there, in parts that fit. */
static void check_full(unit *u)
{
    render_options how = part_options();
    how.width = 40;
    how.is_full = true;
    trace_item item = matrix("big", part_matrix(2, 10, counted()));
    item.a.stride[0] = 30;
    item.rows.letter = "x";
    check_item(u, matrix_text_add, &item, &how,
               "    big (2 × 10)\n"
               "    columns 1 to 6 of 10\n"
               "             1    2    3    4    5    6\n"
               "    x[1]  [101, 102, 103, 104, 105, 106]\n"
               "    x[2]  [201, 202, 203, 204, 205, 206]\n"
               "\n"
               "    columns 7 to 10 of 10\n"
               "             7    8    9   10\n"
               "    x[1]  [107, 108, 109, 110]\n"
               "    x[2]  [207, 208, 209, 210]\n");
}

/* Seed 001, step 3 and step 4. */
static void check_product(unit *u)
{
    static const double X[] = {1, 0, 1, 0}, WK[] = {0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0},
                        K[] = {0, 1, 1};
    render_options how = part_options();
    trace_item item = {.kind = TRACE_ROW_PRODUCT, .left = "x[1]", .letters = "Wk", .text = "k[1]"};
    item.a = part_vector(4, X);
    item.b = part_matrix(4, 3, WK);
    item.result = part_vector(3, K);
    check_item(u, product_text_add, &item, &how,
               "                     Wk\n"
               "    x[1]             [0, 0, 1]     k[1]\n"
               "    [1, 0, 1, 0]  ×  [1, 1, 0]  =  [0, 1, 1]\n"
               "                     [0, 1, 0]\n"
               "                     [1, 1, 0]\n");
    how.is_full = true;
    how.width = 40; /* too narrow for all three, and nothing may be left out */
    check_item(u, product_text_add, &item, &how,
               "                     Wk\n"
               "    x[1]             [0, 0, 1]\n"
               "    [1, 0, 1, 0]  ×  [1, 1, 0]\n"
               "                     [0, 1, 0]\n"
               "                     [1, 1, 0]\n"
               "\n"
               "       k[1]\n"
               "    =  [0, 1, 1]\n");
}

static void check_product_shortened(unit *u)
{
    render_options how = part_options();
    how.width = 72;
    trace_item item = {.kind = TRACE_ROW_PRODUCT, .left = "x", .letters = "W", .text = "y"};
    item.a = part_vector(20, counted());
    item.b = part_matrix(20, 30, counted());
    item.result = part_vector(30, counted());
    check_item(u, product_text_add, &item, &how,
               "                           W\n"
               "    x                      [ 101,  102, …,  130]     y\n"
               "    [101, 102, …, 120]  ×  [ 201,  202, …,  230]  =  [101, 102, …, 130]\n"
               "                           …\n"
               "                           [2001, 2002, …, 2030]\n"
               "    rows 3 to 19 of 20 and columns 3 to 29 of 30 are left out; --full\n"
               "    shows them\n");
    how.width = 59; /* the first and the last of each, or a broken line */
    check_item(u, product_text_add, &item, &how,
               "                                W\n"
               "                                [ 101,  102,  103, …,  130]\n"
               "    x                           [ 201,  202,  203, …,  230]\n"
               "    [101, 102, 103, …, 120]  ×  [ 301,  302,  303, …,  330]\n"
               "                                …\n"
               "                                [2001, 2002, 2003, …, 2030]\n"
               "\n"
               "       y\n"
               "    =  [101, 102, 103, …, 130]\n"
               "    rows 4 to 19 of 20 and columns 4 to 29 of 30 are left\n"
               "    out; --full shows them\n");
}

/* Too narrow for the first and the last of each: each for itself. */
static void check_product_below(unit *u)
{
    render_options how = part_options();
    how.width = 44;
    how.digits = 4;
    trace_item item = {.kind = TRACE_ROW_PRODUCT, .left = "x", .letters = "W", .text = "y"};
    item.a = part_vector(3, counted());
    item.b = part_matrix(3, 30, counted());
    item.result = part_vector(30, counted());
    check_item(u, product_text_add, &item, &how,
               "    x (3 long)\n"
               "            1         2         3\n"
               "    [101.0000, 102.0000, 103.0000]\n"
               "\n"
               "    × W (3 × 30)\n"
               "               1         2  …        30\n"
               "    1  [101.0000, 102.0000, …, 130.0000]\n"
               "    2  [201.0000, 202.0000, …, 230.0000]\n"
               "    3  [301.0000, 302.0000, …, 330.0000]\n"
               "    columns 3 to 29 of 30 are left out;\n"
               "    --full shows them\n"
               "\n"
               "    = y (30 long)\n"
               "            1         2  …        30\n"
               "    [101.0000, 102.0000, …, 130.0000]\n"
               "    columns 3 to 29 of 30 are left out;\n"
               "    --full shows them\n");
}

/* Seed 001, step 6, with the numbers of its hand-rounded softmax. */
static void check_stack(unit *u)
{
    static const double WEIGHTED[] = {0, 0, 0, 1, 4, 0, 1, 3, 1.5}, SUM[] = {2, 7, 1.5};
    render_options how = part_options();
    trace_item item = {.kind = TRACE_STACK, .text = "attended[1]", .rows = {.letter = "v"}};
    item.a = part_matrix(3, 3, WEIGHTED);
    item.result = part_vector(3, SUM);
    check_item(u, rows_text_add, &item, &how,
               "    v[1]           [0, 0, 0.0]\n"
               "    v[2]         + [1, 4, 0.0]\n"
               "    v[3]         + [1, 3, 1.5]\n"
               "                 -------------\n"
               "    attended[1]  = [2, 7, 1.5]\n");
    how.digits = 1;
    check_item(u, rows_text_add, &item, &how,
               "    v[1]           [0.0, 0.0, 0.0]\n"
               "    v[2]         + [1.0, 4.0, 0.0]\n"
               "    v[3]         + [1.0, 3.0, 1.5]\n"
               "                 -----------------\n"
               "    attended[1]  = [2.0, 7.0, 1.5]\n");
}

/* The sum is wider than what is added: its digits count for the columns. */
static void check_stack_shortened(unit *u)
{
    double sum[30];
    for (size_t j = 0; j < 30; j++)
        sum[j] = 21000 + 20 * (double)(j + 1);
    render_options how = part_options();
    how.width = 40;
    trace_item item = {.kind = TRACE_STACK, .text = "y"};
    item.a = part_matrix(20, 30, counted());
    item.result = part_vector(30, sum);
    check_item(u, rows_text_add, &item, &how,
               "    1     [  101,   102, …,   130]\n"
               "    2   + [  201,   202, …,   230]\n"
               "    3   + [  301,   302, …,   330]\n"
               "    4   + [  401,   402, …,   430]\n"
               "    5   + [  501,   502, …,   530]\n"
               "    6   + [  601,   602, …,   630]\n"
               "    7   + [  701,   702, …,   730]\n"
               "    8   + [  801,   802, …,   830]\n"
               "    …\n"
               "    18  + [ 1801,  1802, …,  1830]\n"
               "    19  + [ 1901,  1902, …,  1930]\n"
               "    20  + [ 2001,  2002, …,  2030]\n"
               "        --------------------------\n"
               "    y   = [21020, 21040, …, 21600]\n"
               "    rows 9 to 17 of 20 and columns 3 to\n"
               "    29 of 30 are left out; --full shows\n"
               "    them\n");
}

/* Random matrices at random widths: nothing passes the edge of the page, but where not even a
 * first column fits. */
static void check_edges(unit *u)
{
    static double values[40 * 40];
    uint64_t state = 1;
    for (size_t run = 0; run < 300; run++) {
        size_t rows = 1 + unit_random(&state) % 40, columns = 1 + unit_random(&state) % 40;
        for (size_t i = 0; i < rows * columns; i++)
            values[i] = ((double)(unit_random(&state) % 2001) - 1000) /
                        pow(10, (double)(unit_random(&state) % 8));
        render_options how = part_options();
        how.width = 50 + (int)(unit_random(&state) % 100);
        how.is_full = run % 3 == 0;
        trace_item item = matrix("m", part_matrix(rows, columns, values));
        item.rows.letter = "q";
        item.focus = 1 + unit_random(&state) % rows;
        item.result = part_vector(columns, values);
        text out = {0};
        matrix_text_add(&out, &item, &how);
        item.kind = TRACE_STACK;
        rows_text_add(&out, &item, &how);
        CHECK(u, part_longest_line(&out) <= (size_t)how.width);
        text_free(&out);
    }
}

UNIT(render_matrix)
{
    check_weights(u);
    check_labels(u);
    check_numbered_labels(u);
    check_last_column(u);
    check_vector(u);
    check_shortened(u);
    check_full(u);
    check_product(u);
    check_product_shortened(u);
    check_product_below(u);
    check_stack(u);
    check_stack_shortened(u);
    check_edges(u);
}
