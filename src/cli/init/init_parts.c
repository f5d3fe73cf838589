#include "cli/init/init_parts.h"

static const part ROWS[] = {
    {{"x", "input rows"}, ROLE_ROWS, EXTENT_TOKENS, EXTENT_WIDTH, true},
    {{"wq", "weights of the queries"}, ROLE_WEIGHT, EXTENT_WIDTH, EXTENT_HEADS, true},
    {{"wk", "weights of the keys"}, ROLE_WEIGHT, EXTENT_WIDTH, EXTENT_SHARED, true},
    {{"wv", "weights of the values"}, ROLE_WEIGHT, EXTENT_WIDTH, EXTENT_SHARED, true},
    {{"wo", "weights that join the heads"}, ROLE_JOIN, EXTENT_HEADS, EXTENT_WIDTH, true},
    {{"bq", "bias of the queries"}, ROLE_BIAS, EXTENT_WIDTH, EXTENT_HEADS, true},
    {{"bk", "bias of the keys"}, ROLE_BIAS, EXTENT_WIDTH, EXTENT_SHARED, true},
    {{"bv", "bias of the values"}, ROLE_BIAS, EXTENT_WIDTH, EXTENT_SHARED, true},
    {{"bo", "bias of the output"}, ROLE_JOIN_BIAS, EXTENT_HEADS, EXTENT_WIDTH, true},
    {{"q", "queries"}, ROLE_ROWS, EXTENT_TOKENS, EXTENT_HEADS, false},
    {{"k", "keys"}, ROLE_ROWS, EXTENT_TOKENS, EXTENT_SHARED, false},
    {{"v", "values"}, ROLE_ROWS, EXTENT_TOKENS, EXTENT_SHARED, false},
};

const named_table PARTS = NAMED_TABLE("part", ROWS);

bool part_is_bias(const part *p)
{
    return p->role == ROLE_BIAS || p->role == ROLE_JOIN_BIAS;
}

uint32_t part_place(const part *p)
{
    return (uint32_t)(p - ROWS);
}

const part *part_find(const char *name, size_t length)
{
    return (const part *)(const void *)named_find(&PARTS, name, length);
}
