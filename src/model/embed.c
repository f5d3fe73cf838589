#include "model/embed.h"

#include "attn/engine/multiply.h"
#include "attn/spec/angle.h"
#include "attn/engine/positions.h"
#include "attn/spec/setting.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What x is read from, and what chooses of its rows: attention's own reading knows x, and tokens
 * with a vocab. */
static const char *const OF_ROWS[] = {"x",         "tokens", "vocab", "dtype",
                                      "positions", "offset", "rows"};
enum { KEYS_OF_ROWS = sizeof OF_ROWS / sizeof OF_ROWS[0] };

bool stack_begins_with(const char *name)
{
    size_t i = 0;
    while (i < KEYS_OF_ROWS && strcmp(OF_ROWS[i], name) != 0)
        i++;
    return i < KEYS_OF_ROWS;
}

const tensor *stack_row_of_id(const stack *s, size_t id, tensor *room)
{
    const tensor *embedding = bundle_tensor(s->document, "embedding");
    const entry *vocab = bundle_find(s->document, "vocab");
    if (embedding == NULL)
        return id < vocab->bundle->count ? &vocab->bundle->entry[id].tensor : NULL;
    if (id >= embedding->size[0])
        return NULL;
    *room = tensor_at(embedding, id);
    return room;
}

double stack_id_given(const tensor *ids, size_t i)
{
    size_t index[TENSOR_MAX_RANK] = {i};
    if (ids->rank == 2) {
        index[0] = i / ids->size[1];
        index[1] = i % ids->size[1];
    }
    return tensor_get(ids, ids->rank == 0 ? NULL : index);
}

const char *stack_word_of_id(const stack *s, size_t id)
{
    const entry *vocab = bundle_find(s->document, "vocab");
    return vocab != NULL ? vocab->bundle->entry[id].name : NULL;
}

const char *stack_name_of_id(const stack *s, size_t id, char digits[ID_DIGITS])
{
    const char *word = stack_word_of_id(s, id);
    snprintf(digits, ID_DIGITS, "%zu", id);
    return word != NULL ? word : digits;
}

size_t stack_ids(const stack *s)
{
    const tensor *embedding = bundle_tensor(s->document, "embedding");
    const entry *vocab = bundle_find(s->document, "vocab");
    return embedding != NULL ? embedding->size[0] : vocab != NULL ? vocab->bundle->count : 0;
}

void stack_take_row(const stack *s, const tensor *row, tensor *to)
{
    double unused;
    tensor_copy(row, to);
    if (s->row_scale != 1)
        s->isa->table(to->type)->scale(to->data, to->size[0], s->row_scale, to->data, &unused);
}

/* "ids[3]", or of a batch whose rows are so many numbers "ids[1,3]". */
static void write_element(char out[SHAPE_TEXT], const char *name, size_t i, size_t of_row)
{
    if (of_row == 0)
        snprintf(out, SHAPE_TEXT, "%s[%zu]", name, i + 1);
    else
        snprintf(out, SHAPE_TEXT, "%s[%zu,%zu]", name, i / of_row + 1, i % of_row + 1);
}

/* How many numbers a row of a batch has; 0: it is a list. */
static size_t numbers_of_row(const tensor *given)
{
    return given->rank == 2 ? given->size[1] : 0;
}

/* of_row: of ids that are a batch. */
static bool look_up(const stack *s, const size_t *ids, size_t count, size_t of_row, const place *at,
                    tensor *x, err *e)
{
    for (size_t i = 0; i < count; i++) {
        char shape[SHAPE_TEXT];
        tensor room;
        const tensor *row = stack_row_of_id(s, ids[i], &room);
        if (row == NULL) {
            write_element(shape, "ids", i, of_row);
            return err_at(e, at, "%s is %zu, and there are %zu rows to look up, from 0", shape,
                          ids[i], stack_ids(s));
        }
        if (row->rank != 1)
            return err_at(e, at, "the row of id %zu is %s, it must be one vector", ids[i],
                          tensor_shape_text(row, shape));
        if (i == 0 && !tensor_new(x, s->type, 2, (size_t[]){count, row->size[0]}, e))
            return false;
        if (row->size[0] != x->size[1])
            return err_at(e, at, "the row of id %zu is %zu wide, and the first one %zu", ids[i],
                          row->size[0], x->size[1]);
        tensor to = tensor_at(x, i);
        stack_take_row(s, row, &to);
    }
    return true;
}

