/* What rows and columns are called, and queries and keys in sentences. */
#include "base/utf8.h"
#include "trace/build.h"

#include <string.h>

/* Of a label in a sentence, bytes; beside it the table has all of it. */
enum { LONGEST_NAME = 80 };

/* What the new keys are called where they are made of what the queries are made of: else there may
 * be more of them than names. */
static const text_list *names_of_self(const builder *b)
{
    const problem *asked = b->plan->asked;
    bool is_self =
        asked->in[INPUT_Q] == NULL && asked->in[INPUT_XK] == NULL && asked->in[INPUT_K] == NULL;
    return is_self ? asked->tokens : NULL;
}

/* Where they have names, or some of them have (build_name_keys). */
static const text_list *names_of_keys(const builder *b)
{
    if (b->trace->keys.count > 0)
        return &b->trace->keys;
    const text_list *own = b->plan->asked->key_tokens;
    return own != NULL ? own : names_of_self(b);
}

static const text_list *names_of_values(const builder *b)
{
    return b->trace->values.count > 0 ? &b->trace->values : names_of_keys(b);
}

static void add_name(builder *b, text_list *names, const char *name)
{
    if (!b->failed && !text_list_add(names, name, strlen(name), b->e))
        b->failed = true;
}

/* Those of the sequence behind so many that have none, then those that are appended. */
static void name_rows(builder *b, text_list *names, size_t unnamed, const text_list *own,
                      const char *learned)
{
    const plan *p = b->plan;
    for (size_t j = 0; j < plan_own_keys(p); j++)
        add_name(b, names, j < unnamed || own == NULL ? "" : own->item[j - unnamed]);
    if (p->bias_k.data != NULL)
        add_name(b, names, learned);
    if (p->asked->adds_zero)
        add_name(b, names, "zero");
}

void build_name_keys(builder *b)
{
    const plan *p = b->plan;
    const text_list *names = names_of_keys(b);
    size_t unnamed = p->asked->key_tokens == NULL ? p->past : 0;
    if (p->appended == 0 && (names == NULL || unnamed == 0))
        return;
    text_list *keys = &b->trace->keys, *values = &b->trace->values;
    name_rows(b, keys, unnamed, names, input_key(INPUT_BIAS_K));
    name_rows(b, values, unnamed, names, input_key(INPUT_BIAS_V));
}

trace_labels build_query_labels(const builder *b, const char *letter)
{
    return (trace_labels){b->plan->asked->tokens, letter};
}

trace_labels build_key_labels(const builder *b, const char *letter)
{
    return (trace_labels){names_of_keys(b), letter};
}

trace_labels build_value_labels(const builder *b, const char *letter)
{
    return (trace_labels){names_of_values(b), letter};
}

trace_labels build_column_labels(const builder *b)
{
    stage_id keys = b->plan->past > 0 ? STAGE_PRESENT_K : STAGE_K;
    return build_key_labels(b, stage_row(keys)->key.named.name);
}

trace_labels build_new_key_labels(const builder *b, const char *letter)
{
    return b->plan->past == 0 ? build_key_labels(b, letter)
                              : (trace_labels){names_of_self(b), letter};
}

trace_labels build_new_value_labels(const builder *b, const char *letter)
{
    return b->plan->past == 0 ? build_value_labels(b, letter)
                              : (trace_labels){names_of_self(b), letter};
}

trace_labels build_numbers(void)
{
    return (trace_labels){0};
}

static const char *name_of(builder *b, const text_list *names, const char *what, size_t index)
{
    if (names == NULL || *names->item[index] == '\0')
        return build_text(b, "%s %zu", what, index + 1);
    const char *name = names->item[index];
    int shown = (int)utf8_cut(name, strlen(name), LONGEST_NAME);
    return build_text(b, "%s %zu (%.*s)", what, index + 1, shown, name);
}

const char *build_query_name(builder *b)
{
    return name_of(b, b->plan->asked->tokens, "query", b->focus.row);
}

const char *build_key_name(builder *b, size_t j)
{
    return name_of(b, names_of_keys(b), "key", j);
}
