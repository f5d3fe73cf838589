#include "cli/check/check_answers.h"

#include "base/mem.h"
#include "base/nearest.h"
#include "cli/check/checker.h"
#include "cli/line/options_parse.h"
#include "cli/out/said.h"
#include "compare/measure.h"
#include "model/stages.h"
#include "render/answer.h"
#include "render/asked.h"
#include "render/display.h"
#include "render/html_english.h"
#include "render/number_text.h"

#include <math.h>
#include <string.h>

bool check_page_saves(const char *name)
{
    return strcmp(name, CHECK_COMMAND) == 0 || strcmp(name, CHECK_DOCUMENT) == 0 ||
           strcmp(name, CHECK_BATCH) == 0 ||
           strncmp(name, CHECK_ASKED, sizeof CHECK_ASKED - 1) == 0;
}

/* ---- what no page saves ---- */

static bool check_asked(const bundle *answers, const entry *one, const char *name, err *e)
{
    const entry *to = bundle_find(answers, name);
    if (to == NULL || to->kind != ENTRY_TENSOR) {
        size_t length = strlen(name);
        nearest near = nearest_to(name, length, spelling_reach(length));
        for (size_t i = 0; i < answers->count; i++) {
            const entry *other = &answers->entry[i];
            if (other->kind == ENTRY_TENSOR && other->name[0] != '_')
                nearest_is_nearer(&near, other->name);
        }
        err_at(e, &one->at, "%s says what was asked for, and there are no answers to \"%s\"",
               one->name, name);
        return near.found != NULL &&
               err_remedy(e, "did you mean \"%s%s\"?", CHECK_ASKED, near.found);
    }
    if (one->kind != ENTRY_TENSOR)
        return err_at(e, &one->at, "%s must be a matrix of 1 and 0", one->name);
    if (!tensor_same_shape(&one->tensor, &to->tensor)) {
        char own[SHAPE_TEXT], shape[SHAPE_TEXT];
        return err_at(e, &one->at, "%s is %s, and %s is %s", one->name,
                      tensor_shape_text(&one->tensor, own), to->name,
                      tensor_shape_text(&to->tensor, shape));
    }
    element at = {.stage = name, .axes = to->axes, .rank = to->tensor.rank};
    do {
        double value = tensor_get(&one->tensor, at.index);
        if (value != 0 && value != 1) {
            text cell = {0};
            element_write_name(&at, &cell);
            text_ok(&cell, e); /* the first error stays */
            err_at(e, &one->at, "%s%s must be 1 (asked for) or 0", CHECK_ASKED, text_string(&cell));
            text_free(&cell);
            return false;
        }
    } while (tensor_next(&one->tensor, at.index));
    return true;
}

bool check_page(const bundle *answers, err *e)
{
    const entry *command = bundle_find(answers, CHECK_COMMAND);
    const entry *batch = bundle_find(answers, CHECK_BATCH);
    const entry *of = bundle_find(answers, CHECK_DOCUMENT);
    if (command != NULL && (command->kind != ENTRY_TEXT || (strcmp(command->text, "encode") != 0 &&
                                                            strcmp(command->text, "decode") != 0)))
        return err_at(e, &command->at, "%s must be \"encode\" or \"decode\"", command->name);
    if (of != NULL && of->kind != ENTRY_TEXT)
        return err_at(e, &of->at, "%s must be a name", of->name);
    if (batch != NULL) {
        bool is_number = batch->kind == ENTRY_TENSOR && batch->tensor.rank == 0;
        double number = is_number ? tensor_get(&batch->tensor, NULL) : 0;
        if (!(number >= 1 && number == floor(number)))
            return err_at(e, &batch->at, "%s must be a whole number from 1", batch->name);
    }
    for (size_t i = 0; i < answers->count; i++) {
        const entry *one = &answers->entry[i];
        /* The stage that it says the cells of; NULL: it is something else. */
        size_t length = sizeof CHECK_ASKED - 1;
        const char *name = strncmp(one->name, CHECK_ASKED, length) == 0 ? one->name + length : NULL;
        if (name != NULL && !check_asked(answers, one, name, e))
            return false;
    }
    return true;
}

/* ---- the marks of a class: collecting ---- */

