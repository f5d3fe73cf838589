#include "trace/step.h"

#include <string.h>

static const step_row ROWS[STEP_COUNT] = {
    [STEP_INPUTS] = {{"inputs", "the rows that go in, their tokens and roles"}, "x xk xv"},
    [STEP_PARAMETERS] = {{"parameters", "the weights, and how heads cut them"}, ""},
    [STEP_DIMENSIONS] = {{"dimensions", "every letter with its size in this run"}, ""},
    [STEP_POSITIONS] = {{"positions", "sines and cosines of positions added to x"}, "x_pos"},
    [STEP_PROJECTIONS] = {{"projections", "queries, keys and values out of the inputs"}, "q k v"},
    [STEP_NORMALIZE] = {{"normalize", "queries and keys brought to one length"}, "q_norm k_norm"},
    [STEP_ROPE] = {{"rope", "queries and keys turned by their positions"}, "q_rope k_rope"},
    [STEP_CACHE] = {{"cache", "earlier keys and values put before the new ones"},
                    "present_k present_v"},
    [STEP_SCORES] = {{"scores", "each query compared with each key"}, "q_score k_score scores"},
    [STEP_SCALE] = {{"scale", "scores brought to a size the softmax likes"}, "scaled"},
    [STEP_CAP] = {{"cap", "large scores softly held below a bound"}, "capped"},
    [STEP_MASK] = {{"mask", "biases added, keys that may not be seen taken out"}, "masked"},
    [STEP_SOFTMAX] = {{"softmax", "scores turned into weights that sum to 1"},
                      "row_max exp row_sum weights"},
    [STEP_STATISTICS] = {{"statistics",
                          "what the weights come to: shown when named, or with --top"},
                         "logsumexp entropy top"},
    [STEP_ROUND] = {{"round", "weights rounded by hand"}, "rounded"},
    [STEP_WEIGHTED] = {{"weighted", "each value times its weight"}, "weighted"},
    [STEP_SUM] = {{"sum", "the weighted values added up"}, "attended"},
    [STEP_CONCAT] = {{"concat", "the heads' results side by side"}, "context"},
    [STEP_JOIN] = {{"join", "the heads joined by Wo and bo"}, "output"},
};

static const synonym SYNONYMS[] = {{"unify", "join"}, {NULL, NULL}};

const named_table STEPS = NAMED_TABLE_ALSO("step", ROWS, SYNONYMS);

static const step_row FLOOR_ROWS[] = {
    [FLOOR_EMBEDDED - STEP_COUNT] = {{"embedded", "the rows that go into the first layer"},
                                     "positions"},
    [FLOOR_LAYER - STEP_COUNT] = {{"layer", "what a layer does, one part after the other"}, ""},
    [FLOOR_NORM - STEP_COUNT] = {{"norm", "each row divided by its own spread"}, ""},
    [FLOOR_RESIDUAL -
        STEP_COUNT] = {{"residual", "what a part was given added to what it made"}, ""},
    [FLOOR_FEED_FORWARD - STEP_COUNT] = {{"ffn", "each row on its own through hidden numbers"},
                                         "ffn.hidden ffn.gate ffn.activated ffn.output"},
    [FLOOR_ROLLOUT - STEP_COUNT] = {{"rollout", "who looked at whom, through all layers"}, ""},
    [FLOOR_OUTPUT - STEP_COUNT] = {{"output", "the rows that come out"}, ""},
    [FLOOR_LOGITS - STEP_COUNT] = {{"logits", "of generate: how well each id would come next"}, ""},
    [FLOOR_PROBABILITIES -
        STEP_COUNT] = {{"probabilities", "of generate: the logits at a temperature"}, ""},
    [FLOOR_CHOICE - STEP_COUNT] = {{"choice", "of generate: the id that comes next"}, ""},
};

const named_table FLOORS = NAMED_TABLE("floor", FLOOR_ROWS);

const step_row *step_of(step_id id)
{
    return id < STEP_COUNT ? &ROWS[id] : &FLOOR_ROWS[id - STEP_COUNT];
}

const step_row *step_find(const char *name, size_t length)
{
    const named *found = named_find(&STEPS, name, length);
    for (size_t i = 0; i < STEP_COUNT; i++) {
        const char *stages = ROWS[i].stages;
        while (found == NULL && *stages != '\0') {
            size_t word = strcspn(stages, " ");
            if (word == length && memcmp(stages, name, length) == 0)
                found = &ROWS[i].named;
            stages += word + strspn(stages + word, " ");
        }
    }
    return (const step_row *)(const void *)found;
}
