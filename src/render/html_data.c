/* The maps of all rooms for the page's script: their numbers, and what these are made of; and what
 * it computes them again by after one of them was changed: the inputs with all their digits, how
 * the run computed, and the settings of its document. */
#include "render/html_data.h"

#include "attn/spec/keys.h"
#include "attn/spec/problem.h"
#include "base/mem.h"
#include "io/json_write.h"
#include "model/parts.h"
#include "render/brackets.h"
#include "render/display.h"
#include "render/html.h"
#include "render/html_english.h"
#include "render/html_overview.h"
#include "trace/trace.h"

#include <math.h>
#include <string.h>

/* Labels in the panel and the token view have more room than those above a column; so many numbers
 * of one map are in the page, and so many in words that a person can read there; so many words of
 * 32 bits may be there for computing alone, at 5 bytes a word, and the page still opens in seconds:
 * weights of 12 heads of width 768 have 2.4 million. A page of MOST_IN_ALL numbers has 8 MB. */
enum {
    LABEL_COLUMNS = 28,
    MOST_NUMBERS = 131072,
    MOST_IN_WORDS = 1024,
    MOST_UNSEEN = 3 << 20,
    MOST_IN_ALL = 2 << 20
};

/* ---- numbers without their points ---- */

/* Those of large matrices are whole numbers then, and a row of those is written to base 92, each
 * with as many digits as the row's largest one needs: what stands in a JSON string and in a script
 * as it is, ASCII without ", < and \\. A row that is wider than a person looks at stays text. */
static const char DIGITS[] = " !#$%&'()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`"
                             "abcdefghijklmnopqrstuvwxyz{|}~";
enum { BASE = HTML_BASE, MOST_COLUMNS = 1024 };
_Static_assert(sizeof DIGITS - 1 == BASE, "a digit for each value");

void html_add_whole(text *out, const uint64_t *whole, size_t count, size_t places)
{
    char *end = text_room(out, count * places);
    if (end == NULL)
        return;
    for (size_t j = 0; j < count; j++) {
        uint64_t rest = whole[j];
        for (size_t i = places; i-- > 0; rest /= BASE)
            end[i] = DIGITS[rest % BASE];
        end += places;
    }
    text_added(out, count * places);
}

/* A row in about half the bytes, as the page's script reads it (numbers.js, unpack); false, with
 * nothing added, where one of its numbers has an exponent or is not finite. The sign goes into the
 * last bit, and into the one before it whether digits follow those that are shown. */
static bool pack_row(text *out, const tensor *matrix, size_t row, int digits)
{
    uint64_t whole[MOST_COLUMNS], units;
    size_t columns = matrix->size[1], most = 1;
    for (size_t j = 0; j < columns; j++) {
        double value = matrix_at(matrix, row, j);
        if (columns > MOST_COLUMNS || !number_text_units(value, digits, &units))
            return false;
        uint64_t goes_on = digits < 0 && !number_text_is_exact(value, digits);
        whole[j] = 4 * units + 2 * goes_on + (value < 0 && units > 0);
        size_t places = 1;
        for (uint64_t rest = whole[j]; rest >= BASE; rest /= BASE)
            places++;
        most = size_larger(most, places);
    }
    text_add_format(out, "#%zu", most);
    html_add_whole(out, whole, columns, most);
    return true;
}

/* ---- the cells of a map ---- */

static void add_labels(text *out, const char *name, const trace_labels *labels, size_t count)
{
    char room[LABEL_ROOM];
    text label = {0};
    text_add_format(out, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++) {
        text_clear(&label);
        display_add_cut(&label, label_whole(labels, i, room), LABEL_COLUMNS);
        text_add_string(out, i > 0 ? "," : "");
        json_string_write(out, text_string(&label));
    }
    text_add_string(out, "]");
    text_close(&label, out);
}

/* Those that are cut, whole: "wholeRows":{"2":"…"}. A sentence has names so. */
static void add_whole_labels(text *out, const char *name, const trace_labels *labels, size_t count)
{
    char room[LABEL_ROOM];
    text label = {0};
    size_t count_cut = 0;
    for (size_t i = 0; i < count; i++) {
        const char *whole = label_whole(labels, i, room);
        if (display_columns(whole, strlen(whole)) <= LABEL_COLUMNS)
            continue;
        text_clear(&label);
        display_add_string(&label, whole);
        if (count_cut++ == 0)
            text_add_format(out, ",\"%s\":{", name);
        text_add_format(out, "%s\"%zu\":", count_cut > 1 ? "," : "", i);
        json_string_write(out, text_string(&label));
    }
    text_add_string(out, count_cut > 0 ? "}" : "");
    text_close(&label, out);
}

/* How rows, and columns, of an operand go on: with the cell's i or j, with the query in focus, all
 * of them one after the other, or not at all. Addresses say so of what has two and more. */