typedef struct marked_file {
    double *mark; /* by question; those after the last one are holes */
    size_t marks, capacity;
    size_t asked, right;
} marked_file;

static bool marks_add(check_marks *m, const char *question, double mark, err *e)
{
    marked_file *to = &m->marked[m->file.count];
    text_list *all = &m->question;
    /* Files of one exercise have their questions in one order. */
    size_t at = to->marks;
    if (at >= all->count || strcmp(all->item[at], question) != 0) {
        const char *there = text_list_find(all, question);
        for (at = 0; at < all->count && all->item[at] != there;)
            at++;
        if (there == NULL && !text_list_add(all, question, strlen(question), e))
            return false;
    }
    while (to->marks <= at) {
        double *grown = mem_grow(to->mark, to->marks, &to->capacity, sizeof grown[0], e);
        if (grown == NULL)
            return false;
        to->mark = grown;
        to->mark[to->marks++] = tensor_hole();
    }
    to->mark[at] = mark;
    to->asked++;
    to->right += mark == 1;
    return true;
}

/* A row begins at the end. */
static marked_file *marks_begin(check_marks *m, err *e)
{
    size_t had = m->capacity;
    marked_file *grown = mem_grow(m->marked, m->file.count, &m->capacity, sizeof grown[0], e);
    if (grown == NULL)
        return NULL;
    memset(grown + had, 0, (m->capacity - had) * sizeof grown[0]);
    m->marked = grown;
    marked_file *begun = &m->marked[m->file.count];
    begun->marks = begun->asked = begun->right = 0;
    return begun;
}

static bool marks_end(check_marks *m, const char *file, const char *error, err *e)
{
    return text_list_add(&m->error, error, strlen(error), e) &&
           text_list_add(&m->file, file, strlen(file), e);
}

bool check_marks_add_bad(check_marks *m, const char *file, const char *error, err *e)
{
    return marks_begin(m, e) != NULL && marks_end(m, file, error, e);
}

void check_marks_free(check_marks *m)
{
    for (size_t i = 0; i < m->capacity; i++)
        mem_free(m->marked[i].mark);
    mem_free(m->marked);
    text_list_free(&m->question);
    text_list_free(&m->file);
    text_list_free(&m->error);
}

/* ---- writing ---- */

static const format *format_of(const options *o)
{
    return output_format_or(o, output_data_file(o), "csv");
}

bool check_marks_check(const options *o, err *e)
{
    const format *to = format_of(o);
    if (to->holds & (HOLDS_LABELS | HOLDS_ALL))
        return true;
    err_set(e, "%s has no place for the names of files and questions", to->title);
    return err_remedy(e, "CSV, TSV and JSON have");
}

bool check_marks_write(check_marks *m, const options *o, err *e)
{
    write_options how = {.digits = -1, .csv_safe = o->csv_safe};
    const format *to = format_of(o);
    const size_t questions = m->question.count, size[] = {m->file.count, questions + 2};
    bundle table = {0};
    sink out = {0};
    tensor all;
    if (m->file.count == 0)
        return true;
    size_t bad = 0;
    for (size_t i = 0; i < size[0]; i++)
        bad += m->error.item[i][0] != '\0';
    bool has_column = bad > 0 && (to->holds & HOLDS_ALL) == 0;
    if (has_column)
        how.errors = &m->error;
    bool done =
        text_list_add(&m->question, "right", strlen("right"), e) &&
        text_list_add(&m->question, "of", strlen("of"), e) &&
        bundle_add_list(&table, "rows", &m->file, (place){0}, e) &&
        bundle_add_list(&table, "columns", &m->question, (place){0}, e) &&
        (bad == 0 || has_column || bundle_add_list(&table, "error", &m->error, (place){0}, e)) &&
        tensor_new(&all, DTYPE_F64, 2, size, e) &&
        bundle_add_tensor(&table, "marks", &all, (place){0}, e);
    const tensor *marks = bundle_tensor(&table, "marks");
    for (size_t i = 0; i < size[0] && done; i++) {
        const marked_file *one = &m->marked[i];
        double *row = (double *)marks->data + i * size[1];
        for (size_t j = 0; j < questions; j++)
            row[j] = j < one->marks ? one->mark[j] : tensor_hole();
        bool is_marked = m->error.item[i][0] == '\0';
        row[questions] = is_marked ? (double)one->right : tensor_hole();
        row[questions + 1] = is_marked ? (double)one->asked : tensor_hole();
    }
    done = done && sink_open(&out, output_data_file(o), e) &&
           sink_end(&out, to->write(&table, &how, &out, e), e);
    bundle_free(&table);
    return done;
}

