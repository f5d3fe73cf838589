#include "attn/spec/operation.h"

static const operation_row ROWS[] = {
#define OPERATION(id, name, help, ...) [id] = {{name, help}, __VA_ARGS__},
#include "attn/spec/operation_list.h"
#undef OPERATION
};

const named_table OPERATIONS = NAMED_TABLE("operation", ROWS);

const operation_row *operation_of(operation op)
{
    return &ROWS[op];
}
