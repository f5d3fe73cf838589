/* Facts of a JSON text, whatever is in it: one walk over the bytes, no tree, no matrix. */
#include "cli/info/facts.h"
#include "io/json_room.h"
#include "io/json_scan.h"
#include "io/json_string.h"
#include "io/json_way.h"
#include "io/number_read.h"

#include <math.h>
#include <string.h>

typedef struct walk {
    json_text text;
    json_room room;
    size_t depth; /* of the objects that are open */
    err *e;
} walk;

enum { FACT_ROOM = sizeof(fact) + 64 }; /* with its name and a value that is shown */

/* The list that is looked at, with all lists in it: their sizes by depth, as far as they are the
 * same for all of one depth. */
typedef struct list_look {
    fact *of;
    size_t size[JSON_MAX_DEPTH + 1];
    bool is_known[JSON_MAX_DEPTH + 1];
    size_t leaf_depth, nonfinite_texts;
    statistics truth; /* true as 1, false as 0 */
} list_look;

/* ---- texts ---- */

static void add_utf8(text *to, uint32_t c)
{
    char bytes[4];
    size_t length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char FIRST[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; c >>= 6)
        bytes[i] = (char)(0x80 | (c & 0x3f));
    bytes[0] = (char)(FIRST[length] | c);
    text_add(to, bytes, length);
}

/* The string at `at`, escapes resolved; a NUL, which would end it, becomes U+FFFD. */
static void read_string(const walk *w, const char *at, text *to)
{
    uint32_t c;
    for (at++; (c = json_next_character(&at, w->text.end)) != JSON_STRING_END;)
        add_utf8(to, c == 0 ? 0xfffd : c);
}

/* ---- lists ---- */

/* A number too large for float64 counts as infinite. */
static double number_at(const walk *w, const char *at)
{
    double value;
    const char *end = number_end_json(at, w->text.end);
    return end != NULL && number_read_f64(at, end, &value) ? value : HUGE_VAL;
}

static void look_at_text(walk *w, const char *at, list_look *look)
{
    double value;
    look->of->texts++;
    if (json_nonfinite_read(&w->text, at, &value)) {
        look->nonfinite_texts++;
        statistics_add(&look->of->numbers, value);
    }
    if (fact_has_room(look->of)) {
        text words = {0};
        read_string(w, at, &words);
        fact_show_item(look->of, text_string(&words), words.length);
        look->of->shown.failed = look->of->shown.failed || words.failed;
        text_free(&words);
    }
}

static void look_at_leaf(walk *w, const char *at, size_t depth, list_look *look)
{
    fact *of = look->of;
    if (look->leaf_depth == 0)
        look->leaf_depth = depth;
    of->is_ragged = of->is_ragged || depth != look->leaf_depth;
    switch (*at) {
    case '"':
        look_at_text(w, at, look);
        break;
    case '{':
        of->objects++;
        break;
    case 't':
    case 'f':
        of->truths++;
        statistics_add(&look->truth, *at == 't');
        break;
    case 'n':
        of->nulls++;
        break;
    default:
        statistics_add(&of->numbers, number_at(w, at));
    }
}

/* The end of the list at `at`, which is `depth` lists deep, itself counted. */
static const char *look_at_list(walk *w, const char *at, size_t depth, list_look *look)
{
    size_t count = 0;
    const char *end = at + 1;
    if (depth > JSON_MAX_DEPTH) {
        json_fail_changed(&w->text, w->e);
        return w->text.end;
    }
    for (const char *item = json_first(&w->text, at); item != NULL;
         item = json_next(&w->text, end)) {
        count++;
        if (*item != '[')
            look_at_leaf(w, item, depth, look);
        end =
            *item == '[' ? look_at_list(w, item, depth + 1, look) : json_value_end(&w->text, item);
    }
    look->of->is_ragged =
        look->of->is_ragged || (look->is_known[depth] && look->size[depth] != count);
    look->is_known[depth] = true;
    look->size[depth] = count;
    look->of->depth = depth > look->of->depth ? depth : look->of->depth;
    return json_close(&w->text, end);
}

/* Numbers, of which some may be written as texts and some be left out; or true and false. */
static bool is_matrix(const list_look *look)
{
    const fact *f = look->of;
    size_t numbers =
        f->numbers.finite + f->numbers.nan + f->numbers.infinite - look->nonfinite_texts;
    bool is_all_truth = f->truths > 0 && f->truths + numbers + f->texts + f->nulls == f->truths;
    bool is_no_list = f->depth > 1 || f->nulls > 0; /* of nothing but texts, be they "NaN" */
    bool is_all_numbers = numbers > 0 || (look->nonfinite_texts > 0 && is_no_list);
    is_all_numbers = is_all_numbers && f->texts == look->nonfinite_texts && f->truths == 0;
    return (is_all_truth || is_all_numbers) && f->objects == 0 && !f->is_ragged &&
           f->depth == look->leaf_depth && f->depth <= TENSOR_MAX_RANK;
}