static const char GOES[AXIS_COUNT] = {
    [AXIS_ONLY] = '.',   [AXIS_ALL] = '*',   [AXIS_I] = 'i',       [AXIS_J] = 'j',
    [AXIS_ABOVE] = '.',  [AXIS_BELOW] = 'i', [AXIS_QUERY] = 'f',   [AXIS_PARTNER] = '.',
    [AXIS_PAIR] = '.',   [AXIS_OWN] = '*',   [AXIS_LEARNED] = '.', [AXIS_WHOLE] = '*',
    [AXIS_SHARED] = '.',
};

static void add_origin(text *out, const char *name, const trace_room *room, const trace_map *made,
                       const trace_origin *from)
{
    if (from->map == NULL)
        return;
    text_add_format(out, ",\"%s\":{\"map\":%zu,", name, map_index(from->room, from->map));
    json_add_address(out, room, made, from);
    text_add_format(out, ",\"goes\":\"%c%c\"", GOES[from->part.row], GOES[from->part.column]);
    if (strcmp(from->name, from->map->name) != 0)
        text_add_format(out, ",\"as\":\"%s\"", from->name);
    text_add_string(out, "}");
}

/* Makes text unreadable at a glance: each letter is swapped with the one equally far from the other
 * end of ASCII (numbers.js, mirror). No letter of a number becomes one that ends a string or a
 * script. A space stays. */
static void mirror(char *at, const char *end)
{
    enum { FIRST = '!', LAST = '~' };
    for (; at < end; at++)
        *at = (char)(*at >= FIRST && *at <= LAST ? FIRST + LAST - *at : *at);
}

/* Adds numbers with one byte between them; for numbers that the page hides, a sign. */
static void add_words_of_row(text *out, const tensor *matrix, size_t row, int digits, bool is_left,
                             bool is_exact)
{
    for (size_t j = 0; j < matrix->size[1]; j++) {
        double value = matrix_at(matrix, row, j);
        char number[NUMBER_TEXT];
        text_add_string(out, j > 0 ? " " : "");
        if (is_left)
            text_add_string(out, ASKED_SIGN);
        else if (is_exact)
            text_add(out, number, number_write_f64(value, number));
        else
            number_text_add(out, value, digits);
    }
}

/* Adds the rows of all heads, or only the row in focus of the head in focus. A row is one text,
 * with the digits of the tables or, if exact, with all digits. Hidden numbers, which the script
 * compares with or shows later, are packed or mirrored, so that they can't be read in the
 * source. */
static void add_rows(const html_page *p, const trace_map *map, html_kept kept, bool is_exact)
{
    text *out = p->out;
    bool is_told = asked_tells(p->asked, map), is_left = !is_told && asked_hides(p->asked, map);
    bool is_all = kept == KEPT_ALL, is_first = true;
    bool is_packed = is_told || (is_all && tensor_count(&map->values) > MOST_IN_WORDS);
    for (size_t h = 0; h < map->values.size[0]; h++) {
        tensor matrix = tensor_at(&map->values, h);
        for (size_t i = 0; i < matrix.size[0]; i++) {
            if (!is_all && (h != html_focus_head(p, map) || i != p->room->focus.row))
                continue;
            bool is_line = is_first || !p->is_lean || matrix.size[1] > 1; /* columns are long */
            text_add_format(out, "%s%s\"", is_first ? "" : ",", is_line ? "\n" : "");
            is_first = false;
            if (is_exact || is_left || !is_packed || !pack_row(out, &matrix, i, p->how->digits)) {
                text_add_string(out, is_told ? "@" : "");
                size_t at = out->length;
                add_words_of_row(out, &matrix, i, p->how->digits, is_left, is_exact);
                if (is_told && !out->failed)
                    mirror(out->data + at, out->data + out->length);
            }
            text_add_string(out, "\"");
        }
    }
}

size_t html_focus_head(const html_page *p, const trace_map *map)
{
    return p->room->focus.head * map->values.size[0] / p->room->heads;
}

/* Whether a page whose numbers stay as they are has all of them. */
static bool is_for_readers(const html_page *p, const trace_map *map)
{
    bool is_narrow = map->values.size[2] / map->slices <= HTML_MOST;
    return p->how->is_full || (is_narrow && tensor_count(&map->values) <= MOST_NUMBERS);
}

html_kept html_kept_of(const html_page *p, const trace_map *map)
{
    const size_t *size = map->values.size;
    bool is_left_out =
        p->is_lean && !room_has_step(p->room, map->step) && !html_is_in_overview(p, map);
    if (map->is_beyond_page || is_left_out)
        return KEPT_NOTHING;
    if (p->is_alive || is_for_readers(p, map))
        return KEPT_ALL;
    return map->is_of_queries && size[2] <= MOST_NUMBERS ? KEPT_FOCUS : KEPT_NOTHING;
}

