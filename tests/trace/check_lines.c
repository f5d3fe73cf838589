/* Worked lines: scores[1,2] = q[1]·k[2] = 1·4 + 0·4 + 2·0 = 4. What stands left says which
 * elements are meant; every number is compared with its stage or input, and the result is computed
 * again out of those, unrounded. */
#include "checks.h"
#include "terms.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- which element ---- */

/* "NAME[i,": the focus's row; the column is read and must follow that of the line before. */
static size_t read_key(reader *r, progress *p, const char *name)
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

static double element(const reader *r, const char *stage, size_t key)
{
    tensor all = truth_stage(r->of, stage, r->of->how.head);
    return number_at(&all, r->of->how.row, key);
}

/* ---- lines, one function a left side ---- */

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
    if (x.data == NULL || w.data == NULL) {
        reader_fail(r, "there is no such projection");
        return;
    }
    size_t width = made.size[1], first = head * width;
    tensor shifts = truth_vector(t, bias, width, t->how.head);
    double shift = shifts.data == NULL ? 0 : number_of(&shifts, 0);
    read_words(r, "%s[%zu,1]", name, row + 1);
    if (t->has_heads)
        read_words(r, " in head %zu", head + 1);
    read_words(r, " = %s[%zu]·W%c[·,%zu]", source, row + 1, which, all.rank == 3 ? 1 : first + 1);
    const tensor *given = bundle_tensor(&t->document, bias);
    if (given != NULL && given->rank == 2 && given->size[0] > 1)
        read_words(r, " + b%c[%zu,1]", which, head + 1);
    else if (given != NULL)
        read_words(r, " + b%c[%zu]", which, first + 1);
    read_words(r, " = ");
    tensor a = row_of(&x, row), b = column_of(&w, 0);
    read_dot(r, &a, &b, shifts.data == NULL ? NULL : &shift, number_at(&made, row, 0));
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
        double v = va.data == NULL ? 1 : number_of(&va, i),
               shift = ba.data == NULL ? 0 : number_of(&ba, i), a = number_of(q, i),
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
    read_number(r, result);
    read_terms_counted(r, count, "terms");
    recomputed(r, result, sum, size * (double)(count + 1));
}