static void name_list(const list_look *look)
{
    fact *f = look->of;
    f->count = look->size[1];
    if (is_matrix(look)) {
        f->kind = FACT_MATRIX;
        f->type = f->truths > 0 ? DTYPE_BOOL : DTYPE_F64;
        f->rank = (int)f->depth;
        if (f->truths > 0)
            f->numbers = look->truth;
        f->numbers.holes = f->nulls;
        memcpy(f->size, look->size + 1, sizeof f->size[0] * f->depth);
    } else {
        f->kind = f->texts > 0 && f->texts == f->count && f->depth == 1 ? FACT_LIST : FACT_ARRAY;
    }
    if (f->kind != FACT_LIST)
        text_clear(&f->shown);
}

static const char *walk_list(walk *w, const char *at, fact *to)
{
    list_look look = {.of = to};
    const char *end = look_at_list(w, at, 1, &look);
    if (!text_ok(&to->shown, w->e))
        return NULL;
    name_list(&look);
    return end;
}

/* ---- values ---- */

static const char *walk_value(walk *w, const char *at, fact *to);

static fact *add_named(walk *w, const char *key, text *name, fact *to)
{
    text_clear(name);
    read_string(w, key, name);
    return text_ok(name, w->e) && json_room_take(&w->room, &w->text, key, FACT_ROOM, w->e)
               ? fact_add(to, text_string(name), name->length, w->e)
               : NULL;
}

/* NULL with the error set when there is no memory. */
static const char *walk_object(walk *w, const char *at, fact *to)
{
    const char *end = at + 1;
    text name = {0};
    if (w->depth++ == JSON_MAX_DEPTH) {
        json_fail_changed(&w->text, w->e);
        return NULL;
    }
    to->kind = FACT_OBJECT;
    for (const char *key = json_first(&w->text, at); key != NULL; key = json_next(&w->text, end)) {
        fact *added = add_named(w, key, &name, to);
        end = added == NULL ? NULL : walk_value(w, json_member(&w->text, key), added);
        if (end == NULL)
            break;
        to->count++;
    }
    text_free(&name);
    w->depth--;
    return end == NULL ? NULL : json_close(&w->text, end);
}

static void walk_word(walk *w, const char *at, fact *to)
{
    bool is_number = *at == '-' || (*at >= '0' && *at <= '9');
    to->kind = is_number ? FACT_NUMBER : *at == 'n' ? FACT_NULL : FACT_TRUTH;
    to->type = DTYPE_F64;
    if (is_number)
        statistics_add(&to->numbers, number_at(w, at));
    text_add(&to->shown, at, (size_t)(json_value_end(&w->text, at) - at));
}

static const char *walk_value(walk *w, const char *at, fact *to)
{
    if (*at == '{')
        return walk_object(w, at, to);
    if (*at == '[')
        return walk_list(w, at, to);
    if (*at == '"') {
        to->kind = FACT_TEXT;
        read_string(w, at, &to->shown);
    } else {
        walk_word(w, at, to);
    }
    return text_ok(&to->shown, w->e) ? json_value_end(&w->text, at) : NULL;
}

static const char *walk_one(walk *w, const char *at, const char *name, fact *to)
{
    fact *added = fact_add(to, name, strlen(name), w->e);
    to->kind = FACT_OBJECT;
    to->count = 1;
    return added == NULL ? NULL : walk_value(w, at, added);
}

/* way: NULL for all. */
static bool find_facts(walk *w, const char *way, fact *out)
{
    const char *at = json_scan(&w->text, w->e) ? json_whole(&w->text) : NULL;
    const char *one = at == NULL || way == NULL ? NULL : json_way_find(&w->text, at, way);
    bool done =
        at != NULL && (one == NULL ? walk_value(w, at, out) : walk_one(w, one, way, out)) != NULL;
    return json_check_unchanged(&w->text, w->e) && done;
}

bool facts_of_json(fact *out, const char *bytes, size_t length, const char *file, size_t first_line,
                   err *e)
{
    walk w = {.text = json_text_of(bytes, length, file, first_line), .e = e};
    return find_facts(&w, NULL, out);
}

bool facts_of_json_at(fact *out, const char *bytes, size_t length, const char *file,
                      const char *way, err *e)
{
    walk w = {.text = json_text_of(bytes, length, file, 1), .e = e};
    return find_facts(&w, way, out);
}
