/* Worked lines: scores[1,2] = q[1]·k[2] = 1·4 + 0·4 + 2·0 = 4. What stands left says which
 * elements are meant; every number is compared with its stage or input, and the result is computed
 * again out of those, unrounded. */
#include "lines.h"
#include "terms.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

size_t line_key(reader *r, progress *p, const char *name)
{
    read_words(r, "%s[%zu,", name, r->of->how.row + 1);
    size_t key = read_count(r);
    read_words(r, "]");
    size_t last = strcmp(p->line, name) == 0 ? p->key : 0;
    if (key == 0 || key > r->of->n_k || (strcmp(name, "masked") != 0 && key != last + 1) ||
        key <= last)
        reader_fail(r, "%s of key %zu follows that of key %zu", name, key, last);
    snprintf(p->line, sizeof p->line, "%s", name);
    p->key = key;
    return r->failed ? 0 : key - 1;
}

double line_element(const reader *r, const char *stage, size_t key)
{
    tensor all = truth_stage(r->of, stage, r->of->how.head);
    return number_at(&all, r->of->how.row, key);
}

/* ---- lines, one function a left side ---- */

/* 1 + 5 = 6 */
static void read_sum_of_two(reader *r, double a, double b, double result)
{
    read_number(r, a);
    read_words(r, " + ");
    read_operand(r, b);
    read_words(r, " = ");
    read_number(r, result);
    recomputed(r, result, a + b, fabs(a) + fabs(b));
}

static void line_projection(reader *r, progress *p)
{
    (void)p;
    const truth *t = r->of;
    char which = *r->at, name[2] = {which, '\0'}, weight[3] = {'w', which, '\0'},
         bias[3] = {'b', which, '\0'};
    const char *source = truth_source(t, which);
    size_t head = which == 'q' ? t->how.head : truth_kv_head(t, t->how.head);
    size_t row = which == 'q' ? t->how.row : truth_key_row(t);
    tensor x = source == NULL ? (tensor){0} : truth_rows(t, source);
    tensor all = truth_weight(t, weight), w = truth_weight_of_head(t, weight, t->how.head);
    tensor made = truth_stage(t, name, t->how.head);
    if (x.data == NULL || (w.data == NULL && bundle_tensor(&t->document, bias) == NULL)) {
        reader_fail(r, "there is no such projection");
        return;
    }
    size_t width = made.size[1], first = head * width;
    tensor shifts = truth_vector(t, bias, width, t->how.head);
    double shift = shifts.data == NULL ? 0 : number_of(&shifts, 0);
    read_words(r, "%s[%zu,1]", name, row + 1);
    if (t->has_heads)
        read_words(r, " in head %zu", head + 1);
    if (w.data == NULL)
        read_words(r, " = %s[%zu,%zu]", source, row + 1, first + 1);
    else
        read_words(r, " = %s[%zu]·W%c[·,%zu]", source, row + 1, which,
                   all.rank == 3 ? 1 : first + 1);
    const tensor *given = bundle_tensor(&t->document, bias);
    if (given != NULL && given->rank == 2 && given->size[0] > 1)
        read_words(r, " + b%c[%zu,1]", which, head + 1);
    else if (given != NULL)
        read_words(r, " + b%c[%zu]", which, first + 1);
    read_words(r, " = ");
    tensor a = row_of(&x, row), b = w.data == NULL ? (tensor){0} : column_of(&w, 0);
    if (w.data == NULL)
        read_sum_of_two(r, number_of(&a, first), shift, number_at(&made, row, 0));
    else
        read_dot(r, &a, &b, shifts.data == NULL ? NULL : &shift, number_at(&made, row, 0));
}

/* A number of a vector that may be absent. */
static double number_or(const tensor *v, size_t index, double absent)
{
    return v->data == NULL ? absent : number_of(v, index);
}

