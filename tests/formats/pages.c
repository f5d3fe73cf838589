#include "pages.h"

#include "attn/spec/operation.h"
#include "model/parts.h"
#include "tokens.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct page {
    const char *at;   /* after the last number that was found */
    const char *item; /* what is being looked for, for messages */
    bool says, failed;
    bool has_cells; /* of a web page: */
    bool is_cell;   /* what comes is one, where a share has four decimals, however small */
    int terms;      /* of the last series */
} page;

/* ---- what must come next ---- */

static void fail(page *p, const char *token, const char *wanted)
{
    if (p->says && !p->failed)
        printf("FAIL %s: '%s' in place of '%s', before: %.60s\n", p->item, token, wanted, p->at);
    p->failed = true;
}

static bool is_small_share(const char *token, double value)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%.4f", value);
    return value > 0 && value < 0.001 && strcmp(token, wanted) == 0;
}

static void expect(page *p, const char *wanted, double value)
{
    char token[TOKEN_MOST];
    if (p->failed)
        return;
    if (!token_next(&p->at, token))
        fail(p, "the end", wanted);
    else if (strcmp(token, wanted) != 0 && !token_is(token, value) &&
             !(p->has_cells && p->is_cell && is_small_share(token, value)))
        fail(p, token, wanted);
}

static void expect_number(page *p, double value)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%.9g", value);
    expect(p, wanted, value);
}

/* The numbers that stand in words. */
static void expect_words(page *p, const char *words)
{
    if (words == NULL)
        return;
    char *copy = malloc(strlen(words) + 1), token[TOKEN_MOST];
    if (copy == NULL)
        exit(2);
    strcpy(copy, words);
    tokens_plain_minus(copy);
    for (const char *at = copy; token_next(&at, token);)
        expect(p, token, NAN);
    free(copy);
}

static const cJSON *member(const cJSON *item, const char *name)
{
    return cJSON_GetObjectItem(item, name);
}

static void expect_text(page *p, const cJSON *item, const char *name)
{
    expect_words(p, cJSON_GetStringValue(member(item, name)));
}

static double number_of(const cJSON *value)
{
    if (!cJSON_IsString(value))
        return value->valuedouble;
    return strcmp(value->valuestring, "NaN") == 0         ? NAN
           : strcmp(value->valuestring, "-Infinity") == 0 ? -INFINITY
                                                          : INFINITY;
}

/* A number, a vector, or the rows of a matrix. */
static void expect_value(page *p, const cJSON *value)
{
    if (!cJSON_IsArray(value)) {
        if (value != NULL)
            expect_number(p, number_of(value));
        return;
    }
    const cJSON *part;
    cJSON_ArrayForEach(part, value) expect_value(p, part);
}

static void expect_list(page *p, const cJSON *texts)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, texts) expect_words(p, cJSON_GetStringValue(one));
}

/* ---- worked lines ---- */

static const cJSON *element(const cJSON *of, int index)
{
    return cJSON_IsArray(of) ? cJSON_GetArrayItem(of, index) : of;
}

static int length_of(const cJSON *of)
{
    return cJSON_IsArray(of) ? cJSON_GetArraySize(of) : 1;
}

/* Where the part of a spelling ends that begins at `at`, at one of the bytes or at a bracket of its
 * own. */
static const char *end_of(const char *at, const char *bytes)
{
    for (size_t depth = 0; *at != '\0'; at++) {
        if (depth == 0 && strchr(bytes, *at) != NULL)
            return at;
        depth += strchr("<[{", *at) != NULL;
        depth -= strchr(">]}", *at) != NULL;
    }
    return at;
}

/* How many numbers an operand has: {ab} is a and then b. */
static int length_of_operand(const cJSON *item, const char *name)
{
    const cJSON *b = strncmp(name, "ab}", 3) == 0 ? member(item, "b") : NULL;
    return length_of(member(item, (char[]){*name, '\0'})) + (b == NULL ? 0 : length_of(b));
}

static void expect_operand(page *p, const cJSON *item, const char *name, int term)
{
    if (strncmp(name, "inner}", 6) == 0) {
        const cJSON *inner = member(item, "inner");
        expect_value(p, term < 0 ? inner : element(inner, term));
        return;
    }
    const cJSON *of = member(item, (char[]){*name, '\0'});
    int first = of == NULL ? 0 : length_of(of);
    if (strncmp(name, "ab}", 3) == 0 && term >= first)
        expect_value(p, element(member(item, "b"), term - first));
    else
        expect_value(p, term < 0 || !cJSON_IsArray(of) ? of : element(of, term));
}

