/* What port found, for a person and for a program. */
#include "cli/port/port.h"

#include "io/json_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void port_part_write(const port *p, port_part part, text *out)
{
    if (part == 0)
        text_add_string(out, "embedding");
    else if (part + 1 == p->parts)
        text_add_string(out, "end");
    else
        text_add_format(out, "layer %zu", part - 1);
}

static const named *cause_named(const port_cause *one)
{
    return one->made != NULL ? &one->made->named : &one->fit->named;
}

static size_t count_agreeing(const port *p)
{
    size_t agreeing = 0;
    for (size_t i = 0; i < p->stages; i++)
        agreeing += port_agrees(&p->stage[i]);
    return agreeing;
}

static bool is_any_unsearched(const port *p)
{
    size_t i = 0;
    while (i < p->stages && !(p->stage[i].is_unexplained && p->stage[i].is_unsearched))
        i++;
    return i < p->stages;
}

/* ---- for a person ---- */

static void write_model(const port *p, text *out)
{
    text_add_string(out, "model: ");
    if (p->model == NULL)
        text_add_format(out, "%s; ", bundle_text(&p->config->given, "model_type"));
    else if (p->config != NULL) {
        model_config_describe(out, p->config, &p->model->document->contents, true);
        text_add_string(out, "; ");
    }
    text_add_format(out, "%zu layer%s, rows %zu wide (%s)\n", p->depth, p->depth == 1 ? "" : "s",
                    p->width, p->from);
}

/* "layer_00 to layer_11 output": the names of one kind, by the first and the last. */
static void write_names(const port *p, text *out)
{
    const char *before = "names: ";
    for (size_t i = 0; i < p->stages; i++) {
        const port_stage *one = &p->stage[i], *last = one;
        bool is_said = false;
        for (size_t j = 0; j < p->stages; j++) {
            if (strcmp(p->stage[j].kind, one->kind) != 0 ||
                (p->stage[j].kind == p->stage[j].name) != (one->kind == one->name))
                continue;
            is_said = is_said || j < i;
            last = &p->stage[j];
        }
        if (is_said)
            continue;
        text_add_format(out, "%s%s", before, one->called);
        if (last != one)
            text_add_format(out, " to %s", last->called);
        text_add_format(out, " %s", one->kind);
        before = "; ";
    }
    text_add_format(out, " (%zu of %zu)\n", p->stages, p->stages + p->unused.count);
}

/* Of a head that was read so the logits are not there. */
static void write_head_alone(const port *p, text *out)
{
    for (size_t i = 0; i < p->stages && p->reading == READ_HEAD_ALONE; i++) {
        if (strcmp(p->stage[i].name, "logits.product") == 0)
            text_add_format(out,
                            "%s is the product alone: whether the model's factor or cap follows "
                            "it, this dump does not show\n",
                            p->stage[i].called);
    }
}

enum { UNUSED_SHOWN = 4 };

/* A difference in one of these is not seen. */
static void write_unused(const port *p, text *out)
{
    const size_t count = p->unused.count, shown = count > UNUSED_SHOWN ? UNUSED_SHOWN - 1 : count;
    for (size_t i = 0; i < shown; i++)
        text_add_format(out, "%s%s", i == 0 ? "not compared: " : ", ", p->unused.item[i]);
    if (shown < count)
        text_add_format(out, " and %zu more", count - shown);
    text_add_string(out, count > 0 ? "\n" : "");
}

static void write_noise(const port *p, text *out)
{
    static const char *const PERCENT[] = {[NUMBER_F16] = "0.02", [NUMBER_BF16] = "0.2"};
    if (p->coarsest >= NUMBER_F16)
        text_add_format(out, "rows are %s: differences up to %s %% are rounding; ",
                        number_type_name(p->coarsest), PERCENT[p->coarsest]);
    text_add_string(out, p->reference == NULL
                             ? "each layer is computed from the dump's rows before it\n"
                             : "what comes after the first that differs may differ by it alone\n");
}

enum { COLUMNS = 3 };

