#include "model/goal.h"

#include "attn/engine/rows.h"
#include "base/mem.h"
#include "model/stack.h"

#include <math.h>
#include <string.h>

/* ---- what is asked for ---- */

static const int NOT_COUNTED = -100; /* as PyTorch has it */

/* The output's shape, which is that of the rows that go in. */
static bool read_like_output(const stack *s, const char *name, tensor *to, err *e)
{
    const entry *given = bundle_find(s->document, name);
    const tensor *like = &s->input;
    char shape[SHAPE_TEXT], wanted[SHAPE_TEXT];
    *to = (tensor){0};
    if (given == NULL)
        return true;
    if (!tensor_same_shape(&given->tensor, like))
        return err_at(e, &given->at, "%s is %s, it must be as output is, %s", name,
                      tensor_shape_text(&given->tensor, shape), tensor_shape_text(like, wanted));
    *to = tensor_view_of(&given->tensor);
    return true;
}

static bool read_labels(const stack *s, goal *g, err *e)
{
    const entry *given = bundle_find(s->document, "labels");
    size_t index[TENSOR_MAX_RANK] = {0}, rows = s->embedded.size[0], row = 0;
    char shape[SHAPE_TEXT], wanted[SHAPE_TEXT];
    const size_t size[] = {s->batches, s->rows};
    int rank = s->batches > 0 ? 2 : 1;
    const tensor *t = &given->tensor;
    if (t->rank != rank || memcmp(t->size, size + 2 - rank, (size_t)rank * sizeof size[0]) != 0)
        return err_at(e, &given->at, "labels is %s, it must be one a row, %s",
                      tensor_shape_text(t, shape), sizes_text(rank, size + 2 - rank, wanted));
    g->label = mem_alloc(rows, sizeof g->label[0], e);
    if (g->label == NULL)
        return false;
    size_t ids = g->to_ids.weight.size[1];
    do {
        double id = tensor_get(t, index);
        bool counts = id != NOT_COUNTED;
        if (counts && !(id >= 0 && id < (double)ids && id == floor(id)))
            return err_at(e, &given->at,
                          "the label of row %zu is %g, it must be an id from 0 to %zu, or -100 for "
                          "a row that does not count",
                          row + 1, id, ids - 1);
        g->label[row++] = counts ? (size_t)id : NO_LABEL;
        g->labels += counts;
    } while (tensor_next(t, index));
    return g->labels > 0 ||
           err_at(e, &given->at, "labels are all -100, and a mean of no row is no number");
}

static bool read_cross_entropy(const stack *s, goal *g, const place *said, err *e)
{
    const entry *labels = bundle_find(s->document, "labels");
    if (labels == NULL) {
        err_at(e, said, "the loss is cross-entropy, and no row has a label");
        return err_remedy(e, "\"labels\" is a list with the id that each row should lead to");
    }
    return unembedding_find(&g->to_ids, s, e) && read_labels(s, g, e);
}

/* As an attention reads them. */
static bool read_problem(const stack *s, bundle *own, problem *asked, err *e)
{
    static const char *const READ[] = {"loss", "output_grad", "target"};
    for (size_t i = 0; i < sizeof READ / sizeof READ[0]; i++) {
        const entry *given = bundle_find(s->document, READ[i]);
        if (given != NULL && bundle_borrow(own, READ[i], given, e) == NULL)
            return false;
    }
    return problem_read(asked, own, e) && problem_check_loss(asked, e);
}