/* Whole numbers, as they stand in a document; NULL where they are none, else to be freed. */
static size_t *read_whole(const entry *given, err *e)
{
    char shape[SHAPE_TEXT];
    size_t count = given->kind == ENTRY_TENSOR ? tensor_count(&given->tensor) : 0;
    if (given->kind != ENTRY_TENSOR)
        err_at(e, &given->at, "%s is \"%s\", it must be a list of whole numbers from 0",
               given->name, given->text);
    else if (count == 0)
        err_at(e, &given->at, "%s is an empty list, it must have whole numbers from 0",
               given->name);
    else if (given->tensor.rank > 2)
        err_at(e, &given->at, "%s is %s, it must be a list, or one a sequence", given->name,
               tensor_shape_text(&given->tensor, shape));
    if (e->is_set)
        return NULL;
    size_t *numbers = mem_alloc(count, sizeof numbers[0], e);
    for (size_t i = 0; numbers != NULL && i < count; i++) {
        double one = stack_id_given(&given->tensor, i);
        numbers[i] = one >= 0 && one <= SETTING_MOST_COUNT ? (size_t)one : 0;
        if ((double)numbers[i] == one)
            continue;
        char element[SHAPE_TEXT];
        write_element(element, given->name, i, numbers_of_row(&given->tensor));
        err_at(e, &given->at, "%s is %g, it must be a whole number from 0", element, one);
        mem_free(numbers);
        numbers = NULL;
    }
    return numbers;
}

/* ---- tables of which a row is added ---- */

static bool check_table(const entry *table, const char *of, size_t width, err *e)
{
    char shape[SHAPE_TEXT];
    const tensor *t = &table->tensor;
    return (t->rank == 2 && t->size[1] == width) ||
           err_at(e, &table->at, "%s is %s, and %s has %zu columns", table->name,
                  tensor_shape_text(t, shape), of, width);
}

/* Whose rows are added to those that are there. */
static bool check_added(const stack *s, const entry *table, err *e)
{
    const char *of = s->product.is_of_looked_up ? "embed.output" : "x";
    return check_table(table, of, s->embedded.size[1], e);
}

static void add_row_of(stack *s, const tensor *table, size_t row, size_t to)
{
    tensor added = tensor_at(table, row), sum = tensor_at(&s->embedded, to);
    s->isa->table(s->type)->add(sum.data, sum.size[0], added.data, added.stride[0], sum.data);
}

/* ---- segments ---- */

/* Of all entries of a batch, which may share their segments. Rows that a generation adds are of the
 * prompt's last segment. */
size_t stack_segment_of_row(const stack *s, size_t row)
{
    const tensor *given = bundle_tensor(s->document, "segments");
    if (given == NULL)
        return 0;
    size_t at = given->rank == 2 ? row : s->before + row % s->rows, last = tensor_count(given) - 1;
    return (size_t)stack_id_given(given, at < last ? at : last);
}

static bool check_segments(const stack *s, err *e)
{
    const entry *given = bundle_find(s->document, "segments"),
                *table = bundle_find(s->document, "segment_embedding");
    if (table == NULL)
        return given == NULL ||
               err_at(e, &given->at, "segments pick rows of segment_embedding, and there is none");
    if (!check_added(s, table, e))
        return false;
    size_t rows = table->tensor.size[0];
    if (given == NULL)
        return true;
    size_t *segment = read_whole(given, e);
    if (segment == NULL)
        return false;
    size_t count = tensor_count(&given->tensor), of_row = numbers_of_row(&given->tensor);
    char shape[SHAPE_TEXT];
    if (of_row > 0 && (given->tensor.size[0] != s->batches || of_row != s->rows))
        err_at(e, &given->at, "segments is %s, and there are %zu sequences of %zu rows",
               tensor_shape_text(&given->tensor, shape), s->batches, s->rows);
    else if (of_row == 0 && count != s->rows)
        err_at(e, &given->at, "segments is %zu long, and there are %zu rows", count, s->rows);
    for (size_t i = 0; i < count && !e->is_set; i++) {
        write_element(shape, given->name, i, of_row);
        if (segment[i] >= rows)
            err_at(e, &given->at, "%s is %zu, and segment_embedding ends with row %zu, from 0",
                   shape, segment[i], rows - 1);
    }
    mem_free(segment);
    return !e->is_set;
}

/* ---- rows ---- */