static size_t column_of(const port_stage *one)
{
    return strcmp(one->kind, "attention.weights") == 0 ? 0
           : strcmp(one->kind, "output") == 0 || strcmp(one->kind, "embedded") == 0 ||
                   strcmp(one->kind, "ln_e") == 0 || strcmp(one->kind, "embed.output") == 0
               ? 2
               : 1;
}

static void write_table(const port *p, text *out)
{
    text_add_string(out, "layer       weights  between   output\n");
    for (port_part part = 0; part < p->parts; part++) {
        double worst[COLUMNS] = {-1, -1, -1};
        bool differs[COLUMNS] = {false}, is_any = false, is_unexplained = false;
        text line = {0};
        for (size_t i = 0; i < p->stages; i++) {
            const port_stage *one = &p->stage[i];
            size_t column = column_of(one);
            if (one->part != part)
                continue;
            is_any = true;
            is_unexplained = is_unexplained || one->is_unexplained;
            worst[column] = fmax(worst[column], one->before);
            differs[column] = differs[column] || !(one->before <= one->limit);
        }
        if (!is_any)
            continue;
        port_part_write(p, part, &line);
        text_add_format(out, "%-10s", text_string(&line));
        for (size_t i = 0; i < COLUMNS; i++) {
            char shown[32] = "";
            if (worst[i] >= 0 && differs[i])
                snprintf(shown, sizeof shown, "%.1g", worst[i]);
            else if (worst[i] >= 0)
                snprintf(shown, sizeof shown, "same");
            text_add_format(out, "%9s", shown);
        }
        const char *before = "    ";
        if (p->first != NULL && p->first_part == part) {
            text_add_format(out, "    <- first wrong: %s", p->first->name);
            before = "; ";
        }
        for (size_t i = 0; i < p->causes; i++) {
            if (!p->cause[i].is_in[part])
                continue;
            text_add_format(out, "%scause %zu", before, i + 1);
            before = ", ";
        }
        if (is_unexplained)
            text_add_format(out, "%snot explained", before);
        text_add_string(out, "\n");
        text_free(&line);
    }
}

/* "layers 0 to 2", "layer 1 alone", "the end" */
static void write_parts(const port *p, const port_cause *one, text *out)
{
    const char *before = "";
    for (port_part part = 0; part < p->parts; part++) {
        port_part end = part;
        if (!one->is_in[part])
            continue;
        while (end + 1 < p->parts - 1 && part > 0 && one->is_in[end + 1])
            end++;
        text_add_string(out, before);
        if (end > part)
            text_add_format(out, "layers %zu to %zu", part - 1, end - 1);
        else
            port_part_write(p, part, out);
        part = end;
        before = ", ";
    }
}

static void write_cause(const port *p, size_t index, text *out)
{
    const port_cause *one = &p->cause[index];
    const named *row = cause_named(one);
    text_add_format(out, "cause %zu: %s: %s", index + 1, row->name, row->help);
    if (one->made == NULL) {
        text_add_format(out, " is %s%.6g", p->coarsest >= NUMBER_F16 ? "about " : "", one->value);
        if (!isnan(one->usual))
            text_add_format(out, ", not %.6g", one->usual);
        text_add_string(out, " (fitted in ");
        port_part_write(p, one->first, out);
        if (one->confirmed > 0) {
            text_add_string(out, "; ");
            port_part_write(p, one->confirmed, out);
            text_add_string(out, " was not used, and agrees");
        }
        text_add_string(out, ")");
    }
    text_add_string(out, "; ");
    write_parts(p, one, out);
    text_add_string(out, "\n");
    const char *where = port_look_at(row->name);
    if (where != NULL)
        text_add_format(out, "look at: %s\n", where);
}

/* "not computed: …/config.json:17:26: …; place only, from REFERENCE: layer 0, output" */
static void write_refused(const port *p, text *out)
{
    if (p->reference == NULL)
        return;
    text_add_format(out, "not computed: %s: %s; place only, from %s", p->refused.where,
                    p->refused.what, p->reference);
    if (p->first != NULL) {
        text_add_string(out, ": ");
        port_part_write(p, p->first_part, out);
        text_add_format(out, ", %s", p->first->kind);
    }
    text_add_string(out, "\n");
}

