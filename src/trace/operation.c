#include "trace/operation.h"

static const operation_row ROWS[] = {
    [OP_DOT] = {{"dot", "a₁·b₁ + a₂·b₂ + …, and c added where there is one"},
                "<{(a)}·{b};\n + >[c?\n + {c}]",
                NULL},
    [OP_DIFFERENCE] = {{"difference", "a₁·b₁ − a₂·b₂"}, "<{(a)}·{b};\n − >", NULL},
    [OP_ADDITIVE] = {{"additive", "c₁·tanh(a₁ + b₁ + d₁) + c₂·tanh(a₂ + b₂ + d₂) + …"},
                     "<{(c)}·tanh({a} + {b}[d? + {d}]);\n + >",
                     "<{(c)}·{inner};\n + >"},
    [OP_TIMES] = {{"times", "a·b"}, "{(a)}·{b}", NULL},
    [OP_CAP] = {{"cap", "b·tanh(a / b)"}, "{(b)}·tanh({a} / {b})", "{(b)}·{inner}"},
    [OP_PLUS] = {{"plus", "a + b, and − c·|d − j| where there is a c, j the column from 1"},
                 "{a}[b?\n + {b}][c?\n − {c}·|{d} − {j}|]",
                 NULL},
    [OP_EXP] = {{"exp", "exp(a − b), 0 where b is −∞"}, "exp({a}[b? − {b}])", NULL},
    [OP_SUM] = {{"sum", "a₁ + a₂ + …, and c added where there is one"},
                "<{a};\n + >[c?\n + {c}]",
                NULL},
    [OP_MAX] = {{"max", "the greatest of a₁, a₂, … and c"}, "max(<{a};,\n >[c?,\n {c}])", NULL},
    [OP_DIVIDE] = {{"divide", "a / b, 0 where b is 0"}, "{a}\n / {b}", NULL},
    [OP_PLUS_LOG] = {{"plus_log", "a + ln(b)"}, "{a} + ln({b})", NULL},
    [OP_ENTROPY] = {{"entropy", "−(a₁·ln(a₁) + a₂·ln(a₂) + …), 0 for an a of 0"},
                    "−(<{a}·ln({a});\n + ;0>)",
                    NULL},
    [OP_ROUND] = {{"round", "a, rounded by hand"}, "{a}", NULL},
    [OP_VARIANCE] = {{"variance", "the mean square of what differs from the mean of a"}, "", NULL},
    [OP_INVERSE_ROOT] = {{"inverse_root", "1/√a"}, "1/√{a}", NULL},
    [OP_ROOT_OF_SUM] = {{"inverse_root_of_sum", "1/√(a + b)"}, "1/√({a} + {b})", "1/√{inner}"},
    [OP_HIDE] = {{"hide", "−∞ in place of a"}, "{a}", NULL},
    [OP_NORMALIZE] =
        {{"normalize",
          "a / √((b₁² + b₂² + …)/n + c), and times d where there is one; 0 where the root is"},
         "{a} / √((<{(b)}²;\n + >)/{n} + {c})[d?·{d}]",
         NULL},
    [OP_WAVE] = {{"wave", "a + c + sin(b), in the second column of a pair cos(b)"},
                 "{a}[c? + {c}] + ~sin~cos~({b})",
                 NULL},
    [OP_TURN] = {{"turn", "a·cos(c) − b·sin(c), in the second column of a pair + b·sin(c); a where "
                          "there is no pair"},
                 "[b?{(a)}·cos({c}) ~−~+~ {b}·sin({c}):{a}]",
                 NULL},
    [OP_STACK] = {{"stack", "a, or b where the rows of a have ended"}, "{ab}", NULL},
    [OP_MEAN] = {{"mean", "the mean of a₁, a₂, … and b₁, b₂, …"}, "(<{ab};\n + >) / {n}", NULL},
    [OP_MINUS] = {{"minus", "a − b"}, "{a} − {b}", NULL},
    [OP_ACTIVATE] = {{"activate", "the node's function of a, and times b where there is one"},
                     "{f}[b?·{b}]",
                     NULL},
};

const named_table OPERATIONS = NAMED_TABLE("operation", ROWS);

const operation_row *operation_of(operation op)
{
    return &ROWS[op];
}
