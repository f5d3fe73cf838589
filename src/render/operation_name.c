#include "render/operation_name.h"

const char *operation_name(operation op)
{
    static const char *const NAMES[] = {
        [OP_DOT] = "dot",
        [OP_DIFFERENCE] = "difference",
        [OP_ADDITIVE] = "additive",
        [OP_TIMES] = "times",
        [OP_CAP] = "cap",
        [OP_PLUS] = "plus",
        [OP_EXP] = "exp",
        [OP_SUM] = "sum",
        [OP_MAX] = "max",
        [OP_DIVIDE] = "divide",
        [OP_PLUS_LOG] = "plus_log",
        [OP_ENTROPY] = "entropy",
        [OP_ROUND] = "round",
        [OP_VARIANCE] = "variance",
        [OP_INVERSE_ROOT] = "inverse_root",
        [OP_ROOT_OF_SUM] = "inverse_root_of_sum",
        [OP_HIDE] = "hide",
        [OP_NORMALIZE] = "normalize",
        [OP_WAVE] = "wave",
        [OP_TURN] = "turn",
        [OP_STACK] = "stack",
        [OP_MEAN] = "mean",
        [OP_MINUS] = "minus",
        [OP_ACTIVATE] = "activate",
    };
    return NAMES[op];
}