static void write_shown(const port *p, text *out)
{
    enum { MOST = 12 };
    if (p->tried == 0)
        return;
    text_add_format(out, "this dump would show %zu of %zu known mistakes",
                    p->tried - p->missed_count, p->tried);
    for (size_t i = 0; i < p->missed_count && i < MOST; i++)
        text_add_format(out, "%s%s", i == 0 ? "; not these, with these ids: " : ", ",
                        p->missed[i]->name);
    if (p->missed_count > MOST)
        text_add_format(out, " and %zu more", p->missed_count - MOST);
    text_add_string(out, "\n");
}

/* Whether the last that its part makes after it agrees. */
static bool is_harmless(const port *p, const port_stage *one)
{
    bool is_last = false;
    for (const port_stage *next = one + 1; next < p->stage + p->stages; next++) {
        if (next->part != one->part)
            continue;
        is_last = port_agrees(next);
    }
    return is_last;
}

/* Where the dump has no number, "h.1 is nan in row 4, column 6"; else how far it is off. */
static void write_unexplained(const port *p, const port_stage *one, text *out)
{
    const tensor *t = &one->numbers.tensor;
    size_t at[TENSOR_MAX_RANK] = {0}, rank = (size_t)t->rank;
    bool is_number = isfinite(tensor_get(t, at));
    while (!isfinite(one->found) && is_number && tensor_next(t, at))
        is_number = isfinite(tensor_get(t, at));
    text_add_format(out, "not explained: %s is ", one->name);
    if (!is_number && !isfinite(one->found)) {
        text_add_format(out, "%s in row %zu, column %zu of %s; what comes after may be so by that",
                        isnan(tensor_get(t, at)) ? "nan" : "infinite", at[rank - 2] + 1,
                        at[rank - 1] + 1, one->called);
        return;
    }
    text_add_format(out, "off by %.1g of its largest number%s, ", one->found,
                    p->causes > 0 ? " with that" : "");
    if (is_harmless(p, one))
        text_add_format(out,
                        "and what its layer makes of it agrees: %s may be another stage, such as "
                        "after rotary positions, or in another order",
                        one->called);
    else
        text_add_format(out, "and no one cause more gives it: there may be two%s",
                        one->part == 0 ? ", or the ids are not the dump's" : "");
}

void port_report_text(const port *p, text *out)
{
    const size_t agreeing = count_agreeing(p);
    double largest = 0;
    for (size_t i = 0; i < p->stages; i++)
        largest = fmax(largest, p->stage[i].before);
    write_model(p, out);
    write_names(p, out);
    write_head_alone(p, out);
    write_unused(p, out);
    write_noise(p, out);
    write_table(p, out);
    if (p->first == NULL) {
        text_add_format(out,
                        "same: %zu matrices; the largest difference is %.1g of a matrix's largest "
                        "number\n",
                        p->stages, largest);
        write_shown(p, out);
        write_refused(p, out);
        return;
    }
    if (p->reference != NULL) {
        write_refused(p, out);
        return;
    }
    for (size_t i = 0; i < p->causes; i++)
        write_cause(p, i, out);
    if (agreeing == p->stages) {
        text_add_format(out, "proof: with %s all %zu matrices agree\n",
                        p->causes == 1 ? "this in the model" : "these in the model", p->stages);
        return;
    }
    for (size_t i = 0; i < p->stages; i++) {
        if (port_agrees(&p->stage[i]))
            continue;
        write_unexplained(p, &p->stage[i], out);
        text_add_format(out, "; %zu of %zu matrices agree%s\n", agreeing, p->stages,
                        is_any_unsearched(p)
                            ? "; in other layers none was looked for, where that takes long"
                            : "");
        return;
    }
}

/* ---- for a program ---- */

static void write_number(text *out, const char *name, double value)
{
    json_member_key(out, name);
    json_element_write(out, DTYPE_F64, value, -1);
}