/* 1·0.9785 + …: the same with each tanh worked out. */
static void read_bent(reader *r, const tensor *q, const tensor *k, const tensor *va,
                      const tensor *ba)
{
    size_t count = q->size[0];
    for (size_t i = 0; i < count; i = next_term(r, i, count, " + ")) {
        read_operand(r, number_or(va, i, 1));
        read_words(r, "·");
        read_operand_near(r, tanh(number_of(q, i) + number_of(k, i) + number_or(ba, i, 0)));
    }
}

/* 1·tanh(a + b + d) + …; va is ones and ba zeros where they are not given. */
static void read_additive(reader *r, const tensor *q, const tensor *k, double result)
{
    const truth *t = r->of;
    size_t count = q->size[0];
    tensor va = truth_vector(t, "va", count, t->how.head);
    tensor ba = truth_vector(t, "ba", count, t->how.head);
    double sum = 0, size = 0;
    for (size_t i = 0, next = 0; i < count; i++) {
        double v = number_or(&va, i, 1), shift = number_or(&ba, i, 0), a = number_of(q, i),
               b = number_of(k, i);
        sum += v * tanh(a + b + shift);
        size += fabs(v) * (1 + fabs(a) + fabs(b) + fabs(shift));
        if (i != next)
            continue;
        read_operand(r, v);
        read_words(r, "·tanh(");
        read_number(r, a);
        read_words(r, " + ");
        read_operand(r, b);
        read_words(r, " + ");
        read_operand(r, shift);
        read_words(r, ")");
        next = next_term(r, i, count, " + ");
    }
    read_words(r, " = ");
    read_bent(r, q, k, &va, &ba);
    read_words(r, " = ");
    read_number(r, result);
    read_terms_counted(r, count, "terms");
    recomputed(r, result, sum, size * (double)(count + 1));
}

/* q_score[2,1] in head 1 = q[2]·Ws[·,1]; of the keys the first one. */
static void line_compared(reader *r, progress *p)
{
    (void)p;
    const truth *t = r->of;
    bool is_query = *r->at == 'q';
    const char *name = is_query ? "q_score" : "k_score", *from = truth_last_form(t, *r->at);
    const char *weight = !is_query ? "ua" : truth_has(t, "ws") ? "ws" : "wa";
    size_t head = t->how.head, row = is_query ? t->how.row : 0;
    tensor rows = truth_stage(t, from, head), made = truth_stage(t, name, head),
           all = truth_weight(t, weight);
    if (made.data == NULL || all.data == NULL) {
        reader_fail(r, "there is no %s", name);
        return;
    }
    tensor w = all.rank == 3 ? tensor_at(&all, head) : all;
    read_words(r, "%s[%zu,1]", name, row + 1);
    if (t->has_heads)
        read_words(r, " in head %zu", head + 1);
    read_words(r, " = %s[%zu]·%c%c[·,1] = ", from, row + 1, weight[0] - 'a' + 'A', weight[1]);
    tensor a = row_of(&rows, row), b = column_of(&w, 0);
    read_dot(r, &a, &b, NULL, number_at(&made, row, 0));
}

static void line_scores(reader *r, progress *p)
{
    const truth *t = r->of;
    size_t j = line_key(r, p, "scores"), head = t->how.head;
    tensor queries = truth_stage(t, "q_score", head), keys = truth_stage(t, "k_score", head);
    const char *q_name = queries.data == NULL ? truth_last_form(t, 'q') : "q_score",
               *k_name = keys.data == NULL ? truth_last_form(t, 'k') : "k_score";
    queries = truth_stage(t, q_name, head);
    keys = truth_stage(t, k_name, head);
    tensor q = row_of(&queries, t->how.row), k = row_of(&keys, j);
    double result = line_element(r, "scores", j);
    bool is_additive = strcmp(truth_word(t, "score"), "additive") == 0;
    tensor bs = truth_vector(t, "bs", 1, head);
    double shift = bs.data == NULL ? 0 : number_of(&bs, 0);
    if (is_additive) {
        read_words(r, " = va·tanh(%s[%zu] + %s[%zu] + ba) = ", q_name, t->how.row + 1, k_name,
                   j + 1);
        read_additive(r, &q, &k, result);
        return;
    }
    read_words(r, " = %s[%zu]·%s[%zu]%s = ", q_name, t->how.row + 1, k_name, j + 1,
               bs.data == NULL ? "" : " + bs");
    read_dot(r, &q, &k, bs.data == NULL ? NULL : &shift, result);
}