static void line_scores(reader *r, progress *p)
{
    const truth *t = r->of;
    size_t j = read_key(r, p, "scores"), head = t->how.head;
    tensor queries = truth_stage(t, "q_score", head), keys = truth_stage(t, "k_score", head);
    const char *q_name = queries.data == NULL ? truth_last_form(t, 'q') : "q_score",
               *k_name = keys.data == NULL ? truth_last_form(t, 'k') : "k_score";
    queries = truth_stage(t, q_name, head);
    keys = truth_stage(t, k_name, head);
    tensor q = row_of(&queries, t->how.row), k = row_of(&keys, j);
    double result = element(r, "scores", j);
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

/* What the lines of the step normalize come to, from the row that p->key names. */
typedef struct normal {
    char which;
    size_t at;
    tensor row, gain;
    double squares, mean, factor;
} normal;

static normal normal_of(const reader *r, char which)
{
    const truth *t = r->of;
    char name[] = {which, '\0'};
    normal n = {.which = which, .at = which == 'q' ? t->how.row : truth_key_row(t)};
    double eps = 1e-6;
    truth_number(t, "qk_eps", &eps);
    tensor rows = truth_stage(t, name, t->how.head);
    n.row = row_of(&rows, n.at);
    n.gain = truth_gain(t, which);
    for (size_t i = 0; i < n.row.size[0]; i++)
        n.squares += number_of(&n.row, i) * number_of(&n.row, i);
    n.mean = n.squares / (double)n.row.size[0];
    n.factor = 1 / sqrt(n.mean + eps);
    return n;
}

static void line_squares(reader *r, progress *p)
{
    read_words(r, "squares = ");
    normal n = normal_of(r, *r->at == 'k' ? 'k' : 'q');
    p->key = (size_t)n.which;
    read_words(r, "%c[%zu]·%c[%zu] = ", n.which, n.at + 1, n.which, n.at + 1);
    read_dot(r, &n.row, &n.row, NULL, n.squares);
}

static void line_mean(reader *r, progress *p)
{
    normal n = normal_of(r, (char)p->key);
    read_words(r, "mean = ");
    read_number(r, n.squares);
    read_words(r, " / ");
    read_number(r, (double)n.row.size[0]);
    read_words(r, " = ");
    read_number(r, n.mean);
}

static void line_factor(reader *r, progress *p)
{
    normal n = normal_of(r, (char)p->key);
    read_words(r, "factor = 1/√(mean + qk_eps) = 1/√");
    read_number(r, 1 / (n.factor * n.factor));
    read_words(r, " = ");
    read_number(r, n.factor);
}

static void line_unit(reader *r, progress *p)
{
    normal n = normal_of(r, (char)p->key);
    double first = number_of(&n.row, 0);
    read_words(r, "unit = factor·%c[%zu,1] = ", n.which, n.at + 1);
    read_operand(r, n.factor);
    read_words(r, "·");
    read_operand(r, first);
    read_words(r, " = ");
    read_number(r, n.factor * first);
}

/* Of all the row, or of its first number where there is a gain. */
static void line_normalized(reader *r, progress *p)
{
    (void)p;
    normal n = normal_of(r, *r->at);
    char name[] = {n.which, '_', 'n', 'o', 'r', 'm', '\0'};
    tensor all = truth_stage(r->of, name, r->of->how.head), made = row_of(&all, n.at);
    double first = n.factor * number_of(&n.row, 0), result = number_of(&made, 0);
    if (n.gain.data != NULL) {
        double gain = number_of(&n.gain, 0);
        read_words(r, "%s[%zu,1] = unit·%c_gain[1] = ", name, n.at + 1, n.which);
        read_operand(r, first);
        read_words(r, "·");
        read_operand(r, gain);
        read_words(r, " = ");
        read_number(r, result);
        recomputed(r, result, first * gain, fabs(result));
        return;
    }
    read_words(r, "%s[%zu] = factor·%c[%zu] = ", name, n.at + 1, n.which, n.at + 1);
    read_operand(r, n.factor);
    read_words(r, "·");
    read_vector(r, &n.row);
    read_words(r, " = ");
    read_vector(r, &made);
    recomputed(r, result, first, fabs(result));
}

/* x's waves: p->key counts the angles from 1. */
static void line_wave(reader *r, progress *p)
{
    const truth *t = r->of;
    size_t pair = strcmp(p->line, "wave") == 0 ? p->key : 0, m = truth_rows(t, "x").size[1];
    double position = truth_query_position(t),
           frequency = pow(10000, -2 * (double)pair / (double)m);
    read_words(r, "angle = position·10000^(−%zu/%zu) = ", 2 * pair, m);
    read_operand(r, position);
    read_words(r, "·");
    read_operand(r, frequency);
    read_words(r, " = ");
    read_number(r, position * frequency);
    snprintf(p->line, sizeof p->line, "wave");
    p->key = pair + 1;
}

/* x_pos[1,2] = x[1,2] + cos(angle), of the angle that stands before it. */
static void line_wave_added(reader *r, progress *p)
{
    const truth *t = r->of;
    tensor x = truth_rows(t, "x"), sums = truth_rows(t, "x_pos");
    size_t row = t->how.row, first = 2 * (p->key - 1);
    char cosine[64];
    snprintf(cosine, sizeof cosine, "x_pos[%zu,%zu]", row + 1, first + 2);
    bool is_cosine = strncmp(r->at, cosine, strlen(cosine)) == 0;
    size_t column = first + is_cosine;
    double angle = truth_query_position(t) * pow(10000, -(double)first / (double)x.size[1]);
    double from = number_at(&x, row, column), wave = is_cosine ? cos(angle) : sin(angle);
    read_words(r, "x_pos[%zu,%zu] = x[%zu,%zu] + %s(angle) = ", row + 1, column + 1, row + 1,
               column + 1, is_cosine ? "cos" : "sin");
    read_number(r, from);
    read_words(r, " + ");
    read_operand(r, wave);
    read_words(r, " = ");
    read_number(r, number_at(&sums, row, column));
    recomputed(r, number_at(&sums, row, column), from + wave, fabs(from) + fabs(wave));
}

/* p->key counts the angles, p->line says of which pair the numbers are that follow. */
static void line_angle(reader *r, progress *p)
{
    truth_turns turns = truth_rope(r->of);
    bool is_key = strcmp(p->line, "angle of k") == 0;
    size_t pair = strncmp(p->line, "angle", strlen("angle")) == 0 ? p->key : 0;
    double position = truth_position(r->of, is_key);
    double frequency = pow(turns.base, -2 * (double)pair / (double)turns.width);
    read_words(r, "angle = position·base^(−%zu/%zu) = ", 2 * pair, turns.width);
    read_operand(r, position);
    read_words(r, "·");
    read_operand(r, frequency);
    read_words(r, " = ");
    read_number(r, position * frequency);
    snprintf(p->line, sizeof p->line, "angle of %c", is_key ? 'k' : 'q');
    p->key = pair + 1;
}

/* q_rope[1,1] = q[1,1]·cos − q[1,3]·sin, or the other one of the pair. */
static void line_turned(reader *r, progress *p)
{
    const truth *t = r->of;
    truth_turns turns = truth_rope(t);
    bool is_key = *r->at == 'k', is_normal = truth_has(t, "qk_norm");
    const char *name = is_key ? "k_rope" : "q_rope", *from = is_key ? "k_norm" : "q_norm";
    size_t row = is_key ? truth_key_row(t) : t->how.row, pair = p->key - 1;
    from = is_normal ? from : is_key ? "k" : "q";
    size_t at[2] = {pair, pair + turns.width / 2};
    if (turns.is_interleaved) {
        at[0] = 2 * pair;
        at[1] = at[0] + 1;
    }
    char second[64];
    snprintf(second, sizeof second, "%s[%zu,%zu]", name, row + 1, at[1] + 1);
    bool is_second = strncmp(r->at, second, strlen(second)) == 0;
    size_t own = at[is_second], other = at[!is_second];
    double angle =
        truth_position(t, is_key) * pow(turns.base, -2 * (double)pair / (double)turns.width);
    tensor before = truth_stage(t, from, t->how.head), after = truth_stage(t, name, t->how.head);
    double numbers[] = {number_at(&before, row, own), number_at(&before, row, other)};
    double factors[] = {cos(angle), is_second ? sin(angle) : -sin(angle)};
    tensor a = {.type = DTYPE_F64, .rank = 1, .size = {2}, .stride = {1}, .data = numbers}, b = a;
    b.data = factors;
    read_words(r, "%s[%zu,%zu] = %s[%zu,%zu]·cos %s %s[%zu,%zu]·sin = ", name, row + 1, own + 1,
               from, row + 1, own + 1, is_second ? "+" : "−", from, row + 1, other + 1);
    read_dot(r, &a, &b, NULL, number_at(&after, row, own));
    bool is_last = pair == 1 || turns.width == 2;
    if (!is_second || is_key || !is_last)
        return;
    snprintf(p->line, sizeof p->line, "angle of k"); /* the key's angles follow */
    p->key = 0;
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
    size_t j = read_key(r, p, "scaled");
    double score = element(r, "scores", j), scale = truth_scale(r->of),
           result = element(r, "scaled", j);
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
    size_t j = read_key(r, p, "capped"), i = r->of->how.row;
    const char *from = truth_scale(r->of) == 1 ? "scores" : "scaled";
    double before = element(r, from, j), result = element(r, "capped", j), most = 0;
    if (!truth_number(r->of, "softcap", &most))
        reader_fail(r, "no softcap was asked for");
    read_words(r, " = C·tanh(%s[%zu,%zu] / C) = ", from, i + 1, j + 1);
    read_number(r, most);
    read_words(r, "·tanh(");
    read_number(r, before);
    read_words(r, " / ");
    read_number(r, most);
    read_words(r, ") = ");
    read_number(r, result);
    recomputed(r, result, most * tanh(before / most), fabs(result));
}

static void line_variance(reader *r, progress *p)
{
    (void)p;
    read_words(r, "variance of ");
    const char *stage = reader_sees(r, "scores") ? "scores" : "scaled";
    if (strcmp(stage, "scaled") == 0)
        read_words(r, "scaled");
    if (r->of->has_heads)
        read_words(r, " in head %zu", r->of->how.head + 1);
    tensor all = truth_stage(r->of, stage, r->of->how.head);
    double count = (double)tensor_count(&all), sum = 0, squares = 0;
    for (size_t i = 0; i < all.size[0]; i++) {
        for (size_t j = 0; j < all.size[1]; j++)
            sum += number_at(&all, i, j);
    }
    for (size_t i = 0; i < all.size[0]; i++) {
        for (size_t j = 0; j < all.size[1]; j++)
            squares += pow(number_at(&all, i, j) - sum / count, 2);
    }
    read_words(r, " = ");
    read_number(r, squares / count);
}

/* scaled[1,2] + bias[1,2] − slope·|p − 2| = 1 + 2 - 0.5·1 = 2.5 */
static void read_masked_sum(reader *r, const tensor *bias, size_t j)
{
    const char *unmasked = truth_unmasked(r->of);
    size_t i = r->of->how.row;
    double before = element(r, unmasked, j), result = element(r, "masked", j);
    double shift = bias->data == NULL ? 0 : number_at(bias, i, j), slope = truth_slope(r->of);
    double distance = fabs((double)truth_place(r->of) - (double)j);
    bool has_slope = truth_has(r->of, "alibi");
    if (bias->data == NULL && !has_slope)
        reader_fail(r, "this key is not hidden");
    read_words(r, " = %s[%zu,%zu]", unmasked, i + 1, j + 1);
    if (bias->data != NULL)
        read_words(r, " + bias[%zu,%zu]", i + 1, j + 1);
    if (has_slope)
        read_words(r, " − slope·|p − %zu|", j + 1);
    read_words(r, " = ");
    read_number(r, before);
    if (bias->data != NULL) {
        read_words(r, " + ");
        read_operand(r, shift);
    }
    if (has_slope) {
        read_words(r, " - ");
        read_operand(r, slope);
        read_words(r, "·");
        read_number(r, distance);
    }
    read_words(r, " = ");
    read_number(r, result);
    double lost = has_slope ? slope * distance : 0;
    recomputed(r, result, before + shift - lost, fabs(before) + fabs(shift) + fabs(lost));
}

/* As the type has it. */
static double exp_of_sink(const reader *r, double sink)
{
    double term = exp(sink - element(r, "row_max", 0));
    return r->of->how.type == DTYPE_F32 ? (double)(float)term : term;
}

static void line_sink(reader *r, progress *p)
{
    (void)p;
    tensor sinks = truth_vector(r->of, "sinks", 1, r->of->how.head);
    if (sinks.data == NULL)
        reader_fail(r, "there is no sink");
    read_words(r, "sink = ");
    read_number(r, sinks.data == NULL ? 0 : number_of(&sinks, 0));
}

static void line_exp_of_sink(reader *r, progress *p)
{
    (void)p;
    tensor sinks = truth_vector(r->of, "sinks", 1, r->of->how.head);
    double sink = sinks.data == NULL ? 0 : number_of(&sinks, 0), most = element(r, "row_max", 0);
    read_words(r, "exp of the sink = exp(");
    read_number(r, sink);
    read_words(r, " - ");
    read_operand(r, most);
    read_words(r, ") = ");
    read_number(r, exp_of_sink(r, sink));
}

static void line_slope(reader *r, progress *p)
{
    (void)p;
    read_words(r, "slope = ");
    read_number(r, truth_slope(r->of));
}

/* A key is hidden, or a bias is added to its score; the keys in between had neither. */
static void line_masked(reader *r, progress *p)
{
    tensor bias = truth_bias(r->of);
    size_t last = strcmp(p->line, "masked") == 0 ? p->key : 0;
    size_t j = read_key(r, p, "masked");
    const char *unmasked = truth_unmasked(r->of);
    double before = element(r, unmasked, j), result = element(r, "masked", j);
    for (size_t between = last; between < j; between++) {
        bool is_changed = bias.data != NULL || truth_has(r->of, "alibi");
        if ((is_changed && between < r->of->own) || isinf(element(r, "masked", between)))
            reader_fail(r, "key %zu is left out", between + 1);
    }
    if (isinf(result)) {
        read_words(r, ": ");
        read_number(r, before);
        read_words(r, " → ");
        read_number(r, result);
    } else {
        read_masked_sum(r, &bias, j);
    }
}

/* max(…) or a sum of the focus's row of a stage. */
static void line_whole_row(reader *r, const char *name, const char *of, bool is_max)
{
    tensor all = truth_stage(r->of, of, r->of->how.head);
    tensor row = row_of(&all, r->of->how.row);
    size_t count = row.size[0];
    tensor sinks = truth_vector(r->of, "sinks", 1, r->of->how.head);
    bool has_sink = sinks.data != NULL;
    double result = element(r, name, 0), sum = 0, greatest = -HUGE_VAL;
    double more = has_sink ? number_of(&sinks, 0) : 0;
    if (has_sink && is_max)
        greatest = more;
    if (has_sink && !is_max)
        sum = more = exp_of_sink(r, more);
    for (size_t j = 0; j < count; j++) {
        sum += number_of(&row, j);
        greatest = fmax(greatest, number_of(&row, j));
    }
    read_words(r, "%s[%zu] = %s", name, r->of->how.row + 1, is_max ? "max(" : "");
    for (size_t j = 0; j < count; j = next_term(r, j, count, is_max ? ", " : " + "))
        read_number(r, number_of(&row, j));
    if (has_sink) {
        read_words(r, is_max ? ", " : " + ");
        read_operand(r, more);
    }
    read_words(r, is_max ? ")" : "");
    if (count > 1 || is_max || has_sink) {
        read_words(r, " = ");
        read_number(r, result);
    }
    read_terms_counted(r, count, is_max ? "numbers" : "terms");
    recomputed(r, result, is_max ? greatest : sum, is_max ? 0 : sum);
}

static void line_row_max(reader *r, progress *p)
{
    (void)p;
    line_whole_row(r, "row_max", "masked", true);
}

static void line_row_sum(reader *r, progress *p)
{
    (void)p;
    line_whole_row(r, "row_sum", "exp", false);
}

static void line_exp(reader *r, progress *p)
{
    size_t j = read_key(r, p, "exp");
    double score = element(r, "masked", j), greatest = element(r, "row_max", 0),
           result = element(r, "exp", j);
    read_words(r, " = exp(");
    read_number(r, score);
    read_words(r, " - ");
    read_operand(r, greatest);
    read_words(r, ") = ");
    read_number(r, result);
    recomputed(r, result, exp(score - greatest), result);
}

static void line_weights(reader *r, progress *p)
{
    size_t j = read_key(r, p, "weights");
    double part = element(r, "exp", j), sum = element(r, "row_sum", 0),
           result = element(r, "weights", j);
    read_words(r, " = ");
    read_number(r, part);
    read_words(r, " / ");
    read_number(r, sum);
    read_words(r, " = ");
    read_number(r, result);
    recomputed(r, result, part / sum, result);
}

/* Rounded to that many decimals, either way where the row's sum is kept. */
static void line_rounded(reader *r, progress *p)
{
    size_t j = read_key(r, p, "rounded");
    double weight = element(r, "weights", j), result = element(r, "rounded", j), decimals = 0;
    bool keeps_sum = !truth_number(r->of, "round", &decimals);
    if (keeps_sum)
        sscanf(truth_word(r->of, "round"), "%lf", &decimals);
    double step = pow(10, -decimals);
    read_words(r, ": ");
    read_number(r, weight);
    read_words(r, " → ");
    read_number(r, result);
    if (fabs(result - weight) > step * (keeps_sum ? 1 : 0.5) + rounding_unit(r))
        reader_fail(r, "%.9g is not %.9g rounded", result, weight);
    recomputed(r, result, round(result / step) * step, 1);
}

static void line_logsumexp(reader *r, progress *p)
{
    (void)p;
    double most = element(r, "row_max", 0), sum = element(r, "row_sum", 0),
           result = element(r, "logsumexp", 0);
    read_words(r, "logsumexp[%zu] = ", r->of->how.row + 1);
    read_number(r, most);
    read_words(r, " + ln(");
    read_operand(r, sum);
    read_words(r, ") = ");
    read_number(r, result);
    recomputed(r, result, most + log(sum), fabs(most) + log(sum) + rounding_unit(r));
}

static void line_entropy(reader *r, progress *p)
{
    (void)p;
    size_t count = r->of->n_k;
    double sum = 0, result = element(r, "entropy", 0);
    for (size_t j = 0; j < count; j++) {
        double w = element(r, "weights", j);
        sum -= w == 0 ? 0 : w * log(w);
    }
    read_words(r, "entropy[%zu] = -(", r->of->how.row + 1);
    for (size_t j = 0; j < count; j = next_term(r, j, count, " + ")) {
        double w = element(r, "weights", j);
        if (w == 0) {
            read_words(r, "0");
            continue;
        }
        read_number(r, w);
        read_words(r, "·ln(");
        read_number(r, w);
        read_words(r, ")");
    }
    read_words(r, ") = ");
    read_number(r, result);
    read_terms_counted(r, count, "terms");
    recomputed(r, result, sum, sum);
}

/* "top[2,1] is key 3 (cat): weights[2,3] = 0.5", and no key has more that is not above. */
static void line_top(reader *r, progress *p)
{
    size_t i = r->of->how.row, place_of = strcmp(p->line, "top") == 0 ? p->key : 0;
    size_t j = (size_t)element(r, "top", place_of), stronger = 0;
    const text_list *names = truth_tokens(r->of, true);
    double weight = element(r, "weights", j);
    for (size_t other = 0; other < r->of->n_k; other++)
        stronger += element(r, "weights", other) > weight;
    if (stronger > place_of)
        reader_fail(r, "%zu keys are stronger", stronger);
    read_words(r, "top[%zu,%zu] is key %zu", i + 1, place_of + 1, j + 1);
    if (names != NULL && *names->item[j] != '\0')
        read_words(r, " (%s)", names->item[j]);
    read_words(r, ": weights[%zu,%zu] = ", i + 1, j + 1);
    read_number(r, weight);
    snprintf(p->line, sizeof p->line, "top");
    p->key = place_of + 1;
}

static const char *used_weights(const reader *r)
{
    return truth_stage(r->of, "rounded", 0).data != NULL ? "rounded" : "weights";
}

static void line_weighted(reader *r, progress *p)
{
    const truth *t = r->of;
    size_t j = read_key(r, p, "weighted"), i = t->how.row;
    double weight = element(r, used_weights(r), j);
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
    read_dot(r, &a, &b, NULL, element(r, "attended", 0));
}

static void line_output(reader *r, progress *p)
{
    (void)p;
    const truth *t = r->of;
    size_t i = t->how.row;
    tensor context = truth_rows(t, "context"), output = truth_rows(t, "output"),
           wo = truth_weight(t, "wo");
    if (wo.data == NULL) {
        reader_fail(r, "there is no Wo");
        return;
    }
    tensor bo = truth_vector(t, "bo", wo.size[1], 0), a = row_of(&context, i),
           b = column_of(&wo, 0);
    double shift = bo.data == NULL ? 0 : number_of(&bo, 0);
    read_words(r, "output[%zu,1] = context[%zu]·Wo[·,1]%s = ", i + 1, i + 1,
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
    {"slope = ", line_slope},
    {"sink = ", line_sink},
    {"exp of the sink", line_exp_of_sink},
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
