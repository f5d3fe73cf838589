/* What a page needs to compute its numbers again after one of them was changed: the inputs with all
 * their digits, how the run computed, and the settings of its document. */
#include "attn/spec/keys.h"
#include "io/json_write.h"
#include "render/html_parts.h"
#include "render/number_text.h"

#include <math.h>
#include <string.h>

bool html_is_alive(const html_page *p)
{
    if (p->whole->document == NULL || p->asked != NULL)
        return false;
    for (size_t i = 0; i < trace_rooms(p->whole); i++) {
        const trace *room = trace_room(p->whole, i);
        for (size_t j = 0; j < room->maps; j++) {
            if (html_kept_of(p, &room->map[j]) != KEPT_ALL)
                return false;
        }
    }
    return true;
}

/* ---- inputs ---- */

/* Whether the number can be read back from what the page shows of it. */
static bool is_shown_whole(const tensor *of, double value, int digits)
{
    uint64_t units;
    if (!number_text_units(value, digits, &units) || (value == 0 && signbit(value)))
        return isinf(value) != 0;
    double read = (double)units / pow(10, digits < 0 ? NUMBER_TEXT_DECIMALS : digits);
    return fabs(value) == (of->type == DTYPE_F64 ? read : (double)(float)read);
}

bool html_is_all_shown(const html_page *p, const trace_map *map)
{
    const tensor *of = &map->values;
    size_t at[TENSOR_MAX_RANK] = {0};
    do {
        if (!is_shown_whole(of, tensor_get(of, at), p->how->digits))
            return false;
    } while (tensor_next(of, at));
    return true;
}

/* Its type first, "4" or "8" bytes a number. */
void html_add_bits(const html_page *p, const trace_map *map)
{
    const tensor *of = &map->values;
    bool is_wide = of->type == DTYPE_F64;
    size_t at[TENSOR_MAX_RANK] = {0};
    if (map->has_origin || html_is_all_shown(p, map))
        return;
    text_add_format(p->out, ",\n\"bits\":\"%d", is_wide ? 8 : 4);
    do {
        double value = tensor_get(of, at);
        float narrow = (float)value;
        uint32_t words[2];
        memcpy(words, is_wide ? (void *)&value : (void *)&narrow,
               is_wide ? sizeof value : sizeof narrow);
        html_pack_bits(p->out, words[0]);
        if (is_wide)
            html_pack_bits(p->out, words[1]);
    } while (tensor_next(of, at));
    text_add_string(p->out, "\"");
}

/* ---- how a room computed ---- */

static bool is_hidden(const trace_run *run, const size_t at[3])
{
    double j = (double)at[2];
    return j < tensor_get(&run->seen, (size_t[]){at[1], 0}) ||
           j >= tensor_get(&run->seen, (size_t[]){at[1], 1}) ||
           (run->mask.data != NULL &&
            (tensor_get(&run->mask, at) != 0) == run->mask_true_is_masked);
}

/* A row of each head after the other, a digit a key: 1 where something but causality hides it. */
void html_add_sight(text *out, const trace *room)
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
            text_add_string(out, is_hidden(run, at) ? "1" : "0");
        }
        text_add_string(out, "\"");
    }
    text_add_string(out, "]");
}

void html_add_run(text *out, const trace *room)
{
    const trace_run *run = &room->run;
    text_add_format(out,
                    ",\"appended\":%zu,\"decimals\":%d,\"keepsSum\":%s,\"causal\":%s,"
                    "\"endsAtKey\":%s,",
                    run->appended, run->decimals, run->keeps_sum ? "true" : "false",
                    run->is_causal ? "true" : "false", run->ends_at_key ? "true" : "false");
    html_add_sight(out, room);
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

/* Matrices are nodes, and what was expected no longer holds. */
static bool is_setting(const entry *one)
{
    key_kind kind = kind_of(one);
    if (one->kind == ENTRY_TENSOR)
        return one->tensor.rank == 0 || kind == KEY_NUMBERS;
    return kind != KEY_STAGES && kind != KEY_TOL && kind != KEY_RECORDS && kind != KEY_VOCAB;
}

static void add_numbers(text *out, const tensor *of)
{
    if (of->rank == 0)
        json_element_write(out, of->type, tensor_get(of, NULL), -1);
    else if (of->rank == 1)
        json_row_write(out, of, -1);
    else {
        for (size_t i = 0; i < of->size[0]; i++) {
            tensor row = tensor_at(of, i);
            text_add_string(out, i == 0 ? "[" : ",");
            json_row_write(out, &row, -1);
        }
        text_add_string(out, "]");
    }
}

/* What is in a setting is all of it. */
static void add_settings(text *out, const entry *of)
{
    bool is_whole = of->name != NULL && kind_of(of) == KEY_SETTINGS, is_first = true;
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

void html_add_source(const html_page *p)
{
    text_add_format(p->out, ",\n\"type\":\"%s\",\"source\":", dtype_name(p->whole->run.type));
    add_settings(p->out, &(entry){.bundle = (bundle *)(uintptr_t)p->whole->document});
}
