#include "attn/operation.h"

static const operation_row ROWS[] = {
    [OP_COPY] = {{"copy", "a"}, .spelled = "{a}"},
    [OP_DOT] = {{"dot", "a₁·b₁ + a₂·b₂ + …, and c added where there is one"},
                .spelled = "<{(a)}·{b};\n + >[c?\n + {c}]"},
    [OP_DIFFERENCE] = {{"difference", "a₁·b₁ − a₂·b₂"}, .spelled = "<{(a)}·{b};\n − >"},
    [OP_ADDITIVE] = {{"additive", "c₁·tanh(a₁ + b₁ + d₁) + c₂·tanh(a₂ + b₂ + d₂) + …"},
                     .spelled = "<{(c)}·tanh({a} + {b}[d? + {d}]);\n + >",
                     .inner = "<{(c)}·{inner};\n + >"},
    [OP_TIMES] = {{"times", "a·b"}, .spelled = "{(a)}·{b}"},
    [OP_CAP] = {{"cap", "b·tanh(a / b)"},
                .spelled = "{(b)}·tanh({a} / {b})",
                .inner = "{(b)}·{inner}"},
    [OP_PLUS] = {{"plus", "a + b, and − c·|d − j| where there is a c, j the column from 1"},
                 .spelled = "{a}[b?\n + {b}][c?\n − {c}·|{d} − {j}|]"},
    [OP_EXP] = {{"exp", "exp(a − b), 0 where b is −∞"}, .spelled = "exp({a}[b? − {b}])"},
    [OP_SUM] = {{"sum", "a₁ + a₂ + …, and c added where there is one"},
                .spelled = "<{a};\n + >[c?\n + {c}]",
                .letters = "Σⱼ {*a}[c? + {c}]"},
    [OP_MAX] = {{"max", "the greatest of a₁, a₂, … and c"},
                .spelled = "max(<{a};,\n >[c?,\n {c}])",
                .letters = "[c?max(]maxⱼ {*a}[c?, {c})]"},
    [OP_DIVIDE] = {{"divide", "a / b, 0 where b is 0"}, .spelled = "{a}\n / {b}"},
    [OP_PLUS_LOG] = {{"plus_log", "a + ln(b)"},
                     .spelled = "{a} + ln({b})",
                     .letters = "{a} + ln {b}"},
    [OP_ENTROPY] = {{"entropy", "−(a₁·ln(a₁) + a₂·ln(a₂) + …), 0 for an a of 0"},
                    .spelled = "−(<{a}·ln({a});\n + ;0>)",
                    .letters = "−Σⱼ {*a}·ln {*a}"},
    [OP_ROUND] = {{"round", "a, rounded by hand"}, .spelled = "{a}", .letters = "{a}, rounded"},
    [OP_VARIANCE] = {{"variance", "the mean square of what differs from the mean of a"},
                     .spelled = ""},
    [OP_INVERSE_ROOT] = {{"inverse_root", "1/√a"}, .spelled = "1/√{a}"},
    [OP_ROOT_OF_SUM] = {{"inverse_root_of_sum", "1/√(a + b)"},
                        .spelled = "1/√({a} + {b})",
                        .inner = "1/√{inner}"},
    [OP_HIDE] = {{"hide", "−∞ in place of a"}, .spelled = "{a}"},
    [OP_NORMALIZE] =
        {{"normalize",
          "a / √((b₁² + b₂² + …)/n + c), and times d where there is one; 0 where the root is"},
         .spelled = "{a} / √((<{(b)}²;\n + >)/{n} + {c})[d?·{d}]",
         .letters = "{a} / √(mean of {b}² + {c})[d?·{d}]"},
    [OP_WAVE] = {{"wave", "a + c + sin(b), in the second column of a pair cos(b)"},
                 .spelled = "{a}[c? + {c}] + ~sin~cos~({b})",
                 .letters = "{a}[c? + {c}] + sin({b}), j the first column of pair p; cos for its "
                            "second"},
    [OP_TURN] = {{"turn", "a·cos(c) − b·sin(c), in the second column of a pair + b·sin(c); a where "
                          "there is no pair"},
                 .spelled = "[b?{(a)}·cos({c}) ~−~+~ {b}·sin({c}):{a}]",
                 .letters = "{a}·cos({c}) − {b}·sin({c}): j and j′ are pair p; + for its second"},
    [OP_STACK] = {{"stack", "a, or b where the rows of a have ended"},
                  .spelled = "{ab}",
                  .letters = "{a}, then {b}"},
    [OP_MEAN] = {{"mean", "the mean of a₁, a₂, … and b₁, b₂, …"},
                 .spelled = "(<{ab};\n + >) / {n}",
                 .letters = "[b?({a} + {b}) / 2:mean of {a}]"},
    [OP_MINUS] = {{"minus", "a − b"}, .spelled = "{a} − {b}"},
    [OP_ACTIVATE] = {{"activate", "the node's function of a, and times b where there is one"},
                     .spelled = "{f}[b?·{b}]",
                     .letters = "{f}({a})[b?·{b}]"},
};

const named_table OPERATIONS = NAMED_TABLE("operation", ROWS);

const operation_row *operation_of(operation op)
{
    return &ROWS[op];
}