/* ---- one file of answers ---- */

typedef struct marking {
    const options *given;
    const named_stages *of;
    const trace *trace; /* for the formulas */
    check_marks *marks; /* of the class */
    int digits;         /* decimals that were asked for, below 0 those of a trace */
    text lines;         /* of those that are not right */
    size_t numbers, right;
    size_t wrongs, wrong_here; /* answers that are there; and in the last stage that has one */
    text_list answered, wrong; /* stages that have an answer, and those that have two wrong ones */
} marking;

/* ---- one answer ---- */

/* The cell of the trace that an element is; no map: none. */
static map_cell cell_of(const trace *t, const element *one)
{
    const trace_map *map = trace_map_of(t, one->stage);
    const size_t *last = one->index + one->rank - 1;
    map_cell at = {.map = map};
    for (size_t i = 0; map != NULL && i < t->rooms && at.room == NULL; i++) {
        const trace_room *room = t->room[i];
        at.room = map->number < room->maps && room->map[map->number] == map ? room : NULL;
    }
    if (map == NULL || at.room == NULL || map->is_of_focus || one->rank < 2)
        return (map_cell){0};
    at.head = one->rank > 2 ? last[-2] : 0;
    at.row = last[-1];
    at.column = last[0];
    const size_t *size = map->values.size;
    bool is_there = at.head < size[0] && at.row < size[1] && at.column < size[2];
    /* Of a batch, the trace may show another entry. */
    return is_there && map_number(&at) == one->got ? at : (map_cell){0};
}

/* Adds what the wrong answer is, if it is one slip. */
static bool add_slip(marking *m, const element *one, err *e)
{
    const map_cell at = cell_of(m->trace, one);
    const int count = m->digits < 0 ? NUMBER_TEXT_DECIMALS : m->digits;
    int decimals = answer_decimals(one->wanted, one->got, m->digits);
    char said[NUMBER_TEXT], meant[32], row[24], column[24];
    text cell = {0};
    answer_slip slip = {0};
    number_write_f64(one->wanted, said);
    text_add_format(&m->lines, " is not %s", said);
    if (decimals > 0) {
        char right[24], all[24];
        snprintf(right, sizeof right, "%d", decimals);
        snprintf(all, sizeof all, "%d", count);
        text_add_string(&m->lines, ": ");
        html_say_plain(&m->lines, "slipDecimals", (const char *const[]){right, all});
        return true;
    }
    if (at.map == NULL || !answer_slip_find(&slip, &at, one->wanted, m->digits, e))
        return at.map == NULL;
    if (slip.sentence == NULL)
        return true;
    if (slip.cell.map != NULL) {
        element other = *one;
        text name = {0};
        text_add_format(&name, "%s%s", at.room->place.way, slip.cell.map->name);
        other.stage = text_string(&name);
        size_t *last = other.index + other.rank - 1;
        if (other.rank > 2)
            last[-2] = slip.cell.head;
        last[-1] = slip.cell.row;
        last[0] = slip.cell.column;
        element_write_name(&other, &cell);
        text_close(&name, &cell);
    }
    snprintf(meant, sizeof meant, "%.12g", slip.meant);
    snprintf(row, sizeof row, "%zu", slip.cell.row + 1);
    snprintf(column, sizeof column, "%zu", slip.cell.column + 1);
    text_add_string(&m->lines, ": ");
    html_say_plain(&m->lines, slip.sentence,
                   (const char *const[]){said, text_string(&cell),
                                         slip.done == NULL ? "" : slip.done, meant, row, column});
    bool done = text_ok(&cell, e);
    text_free(&cell);
    return done;
}

/* Lists the stage of an answer that is there; answers come stage by stage. --why
 * looks for a mistake in the whole stage only where two of its answers are wrong. */