bool html_has_table(const html_page *p, const trace_map *map)
{
    map_place at;
    for (size_t i = 0; i < p->room->steps; i++) {
        const trace_step *step = p->room->step[i];
        for (size_t j = 0; j < step->count; j++) {
            if (step->item[j].kind == TRACE_MATRIX && map_of(p->room, &step->item[j].a, &at) == map)
                return true;
        }
    }
    return false;
}

/* The first map that is too large for a page whose numbers can be changed, its room, and how many
 * words there are up to it for computing alone; NULL: none is. */
static const trace_map *first_too_large(const html_page *p, const trace_room **room, size_t *unseen)
{
    *unseen = 0;
    for (size_t i = 0; i < p->whole->rooms; i++) {
        *room = p->whole->room[i];
        for (size_t j = 0; j < (*room)->maps; j++) {
            const trace_map *map = (*room)->map[j];
            size_t count = tensor_count(&map->values);
            if (map->is_beyond_page)
                return map;
            if (is_for_readers(p, map))
                continue;
            *unseen += map->values.type == DTYPE_F64 ? 2 * count : count;
            if (*unseen > MOST_UNSEEN || (map->has_origin && count > MOST_NUMBERS))
                return map;
        }
    }
    return NULL;
}

bool html_is_lean(const html_page *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->whole->rooms; i++) {
        const trace_room *room = p->whole->room[i];
        for (size_t j = 0; j < room->maps; j++)
            count += is_for_readers(p, room->map[j]) ? tensor_count(&room->map[j]->values) : 0;
    }
    return !p->how->is_full && !p->is_alive && count > MOST_IN_ALL;
}

/* Whether sequences have segments of their own: the page knows one table of their rows. */
static bool has_own_segments(const html_page *p)
{
    if (p->whole->document == NULL)
        return false;
    const tensor *segments = bundle_tensor(p->whole->document, "segments");
    return segments != NULL && segments->rank == 2 && segments->size[0] > 1;
}

/* Whether other words can be chosen, and all that follows is computed again. */
static bool is_of_choices(const html_page *p)
{
    const trace_choices *of = p->whole->choices;
    return of != NULL && p->asked == NULL && of->rows.data != NULL && !of->stops;
}

/* An exercise has what that takes where its tables have all numbers, for when its answers are
 * right: an exam never says so. */
bool html_is_alive(const html_page *p)
{
    const trace_room *room;
    size_t unseen;
    if (p->whole->document == NULL ? !is_of_choices(p) : has_own_segments(p))
        return false;
    if (first_too_large(p, &room, &unseen) != NULL)
        return false;
    return p->asked == NULL || (!p->how->is_exam && unseen == 0);
}

/* Adds which of the page's words says why its numbers can't be changed, and what about. */
static void add_still(text *out, const html_page *p)
{
    const trace_room *room;
    size_t unseen;
    const trace_choices *of = p->whole->choices;
    const char *why = p->asked != NULL                      ? "stillExercise"
                      : of != NULL && of->stops             ? "stillStop"
                      : of != NULL && of->rows.data == NULL ? "stillWords"
                      : of == NULL && has_own_segments(p)   ? "stillSegments"
                                                            : NULL;
    if (why != NULL) {
        text_add_format(out, ",\n\"still\":[\"%s\"]", why);
        return;
    }
    const trace_map *map = first_too_large(p, &room, &unseen);
    bool is_one = unseen <= MOST_UNSEEN;
    text_add_format(out, ",\n\"still\":[\"%s\",\"%s%s\",\"%zu\",\"%d\"]",
                    map->is_beyond_page ? "stillBeyond"
                    : is_one            ? "stillMany"
                                        : "stillUnseen",
                    room->place.way, map->name, is_one ? tensor_count(&map->values) : unseen,
                    is_one ? MOST_NUMBERS : MOST_UNSEEN);
}

/* Whether no other map makes it. */
static bool is_given(const trace_map *map)
{
    return !map->has_origin && map->follows.map == NULL;
}

/* What was given, and no reader looks through, is there by its bits, of which the script makes the
 * texts of those that are pointed at. */
static bool has_bits_alone(const html_page *p, const trace_map *map)
{
    return p->is_alive && is_given(map) && !is_for_readers(p, map);
}

/* Whether each number can be read back from what the page shows of it. */
static bool is_all_shown(const html_page *p, const tensor *of)
{
    int digits = p->how->digits;
    double one = pow(10, digits < 0 ? NUMBER_TEXT_DECIMALS : digits);
    size_t at[TENSOR_MAX_RANK] = {0};
    do {
        double value = tensor_get(of, at);
        uint64_t units;
        bool is_number =
            number_text_units(value, digits, &units) && (value != 0 || !signbit(value));
        double read = is_number ? (double)units / one : (double)INFINITY;
        if (fabs(value) != (of->type == DTYPE_F64 ? read : (double)(float)read))
            return false;
    } while (tensor_next(of, at));
    return true;
}

/* Adds the bits of all numbers: first their type, "4" or "8" bytes a number, then 32 bits as five
 * digits. */