/* An operand that a sign stands before. */
static const char NEGATED[] = "(−{";

/* The numbers of the item in the order in which attn/spec/operation_list.h says that its operation
 * is written, of a series those of term `term`; a number in the text between them stands there too.
 * */
static void expect_spelled(page *p, const cJSON *item, const char *at, const char *end, int term)
{
    for (; at < end; at++) {
        const char *close = end_of(at + 1, *at == '<' ? ">" : *at == '[' ? "]" : "}");
        if (*at == '<') {
            const char *between = end_of(at + 1, ";"), *zero = end_of(between + 1, ";>");
            const char *name = at + strcspn(at, "abcd");
            p->terms = length_of_operand(item, name);
            for (int i = 0; i < p->terms; i++) {
                bool is_zero =
                    *zero == ';' && number_of(element(member(item, (char[]){*name, '\0'}), i)) == 0;
                expect_spelled(p, item, is_zero ? zero + 1 : at + 1, is_zero ? close : between, i);
            }
            at = close;
        } else if (*at == '[') {
            const char *other = end_of(at + 3, ":]");
            bool is_there = member(item, (char[]){at[1], '\0'}) != NULL;
            if (is_there || *other == ':')
                expect_spelled(p, item, is_there ? at + 3 : other + 1, is_there ? other : close,
                               term);
            at = close;
        } else if (strncmp(at, "{f}", 3) == 0 || strncmp(at, "{g}", 3) == 0) {
            const char *name = cJSON_GetStringValue(member(item, "function"));
            const activation *row =
                (const activation *)named_find(&ACTIVATIONS, name, strlen(name));
            const char *by = at[1] == 'f' ? row->spelled : row->slope_spelled;
            expect_spelled(p, item, by, strchr(by, '\0'), term);
            at = close;
        } else if (strncmp(at, "{n}", 3) == 0) {
            expect_number(p, p->terms);
            at = close;
        } else if (strncmp(at, NEGATED, strlen(NEGATED)) == 0) {
            /* "(−1.5)" is read as the number that it looks like, "(−(-1.5))" is not. */
            const char *name = at + strcspn(at, "abcde");
            double number = number_of(member(item, (char[]){*name, '\0'}));
            expect_number(p, signbit(number) ? number : -number);
            at = name + strcspn(name, "}");
        } else if (*at == '{') {
            expect_operand(p, item, at + strcspn(at, "abcdeij"), term);
            at = close;
        } else if (isdigit((unsigned char)*at)) {
            char number[32];
            size_t length = strspn(at, "0123456789.");
            snprintf(number, sizeof number, "%.*s", (int)length, at);
            expect_words(p, number);
            at += length - 1;
        }
    }
}

/* One number that is copied, or a sum of it alone, shows its result only. */
static bool is_written(const cJSON *item, const operation_row *row)
{
    bool is_sum = row == operation_of(OP_SUM);
    return row != operation_of(OP_COPY) && row != operation_of(OP_BESIDE) &&
           !(is_sum && length_of(member(item, "a")) == 1 && member(item, "c") == NULL);
}

static void expect_expression(page *p, const cJSON *item)
{
    const char *name = cJSON_GetStringValue(member(item, "operation"));
    const operation_row *row = (const operation_row *)named_find(&OPERATIONS, name, strlen(name));
    if (is_written(item, row))
        expect_spelled(p, item, row->spelled, strchr(row->spelled, '\0'), -1);
    if (member(item, "inner") != NULL)
        expect_spelled(p, item, row->inner, strchr(row->inner, '\0'), -1);
}

static void expect_line(page *p, const cJSON *item)
{
    expect_text(p, item, "left");
    expect_text(p, item, "letters");
    expect_expression(p, item);
    expect_value(p, member(item, "result"));
}

/* ---- the other kinds ---- */

static void expect_product(page *p, const cJSON *item)
{
    expect_text(p, item, "left");
    expect_text(p, item, "letters");
    expect_text(p, item, "name");
    p->is_cell = true;
    expect_value(p, member(item, "a"));
    expect_value(p, member(item, "b"));
    expect_value(p, member(item, "result"));
    p->is_cell = false;
}

/* A label alone that is a number says nothing, and is not there. */
static bool is_labelled(const cJSON *labels)
{
    const cJSON *only = cJSON_GetArraySize(labels) == 1 ? labels->child : NULL;
    return labels != NULL && (only == NULL || strcmp(cJSON_GetStringValue(only), "1") != 0);
}

/* "(3 × 4)", or "(3 long)". */
static void expect_shape(page *p, const cJSON *value)
{
    for (; cJSON_IsArray(value); value = value->child)
        expect_number(p, cJSON_GetArraySize(value));
}