static bool list_stage(marking *m, const char *name, bool right, err *e)
{
    text_list *all = &m->answered;
    bool is_last = all->count > 0 && strcmp(all->item[all->count - 1], name) == 0;
    bool done = is_last || text_list_add(all, name, strlen(name), e);
    m->wrong_here = (is_last ? m->wrong_here : 0) + !right;
    return done && (right || m->wrong_here != 2 || text_list_add(&m->wrong, name, strlen(name), e));
}

/* Counts an answer, and adds a line where it is not right. */
static bool mark(marking *m, element *one, err *e)
{
    bool right = answer_is_right(one->wanted, one->got, m->digits);
    bool is_empty = tensor_is_hole(one->wanted);
    text question = {0};
    element_write_name(one, &question);
    bool done = text_ok(&question, e) &&
                marks_add(m->marks, text_string(&question), is_empty ? one->wanted : right, e);
    text_free(&question);
    done = done && (is_empty || list_stage(m, one->stage, right, e));
    m->numbers++;
    m->wrongs += !right && !is_empty;
    m->right += right;
    if (right)
        return done;
    const trace_map *map = trace_map_of(m->trace, one->stage);
    text_add_string(&m->lines, is_empty ? "empty: " : "wrong: ");
    element_write_name(one, &m->lines);
    done = done && (is_empty || add_slip(m, one, e));
    if (map != NULL && map->letters != NULL)
        text_add_format(&m->lines, "; " ASKED_HINT " %s%s = %s", map->name,
                        one->rank == 0 ? "" : "[i,j]", map->letters);
    text_add_string(&m->lines, "\n");
    return done;
}

/* ---- all that an exercise asks for ---- */

/* As a file has it: one query's values are among those of all queries, and what a generation has
 * above its layers is of ids alone. */
static tensor shape_of_stage(const trace_room *room, const trace_map *map)
{
    const size_t *size = map->values.size;
    tensor like = {.type = map->values.type, .data = map->values.data};
    size_t heads = map->is_of_focus ? room->heads : size[0];
    if (heads > 1)
        like.size[like.rank++] = heads;
    if (map->is_of_focus)
        like.size[like.rank++] = map->operand[0].map->values.size[1];
    if (map->step < FLOOR_LOGITS)
        like.size[like.rank++] = size[1];
    like.size[like.rank++] = size[2];
    return like;
}

/* The answers to a map, in the stage's shape; of a file that has those of a whole batch, of the
 * entry that is asked for. */
static bool find_answers(const marking *m, entry *made, tensor *found, err *e)
{
    const entry *said = bundle_find(m->of->numbers, made->name);
    comparison shapes = {0}; /* comparing checks them */
    tensor like;
    if (said == NULL || said->kind != ENTRY_TENSOR)
        return true;
    entry one = *said;
    const size_t batch = m->trace->batch;
    if (batch > 0 && one.tensor.rank > made->tensor.rank && one.tensor.size[0] == m->trace->batches)
        one.tensor = tensor_at(&one.tensor, batch - 1);
    return compare_stage(&shapes, made->name, &one, made, 0, NULL, e) &&
           measure_align(&one.tensor, &made->tensor, found, &like);
}

static bool mark_map(marking *m, const asked *a, size_t index, const trace_map *map, err *e)
{
    const trace_room *room = m->trace->room[index];
    const size_t *size = map->values.size;
    text name = {0};
    text_add_format(&name, "%s%s", room->place.way, map->name);
    entry made = {.kind = ENTRY_TENSOR,
                  .name = (char *)text_string(&name),
                  .tensor = shape_of_stage(room, map)};
    tensor answers = {0};
    stack_find_axes(&made);
    element one = {.stage = made.name, .axes = made.axes, .rank = made.tensor.rank};
    bool done = text_ok(&name, e) && find_answers(m, &made, &answers, e);
    size_t cell[3], *last = one.index + one.rank - 1;
    for (cell[0] = 0; cell[0] < size[0]; cell[0]++) {
        for (cell[1] = 0; cell[1] < size[1]; cell[1]++) {
            for (cell[2] = 0; cell[2] < size[2] && done; cell[2]++) {
                if (!asked_has_cell(a, index, map, cell))
                    continue;
                if (one.rank > (map->is_of_focus ? 3 : 2))
                    one.index[0] = map->is_of_focus ? room->focus.head : cell[0];
                if (map->is_of_focus)
                    last[-2] = map->query;
                if (one.rank > 1)
                    last[-1] = cell[1];
                last[0] = cell[2];
                one.got = tensor_get(&map->values, cell);
                one.wanted = answers.data == NULL
                                 ? tensor_hole()
                                 : tensor_get(&answers, one.index + (one.rank - answers.rank));
                done = mark(m, &one, e);
            }
        }
    }
    text_free(&name);
    return done;
}

