#include "cli/help/words.h"

static const named COLOR_ROWS[] = {
    {"auto", "colour on a terminal, unless NO_COLOR is set or TERM is dumb"},
    {"always", "colour also into files and pipes"},
    {"never", "no colour"},
};

static const named FOCUS_ROWS[] = {
    {"row", "the query whose numbers are spelled out"},
    {"head", "the head whose numbers are spelled out"},
    {"batch", "the batch whose numbers are spelled out"},
};

static const named AUTO_ROWS[] = {
    {"auto", "the fastest that this machine has"},
};

static const named FAN_ROWS[] = {
    {"in", "the variance of what comes out of a matrix"},
    {"out", "the variance of the gradients that come back through it"},
};

const named_table COLOR_WORDS = NAMED_TABLE("colour word", COLOR_ROWS);
const named_table FOCUS_WORDS = NAMED_TABLE("focus", FOCUS_ROWS);
const named_table AUTO_WORDS = NAMED_TABLE("instruction set", AUTO_ROWS);
const named_table FAN_WORDS = NAMED_TABLE("fan", FAN_ROWS);