/* ---- matrices, whole or in parts: "columns 1 to 6 of 64", "ids 0 to 5 of 30" ---- */

static bool stands_before(const char *at, const char *word)
{
    return strncmp(at - strlen(word), word, strlen(word)) == 0;
}

/* The columns [*first, *end) that come next, of `total`; all, where no part is named. Ids count
 * from 0. */
static void next_part(page *p, int total, int *first, int *end)
{
    char token[TOKEN_MOST];
    const char *digit = p->at + strcspn(p->at, "0123456789");
    bool is_one_id =
        stands_before(digit, "id ") && strncmp(digit + strspn(digit, "0123456789"), " of ", 4) == 0;
    bool has_ids = stands_before(digit, "ids ") || is_one_id;
    bool is_range = stands_before(digit, "columns ") || stands_before(digit, "ids "),
         is_one = stands_before(digit, "column ") || is_one_id;
    *first = *end;
    *end = total;
    if (!is_range && !is_one)
        return;
    expect_number(p, *first + !has_ids);
    if (is_range)
        *end = token_next(&p->at, token) ? atoi(token) + has_ids : total;
    else
        *end = *first + 1;
    expect_number(p, total);
}

/* The numbers of a row in these columns. */
static void expect_cells(page *p, const cJSON *row, int first, int end)
{
    p->is_cell = true;
    for (int column = first; column < end; column++)
        expect_value(p, element(row, column));
    p->is_cell = false;
}

static void expect_label(page *p, const cJSON *labels, int index)
{
    if (is_labelled(labels))
        expect_words(p, cJSON_GetStringValue(cJSON_GetArrayItem(labels, index)));
}

static void expect_matrix(page *p, const cJSON *item)
{
    const cJSON *a = member(item, "a"), *rows = member(item, "rows");
    const cJSON *columns = member(item, "columns");
    int total = columns == NULL ? 1 : cJSON_GetArraySize(columns);
    expect_text(p, item, "name");
    expect_shape(p, a);
    for (int first = 0, end = 0; end < total && !p->failed;) {
        next_part(p, total, &first, &end);
        for (int column = first; column < end; column++)
            expect_label(p, columns, column);
        for (int i = 0; i < (rows == NULL ? 1 : length_of(a)); i++) {
            expect_label(p, rows, i);
            expect_cells(p, rows == NULL ? a : cJSON_GetArrayItem(a, i), first, end);
        }
    }
}

/* The rows that are added up, and their sum. */
static void expect_stack(page *p, const cJSON *item)
{
    const cJSON *rows = member(item, "a"), *result = member(item, "result");
    for (int first = 0, end = 0; end < length_of(result) && !p->failed;) {
        next_part(p, length_of(result), &first, &end);
        for (int i = 0; i < length_of(rows); i++) {
            expect_label(p, member(item, "rows"), i);
            expect_cells(p, cJSON_GetArrayItem(rows, i), first, end);
        }
        expect_text(p, item, "name");
        expect_cells(p, result, first, end);
    }
}

static void expect_table(page *p, const cJSON *item)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, member(item, "cells")) expect_list(p, row);
}

static void expect_item(page *p, const cJSON *item)
{
    const char *kind = cJSON_GetStringValue(member(item, "kind"));
    p->item = kind;
    if (strcmp(kind, "line") == 0)
        expect_line(p, item);
    else if (strcmp(kind, "product") == 0)
        expect_product(p, item);
    else if (strcmp(kind, "stack") == 0)
        expect_stack(p, item);
    else if (strcmp(kind, "matrix") == 0)
        expect_matrix(p, item);
    else if (strcmp(kind, "table") == 0)
        expect_table(p, item);
    else
        expect_text(p, item, "text");
}

bool page_agrees(const cJSON *trace, const char *bytes, const char *format, bool says)
{
    page p = {.at = bytes, .item = "title", .says = says, .has_cells = strcmp(format, "html") == 0};
    const cJSON *step, *item;
    char token[TOKEN_MOST];
    int number = 0;
    expect_text(&p, trace, "name");
    expect_text(&p, trace, "title");
    expect_text(&p, trace, "notes");
    cJSON_ArrayForEach(step, member(trace, "steps"))
    {
        p.item = "heading";
        expect_number(&p, ++number);
        expect_text(&p, step, "step");
        cJSON_ArrayForEach(item, member(step, "items")) expect_item(&p, item);
    }
    if (!p.failed && token_next(&p.at, token))
        fail(&p, token, "the end");
    return !p.failed;
}