static bool take_rows(stack *s, const tensor *x, const place *at, err *e)
{
    char shape[SHAPE_TEXT];
    if (x->rank != 2 && x->rank != 3) {
        err_at(e, at, "x is %s, it must be n x m, or b x n x m", tensor_shape_text(x, shape));
        return tensor_suggest_row(x, e);
    }
    s->batches = x->rank == 3 ? x->size[0] : 0;
    s->rows = x->size[x->rank - 2];
    s->table_width = x->size[x->rank - 1];
    if (!tensor_new(&s->embedded, s->type, x->rank, x->size, e))
        return false;
    tensor_copy(x, &s->embedded);
    size_t flat[] = {s->rows * (s->batches == 0 ? 1 : s->batches), s->table_width};
    tensor_own(&s->embedded, s->type, 2, flat, s->embedded.data);
    return true;
}

/* Rows that are given, or those of ids. An id has one row, whoever asks: a prompt, a step, or the
 * logits that are tied to it; and steps look up rows that the prompt did not. */
static bool find_rows(stack *s, const problem *asked, err *e)
{
    char shape[SHAPE_TEXT];
    const entry *ids = bundle_find(s->document, "ids"),
                *layers = bundle_find(s->document, "layers"),
                *vocab = bundle_find(s->document, "vocab"),
                *embedding = bundle_find(s->document, "embedding");
    const tensor *x = asked->in[INPUT_X];
    place nowhere = {0};
    if (vocab != NULL && embedding != NULL) {
        err_at(e, &vocab->at,
               "vocab and embedding are both given, and each says what rows ids have");
        return err_remedy(e, "words and ids are looked up in one of them: leave the other out");
    }
    if (embedding != NULL && embedding->tensor.rank != 2)
        return err_at(e, &embedding->at, "embedding is %s, it must be a matrix, a row for each id",
                      tensor_shape_text(&embedding->tensor, shape));
    if (x == NULL && ids == NULL)
        return err_at(
            e, layers == NULL ? &nowhere : &layers->at,
            "there is nothing to begin with: neither x, nor tokens with a vocab, nor ids");
    if (x != NULL && ids != NULL)
        return err_at(e, &ids->at, "ids are given, and so are the rows that they would look up");
    if (x == NULL && embedding == NULL && vocab == NULL) {
        err_at(e, &ids->at, "ids are given, and there is no embedding to look them up in");
        return err_remedy(e, "its rows are those of the ids, from 0; a vocab's words do as well");
    }
    tensor looked_up = {0};
    size_t *number = x == NULL ? read_whole(ids, e) : NULL,
           of_row = x == NULL ? numbers_of_row(&ids->tensor) : 0;
    bool done = x != NULL ? take_rows(s, x, &asked->at[INPUT_X], e)
                          : number != NULL && look_up(s, number, tensor_count(&ids->tensor), of_row,
                                                      &ids->at, &looked_up, e);
    if (done && of_row > 0) {
        const size_t size[] = {ids->tensor.size[0], of_row, looked_up.size[1]};
        tensor_own(&looked_up, s->type, 3, size, looked_up.data);
    }
    done = done && (x != NULL || take_rows(s, &looked_up, &ids->at, e));
    mem_free(number);
    tensor_free(&looked_up);
    if (!done || embedding != NULL)
        return done && check_table(embedding, "x", s->table_width, e);
    for (size_t i = 0; vocab != NULL && i < vocab->bundle->count; i++) {
        const entry *word = &vocab->bundle->entry[i];
        if (word->tensor.rank != 1 || word->tensor.size[0] != s->table_width)
            return err_at(e, &word->at, "vocab.%s is %s, and x has %zu columns", word->name,
                          tensor_shape_text(&word->tensor, shape), s->table_width);
    }
    return true;
}

/* ---- the product ---- */

const char EMBED[] = "embed";

bool stack_ends_with_product(const stack *s)
{
    return s->product.w.data != NULL && !s->product.is_of_looked_up;
}

const char *stack_begin_name(const stack *s)
{
    return stack_ends_with_product(s) ? "embed.output" : s->has_first ? "ln_e" : "embedded";
}

