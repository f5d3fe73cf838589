#include "stages.h"

#include <stdio.h>
#include <string.h>

/* What has been compared, and how much of it was another. */
typedef struct tally {
    const cJSON *stages;
    int compared, wrong;
} tally;

static int depth_of(const cJSON *value)
{
    return cJSON_IsArray(value) && value->child != NULL ? 1 + depth_of(value->child) : 0;
}

/* A stage's matrix: of the first batch, and of this head (from 1; 0: the first, where there is
 * one). */
static const cJSON *matrix_of_stage(const cJSON *stage, int head)
{
    while (depth_of(stage) > 3)
        stage = stage->child;
    if (depth_of(stage) == 3)
        stage = head > 0 ? cJSON_GetArrayItem(stage, head - 1) : stage->child;
    return stage;
}

static void count(tally *t, bool is_same, const char *name)
{
    t->compared++;
    if (is_same)
        return;
    t->wrong++;
    printf("FAIL %s is not what the stage is\n", name);
}

/* "weights", or "weights, head 2 of 3". */
static void compare_matrix(tally *t, const cJSON *item)
{
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(item, "name"));
    char stage[64];
    int head = 0;
    if (sscanf(name, "%63[a-z_], head %d", stage, &head) < 1 || strlen(name) > 40)
        return;
    if (head == 0 && strcmp(stage, name) != 0)
        return;
    const cJSON *of = cJSON_GetObjectItem(t->stages, stage);
    if (of != NULL)
        count(t, cJSON_Compare(matrix_of_stage(of, head), cJSON_GetObjectItem(item, "a"), true),
              name);
}

/* "scores[1,2]", of the first head; where heads lie side by side, its columns come first. */
static void compare_line(tally *t, const cJSON *item)
{
    const char *left = cJSON_GetStringValue(cJSON_GetObjectItem(item, "left"));
    char stage[64];
    int row, column;
    if (left == NULL || sscanf(left, "%63[a-z_][%d,%d]", stage, &row, &column) != 3 ||
        strcmp(stage, "weighted") == 0)
        return;
    const cJSON *of = cJSON_GetObjectItem(t->stages, stage);
    if (of == NULL)
        return;
    const cJSON *in = cJSON_GetArrayItem(matrix_of_stage(of, 1), row - 1);
    count(t,
          cJSON_Compare(cJSON_GetArrayItem(in, column - 1), cJSON_GetObjectItem(item, "result"),
                        true),
          left);
}

bool stages_agree(const cJSON *trace, const cJSON *stages, int least)
{
    tally t = {.stages = stages};
    const cJSON *step, *item;
    cJSON_ArrayForEach(step, cJSON_GetObjectItem(trace, "steps"))
    {
        cJSON_ArrayForEach(item, cJSON_GetObjectItem(step, "items"))
        {
            const char *kind = cJSON_GetStringValue(cJSON_GetObjectItem(item, "kind"));
            if (strcmp(kind, "matrix") == 0)
                compare_matrix(&t, item);
            else if (strcmp(kind, "line") == 0)
                compare_line(&t, item);
        }
    }
    if (t.compared < least)
        printf("FAIL only %d of at least %d numbers and matrices were compared\n", t.compared,
               least);
    return t.wrong == 0 && t.compared >= least;
}
