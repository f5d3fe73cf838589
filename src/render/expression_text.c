#include "render/expression_text.h"

#include "render/asked.h"
#include "render/brackets.h"

/* Up to 16 terms are read one by one; of more, the first 8 and the last 3 say how it goes. */
enum { MOST_TERMS = 16, FIRST_TERMS = 8, LAST_TERMS = 3 };

/* An expression being written. */
typedef struct writer {
    text *out;
    const trace_item *item;
    const render_options *how;
} writer;

/* A number, or a vector's element. */
static double element(const tensor *of, size_t index)
{
    tensor row = matrix_of(of);
    return matrix_at(&row, 0, of->rank == 0 ? 0 : index);
}

static selection shown_terms(const tensor *of, const render_options *how)
{
    size_t count = of->rank == 0 ? 1 : of->size[0];
    if (how->is_full || count <= MOST_TERMS)
        return selection_all(count);
    return (selection){.total = count, .front = FIRST_TERMS, .back = LAST_TERMS};
}

static bool is_asked(const writer *w, const tensor *of, size_t index)
{
    tensor one = of->rank == 0 ? *of : tensor_at(of, index);
    asked_numbers number = asked_find(w->how->asked, &one);
    return asked_hides(&number, 0, 0);
}

static void add_number(const writer *w, const tensor *of, size_t index)
{
    if (is_asked(w, of, index))
        text_add_string(w->out, ASKED_SIGN);
    else
        number_text_add(w->out, element(of, index), w->how->digits);
}

/* A negative number behind an operator stands in parentheses. */
static void add_operand(const writer *w, const tensor *of, size_t index)
{
    if (is_asked(w, of, index))
        text_add_string(w->out, ASKED_SIGN);
    else
        number_text_add_operand(w->out, element(of, index), w->how->digits);
}

/* ---- one term for each element ---- */

static void add_dot_term(const writer *w, size_t index)
{
    add_operand(w, &w->item->a, index);
    text_add_string(w->out, "·");
    add_operand(w, &w->item->b, index);
}

static void add_additive_term(const writer *w, size_t index)
{
    add_operand(w, &w->item->c, index);
    text_add_string(w->out, "·tanh(");
    add_number(w, &w->item->a, index);
    text_add_string(w->out, " + ");
    add_operand(w, &w->item->b, index);
    if (w->item->d.data != NULL) {
        text_add_string(w->out, " + ");
        add_operand(w, &w->item->d, index);
    }
    text_add_string(w->out, ")");
}

static void add_bent_term(const writer *w, size_t index)
{
    add_operand(w, &w->item->c, index);
    text_add_string(w->out, "·");
    add_operand(w, &w->item->inner, index);
}

static void add_sum_term(const writer *w, size_t index)
{
    if (index == 0)
        add_number(w, &w->item->a, index);
    else
        add_operand(w, &w->item->a, index);
}

static void add_list_term(const writer *w, size_t index)
{
    add_number(w, &w->item->a, index);
}

static void add_entropy_term(const writer *w, size_t index)
{
    if (element(&w->item->a, index) == 0 && !is_asked(w, &w->item->a, index)) {
        text_add_string(w->out, "0");
        return;
    }
    add_number(w, &w->item->a, index);
    text_add_string(w->out, "·ln(");
    add_number(w, &w->item->a, index);
    text_add_string(w->out, ")");
}

typedef struct series {
    const char *before, *between, *after;
    void (*add_term)(const writer *w, size_t index);
    /* How c stands behind the others, where there is one and it takes part. */
    void (*add_more)(const writer *w, const tensor *of, size_t index);
} series;

static void add_series(const writer *w, const series *like, const selection *terms)
{
    text_add_string(w->out, like->before);
    for (size_t slot = 0; slot < selection_count(terms); slot++) {
        size_t index = selection_at(terms, slot);
        text_add_string(w->out, slot > 0 ? like->between : "");
        if (index == SELECTION_GAP)
            text_add_string(w->out, "…");
        else
            like->add_term(w, index);
    }
    if (like->add_more != NULL && w->item->c.data != NULL) {
        text_add_string(w->out, like->between);
        like->add_more(w, &w->item->c, 0);
    }
    text_add_string(w->out, like->after);
}

/* ---- values ---- */

