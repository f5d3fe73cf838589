/* Worked lines from the scaled scores to the weights that are used. */
#include "lines.h"
#include "terms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void line_variance(reader *r, progress *p)
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

/* scaled[1,2] + bias[1,2] − slope·|p − 2| = 1 + 2 − 0.5·|1 − 2| = 2.5 */
static void read_masked_sum(reader *r, const tensor *bias, size_t j)
{
    const char *unmasked = truth_unmasked(r->of);
    size_t i = r->of->how.row;
    double before = line_element(r, unmasked, j), result = line_element(r, "masked", j);
    double shift = bias->data == NULL ? 0 : number_at(bias, i, j), slope = truth_slope(r->of);
    double distance = fabs((double)truth_place(r->of) - (double)j);
    bool has_slope = truth_has(r->of, "alibi");
    if (bias->data == NULL && !has_slope)
        reader_fail(r, "this key is not hidden");
    read_words(r, " = %s[%zu,%zu]", unmasked, i + 1, j + 1);
    if (bias->data != NULL)
        read_words(r, " + bias[%zu,%zu]", truth_has_one_bias(r->of) ? 1 : i + 1, j + 1);
    if (has_slope)
        read_words(r, " − slope·|p − %zu|", j + 1);
    read_words(r, " = ");
    read_number(r, before);
    if (bias->data != NULL) {
        read_words(r, " + ");
        read_operand(r, shift);
    }
    if (has_slope) {
        read_words(r, " − ");
        read_operand(r, slope);
        read_words(r, "·|");
        read_number(r, (double)truth_place(r->of) + 1);
        read_words(r, " − %zu|", j + 1);
    }
    read_words(r, " = ");
    read_number(r, result);
    double lost = has_slope ? slope * distance : 0;
    recomputed(r, result, before + shift - lost, fabs(before) + fabs(shift) + fabs(lost));
}

/* As the type has it. */
static double exp_of_sink(const reader *r, double sink)
{
    double term = exp(sink - line_element(r, "row_max", 0));
    return r->of->how.type == DTYPE_F32 ? (double)(float)term : term;
}

void line_sink(reader *r, progress *p)
{
    (void)p;
    tensor sinks = truth_vector(r->of, "sinks", 1, r->of->how.head);
    if (sinks.data == NULL)
        reader_fail(r, "there is no sink");
    read_words(r, "sink = ");
    read_number(r, sinks.data == NULL ? 0 : number_of(&sinks, 0));
}

void line_exp_of_sink(reader *r, progress *p)
{
    (void)p;
    tensor sinks = truth_vector(r->of, "sinks", 1, r->of->how.head);
    double sink = sinks.data == NULL ? 0 : number_of(&sinks, 0),
           most = line_element(r, "row_max", 0);
    read_words(r, "exp of the sink = exp(");
    read_number(r, sink);
    read_words(r, " − ");
    read_operand(r, most);
    read_words(r, ") = ");
    read_number(r, exp_of_sink(r, sink));
}

void line_share_of_sink(reader *r, progress *p)
{
    (void)p;
    tensor sinks = truth_vector(r->of, "sinks", 1, r->of->how.head);
    double part = exp_of_sink(r, sinks.data == NULL ? 0 : number_of(&sinks, 0)),
           sum = line_element(r, "row_sum", 0);
    read_words(r, "share of the sink = exp of the sink / row_sum[%zu] = ", r->of->how.row + 1);
    read_number(r, part);
    read_words(r, " / ");
    read_number(r, sum);
    read_words(r, " = ");
    read_number(r, part / sum);
}

void line_slope(reader *r, progress *p)
{
    (void)p;
    truth_power power = truth_slope_power(r->of);
    if (reader_sees(r, "slope of head i of h = 2^(−8·i/h), h a power of two"))
        return;
    read_words(r, "slope");
    if (r->of->has_heads)
        read_words(r, " of head %zu", r->of->how.head + 1);
    if (power.count > 0)
        read_words(r, " = 2^(−8·%zu/%zu)", power.index, power.count);
    double part = pow(2, power.count > 0 ? 8 * (double)power.index / (double)power.count : 0.5);
    if (part == floor(part))
        read_words(r, " = 1/%.0f", part);
    read_words(r, " = ");
    read_number(r, truth_slope(r->of));
}

