/* Every digit that stands in words: sentences, formulas, tables, headings. The phrases that this
 * run must say are made here, out of its sizes, and taken out of the text; a digit that is left is
 * accounted for by nothing. */
#include "checks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- phrases ---- */

/* Blanks the phrase wherever it stands whole, not as a part of a longer number. */
static void take_out(char *text, const char *phrase)
{
    size_t length = strlen(phrase);
    for (char *at = text; length > 0 && (at = strstr(at, phrase)) != NULL; at += length) {
        bool begins_inside =
            at > text && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)*phrase);
        bool ends_inside =
            isdigit((unsigned char)at[length]) && isdigit((unsigned char)phrase[length - 1]);
        if (!begins_inside && !ends_inside)
            memset(at, ' ', length);
    }
}

static void take_out_format(char *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void take_out_format(char *text, const char *format, ...)
{
    char phrase[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(phrase, sizeof phrase, format, args);
    va_end(args);
    take_out(text, phrase);
}

static size_t numbers_in(const truth *t, const char *name)
{
    const tensor *given = bundle_tensor(&t->document, name);
    return given == NULL ? 0 : tensor_count(given);
}

static size_t width_of(const truth *t, const char *name)
{
    tensor rows = truth_rows(t, name);
    return rows.data == NULL ? 0 : rows.size[1];
}

static void take_out_constants(char *text)
{
    static const char *const SAME_IN_ALL[] = {
        "into weights between 0 and 1 that sum to 1.",
        "into weights between 0 and 1 that sum to less than 1.",
        "its weight, is exactly 0.",
        "its weights are 0,",
        "its own place p, counted from 1,",
        "whose places p and j count from 1",
        "the entropy is 0 where",
        "still sums to 1 ",
        "3·h·m·(m/h)",
        "3·h·m·m",
    };
    for (size_t i = 0; i < sizeof SAME_IN_ALL / sizeof SAME_IN_ALL[0]; i++)
        take_out(text, SAME_IN_ALL[i]);
}

/* "query 1 (Input 1) in head 2" wherever it is spoken of. */
static void take_out_focus(const truth *t, char *text)
{
    const text_list *tokens = truth_tokens(t, false);
    size_t i = t->how.row;
    if (tokens != NULL && *tokens->item[i] != '\0')
        take_out_format(text, "query %zu (%s)", i + 1, tokens->item[i]);
    else
        take_out_format(text, "query %zu", i + 1);
    if (t->has_heads)
        take_out_format(text, " in head %zu", t->how.head + 1);
}

/* Where nobody chose a focus. */
static void take_out_default(const truth *t, char *text)
{
    char batch[64] = "", query[64] = "";
    bool has_queries = t->n_q > 1, has_heads = t->heads > 1, has_batches = t->batches > 1;
    if (has_batches)
        snprintf(batch, sizeof batch,
                 has_queries || has_heads ? " of sequence 1 of %zu" : "Sequence 1 of %zu",
                 t->batches);
    if (has_queries)
        snprintf(query, sizeof query, "Query %zu", t->how.row + 1);
    take_out_format(text, "%s%s%s%s is spelled out; --focus %s%s%s%s%s takes another.", query,
                    has_queries && has_heads ? " of " : "",
                    !has_heads    ? ""
                    : has_queries ? "head 1"
                                  : "Head 1",
                    batch, has_queries ? "row=I" : "", has_queries && has_heads ? "," : "",
                    has_heads ? "head=H" : "", has_batches && (has_queries || has_heads) ? "," : "",
                    has_batches ? "batch=B" : "");
    take_out_format(text, " of sequence %zu:", t->how.batch + 1);
}

static void take_out_inputs(const truth *t, char *text)
{
    size_t rows = truth_rows(t, "x").data == NULL ? 0 : truth_rows(t, "x").size[0];
    size_t m = width_of(t, "x");
    take_out_format(text, "%zu input%s a row of %zu number%s.", rows,
                    rows == 1 ? " goes in," : "s go in, each", m, m == 1 ? "" : "s");
    take_out_format(text, "There are %zu such sequences in the batch, and this is number %zu; ",
                    t->batches, t->how.batch + 1);
}

static void take_out_parameters(const truth *t, char *text)
{
    size_t wq = numbers_in(t, "wq"), wk = numbers_in(t, "wk"), wv = numbers_in(t, "wv");
    size_t all = wq + wk + wv, h = t->heads, m = width_of(t, "x");
    tensor queries = truth_stage(t, "q", 0);
    take_out_format(text, "Wq, Wk and Wv hold %zu + %zu + %zu = %zu numbers", wq, wk, wv, all);
    take_out_format(text, "Wq and Wk hold %zu + %zu = %zu numbers", wq, wk, all);
    take_out_format(text, "Wq and Wv hold %zu + %zu = %zu numbers", wq, wv, all);
    take_out_format(text, "Wk and Wv hold %zu + %zu = %zu numbers", wk, wv, all);
    take_out_format(text, "Wq holds %zu number%s,", wq, wq == 1 ? "" : "s");
    take_out_format(text, "Wk holds %zu number%s,", wk, wk == 1 ? "" : "s");
    take_out_format(text, "Wv holds %zu number%s,", wv, wv == 1 ? "" : "s");
    take_out_format(text, " = 3·%zu·%zu·(%zu/%zu) = 3·%zu² = %zu", h, m, m, h, m, all);
    take_out_format(text, " = 3·%zu·%zu² = %zu", h, m, all);
    char first[32] = "";
    if (queries.size[1] != 1)
        snprintf(first, sizeof first, " %zu", queries.size[1]);
    take_out_format(text,
                    "%zu heads work side by side: of the %zu columns of q each takes %zu, head 1 "
                    "the first%s, and so on",
                    h, h * queries.size[1], queries.size[1], first);
    take_out_format(text, "%zu heads work side by side: q came with its heads apart, %zu column%s",
                    h, queries.size[1], queries.size[1] == 1 ? "" : "s");
    take_out_format(text, "There are only %zu key/value heads: %zu query heads share each",
                    t->kv_heads, h / t->kv_heads);
    if (t->kv_heads == 1 && h > 2)
        take_out_format(text, "There is only 1 key/value head: all %zu query heads share it", h);
    if (t->kv_heads == 1 && h == 2)
        take_out(text, "There is only 1 key/value head: both query heads share it");
    take_out_format(text, "Each of the %zu heads has matrices of its own", h);
    take_out_format(text, "Each of the %zu heads has a matrix Wq of its own", h);
    size_t one = (t->d_k + t->d_v) * (t->how.type == DTYPE_F32 ? 4 : 8);
    take_out_format(text, "a cache grows by %zu bytes a token", t->kv_heads * one);
    take_out_format(text, "for each of the %zu heads would take %zu.", h, h * one);
}

static void take_out_cache(const truth *t, char *text)
{
    size_t past = t->n_k - t->n_new;
    take_out_format(text, "%zu earlier row%s left", past, past == 1 ? "" : "s");
    take_out_format(text, "the %zu new one%s behind them: %zu keys can be seen", t->n_new,
                    t->n_new == 1 ? " goes" : "s go", t->n_k);
}

static void take_out_positions(const truth *t, char *text)
{
    take_out_format(text, "PE(position, 2i) = sin(position·10000^(−2i/m)), m = %zu",
                    width_of(t, "x"));
    take_out(text, "PE(position, 2i + 1) = cos(position·10000^(−2i/m)), columns from 0");
    take_out_format(text, "Row %zu stands at position %ld, counted from 0.", t->how.row + 1,
                    truth_place(t));
}

static void take_out_rope(const truth *t, char *text)
{
    truth_turns turns = truth_rope(t);
    take_out(text, "position·base^(−2p/width)");
    take_out_format(text, "base = %g, width = %zu", turns.base, turns.width);
    bool is_interleaved = turns.is_interleaved;
    take_out(text, is_interleaved ? "numbers 2p + 1 and 2p + 2, p from 0"
                                  : "numbers p + 1 and p + 1 + width/2, p from 0");
    for (size_t p = 0; p < turns.width / 2; p++)
        take_out_format(text, "p = %zu: numbers %zu and %zu", p, is_interleaved ? 2 * p + 1 : p + 1,
                        is_interleaved ? 2 * p + 2 : p + 1 + turns.width / 2);
    take_out_format(text, "What is behind the first %zu numbers", turns.width);
    take_out_format(text, "Query %zu stands at position %.0f, counted from 0.", t->how.row + 1,
                    truth_position(t, false));
    take_out_format(text, "Key %zu stands at position %.0f, counted from 0.", truth_key_row(t) + 1,
                    truth_position(t, true));
}

static void take_out_slopes(const truth *t, char *text)
{
    size_t below = 1, h = t->heads;
    while (below * 2 <= h)
        below *= 2;
    take_out_format(text,
                    "%zu is no power of two: the first %zu heads have the slopes of %zu heads, the "
                    "others every second one of those of %zu.",
                    h, below, below, 2 * below);
    double slope = truth_has(t, "alibi") ? truth_slope(t) : 1;
    take_out_format(text, "The slope of head %zu is %s:", t->how.head + 1,
                    slope < 0 ? "negative" : "0");
    if (slope == 0)
        take_out(text, "The slope is 0:");
}

static void take_out_sharing(const truth *t, char *text)
{
    size_t group = t->heads / t->kv_heads, h = t->how.head, own = truth_kv_head(t, h),
           first = own * group;
    take_out_format(text, "Head %zu shares key/value head %zu with head %zu.", h + 1, own + 1,
                    h == first ? h + 2 : h);
    take_out_format(text, "Head %zu shares key/value head %zu with the others of heads %zu to %zu.",
                    h + 1, own + 1, first + 1, first + group);
}

static void take_out_statistics(const truth *t, char *text)
{
    tensor weights = truth_stage(t, "weights", t->how.head);
    for (size_t j = 0; j < t->n_k; j++) {
        if (number_at(&weights, t->how.row, j) != 0)
            return;
    }
    take_out(text, "There is no strongest key: all weights are 0.");
}

static void take_out_later_steps(const truth *t, char *text)
{
    size_t h = t->heads;
    double decimals = 0, offset = (double)(t->n_k - t->n_new);
    if (!truth_number(t, "round", &decimals))
        decimals = strtod(truth_word(t, "round"), NULL);
    truth_number(t, "offset", &offset);
    if (truth_has_one_bias(t))
        take_out(text, " + bias[1,j]");
    take_out_format(text, "for all %zu keys", t->n_k);
    take_out_format(text, "The other %zu heads are left out", h - 1);
    take_out_format(text, "sees %zu of the %zu keys", truth_visible(t), t->own);
    take_out_format(text, "p − %ld ≤ j", truth_window(t, 0));
    take_out_format(text, "j ≤ p + %ld", truth_window(t, 1));
    take_out_format(text, " ≤ p + %ld,", truth_window(t, 1));
    take_out_format(text, "= i + %zu − n_q", truth_length(t));
    take_out_format(text, "≤ i + %zu − n_q", truth_length(t));
    take_out_format(text, "allowed: j ≤ %zu", truth_length(t));
    take_out_format(text, "i + offset, offset = %.0f", offset);
    take_out_format(text, "j ≤ i + offset, offset = %.0f", offset);
    take_out_format(text, "are rounded to %.0f decimal%s", decimals, decimals == 1 ? "" : "s");
    take_out_format(text, "This gives %zu weighted value%s", t->n_k, t->n_k == 1 ? "" : "s");
    take_out_format(text, "The %zu heads' results are put side by side: %zu column%s from each", h,
                    t->d_v, t->d_v == 1 ? "" : "s");
    take_out_format(text, "context[i] = [attended[head 1, i], %sattended[head %zu, i]]",
                    h > 2 ? "…, " : "", h);
    take_out_format(text, "joined[i] = [context[head 1, i], %scontext[head %zu, i]]",
                    h > 2 ? "…, " : "", h);
    take_out_format(text, "in head 1 the first %zu.", t->d_v);
    take_out_format(text, "the first %zu.", t->d_v); /* of head 1 in focus */
    take_out_format(text, "%zu of its numbers in each head,", t->d_v);
    take_out_format(text, "to the width of the output, %zu.", width_of(t, "output"));
}

void check_prose(reader *r, const char *joined)
{
    static char text[LONGEST_LINE];
    if (r->failed)
        return;
    snprintf(text, sizeof text, "%s", joined);
    take_out_focus(r->of, text);
    take_out_constants(text);
    take_out_default(r->of, text);
    take_out_inputs(r->of, text);
    take_out_parameters(r->of, text);
    take_out_cache(r->of, text);
    take_out_positions(r->of, text);
    take_out_rope(r->of, text);
    take_out_slopes(r->of, text);
    take_out_sharing(r->of, text);
    take_out_statistics(r->of, text);
    take_out_later_steps(r->of, text);
    size_t left = strcspn(text, "0123456789");
    if (text[left] != '\0')
        reader_fail(r, "nothing accounts for '%.30s'", joined + left);
}

/* ---- tables ---- */

/* A letter of the table with its size in this run; 0 where it has none. */
static size_t letter_size(const truth *t, const char *letter, size_t length)
{
    size_t m = width_of(t, "x") > 0 ? width_of(t, "x") : width_of(t, "xk");
    tensor queries = truth_stage(t, "q", 0), compared = truth_stage(t, "q_score", 0);
    bool is_one = t->own == t->n_k && t->n_new == t->n_k && truth_source(t, 'q') != NULL &&
                  truth_source(t, 'k') != NULL &&
                  strcmp(truth_source(t, 'q'), truth_source(t, 'k')) == 0;
    const struct {
        const char *letter;
        size_t size;
    } sizes[] = {
        {"n", is_one ? t->n_q : 0},
        {"n_q", t->n_q},
        {"n_k", t->n_k},
        {"n_x", t->own},
        {"n_new", t->n_new < t->n_k ? t->n_new : 0},
        {"m", m},
        {"b", t->batches},
        {"h", t->heads},
        {"g", t->kv_heads},
        {"d_k", t->d_k},
        {"d_v", t->d_v},
        {"d_o", width_of(t, "output")},
        {"m_k", width_of(t, "xk")},
        {"m_v", width_of(t, "xv")},
        {"d_q", queries.size[1]},
        {"c", compared.data == NULL ? 0 : compared.size[1]},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (strlen(sizes[i].letter) == length && memcmp(sizes[i].letter, letter, length) == 0)
            return sizes[i].size;
    }
    return 0;
}

/* "h·d_k": what it comes to. */
static size_t read_letters(reader *r)
{
    size_t product = 1;
    do {
        size_t length = strspn(r->at, "abcdefghijklmnopqrstuvwxyz_");
        size_t size = letter_size(r->of, r->at, length);
        if (size == 0)
            reader_fail(r, "no such letter: '%.20s'", r->at);
        r->at += length;
        product *= size;
    } while (!r->failed && reader_sees(r, "·"));
    return product;
}

/* n_q      queries      3 */
static void read_letter_row(reader *r)
{
    size_t size = read_letters(r);
    r->at += strlen(r->at);
    while (isdigit((unsigned char)r->at[-1]))
        r->at--;
    read_words(r, "%zu", size);
}

/* The sizes that the matrix of this name really has. */
static bool shape_of(const truth *t, const char *name, const tensor **shape, tensor *weight)
{
    char key[16];
    snprintf(key, sizeof key, "%s", name);
    key[0] = (char)tolower((unsigned char)key[0]);
    *shape = bundle_tensor(&t->stages, name);
    if (*shape != NULL || !truth_has(t, key))
        return *shape != NULL;
    bool is_rows = *name == *key; /* which no layout turns */
    *weight = is_rows ? tensor_view_of(truth_input(t, key)) : truth_weight(t, key);
    *shape = weight;
    return true;
}

/* Wq   m × h·d_k   4 × 6: the letters make the sizes, and the matrix has them. */
static void read_shape_row(reader *r)
{
    char name[16] = "";
    size_t length = strcspn(r->at, " "), axes = 0, size[TENSOR_MAX_RANK];
    const tensor *shape;
    tensor weight;
    snprintf(name, sizeof name, "%.*s", (int)length, r->at);
    r->at += length;
    if (!shape_of(r->of, name, &shape, &weight)) {
        reader_fail(r, "there is no matrix '%s'", name);
        return;
    }
    read_spaces(r);
    do {
        size[axes++] = read_letters(r);
    } while (!r->failed && axes < TENSOR_MAX_RANK && reader_sees(r, " × "));
    read_spaces(r);
    if (axes != (size_t)shape->rank)
        reader_fail(r, "%s has %d axes, here %zu", name, shape->rank, axes);
    for (size_t i = 0; i < axes && !r->failed; i++) {
        if (size[i] != shape->size[i])
            reader_fail(r, "%s's letters make %zu, its axis is %zu", name, size[i], shape->size[i]);
        read_words(r, i > 0 ? " × " : "");
        read_words(r, "%zu", shape->size[i]);
    }
    read_end(r);
}

bool is_table(const paragraph *p)
{
    return p->count > 1 && strstr(p->line[1], "──") != NULL;
}

void check_table(reader *r, const paragraph *p)
{
    bool has_letters = strstr(p->line[0], "letter ") != NULL;
    for (size_t i = 2; i < p->count && !r->failed; i++) {
        r->at = p->line[i];
        read_spaces(r);
        if (has_letters)
            read_letter_row(r);
        else
            read_shape_row(r);
    }
}

/* ---- headings ---- */

void check_preamble(reader *r, const char *joined)
{
    const char *name = truth_word(r->of, "name"), *title = truth_word(r->of, "title"),
               *notes = truth_word(r->of, "notes");
    r->at = joined;
    read_spaces(r);
    read_words(r, "%s%s", name, *name != '\0' && *title != '\0' ? ": " : "");
    for (int i = 0; i < 2; i++) { /* longer than a phrase may be */
        const char *text = i == 0 ? title : notes;
        size_t length = strlen(text);
        if (i == 1) {
            r->at += strspn(r->at, " ");
            while (strncmp(r->at, "═", strlen("═")) == 0)
                r->at += strlen("═");
            read_spaces(r);
        }
        if (!r->failed && strncmp(r->at, text, length) != 0)
            reader_fail(r, "the %s is not the document's", i == 0 ? "title" : "notes");
        r->at += r->failed ? 0 : length;
    }
    read_spaces(r);
    read_end(r);
}

/* "5. scores ───": the steps are counted. */
void check_heading(reader *r, progress *p, const char *line)
{
    p->steps++;
    p->line[0] = p->matrix[0] = '\0';
    r->at = line;
    read_words(r, "%zu. ", p->steps);
    snprintf(p->step, sizeof p->step, "%.*s", (int)strcspn(r->at, " "), r->at);
    if (strpbrk(p->step, "0123456789") != NULL)
        reader_fail(r, "no step is called '%s'", p->step);
}