static void add_words_of_bits(text *out, const tensor *of)
{
    enum { PLACES = 5 };
    bool is_wide = of->type == DTYPE_F64;
    size_t at[TENSOR_MAX_RANK] = {0};
    text_add_format(out, "\"%d", is_wide ? 8 : 4);
    do {
        double value = tensor_get(of, at);
        float narrow = (float)value;
        uint32_t words[2] = {0};
        memcpy(words, is_wide ? (void *)&value : (void *)&narrow,
               is_wide ? sizeof value : sizeof narrow);
        html_add_whole(out, (uint64_t[]){words[0], words[1]}, is_wide ? 2 : 1, PLACES);
    } while (tensor_next(of, at));
    text_add_string(out, "\"");
}

/* Those that an input's texts leave out. */
static void add_bits(const html_page *p, const trace_map *map)
{
    const tensor *of = &map->values;
    if (!is_given(map) || (!has_bits_alone(p, map) && is_all_shown(p, of)))
        return;
    text_add_string(p->out, ",\n\"bits\":");
    add_words_of_bits(p->out, of);
}

/* ---- how a room computed ---- */

/* A row of each head after the other, a digit a key: 1 where something but causality hides it. */
static void add_sight(text *out, const trace_room *room)
{
    const trace_run *run = &room->run;
    text_add_format(out, "\"first\":%.0f", run->first);
    if (run->seen.data == NULL)
        return;
    size_t queries = run->seen.size[0];
    text_add_string(out, ",\"hidden\":[");
    for (size_t row = 0; row < room->heads * queries; row++) {
        text_add_string(out, row == 0 ? "\"" : ",\"");
        for (size_t j = 0; j < run->keys; j++) {
            const size_t at[] = {row / queries, row % queries, j};
            bool is_masked = run->mask.data != NULL &&
                             (tensor_get(&run->mask, at) != 0) == run->mask_true_is_masked;
            bool is_seen = (double)j >= tensor_get(&run->seen, (size_t[]){at[1], 0}) &&
                           (double)j < tensor_get(&run->seen, (size_t[]){at[1], 1});
            text_add_string(out, is_masked || !is_seen ? "1" : "0");
        }
        text_add_string(out, "\"");
    }
    text_add_string(out, "]");
}

static void add_run(text *out, const trace_room *room)
{
    const trace_run *run = &room->run;
    text_add_format(out,
                    ",\"appended\":%zu,\"decimals\":%d,\"keepsSum\":%s,\"causal\":%s,"
                    "\"endsAtKey\":%s,",
                    run->appended, run->decimals, run->keeps_sum ? "true" : "false",
                    run->is_causal ? "true" : "false", run->ends_at_key ? "true" : "false");
    add_sight(out, room);
    if (run->scale_is_of_k || run->scale_is_of_x)
        text_add_format(out, ",\"root\":\"%s\"", run->scale_is_of_k ? "k" : "x");
    text_add_format(out, ",\"focus\":{\"head\":%zu,\"heads\":%zu,\"row\":%zu}", room->focus.head,
                    room->heads, room->focus.row);
    if (run->rope_width > 0) {
        text_add_format(out, ",\"rope\":{\"width\":%zu,\"base\":", run->rope_width);
        json_element_write(out, DTYPE_F64, run->rope_base, -1);
        text_add_string(out, "}");
    }
}

/* ---- the document ---- */

static key_kind kind_of(const entry *one)
{
    const key *row = (const key *)(const void *)named_find(&KEYS, one->name, strlen(one->name));
    return row == NULL ? KEY_SETTING : row->kind;
}

/* Whether it goes into the page's document as a setting. Matrices are nodes, and "expected" no
 * longer holds after a change. */
static bool is_setting(const entry *one)
{
    key_kind kind = kind_of(one);
    if (one->kind == ENTRY_TENSOR)
        /* Rows that ids and segments look up are nodes; which id a label is, stays. */
        return one->tensor.rank == 0 || kind == KEY_NUMBERS || strcmp(one->name, "labels") == 0;
    return kind != KEY_STAGES && kind != KEY_TOL && kind != KEY_RECORDS && kind != KEY_VOCAB;
}

static void add_numbers(text *out, const tensor *of)
{
    if (of->rank == 0)
        json_element_write(out, of->type, tensor_get(of, NULL), -1);
    if (of->rank == 1)
        json_row_write(out, of, -1);
    for (size_t i = 0; of->rank > 1 && i < of->size[0]; i++) {
        tensor row = tensor_at(of, i);
        text_add_string(out, i == 0 ? "[" : ",");
        add_numbers(out, &row);
    }
    text_add_string(out, of->rank > 1 ? "]" : "");
}