static void write_truth(text *out, const char *name, bool is)
{
    json_member_key(out, name);
    text_add_string(out, is ? "true" : "false");
}

/* A layer is a number, from 0. */
static void write_part(const port *p, text *out, port_part part)
{
    json_member_key(out, "layer");
    if (part == 0 || part + 1 == p->parts)
        json_string_write(out, part == 0 ? "embedding" : "end");
    else
        text_add_format(out, "%zu", part - 1);
}

static void write_json_cause(const port *p, const port_cause *one, text *out)
{
    const char *before = "";
    json_member_text(out, "name", cause_named(one)->name);
    json_member_text(out, "help", cause_named(one)->help);
    if (port_look_at(cause_named(one)->name) != NULL)
        json_member_text(out, "look_at", port_look_at(cause_named(one)->name));
    json_member_key(out, "layers");
    text_add_string(out, "[");
    for (port_part part = 1; part + 1 < p->parts; part++) {
        if (!one->is_in[part])
            continue;
        text_add_format(out, "%s%zu", before, part - 1);
        before = ", ";
    }
    text_add_string(out, "]");
    write_truth(out, "embedding", one->is_in[0]);
    write_truth(out, "end", one->is_in[p->parts - 1]);
    if (one->made != NULL)
        return;
    write_number(out, "value", one->value);
    if (!isnan(one->usual))
        write_number(out, "model_has", one->usual);
    write_truth(out, "confirmed", one->confirmed > 0);
}

void port_report_json(const port *p, text *out)
{
    text_add_string(out, "{");
    write_truth(out, "same", p->first == NULL);
    write_truth(out, "explained", p->first == NULL || count_agreeing(p) == p->stages);
    json_member_text(out, "model", p->from);
    json_member_text(out, "dump", p->file);
    if (p->reference != NULL) {
        json_member_text(out, "reference", p->reference);
        json_member_text(out, "not_computed", p->refused.what);
    }
    json_member_key(out, "first");
    if (p->first == NULL) {
        text_add_string(out, "null");
    } else {
        text_add_string(out, "{");
        write_part(p, out, p->first_part);
        json_member_text(out, "stage", p->first->name);
        json_member_text(out, "name", p->first->called);
        write_number(out, "error", p->first->before);
        text_add_string(out, "}");
    }
    json_member_key(out, "causes");
    text_add_string(out, "[");
    for (size_t i = 0; i < p->causes; i++) {
        text_add_string(out, i == 0 ? "{" : ", {");
        write_json_cause(p, &p->cause[i], out);
        text_add_string(out, "}");
    }
    text_add_string(out, "]");
    if (p->tried > 0) {
        json_member_count(out, "mistakes_tried", p->tried);
        json_member_key(out, "not_shown");
        text_add_string(out, "[");
        for (size_t i = 0; i < p->missed_count; i++) {
            text_add_string(out, i == 0 ? "" : ", ");
            json_string_write(out, p->missed[i]->name);
        }
        text_add_string(out, "]");
    }
    json_member_count(out, "matrices", p->stages);
    json_member_count(out, "agree", count_agreeing(p));
    json_member_key(out, "stages");
    text_add_string(out, "[");
    for (size_t i = 0; i < p->stages; i++) {
        const port_stage *one = &p->stage[i];
        text_add_string(out, i == 0 ? "\n  {" : ",\n  {");
        json_member_text(out, "stage", one->name);
        json_member_text(out, "name", one->called);
        write_number(out, "error", one->before);
        write_number(out, "left", one->found);
        write_number(out, "rounding", one->limit);
        if (one->is_unsearched && one->is_unexplained)
            write_truth(out, "searched", false);
        text_add_string(out, "}");
    }
    text_add_string(out, "]");
    json_member_key(out, "not_compared");
    text_add_string(out, "[");
    for (size_t i = 0; i < p->unused.count; i++) {
        text_add_string(out, i == 0 ? "" : ", ");
        json_string_write(out, p->unused.item[i]);
    }
    text_add_string(out, "]}\n");
}