/* Of the rows that were found; without one the layers are as wide as these. */
static bool read_product(stack *s, err *e)
{
    static const named ROWS[] = {{"layers", "of the rows that go into the first layer"},
                                 {"positions", "of the rows that are looked up alone"}};
    static const named_table BEFORE = NAMED_TABLE("before", ROWS);
    const entry *given = bundle_find(s->document, EMBED);
    embed_product *p = &s->product;
    s->width = s->table_width;
    if (given == NULL)
        return true;
    const entry *w = bundle_find(given->bundle, "w"), *said = bundle_find(given->bundle, "before");
    const named *word = said == NULL ? &ROWS[0] : setting_word(said, &BEFORE, "", e);
    if (word == NULL)
        return false;
    if (w == NULL)
        return err_at(e, &given->at, "embed is given, and it has no w");
    p->is_of_looked_up = word == &ROWS[1];
    if (!weight_fit(w, setting_is_out_in(bundle_find(s->document, "layout")), s->table_width, 0,
                    &p->w, e))
        return err_within(e, EMBED);
    s->width = p->w.size[1];
    return vector_read(given->bundle, "b", EMBED, s->width, &p->b, e);
}

/* Before anything is added to the rows: what it makes takes their place. */
static bool apply_product(stack *s, err *e)
{
    embed_product *p = &s->product;
    const size_t size[] = {s->embedded.size[0], s->width};
    crew alone;
    if (p->w.data == NULL || !p->is_of_looked_up)
        return true;
    p->given = s->embedded;
    s->embedded = (tensor){0};
    crew_open(&alone, 1);
    bool done = tensor_new(&p->made, s->type, 2, size, e) &&
                multiply(s->isa->table(s->type), &p->given, &p->w, &p->b, &p->made, &alone, e) &&
                tensor_new_copy(&s->embedded, &p->made, e);
    crew_close(&alone);
    return done;
}

/* ---- segments, positions ---- */

/* Rows of tables, of segments and then of positions, and waves. */
static bool add_segments_and_positions(stack *s, err *e)
{
    const entry *learned = bundle_find(s->document, "position_embedding");
    const tensor *segments = bundle_tensor(s->document, "segment_embedding");
    size_t first = s->first_position + s->before;
    for (size_t i = 0; segments != NULL && i < s->embedded.size[0]; i++)
        add_row_of(s, segments, stack_segment_of_row(s, i), i);
    if (learned != NULL) {
        const tensor *table = &learned->tensor;
        if (!check_added(s, learned, e))
            return false;
        if (first + s->rows > table->size[0])
            return err_at(
                e, &learned->at,
                "position_embedding ends before position %zu, from 0, and the last row of x "
                "stands at %zu",
                table->size[0], first + s->rows - 1);
        for (size_t i = 0; i < s->embedded.size[0]; i++)
            add_row_of(s, table, first + i % s->rows, i);
    }
    if (!s->adds_sinusoids)
        return true;
    size_t size[] = {s->batches == 0 ? 1 : s->batches, s->rows, s->embedded.size[1]};
    double last = (double)first + (double)(s->rows - 1);
    if (last > ANGLE_POSITION_MOST)
        return err_set(e, "the last row's position is %.0f, a sinusoid knows positions to %.0f",
                       last, ANGLE_POSITION_MOST);
    tensor rows; /* the same, of which each entry is counted; borrowed */
    tensor_own(&rows, s->type, 3, size, s->embedded.data);
    return sinusoid_add_rows(&rows, (double)first, s->isa->table(s->type), &rows, e);
}

bool stack_embed_ids(stack *s, const size_t *ids, size_t count, err *e)
{
    static const place NOWHERE = {0};
    tensor looked_up = {0};
    bool done = look_up(s, ids, count, 0, &NOWHERE, &looked_up, e) &&
                take_rows(s, &looked_up, &NOWHERE, e) && apply_product(s, e) &&
                add_segments_and_positions(s, e);
    tensor_free(&looked_up);
    return done;
}

bool stack_embed(stack *s, err *e)
{
    const entry *scale = bundle_find(s->document, "embedding_scale");
    problem asked = {0};
    bundle rows = {0};
    bool done = true;
    for (size_t i = 0; i < KEYS_OF_ROWS && done; i++) {
        const entry *given = bundle_find(s->document, OF_ROWS[i]);
        done = given == NULL || bundle_borrow(&rows, OF_ROWS[i], given, e) != NULL;
    }
    done = done && problem_read(&asked, &rows, e);
    s->type = asked.type;
    s->first_position = asked.offset;
    s->adds_sinusoids = asked.adds_positions;
    s->row_scale = 1;
    done = done && (scale == NULL || setting_number(scale, 0, &s->row_scale, e)) &&
           find_rows(s, &asked, e) &&
           plan_check_names(&asked, asked.tokens, "tokens", s->rows, e) && read_product(s, e) &&
           apply_product(s, e) && check_segments(s, e) && add_segments_and_positions(s, e);
    problem_free(&asked);
    bundle_free(&rows);
    return done;
}