static void line_scale(reader *r, progress *p)
{
    (void)p;
    const truth *t = r->of;
    double number, scale = truth_scale(t);
    read_words(r, "scale = ");
    if (!truth_number(t, "scale", &number)) {
        bool is_embed = strcmp(truth_word(t, "scale"), "embed") == 0;
        tensor x = truth_rows(t, "x");
        read_words(r, "1/√%s = 1/√", is_embed ? "m" : "d_k");
        read_number(r, (double)(is_embed ? x.size[1] : t->d_k));
        read_words(r, " = ");
    }
    read_number(r, scale);
}

static void line_scaled(reader *r, progress *p)
{
    size_t j = line_key(r, p, "scaled");
    double score = line_element(r, "scores", j), scale = truth_scale(r->of),
           result = line_element(r, "scaled", j);
    read_words(r, " = scores[%zu,%zu]·scale = ", r->of->how.row + 1, j + 1);
    read_operand(r, score);
    read_words(r, "·");
    read_operand(r, scale);
    read_words(r, " = ");
    read_number(r, result);
    recomputed(r, result, score * scale, fabs(result));
}

static void line_capped(reader *r, progress *p)
{
    size_t j = line_key(r, p, "capped"), i = r->of->how.row;
    const char *from = truth_scale(r->of) == 1 ? "scores" : "scaled";
    double before = line_element(r, from, j), result = line_element(r, "capped", j), most = 0;
    if (!truth_number(r->of, "softcap", &most))
        reader_fail(r, "no softcap was asked for");
    read_words(r, " = C·tanh(%s[%zu,%zu] / C) = ", from, i + 1, j + 1);
    read_number(r, most);
    read_words(r, "·tanh(");
    read_number(r, before);
    read_words(r, " / ");
    read_number(r, most);
    read_words(r, ") = ");
    read_operand(r, most);
    read_words(r, "·");
    read_operand_near(r, tanh(before / most));
    read_words(r, " = ");
    read_number(r, result);
    recomputed(r, result, most * tanh(before / most), fabs(result));
}

static const char *used_weights(const reader *r)
{
    return truth_stage(r->of, "rounded", 0).data != NULL ? "rounded" : "weights";
}

static void line_weighted(reader *r, progress *p)
{
    const truth *t = r->of;
    size_t j = line_key(r, p, "weighted"), i = t->how.row;
    double weight = line_element(r, used_weights(r), j);
    const char *v_name = truth_last_form(t, 'v');
    tensor values = truth_stage(t, v_name, t->how.head), v = row_of(&values, j);
    tensor weighted = truth_stage(t, "weighted", t->how.head), of_row = tensor_at(&weighted, i),
           result = row_of(&of_row, j);
    read_words(r, " = %s[%zu,%zu]·%s[%zu] = ", used_weights(r), i + 1, j + 1, v_name, j + 1);
    read_operand(r, weight);
    read_words(r, "·");
    read_vector(r, &v);
    read_words(r, " = ");
    read_vector(r, &result);
    for (size_t c = 0; c < v.size[0]; c++)
        recomputed(r, number_of(&result, c), weight * number_of(&v, c),
                   fabs(number_of(&result, c)));
}

static void line_attended(reader *r, progress *p)
{
    (void)p;
    const truth *t = r->of;
    size_t i = t->how.row;
    tensor weights = truth_stage(t, used_weights(r), t->how.head),
           v = truth_stage(t, truth_last_form(t, 'v'), t->how.head);
    tensor a = row_of(&weights, i), b = column_of(&v, 0);
    read_words(r, "attended[%zu,1] = %s[%zu]·%s[·,1] = ", i + 1, used_weights(r), i + 1,
               truth_last_form(t, 'v'));
    read_dot(r, &a, &b, NULL, line_element(r, "attended", 0));
}

