/* Worked lines of what happens to x, q and k before they meet: positions added, norms, turns. */
#include "lines.h"
#include "terms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the lines of the step normalize come to, from the row that p->key names. */
typedef struct normal {
    char which;
    size_t at;
    tensor row, gain;
    double squares, mean, eps, factor;
} normal;

static normal normal_of(const reader *r, char which)
{
    const truth *t = r->of;
    char name[] = {which, '\0'};
    normal n = {.which = which, .at = which == 'q' ? t->how.row : truth_key_row(t)};
    n.eps = 1e-6;
    truth_number(t, "qk_eps", &n.eps);
    tensor rows = truth_stage(t, name, t->how.head);
    n.row = row_of(&rows, n.at);
    n.gain = truth_gain(t, which, t->how.head);
    for (size_t i = 0; i < n.row.size[0]; i++)
        n.squares += number_of(&n.row, i) * number_of(&n.row, i);
    n.mean = n.squares / (double)n.row.size[0];
    n.factor = 1 / sqrt(n.mean + n.eps);
    return n;
}

void line_squares(reader *r, progress *p)
{
    read_words(r, "squares = ");
    normal n = normal_of(r, *r->at == 'k' ? 'k' : 'q');
    p->key = (size_t)n.which;
    read_words(r, "%c[%zu]·%c[%zu] = ", n.which, n.at + 1, n.which, n.at + 1);
    read_dot(r, &n.row, &n.row, NULL, n.squares);
}

void line_mean(reader *r, progress *p)
{
    normal n = normal_of(r, (char)p->key);
    read_words(r, "mean = ");
    read_number(r, n.squares);
    read_words(r, " / ");
    read_number(r, (double)n.row.size[0]);
    read_words(r, " = ");
    read_number(r, n.mean);
}

void line_factor(reader *r, progress *p)
{
    normal n = normal_of(r, (char)p->key);
    read_words(r, "factor = 1/√(mean + qk_eps) = 1/√(");
    read_number(r, n.mean);
    read_words(r, " + ");
    read_number(r, n.eps);
    read_words(r, ") = 1/√");
    read_number(r, n.mean + n.eps);
    read_words(r, " = ");
    read_number(r, n.factor);
}

void line_unit(reader *r, progress *p)
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
void line_normalized(reader *r, progress *p)
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
void line_wave(reader *r, progress *p)
{
    const truth *t = r->of;
    size_t pair = strcmp(p->line, "wave") == 0 ? p->key : 0, m = truth_rows(t, "x").size[1];
    double position = (double)truth_place(t), frequency = pow(10000, -2 * (double)pair / (double)m);
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
void line_wave_added(reader *r, progress *p)
{
    const truth *t = r->of;
    tensor x = truth_rows(t, "x"), sums = truth_rows(t, "x_pos");
    size_t row = t->how.row, first = 2 * (p->key - 1);
    char cosine[64];
    snprintf(cosine, sizeof cosine, "x_pos[%zu,%zu]", row + 1, first + 2);
    bool is_cosine = strncmp(r->at, cosine, strlen(cosine)) == 0;
    size_t column = first + is_cosine;
    double angle = (double)truth_place(t) * pow(10000, -(double)first / (double)x.size[1]);
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
void line_angle(reader *r, progress *p)
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

/* q_rope[1,1] = q[1,1]·cos(angle) − q[1,3]·sin(angle), or the other one of the pair. */
void line_turned(reader *r, progress *p)
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
    double factors[] = {cos(angle), sin(angle)}, result = number_at(&after, row, own);
    tensor a = {.type = DTYPE_F64, .rank = 1, .size = {2}, .stride = {1}, .data = numbers}, b = a;
    b.data = factors;
    read_words(r, "%s[%zu,%zu] = %s[%zu,%zu]·cos(angle) %s %s[%zu,%zu]·sin(angle) = ", name,
               row + 1, own + 1, from, row + 1, own + 1, is_second ? "+" : "−", from, row + 1,
               other + 1);
    if (is_second)
        read_dot(r, &a, &b, NULL, result);
    else
        read_difference(r, numbers, factors, result);
    bool is_last = pair == 1 || turns.width == 2;
    if (!is_second || is_key || !is_last)
        return;
    snprintf(p->line, sizeof p->line, "angle of k"); /* the key's angles follow */
    p->key = 0;
}
