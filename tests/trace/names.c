#include "names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What a stage's rows and columns are: queries (q), keys (k), new keys (n), values (v), new values
 * (w) or numbers (-). Of all keys the letter k is present_k behind a cache. */
typedef struct stage_labels {
    const char *name, *rows, *columns;
    char row_is, column_is;
} stage_labels;

static const stage_labels LABELS[] = {
    {"x_pos", "x", NULL, 'q', '-'},
    {"x", "x", NULL, 'q', '-'},
    {"xk", "xk", NULL, 'n', '-'},
    {"xv", "xv", NULL, 'w', '-'},
    {"q", "q", NULL, 'q', '-'},
    {"k", "k", NULL, 'n', '-'},
    {"v", "v", NULL, 'w', '-'},
    {"q_score", "q", NULL, 'q', '-'},
    {"k_score", "k", NULL, 'k', '-'},
    {"scores", "q", "k", 'q', 'k'},
    {"scaled", "q", "k", 'q', 'k'},
    {"masked", "q", "k", 'q', 'k'},
    {"weights", "q", "k", 'q', 'k'},
    {"rounded", "q", "k", 'q', 'k'},
    {"bias", "q", "k", 'q', 'k'},
    {"attended", NULL, NULL, 'q', '-'},
    {"context", NULL, NULL, 'q', '-'},
    {"output", NULL, NULL, 'q', '-'},
    {"past_k", "past_k", NULL, 'k', '-'},
    {"q_norm", "q", NULL, 'q', '-'},
    {"q_rope", "q", NULL, 'q', '-'},
    {"k_rope", "k", NULL, 'n', '-'},
    {"k_norm", "k", NULL, 'n', '-'},
    {"past_v", "past_v", NULL, 'v', '-'},
    {"present_k", "present_k", NULL, 'k', '-'},
    {"present_v", "present_v", NULL, 'v', '-'},
    {"capped", "q", "k", 'q', 'k'},
};

/* x, where the queries come from elsewhere: then its rows are keys. */
static bool is_keys_only(const truth *t, const char *name)
{
    return strcmp(name, "x") == 0 && truth_source(t, 'q') == NULL;
}

static const text_list *names_of(const truth *t, char rows)
{
    switch (rows) {
    case 'q':
    case 'k':
        return truth_tokens(t, rows == 'k');
    case 'v':
        return truth_value_tokens(t);
    case 'n':
        return truth_new_tokens(t);
    case 'w':
        return truth_new_value_tokens(t);
    default:
        return NULL;
    }
}

static const char *letter_of(const truth *t, char is, const char *letter)
{
    bool is_key = is == 'k' && strcmp(letter, "k") == 0;
    return is_key && t->n_new < t->n_k ? "present_k" : letter;
}

static void set_labels(const truth *t, const char *name, named_matrix *m)
{
    for (size_t i = 0; i < sizeof LABELS / sizeof LABELS[0]; i++) {
        const stage_labels *l = &LABELS[i];
        if (strcmp(l->name, name) != 0)
            continue;
        m->column_names = names_of(t, l->column_is);
        m->columns = letter_of(t, l->column_is, l->columns);
        if (strcmp(name, "bias") == 0 && truth_has_one_bias(t))
            continue;
        m->rows = letter_of(t, l->row_is, l->rows);
        m->row_names = names_of(t, l->row_is == 'q' && is_keys_only(t, name) ? 'n' : l->row_is);
        bool is_new = l->row_is == 'n' || l->row_is == 'w';
        m->focus = 1 + (is_new ? truth_key_row(t) : t->how.row);
    }
}

/* Wq, bo, va, …: the document's own, in lower case. */
static tensor parameter(const truth *t, const char *label, bool is_of_head, size_t head)
{
    char key[3] = "";
    snprintf(key, sizeof key, "%.2s", label);
    key[0] = (char)tolower((unsigned char)key[0]);
    const tensor *given = bundle_tensor(&t->document, key);
    bool is_matrix = key[0] == 'w' || key[0] == 'u';
    bool is_score = strcmp(key, "ws") == 0 || strcmp(key, "wa") == 0 || strcmp(key, "ua") == 0;
    if (strlen(label) != 2 || given == NULL)
        return (tensor){0};
    if (!is_matrix)
        return tensor_view_of(given);
    return is_of_head || is_score ? truth_weight_of_head(t, key, head) : truth_weight(t, key);
}