bool goal_read(stack *s, err *e)
{
    static const char *const OF_GOAL[] = {"loss", "output_grad", "target", "labels",
                                          "logsumexp_grad"};
    const entry *first =
                    bundle_find_first(s->document, OF_GOAL, sizeof OF_GOAL / sizeof OF_GOAL[0]),
                *rows = bundle_find(s->document, "rows"),
                *labels = bundle_find(s->document, "labels"),
                *of_sums = bundle_find(s->document, "logsumexp_grad");
    goal *g = &s->goal;
    problem asked = {0};
    bundle own = {0};
    if (first == NULL)
        return true;
    if (s->how.goes_on) {
        err_at(e, &first->at, "%s is given, and a generation chooses without gradients",
               first->name);
        return err_remedy(e, "after train, jq 'del(.loss, .labels, .target)' leaves the weights");
    }
    if (of_sums != NULL)
        return err_at(e, &of_sums->at,
                      "logsumexp_grad is given, and each attention of layers has a logsumexp");
    bool done = read_problem(s, &own, &asked, e);
    place at = done ? problem_place(&asked, "loss") : (place){0};
    g->is_there = asked.goes_back;
    g->of.kind = asked.loss;
    g->of.is_ones = asked.begins_with_ones;
    problem_free(&asked);
    bundle_free(&own);
    if (!done)
        return false;
    if (g->is_there && rows != NULL)
        return err_at(e, &rows->at, "rows are chosen, and gradients are of what all rows make");
    if (labels != NULL && g->of.kind != LOSS_CROSS_ENTROPY)
        return err_at(e, &labels->at,
                      "labels is given, and only the loss cross-entropy compares with them");
    return (g->of.is_ones || read_like_output(s, "output_grad", &g->of.given, e)) &&
           read_like_output(s, "target", &g->of.target, e) &&
           (g->of.kind != LOSS_CROSS_ENTROPY || read_cross_entropy(s, g, &at, e));
}

void goal_free(goal *g)
{
    unembedding_free(&g->to_ids);
    mem_free(g->label);
}

bool goal_has_logits(const goal *g)
{
    return g->of.kind == LOSS_CROSS_ENTROPY;
}

/* ---- cross-entropy ---- */

/* The exponentials of a row of logits, of float64, and what they were made by. */
typedef struct exponentials {
    double *of_id;
    double most, total;
} exponentials;

static void take_row(const kernels *in64, const tensor *logits, size_t row, exponentials *to)
{
    size_t ids = logits->size[1];
    row_total all;
    for (size_t id = 0; id < ids; id++)
        to->of_id[id] = tensor_get(logits, (size_t[]){row, id});
    in64->row_max(to->of_id, ids, &to->most);
    in64->row_exponent(to->of_id, ids, &to->most, to->of_id, &all, NULL);
    to->total = all.sum + all.rest;
}

bool goal_row_losses(const goal *g, const kernels *in64, const tensor *logits, double *of_row,
                     err *e)
{
    exponentials of = {.of_id = mem_alloc(logits->size[1], sizeof of.of_id[0], e)};
    for (size_t row = 0; of.of_id != NULL && row < logits->size[0]; row++) {
        size_t id = g->label[row];
        of_row[row] = 0;
        if (id == NO_LABEL)
            continue;
        take_row(in64, logits, row, &of);
        of_row[row] =
            statistics_logsumexp(of.most, of.total) - tensor_get(logits, (size_t[]){row, id});
    }
    mem_free(of.of_id);
    return of.of_id != NULL;
}

bool goal_cross_entropy(const goal *g, const kernels *in64, const tensor *logits, double *number,
                        err *e)
{
    size_t rows = logits->size[0];
    double *of_row = mem_alloc(rows, sizeof of_row[0], e), sum = 0;
    bool done = of_row != NULL && goal_row_losses(g, in64, logits, of_row, e);
    for (size_t row = 0; done && row < rows; row++)
        sum += of_row[row];
    *number = sum / (double)g->labels;
    mem_free(of_row);
    return done;
}

bool goal_logits_grad(const goal *g, const kernels *in64, const tensor *logits, tensor *grad,
                      err *e)
{
    exponentials of = {.of_id = mem_alloc(logits->size[1], sizeof of.of_id[0], e)};
    for (size_t row = 0; of.of_id != NULL && row < logits->size[0]; row++) {
        size_t label = g->label[row];
        take_row(in64, logits, row, &of);
        for (size_t id = 0; id < logits->size[1]; id++) {
            bool is_label = id == label && g->slip != GOAL_WITHOUT_LABEL,
                 gains = label != NO_LABEL || g->slip == GOAL_OF_ALL_ROWS;
            double part = of.of_id[id] / of.total - (is_label ? 1 : 0);
            tensor_set(grad, (size_t[]){row, id}, gains ? part / (double)g->labels : 0);
        }
    }
    mem_free(of.of_id);
    return of.of_id != NULL;
}