static bool mark_exercise(marking *m, const text_list *words, const char *said_by, err *e)
{
    const render_options how = {.blank = words, .is_full = m->given->full};
    const entry *batch = bundle_find(m->of->numbers, CHECK_BATCH);
    asked a = {0};
    if (batch != NULL && m->trace->batch > 0 &&
        tensor_get(&batch->tensor, NULL) != (double)m->trace->batch) {
        err_at(e, &batch->at, "it answers sequence %g of the batch, and %zu is asked for",
               tensor_get(&batch->tensor, NULL), m->trace->batch);
        return err_remedy(e, "--focus batch=B asks for another one");
    }
    bool done = asked_check(words, said_by, m->trace, e) && asked_begin(&a, m->trace, &how, e);
    for (size_t i = 0; i < m->trace->rooms && done; i++) {
        const trace_room *room = m->trace->room[i];
        a.room = i;
        for (size_t j = 0; j < room->maps && done; j++) {
            const trace_map *map = room->map[j];
            done =
                !asked_makes(&a, map) || !asked_is_stage(room, map) || mark_map(m, &a, i, map, e);
        }
    }
    asked_end(&a);
    return done;
}

/* ---- all that a file has ---- */

static bool mark_stage(marking *m, const entry *answers, const entry *whole, err *e)
{
    comparison shapes = {0}; /* comparing checks them */
    tensor a, b, part, as_made;
    entry made = *whole;
    /* Of a batch, a page has one entry, which it counts from 1; 0: it is not said. */
    const tensor *batch = bundle_tensor(m->of->numbers, CHECK_BATCH);
    double number = batch == NULL ? 0 : tensor_get(batch, NULL);
    if (whole->axes != NULL && whole->axes[0] == 'b' && number >= 1 &&
        number <= (double)whole->tensor.size[0]) {
        made.tensor = tensor_at(&whole->tensor, (size_t)number - 1);
        made.axes = whole->axes + 1;
    }
    if (!compare_stage(&shapes, answers->name, answers, &made, 0, NULL, e))
        return false;
    measure_align(&answers->tensor, &made.tensor, &a, &b);
    element one = {.stage = answers->name, .axes = entry_last_axes(&made, b.rank), .rank = a.rank};
    /* What was asked for, of the shape of the answers, 0 where it was not; else all of it. */
    text full = {0};
    text_add_format(&full, "%s%s", CHECK_ASKED, answers->name);
    bool done = text_ok(&full, e);
    const tensor *marked = done ? bundle_tensor(m->of->numbers, text_string(&full)) : NULL;
    if (marked != NULL)
        measure_align(marked, &made.tensor, &part, &as_made);
    text_free(&full);
    do {
        one.wanted = tensor_get(&a, one.index);
        one.got = tensor_get(&b, one.index);
        done = done && ((marked != NULL && tensor_get(&part, one.index) == 0) || mark(m, &one, e));
    } while (done && tensor_next(&a, one.index));
    return done;
}

/* ---- --why ---- */

/* The answers to this stage, of which each may be as far off as a right one. */
static claim claim_of_answers(const marking *m, const char *name)
{
    claim to = {name, bundle_find(m->of->numbers, name), 0, NUMBER_F64};
    size_t at[TENSOR_MAX_RANK] = {0};
    do {
        double value = tensor_get(&to.numbers->tensor, at);
        if (isfinite(value))
            to.tol = fmax(to.tol, answer_room(value, m->digits));
    } while (tensor_next(&to.numbers->tensor, at));
    return to;
}

/* Adds the mistake that gives the answers to these stages, if one alone does, and says how many do.
 * `which` are they, to the reader. */
