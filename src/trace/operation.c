#include "trace/operation.h"

static const operation_row ROWS[] = {
    [OP_DOT] = {{"dot", "products added up"}, "<{(a)}·{b};\n + >[c?\n + {c}]", NULL},
    [OP_DIFFERENCE] = {{"difference", "the second product taken from the first"},
                       "<{(a)}·{b};\n − >",
                       NULL},
    [OP_ADDITIVE] = {{"additive", "bent sums, weighed and added up"},
                     "<{(c)}·tanh({a} + {b}[d? + {d}]);\n + >",
                     "<{(c)}·{inner};\n + >"},
    [OP_TIMES] = {{"times", "a product"}, "{(a)}·{b}", NULL},
    [OP_CAP] = {{"cap", "a soft bound"}, "{(b)}·tanh({a} / {b})", "{(b)}·{inner}"},
    [OP_PLUS] = {{"plus", "a sum, less a slope times a distance"},
                 "{a}[b?\n + {b}][c?\n − {c}·|{d} − {j}|]",
                 NULL},
    [OP_EXP] = {{"exp", "an exponential"}, "exp({a}[b? − {b}])", NULL},
    [OP_SUM] = {{"sum", "numbers added up"}, "<{a};\n + >[c?\n + {c}]", NULL},
    [OP_MAX] = {{"max", "the greatest"}, "max(<{a};,\n >[c?,\n {c}])", NULL},
    [OP_DIVIDE] = {{"divide", "a quotient"}, "{a}\n / {b}", NULL},
    [OP_PLUS_LOG] = {{"plus_log", "a logarithm added"}, "{a} + ln({b})", NULL},
    [OP_ENTROPY] = {{"entropy", "the entropy of shares"}, "−(<{a}·ln({a});\n + ;0>)", NULL},
    [OP_ROUND] = {{"round", "rounded by hand"}, "{a}", NULL},
    [OP_VARIANCE] = {{"variance", "the mean square of what differs from the mean"}, "", NULL},
    [OP_INVERSE_ROOT] = {{"inverse_root", "one divided by a root"}, "1/√{a}", NULL},
    [OP_ROOT_OF_SUM] = {{"inverse_root_of_sum", "one divided by the root of a sum"},
                        "1/√({a} + {b})",
                        "1/√{inner}"},
    [OP_HIDE] = {{"hide", "taken out"}, "{a}", NULL},
    [OP_NORMALIZE] = {{"normalize", "divided by the root of the mean square"},
                      "{a} / √((<{(b)}²;\n + >)/{n} + {c})[d?·{d}]",
                      NULL},
    [OP_WAVE] = {{"wave", "a sine or a cosine added"}, "{a}[c? + {c}] + ~sin~cos~({b})", NULL},
    [OP_TURN] = {{"turn", "a pair turned by an angle"},
                 "[b?{(a)}·cos({c}) ~−~+~ {b}·sin({c}):{a}]",
                 NULL},
    [OP_STACK] = {{"stack", "rows, and others after them"}, "{ab}", NULL},
    [OP_MEAN] = {{"mean", "the mean"}, "(<{ab};\n + >) / {n}", NULL},
    [OP_MINUS] = {{"minus", "a difference"}, "{a} − {b}", NULL},
    [OP_ACTIVATE] = {{"activate", "an activation"}, "{f}[b?·{b}]", NULL},
};

const named_table OPERATIONS = NAMED_TABLE("operation", ROWS);

const operation_row *operation_of(operation op)
{
    return &ROWS[op];
}