/* Adds the members that are settings; inside of a setting, all members. */
static void add_settings(text *out, const entry *of)
{
    key_kind kind = of->name == NULL ? KEY_SETTING : kind_of(of);
    bool is_whole = kind == KEY_SETTINGS || kind == KEY_VOCAB, is_first = true;
    text_add_string(out, of->is_list ? "[" : "{");
    for (size_t i = 0; i < of->bundle->count; i++) {
        const entry *one = &of->bundle->entry[i];
        if (!is_whole && !is_setting(one))
            continue;
        text_add_string(out, is_first ? "" : ",");
        is_first = false;
        if (!of->is_list) {
            json_string_write(out, one->name);
            text_add_string(out, ":");
        }
        if (one->kind == ENTRY_BUNDLE)
            add_settings(out, one);
        else if (one->kind == ENTRY_LIST)
            json_list_write(out, &one->list);
        else if (one->kind == ENTRY_TEXT)
            json_string_write(out, one->text);
        else
            add_numbers(out, &one->tensor);
    }
    text_add_string(out, of->is_list ? "]" : "}");
}

/* ---- maps ---- */

/* What it can be changed by, and its lines written anew; an input says which key of the document it
 * is, of an attention. */
static void add_alive(const html_page *p, const trace_map *map)
{
    input which = INPUT_X;
    text_add_string(p->out, map->is_column ? ",\"isColumn\":true" : "");
    if (map->row_names.count > 0) {
        text_add_string(p->out, ",\"called\":");
        json_list_write(p->out, &map->row_names);
    }
    text_add_string(p->out, map->is_row_a_head ? ",\"isRowAHead\":true" : "");
    text_add_string(p->out, map->is_made ? ",\"made\":true" : "");
    text_add_string(p->out, map->values.type == DTYPE_F64 ? ",\"wide\":true" : "");
    while (which < INPUT_COUNT && strcmp(input_label(which), map->name) != 0)
        which++;
    const char *said = map->key != NULL ? map->key : which < INPUT_COUNT ? input_key(which) : NULL;
    if (said != NULL && !map->has_origin)
        text_add_format(p->out, ",\"key\":\"%s\"", said);
    add_bits(p, map);
}

static void add_asked(const html_page *p, const trace_map *map)
{
    if (asked_makes(p->asked, map))
        text_add_format(p->out, ",\"blank\":true,\"stage\":%s",
                        asked_is_stage(p->room, map) ? "true" : "false");
    else if (asked_hides(p->asked, map))
        text_add_string(p->out, ",\"waits\":true");
}

static void add_map(const html_page *p, const trace_map *map, size_t room)
{
    const size_t *size = map->values.size;
    text_add_format(p->out, "{\"name\":\"%s\",\"room\":%zu,\"step\":\"", map->name, room);
    html_add_step_id(p, map->step);
    text_add_format(p->out, "\",\"heads\":%zu,\"head\":%zu,\"slices\":%zu", size[0],
                    html_focus_head(p, map), map->slices);
    text_add_string(p->out, map->is_share ? ",\"share\":true" : "");
    if (map->is_of_focus)
        text_add_format(p->out, ",\"focus\":{\"head\":%zu,\"heads\":%zu,\"row\":%zu}",
                        p->room->focus.head, p->room->heads, map->query);
    add_asked(p, map);
    if (map->letters != NULL) {
        text_add_string(p->out, ",\"letters\":");
        json_string_write(p->out, map->letters);
    }
    if (map->done != NULL && p->asked != NULL)
        text_add_format(p->out, ",\"done\":\"%s\"", map->done);
    if (map->has_origin) {
        text_add_format(p->out, ",\"operation\":\"%s\"", operation_of(map->op)->named.name);
        for (size_t i = 0; i < TRACE_OPERANDS; i++)
            add_origin(p->out, (const char[]){(char)('a' + i), '\0'}, p->room, map,
                       &map->operand[i]);
    }
    if (map->function != NULL)
        text_add_format(p->out, ",\"function\":\"%s\"", map->function->named.name);
    /* What becomes of rows and columns at the end, and of pairs of columns. */
    if (map->appended > 0)
        text_add_format(p->out, ",\"appended\":%zu", map->appended);
    add_origin(p->out, "learned", p->room, map, &map->learned);
    add_origin(p->out, "length", p->room, map, &map->length);
    add_origin(p->out, "follows", p->room, map, &map->follows);
    if (map->untouched > 0)
        text_add_format(p->out, ",\"untouched\":%zu", map->untouched);
    if (map->unpaired > 0)
        text_add_format(p->out, ",\"unpaired\":%zu", map->unpaired);
    if (map->paired > 0)
        text_add_format(p->out, ",\"paired\":%zu,\"interleaved\":%s", map->paired,
                        map->is_interleaved ? "true" : "false");
    /* A map whose numbers are not kept gets no labels either: a vocabulary has many. */
    html_kept kept = html_kept_of(p, map);
    if (kept == KEPT_NOTHING) {
        text_add_string(p->out, ",\"rows\":[],\"columns\":[]");
        text_add_string(p->out, map->is_beyond_page ? ",\"beyond\":true" : "");
        if (!html_has_table(p, map))
            text_add_format(p->out, ",\"unseen\":[%zu,%zu]", size[1], size[2]);
    } else {
        add_labels(p->out, "rows", &map->rows, size[1]);
        add_labels(p->out, "columns", &map->columns, size[2]);
        add_whole_labels(p->out, "wholeRows", &map->rows, size[1]);
        add_whole_labels(p->out, "wholeColumns", &map->columns, size[2]);
        if (kept == KEPT_FOCUS)
            text_add_format(p->out, ",\"only\":{\"row\":%zu}", p->room->focus.row);
        text_add_string(p->out, ",\"cells\":[");
        if (!has_bits_alone(p, map))
            add_rows(p, map, kept, false);
        if (asked_makes(p->asked, map) && !p->how->is_exam) {
            text_add_string(p->out, "],\"exact\":[");
            add_rows(p, map, kept, true);
        }
        text_add_string(p->out, "]");
    }
    if (kept != KEPT_ALL && html_is_in_overview(p, map))
        html_add_overview_of(p, map);
    if (p->is_alive)
        add_alive(p, map);
    text_add_string(p->out, "}");
}