/* A key is hidden, or a bias is added to its score; the keys in between had neither. */
void line_masked(reader *r, progress *p)
{
    tensor bias = truth_bias(r->of);
    size_t last = strcmp(p->line, "masked") == 0 ? p->key : 0;
    size_t j = line_key(r, p, "masked");
    const char *unmasked = truth_unmasked(r->of);
    double before = line_element(r, unmasked, j), result = line_element(r, "masked", j);
    for (size_t between = last; between < j; between++) {
        bool is_changed = bias.data != NULL || truth_has(r->of, "alibi");
        if ((is_changed && between < r->of->own) || isinf(line_element(r, "masked", between)))
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
    double result = line_element(r, name, 0), sum = 0, greatest = -HUGE_VAL;
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
        if (is_max)
            read_number(r, more);
        else
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

void line_row_max(reader *r, progress *p)
{
    (void)p;
    line_whole_row(r, "row_max", "masked", true);
}

void line_row_sum(reader *r, progress *p)
{
    (void)p;
    line_whole_row(r, "row_sum", "exp", false);
}

void line_exp(reader *r, progress *p)
{
    size_t j = line_key(r, p, "exp");
    double score = line_element(r, "masked", j), greatest = line_element(r, "row_max", 0),
           result = line_element(r, "exp", j);
    read_words(r, " = exp(");
    read_number(r, score);
    read_words(r, " − ");
    read_operand(r, greatest);
    read_words(r, ") = ");
    read_number(r, result);
    recomputed(r, result, exp(score - greatest), result);
}

void line_weights(reader *r, progress *p)
{
    size_t j = line_key(r, p, "weights");
    double part = line_element(r, "exp", j), sum = line_element(r, "row_sum", 0),
           result = line_element(r, "weights", j);
    read_words(r, " = ");
    read_number(r, part);
    read_words(r, " / ");
    read_number(r, sum);
    read_words(r, " = ");
    read_number(r, result);
    recomputed(r, result, part / sum, result);
}

/* Rounded to that many decimals, either way where the row's sum is kept. */
void line_rounded(reader *r, progress *p)
{
    size_t j = line_key(r, p, "rounded");
    double weight = line_element(r, "weights", j), result = line_element(r, "rounded", j),
           decimals = 0;
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

void line_logsumexp(reader *r, progress *p)
{
    (void)p;
    double most = line_element(r, "row_max", 0), sum = line_element(r, "row_sum", 0),
           result = line_element(r, "logsumexp", 0);
    read_words(r, "logsumexp[%zu] = ", r->of->how.row + 1);
    read_number(r, most);
    read_words(r, " + ln(");
    read_operand(r, sum);
    read_words(r, ") = ");
    read_number(r, result);
    recomputed(r, result, most + log(sum), fabs(most) + log(sum) + rounding_unit(r));
}

void line_entropy(reader *r, progress *p)
{
    (void)p;
    size_t count = r->of->n_k;
    double sum = 0, result = line_element(r, "entropy", 0);
    for (size_t j = 0; j < count; j++) {
        double w = line_element(r, "weights", j);
        sum -= w == 0 ? 0 : w * log(w);
    }
    read_words(r, "entropy[%zu] = −(", r->of->how.row + 1);
    for (size_t j = 0; j < count; j = next_term(r, j, count, " + ")) {
        double w = line_element(r, "weights", j);
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
void line_top(reader *r, progress *p)
{
    size_t i = r->of->how.row, place_of = strcmp(p->line, "top") == 0 ? p->key : 0;
    size_t j = (size_t)line_element(r, "top", place_of), stronger = 0;
    const text_list *names = truth_tokens(r->of, true);
    double weight = line_element(r, "weights", j);
    for (size_t other = 0; other < r->of->n_k; other++)
        stronger += line_element(r, "weights", other) > weight;
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