/* " in head 2" and ", head 2 of 4" are cut off the name; the head, or the focus's. */
static size_t take_head(reader *r, char *name, bool *is_said)
{
    const truth *t = r->of;
    size_t head = 0, heads = t->heads;
    char *at = strstr(name, ", head "), *in = strstr(name, " in head ");
    *is_said = at != NULL || in != NULL;
    if (at != NULL && sscanf(at, ", head %zu of %zu", &head, &heads) == 2)
        *at = '\0';
    else if (in != NULL && sscanf(in, " in head %zu", &head) == 1)
        *in = '\0';
    if (*is_said && (!t->has_heads || head == 0 || head > t->heads || heads != t->heads))
        reader_fail(r, "no such head: '%s'", name);
    if (in == NULL || r->failed)
        return r->failed || !*is_said ? t->how.head : head - 1;
    /* What is in one head is of the focus's, or of the one whose keys and values that shares. */
    bool is_shared = strchr("kvp", tolower((unsigned char)name[0])) != NULL ||
                     strcmp(name, "Wk") == 0 || strcmp(name, "Wv") == 0;
    if (t->how.is_full && strchr(name, '[') == NULL)
        return is_shared ? (head - 1) * (t->heads / t->kv_heads) : head - 1;
    if (head - 1 != (is_shared ? truth_kv_head(t, t->how.head) : t->how.head))
        reader_fail(r, "'%s' is of head %zu", name, head);
    return t->how.head;
}

/* "x[2]", a row of x: cut off the name. 0 where none is said. */
static size_t take_row(reader *r, char *name)
{
    size_t row = 0;
    char *at = strchr(name, '[');
    if (at == NULL)
        return 0;
    if (sscanf(at, "[%zu]", &row) != 1 ||
        (row != r->of->how.row + 1 && row != truth_key_row(r->of) + 1))
        reader_fail(r, "'%s' is no row in focus", name);
    *at = '\0';
    return row;
}

/* What is the same for all queries is one row, which no query labels. */
static tensor bias_shown(const truth *t)
{
    tensor bias = truth_bias(t);
    if (truth_has_one_bias(t))
        bias.size[0] = 1;
    return bias;
}

static tensor stage_named(const truth *t, const char *name, size_t head, bool is_of_head)
{
    size_t length = strlen(truth_last_form(t, 'k'));
    bool is_turned =
        strncmp(name, truth_last_form(t, 'k'), length) == 0 && strcmp(name + length, "ᵀ") == 0;
    bool is_whole = !is_of_head && !is_turned;
    if (strcmp(name, "bias") == 0)
        return bias_shown(t);
    if (strcmp(name, "joined") == 0)
        return truth_joined(t, &name);
    if (is_turned) {
        tensor k = truth_stage(t, truth_last_form(t, 'k'), head);
        return tensor_transposed(&k);
    }
    if (strcmp(name + strcspn(name, "_"), "_gain") == 0)
        return truth_gain(t, name[0], head);
    tensor rows = truth_rows(t, name);
    static const char SIDE_BY_SIDE[] = " q k v x x_pos xk xv context output past_k past_v "
                                       "present_k present_v ";
    char word[96];
    snprintf(word, sizeof word, " %s ", name);
    if (is_whole && rows.data != NULL && rows.rank == 2 && strstr(SIDE_BY_SIDE, word) != NULL)
        return rows;
    return truth_stage(t, name, head);
}

named_matrix matrix_named(reader *r, const char *page_name)
{
    char name[80];
    bool is_said;
    named_matrix m = {0};
    if (strncmp(page_name, "× ", strlen("× ")) == 0)
        page_name += strlen("× ");
    else if (strncmp(page_name, "= ", 2) == 0)
        page_name += 2;
    snprintf(name, sizeof name, "%s", page_name);
    size_t head = take_head(r, name, &is_said), row = take_row(r, name);
    m.numbers = stage_named(r->of, name, head, is_said);
    if (m.numbers.data == NULL)
        m.numbers = parameter(r->of, name, is_said, head);
    if (m.numbers.data == NULL)
        reader_fail(r, "nothing is called '%s'", page_name);
    else if (row > 0)
        m.numbers = tensor_at(&m.numbers, row - 1);
    else
        set_labels(r->of, name, &m);
    return m;
}

void read_label(reader *r, const char *letter, const text_list *names, size_t index)
{
    char made[64];
    const char *label = made, *cut = strstr(r->at, "…");
    if (names != NULL && *names->item[index] != '\0')
        label = names->item[index];
    else if (letter == NULL)
        snprintf(made, sizeof made, "%zu", index + 1);
    else
        snprintf(made, sizeof made, strchr(letter, '[') != NULL ? "%s,%zu]" : "%s[%zu]", letter,
                 index + 1);
    if (reader_sees(r, label))
        return;
    size_t length = cut == NULL ? 0 : (size_t)(cut - r->at);
    if (length == 0 || length >= strlen(label) || strncmp(r->at, label, length) != 0)
        reader_fail(r, "expected the label '%s', found '%.40s'", label, r->at);
    else
        r->at = cut + strlen("…");
}

tensor as_matrix(const tensor *t)
{
    tensor m = tensor_view_of(t);
    for (; m.rank < 2; m.rank++) {
        m.size[1] = m.rank == 0 ? 1 : m.size[0];
        m.stride[1] = m.rank == 0 ? 1 : m.stride[0];
        m.size[0] = 1;
        m.stride[0] = 0;
    }
    return m;
}