/* Adds the spellings of the operations that make the page's cells. */
static void add_spelled(text *out, const char *name, const bool *is_made_by, bool is_inner)
{
    bool is_first = true;
    text_add_format(out, ",\n\"%s\":{", name);
    for (size_t i = 0; i < OPERATIONS.count; i++) {
        const operation_row *row = operation_of((operation)i);
        const char *spelled = is_inner ? row->inner : row->spelled;
        if (!is_made_by[i] || spelled == NULL)
            continue;
        text_add_format(out, "%s\"%s\":", is_first ? "" : ",", row->named.name);
        json_string_write(out, spelled);
        is_first = false;
    }
    text_add_string(out, "}");
}

static void add_functions(text *out, const char *name, bool is_slope)
{
    text_add_format(out, ",\n\"%s\":{", name);
    for (size_t i = 0; i < ACTIVATIONS.count; i++) {
        const activation *row = (const activation *)named_row(&ACTIVATIONS, i);
        text_add_format(out, "%s\"%s\":", i > 0 ? "," : "", row->named.name);
        json_string_write(out, is_slope ? row->slope_spelled : row->spelled);
    }
    text_add_string(out, "}");
}

/* How the operations and activations of this page are spelled: what the script prints cells by. */
static void add_spellings(text *out, const trace *whole)
{
    bool is_made_by[OPERATION_COUNT] = {false};
    for (size_t i = 0; i < whole->rooms; i++) {
        const trace_room *room = whole->room[i];
        for (size_t j = 0; j < room->maps; j++)
            is_made_by[room->map[j]->op] = true;
    }
    add_spelled(out, "operations", is_made_by, false);
    add_spelled(out, "insides", is_made_by, true);
    text_add_string(out, ",\n\"inF64\":[");
    for (size_t i = 0, count = 0; i < OPERATIONS.count; i++) {
        const operation_row *row = operation_of((operation)i);
        if (is_made_by[i] && row->is_in_f64)
            text_add_format(out, "%s\"%s\"", count++ > 0 ? "," : "", row->named.name);
    }
    text_add_string(out, "]");
    add_functions(out, "functions", false);
    if (is_made_by[OP_ACTIVATE_BACK])
        add_functions(out, "slopes", true);
}

/* ---- the other entries of a batch ---- */

bool html_takes_entries(const trace *t)
{
    if (t->batches < 2 || t->batches > MOST_ENTRIES)
        return false;
    for (size_t i = 0; i < t->rooms; i++) {
        const trace_room *room = t->room[i];
        for (size_t j = 0; j < room->maps; j++) {
            if (tensor_count(&room->map[j]->values) > MOST_NUMBERS / t->batches)
                return false;
        }
    }
    return true;
}

/* Where there are few numbers: the page is some times as large by other numbers of heads. Of a
 * batch each has all its entries. */
bool html_takes_cuts(const trace *t)
{
    enum { MOST_OF_CUTS = 2048 };
    size_t count = 0, entries = size_larger(t->batches, 1);
    for (size_t i = 0; i < t->rooms; i++) {
        for (size_t j = 0; j < t->room[i]->maps; j++)
            count += tensor_count(&t->room[i]->map[j]->values);
    }
    bool has_all = t->batch == 0 || t->next_entry != NULL;
    return t->document != NULL && has_all && t->exercise == NULL && count <= MOST_OF_CUTS / entries;
}

static bool is_equal(const tensor *a, const tensor *b)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    do {
        if (tensor_get(a, at) != tensor_get(b, at))
            return false;
    } while (tensor_next(a, at));
    return true;
}

/* The maps that differ from those of the room shown, by their numbers: what no operation makes, and
 * is not the very one that the entry shown has. Numbers that a trace made for itself are in another
 * place in any case. */
