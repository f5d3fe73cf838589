/* A JSON trace against the stages that the same run emits. */
#ifndef SELFATTN_TESTS_FORMATS_STAGES_H
#define SELFATTN_TESTS_FORMATS_STAGES_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Every matrix that is named after a stage has the stage's numbers, and every worked line of
 * stage[i,j] its result; says what has not. False too where fewer than `least` were compared. */
bool stages_agree(const cJSON *trace, const cJSON *stages, int least);

#endif