/* Without Wo; of heads that came apart, that of the focus. */
static void line_shifted_output(reader *r)
{
    const truth *t = r->of;
    bool is_apart = t->joined.data != NULL;
    size_t i = t->how.row, first = is_apart ? t->how.head * t->d_v : 0;
    tensor context = is_apart ? truth_stage(t, "context", t->how.head) : truth_rows(t, "context"),
           output = is_apart ? truth_stage(t, "output", t->how.head) : truth_rows(t, "output");
    const tensor *added = bundle_tensor(&t->document, "bo");
    read_words(r, "output[%zu,1]", i + 1);
    if (is_apart)
        read_words(r, " in head %zu", t->how.head + 1);
    read_words(r, " = context[%zu,1] + bo[%zu] = ", i + 1, first + 1);
    if (added == NULL)
        reader_fail(r, "there is no Wo");
    else
        read_sum_of_two(r, number_at(&context, i, 0), number_of(added, first),
                        number_at(&output, i, 0));
}

static void line_output(reader *r, progress *p)
{
    (void)p;
    const truth *t = r->of;
    const char *name;
    size_t i = t->how.row;
    tensor rows = truth_joined(t, &name), output = truth_rows(t, "output"),
           wo = truth_weight(t, "wo");
    if (wo.data == NULL) {
        line_shifted_output(r);
        return;
    }
    tensor bo = truth_vector(t, "bo", wo.size[1], 0), a = row_of(&rows, i), b = column_of(&wo, 0);
    double shift = bo.data == NULL ? 0 : number_of(&bo, 0);
    read_words(r, "output[%zu,1] = %s[%zu]·Wo[·,1]%s = ", i + 1, name, i + 1,
               bo.data == NULL ? "" : " + bo[1]");
    read_dot(r, &a, &b, bo.data == NULL ? NULL : &shift, number_at(&output, i, 0));
}

/* ---- all ---- */

typedef struct line_kind {
    const char *begin;
    void (*check)(reader *r, progress *p);
} line_kind;

static const line_kind KINDS[] = {
    {"q[", line_projection},
    {"k[", line_projection},
    {"v[", line_projection},
    {"squares = ", line_squares},
    {"mean = ", line_mean},
    {"factor = ", line_factor},
    {"unit = ", line_unit},
    {"q_norm[", line_normalized},
    {"k_norm[", line_normalized},
    {"angle = position·10000^", line_wave},
    {"x_pos[", line_wave_added},
    {"angle = ", line_angle},
    {"q_rope[", line_turned},
    {"k_rope[", line_turned},
    {"q_score[", line_compared},
    {"k_score[", line_compared},
    {"scores[", line_scores},
    {"scaled[", line_scaled},
    {"masked[", line_masked},
    {"capped[", line_capped},
    {"exp[", line_exp},
    {"weights[", line_weights},
    {"rounded[", line_rounded},
    {"weighted[", line_weighted},
    {"attended[", line_attended},
    {"output[", line_output},
    {"row_max[", line_row_max},
    {"row_sum[", line_row_sum},
    {"logsumexp[", line_logsumexp},
    {"entropy[", line_entropy},
    {"top[", line_top},
    {"slope", line_slope},
    {"sink = ", line_sink},
    {"exp of the sink", line_exp_of_sink},
    {"share of the sink", line_share_of_sink},
    {"scale = ", line_scale},
    {"variance of ", line_variance},
};

static const line_kind *kind_of(const char *line)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        size_t length = strlen(KINDS[i].begin);
        bool has_place = KINDS[i].begin[length - 1] != '[' || isdigit((unsigned char)line[length]);
        if (strncmp(line, KINDS[i].begin, length) == 0 && has_place)
            return &KINDS[i];
    }
    return NULL;
}

bool is_worked_line(const char *line)
{
    return kind_of(line) != NULL;
}

void check_worked_line(reader *r, progress *p)
{
    kind_of(r->at)->check(r, p);
    read_end(r);
}