static bool add_mistake(marking *m, const why_question *of, char *const *names, size_t count,
                        const char *which, size_t *mistakes, err *e)
{
    why_answers found = {0};
    why_question question = *of;
    claim *room = mem_alloc(count, sizeof room[0], e);
    if (room == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        room[i] = claim_of_answers(m, names[i]);
    question.claims = (claims){room, count, NULL};
    question.shapes_are_right = question.are_few = true;
    bool done = why_find(&found, &question, e);
    *mistakes = 0;
    for (size_t i = 0; i < found.count; i++)
        *mistakes += 1 + found.answer[i].same_count;
    const made_mistake *made = &found.answer[0].made[0];
    if (*mistakes == 1)
        text_add_format(&m->lines, "why: %s%s%s: %s (%s)\n", made->row->name,
                        made->where[0] == '\0' ? "" : " in ", made->where, made->row->help, which);
    else if (*mistakes > 1)
        text_add_format(&m->lines, "why: %zu mistakes give %s; none is claimed\n", *mistakes,
                        which);
    mem_free(room);
    return done;
}

/* Which mistake was made all the way; or, where none was, in each stage that has a wrong answer,
 * since it may have begun with right numbers. */
static bool explain_answers(marking *m, const why_question *of, err *e)
{
    size_t mistakes = 0, of_any = 0;
    bool done = add_mistake(m, of, m->answered.item, m->answered.count, "all answers", &of_any, e);
    bool is_whole = of_any > 0 || m->answered.count == 1;
    for (size_t i = 0; i < m->wrong.count && done && !is_whole; i++) {
        text which = {0};
        text_add_format(&which, "the answers to %s", m->wrong.item[i]);
        done = text_ok(&which, e) &&
               add_mistake(m, of, &m->wrong.item[i], 1, text_string(&which), &mistakes, e);
        of_any += mistakes;
        text_free(&which);
    }
    if (done && of_any == 0)
        text_add_format(&m->lines, "why: none of %zu mistakes gives these answers\n",
                        why_mistakes(of));
    return done;
}

bool check_answers(checker *c, const named_stages *of, const trace *made, const why_question *as,
                   err *e)
{
    check_marks *all = c->marks;
    const char *file = of->numbers->entry[0].at.file;
    marking m = {.given = c->given,
                 .of = of,
                 .trace = made,
                 .marks = all,
                 .digits = option_digits(c->given)};
    const bool is_said = c->given->blank.count > 0;
    const text_list *words = is_said ? &c->given->blank : made->exercise;
    bool asks = words != NULL && words->count > 0;
    bool done = marks_begin(all, e) != NULL && text_list_index(&all->question, e);
    if (asks)
        done = done && mark_exercise(&m, words, is_said ? "--blank" : "exercise", e);
    bool believes = false;
    for (size_t i = 0; i < of->numbers->count && !asks && !believes; i++)
        believes = strncmp(of->numbers->entry[i].name, CHECK_ASKED, sizeof CHECK_ASKED - 1) == 0;
    if (believes)
        note_say(c->world, c->given, NULL,
                 "%s says itself which of its answers count, since neither the document's exercise "
                 "nor --blank does",
                 file);
    for (size_t i = 0; i < of->computed->count && done && !asks; i++) {
        const entry *one = &of->computed->entry[i], *answers = bundle_find(of->numbers, one->name);
        done = answers == NULL || mark_stage(&m, answers, one, e);
    }
    if (done && c->given->why && m.wrongs > 1) {
        if (made->batches > 1)
            note_say(c->world, c->given, NULL,
                     "--why is not asked of %s: answers to one sequence of a batch", file);
        else
            done = explain_answers(&m, as, e);
    }
    done = done && text_ok(&m.lines, e) && marks_end(all, file, "", e);
    if (done) {
        text_add_string(&c->file.lines, m.right == m.numbers ? "ok    " : "FAIL  ");
        display_add_string(&c->file.lines, file);
        text_add_format(&c->file.lines, ": %zu of %zu answers are right (", m.right, m.numbers);
        report_name(&c->file.lines, of->document);
        text_add_format(&c->file.lines, ")\n%s", text_string(&m.lines));
        c->file.failed += m.right < m.numbers;
    }
    text_list_free(&m.answered);
    text_list_free(&m.wrong);
    text_free(&m.lines);
    return done;
}