static void add_entry_maps(const html_page *p, const trace_room *shown)
{
    bool is_first = true;
    for (size_t j = 0; j < p->room->maps; j++) {
        /* By its name: the room shown may have spelled out fewer rows, or more. */
        const trace_map *map = p->room->map[j], *other = map_named(shown, map->name);
        bool is_own = map->is_made || map->is_number;
        if (!is_given(map) || other == NULL || map->values.data == other->values.data ||
            (is_own && is_equal(&map->values, &other->values)))
            continue;
        text_add_format(p->out, "%s\"%zu\":{\"cells\":[", is_first ? "" : ",\n",
                        map_index(shown, other));
        if (is_all_shown(p, &map->values))
            add_rows(p, map, KEPT_ALL, false);
        text_add_string(p->out, "]");
        add_bits(p, map);
        text_add_string(p->out, "}");
        is_first = false;
    }
}

/* Of each entry rooms, of each what its queries see there, and its maps. The numbers that follow
 * from them are for the script to compute. */
static void add_entries(const html_page *p)
{
    html_page into = *p;
    text_add_string(p->out, ",\n\"entries\":[");
    for (const trace *at = p->whole->next_entry; at != NULL; at = at->next_entry) {
        text_add_string(p->out, at == p->whole->next_entry ? "" : ",\n");
        if (at->batch == p->whole->batch) {
            text_add_string(p->out, "null");
            continue;
        }
        text_add_string(p->out, "{\"rooms\":[");
        for (size_t i = 0; i < at->rooms; i++) {
            into.room = at->room[i];
            text_add_string(p->out, i > 0 ? ",{" : "{");
            add_sight(p->out, into.room);
            text_add_string(p->out, ",\"maps\":{");
            add_entry_maps(&into, p->whole->room[i]);
            text_add_string(p->out, "}}");
        }
        text_add_string(p->out, "]}");
    }
    text_add_string(p->out, "]");
}

/* ---- what is closed ---- */

static void add_step_name(const html_page *p, size_t room, step_id step)
{
    html_page at = *p;
    at.room = p->whole->room[room];
    text_add_string(p->out, "\"");
    html_add_step_id(&at, step);
    text_add_string(p->out, "\"");
}

/* Which questions a step waits for: "scale":["scores"]. */
static void add_waiting(const html_page *p)
{
    const asked *a = p->asked;
    bool is_first = true;
    text_add_string(p->out, ",\n\"waits\":{");
    for (size_t i = 0; i < p->whole->rooms; i++) {
        for (step_id step = 0; step <= FLOOR_CHOICE; step++) {
            size_t count = 0;
            for (size_t j = 0; j < a->questions; j++) {
                if (!asked_waits(a, i, step, j))
                    continue;
                if (count == 0) {
                    text_add_string(p->out, is_first ? "" : ",\n");
                    add_step_name(p, i, step);
                }
                is_first = false;
                text_add_string(p->out, count++ == 0 ? ":[" : ",");
                add_step_name(p, a->question[j].room, a->question[j].step);
            }
            text_add_string(p->out, count > 0 ? "]" : "");
        }
    }
    text_add_string(p->out, "}");
}

/* Adds what the script puts into a step once it is open, unreadable until then. */
static void add_closed(const html_page *p)
{
    html_page open = *p;
    text items = {0};
    bool is_first = true;
    open.out = &items;
    open.asked = NULL;
    open.is_blank = false;
    text_add_string(p->out, ",\n\"closed\":{");
    for (size_t i = 0; i < p->whole->rooms; i++) {
        open.room = p->whole->room[i];
        for (size_t j = 0; j < open.room->steps; j++) {
            const trace_step *step = open.room->step[j];
            if (!asked_leaves_out(p->asked, i, step->id))
                continue;
            text_clear(&items);
            html_add_items(&open, step);
            if (items.length > 0 && !items.failed)
                mirror(items.data, items.data + items.length);
            text_add_string(p->out, is_first ? "" : ",\n");
            is_first = false;
            add_step_name(p, i, step->id);
            text_add_string(p->out, ":");
            json_string_write(p->out, text_string(&items));
        }
    }
    text_add_string(p->out, "}");
    text_close(&items, p->out);
}

/* ---- the document ---- */

/* Keys of what `train` moves where nothing is named. */
static void add_learners(text *out)
{
    bool is_first = true;
    text_add_string(out, ",\n\"learn\":[");
    for (input which = INPUT_X; which < INPUT_COUNT; which++) {
        if (!input_learns(which))
            continue;
        text_add_format(out, "%s\"%s\"", is_first ? "" : ",", input_key(which));
        is_first = false;
    }
    text_add_string(out, "]");
}