void expression_add_value(text *out, const tensor *value, const render_options *how)
{
    static const series VECTOR = {"[", ",\n ", "]", add_list_term, NULL};
    trace_item alone = {.a = *value};
    writer w = {.out = out, .item = &alone, .how = how};
    selection shown = shown_terms(value, how);
    if (value->rank == 0)
        add_number(&w, value, 0);
    else
        add_series(&w, &VECTOR, &shown);
}

/* ---- two operands ---- */

typedef struct pair {
    const char *before, *between, *after;
    bool is_product;          /* whose first operand is a factor too */
    bool begins_with_operand; /* the second one stands before all */
} pair;

static void add_value_operand(const writer *w, const tensor *value)
{
    if (value->rank == 0)
        add_operand(w, value, 0);
    else
        expression_add_value(w->out, value, w->how);
}

static void add_pair(const writer *w, const pair *like)
{
    if (like->begins_with_operand)
        add_value_operand(w, &w->item->b);
    text_add_string(w->out, like->before);
    if (like->is_product)
        add_value_operand(w, &w->item->a);
    else
        expression_add_value(w->out, &w->item->a, w->how);
    if (w->item->b.data != NULL) {
        text_add_string(w->out, like->between);
        add_value_operand(w, &w->item->b);
    }
    text_add_string(w->out, like->after);
}

/* ---- the whole ---- */

bool expression_is_change(operation op)
{
    return op == OP_ROUND || op == OP_HIDE;
}

void expression_add(text *out, const trace_item *item, const render_options *how, size_t *left_out)
{
    static const series SERIES[] = {
        [OP_DOT] = {"", "\n + ", "", add_dot_term, add_operand},
        [OP_DIFFERENCE] = {"", "\n − ", "", add_dot_term, NULL},
        [OP_ADDITIVE] = {"", "\n + ", "", add_additive_term, NULL},
        [OP_SUM] = {"", "\n + ", "", add_sum_term, add_operand},
        [OP_MAX] = {"max(", ",\n ", ")", add_list_term, add_number},
        [OP_ENTROPY] = {"−(", "\n + ", ")", add_entropy_term, NULL},
        [OP_HIDE] = {0},
    };
    static const char *const SINGLES[] = {
        [OP_ROUND] = "", [OP_INVERSE_ROOT] = "1/√", [OP_HIDE] = ""};
    static const pair PAIRS[] = {
        [OP_TIMES] = {"", "·", "", .is_product = true},
        [OP_CAP] = {"·tanh(", " / ", ")", .begins_with_operand = true},
        [OP_ROOT_OF_SUM] = {"1/√(", " + ", ")", .is_product = false},
        [OP_PLUS] = {"", "\n + ", "", .is_product = false},
        [OP_EXP] = {"exp(", " − ", ")", .is_product = false},
        [OP_DIVIDE] = {"", "\n / ", "", .is_product = false},
        [OP_PLUS_LOG] = {"", " + ln(", ")", .is_product = false},
        [OP_HIDE] = {0},
    };
    writer w = {.out = out, .item = item, .how = how};
    *left_out = 0;
    if (SERIES[item->op].add_term != NULL) {
        selection terms = shown_terms(&item->a, how);
        *left_out = terms.front < terms.total ? terms.total : 0;
        add_series(&w, &SERIES[item->op], &terms);
    } else if (PAIRS[item->op].between != NULL)
        add_pair(&w, &PAIRS[item->op]);
    else if (SINGLES[item->op] != NULL) {
        text_add_string(out, SINGLES[item->op]);
        expression_add_value(out, &item->a, how);
    }
    if (item->op == OP_PLUS && item->c.data != NULL) {
        text_add_string(out, "\n − ");
        add_value_operand(&w, &item->c);
        text_add_string(out, "·");
        add_value_operand(&w, &item->d);
    }
}

void expression_add_inner(text *out, const trace_item *item, const render_options *how)
{
    static const series BENT = {"", "\n + ", "", add_bent_term, NULL};
    writer w = {.out = out, .item = item, .how = how};
    if (item->inner.data == NULL)
        return;
    if (item->op == OP_ADDITIVE) {
        selection terms = shown_terms(&item->a, how);
        add_series(&w, &BENT, &terms);
    } else if (item->op == OP_CAP) {
        add_value_operand(&w, &item->b);
        text_add_string(out, "·");
        add_value_operand(&w, &item->inner);
    } else {
        text_add_string(out, "1/√");
        add_number(&w, &item->inner, 0);
    }
}