/* What a page chooses words from. */
static void add_choices(text *out, const trace_choices *of)
{
    text_add_format(out, ",\n\"choices\":{\"first\":%zu,\"ids\":", of->first);
    json_list_write(out, &of->ids);
    text_add_string(out, ",\"rows\":");
    add_words_of_bits(out, &of->rows);
    text_add_string(out, "}");
}

/* Rows of words that a class may say, where a page has room for all of them and takes them as they
 * are. */
static void add_vocab(text *out, const bundle *document)
{
    const entry *vocab = bundle_find(document, "vocab");
    size_t count = 0;
    if (vocab == NULL || bundle_find(document, "embedding") != NULL ||
        bundle_find(document, "embedding_scale") != NULL)
        return;
    for (size_t i = 0; i < vocab->bundle->count; i++)
        count += tensor_count(&vocab->bundle->entry[i].tensor);
    if (count > MOST_NUMBERS)
        return;
    text_add_string(out, ",\n\"vocab\":");
    add_settings(out, &(entry){.name = "vocab", .bundle = vocab->bundle});
}

static void add_document(text *out, const trace *of)
{
    text_add_format(out, ",\n\"type\":\"%s\"", dtype_name(of->type));
    if (of->document == NULL) {
        add_choices(out, of->choices);
        return;
    }
    text_add_string(out, ",\"source\":");
    add_settings(out, &(entry){.bundle = (bundle *)(uintptr_t)of->document});
    add_vocab(out, of->document);
    if (bundle_find(of->document, "loss") != NULL)
        add_learners(out);
}

/* ---- all of it ---- */

void html_add_data(const html_page *p)
{
    text json = {0};
    html_page into = *p;
    size_t unseen = 0; /* bytes that a browser need not lay out */
    into.out = &json;
    text_add_string(&json, "{");
    if (!p->is_cut) { /* the page that it is in has them */
        text_add_string(&json, "\"words\":");
        html_add_english(&json);
        text_add_string(&json, ",\n");
    }
    text_add_string(&json, "\"document\":");
    json_string_write(&json, p->whole->name == NULL ? RENDER_UNTITLED : p->whole->name);
    if (p->whole->command != NULL)
        text_add_format(&json, ",\n\"command\":\"%s\"", p->whole->command);
    if (p->whole->cuts_refused != NULL) {
        text_add_string(&json, ",\n\"cutsRefused\":");
        json_string_write(&json, p->whole->cuts_refused);
    }
    if (p->whole->batch > 0)
        text_add_format(&json, ",\n\"batch\":%zu", p->whole->batch);
    add_spellings(&json, p->whole);
    if (p->is_alive)
        add_document(&json, p->whole);
    else
        add_still(&json, p);
    if (!p->how->is_full)
        text_add_format(&json, ",\n\"lines\":%d,\"mostMade\":%d", TRACE_LINES,
                        p->is_lean ? HTML_MOST : HTML_MOST_MADE);
    text_add_format(&json, ",\n\"digits\":%d,\"trims\":%s,\"rooms\":[",
                    p->how->digits < 0 ? NUMBER_TEXT_DECIMALS : p->how->digits,
                    p->how->digits < 0 ? "true" : "false");
    /* What is before the names of a room's maps, and what a person calls it. */
    for (size_t i = 0; i < p->whole->rooms; i++) {
        const trace_place *at = &p->whole->room[i]->place;
        text_add_format(&json, "%s{\"way\":\"%s\",\"floor\":\"%s\",\"name\":\"%s\"",
                        i > 0 ? "," : "", at->way, at->floor, at->name);
        if (p->is_alive)
            add_run(&json, p->whole->room[i]);
        text_add_string(&json, "}");
    }
    text_add_string(&json, "],\"maps\":[\n");
    for (size_t i = 0; i < p->whole->rooms; i++) {
        html_enter(&into, i);
        for (size_t j = 0; j < into.room->maps; j++) {
            size_t before = json.length;
            text_add_string(&json, into.room->first_map + j > 0 ? ",\n" : "");
            add_map(&into, into.room->map[j], i);
            unseen += is_for_readers(p, into.room->map[j]) ? 0 : json.length - before;
        }
    }
    text_add_string(&json, "]");
    if (p->is_alive && p->whole->next_entry != NULL)
        add_entries(&into);
    if (p->asked != NULL)
        add_waiting(&into);
    if (p->asked != NULL && !p->how->is_exam)
        add_closed(&into);
    text_add_string(&json, "}");
    if (p->is_alive && p->out->most > 0)
        p->out->most += unseen;
    text_add_string(p->out, "<script type=\"application/json\" id=data>");
    /* Only a < could end the script's text; in strings it is spelled otherwise. */
    const char *at = text_string(&json);
    for (const char *mark; (mark = strchr(at, '<')) != NULL; at = mark + 1) {
        text_add(p->out, at, (size_t)(mark - at));
        text_add_string(p->out, "\\u003c");
    }
    text_add_string(p->out, at);
    text_add_string(p->out, "</script>\n");
    text_close(&json, p->out);
}
