#include "cli/init/init_command.h"

#include "cli/line/options.h"
#include "cli/init/init_draws.h"
#include "cli/line/shell_word.h"
#include "io/number_write.h"

static void add_option(text *out, const char *name, const char *value)
{
    text_add_format(out, " --%s ", name);
    shell_word_add(out, value);
}

void init_command_add_list(text *out, const char *name, const text_list *list)
{
    text joined = {0};
    for (size_t i = 0; i < list->count; i++)
        text_add_format(&joined, "%s%s", i == 0 ? "" : ",", list->item[i]);
    if (list->count > 0)
        add_option(out, name, text_string(&joined));
    out->failed = out->failed || joined.failed;
    text_free(&joined);
}

void init_command_write(const init_plan *p, const options *o, const format *to, text *out)
{
    text_add_string(out, "selfattn init");
    const entry *tokens = bundle_find(&p->settings, "tokens");
    if (tokens != NULL)
        init_command_add_list(out, "tokens", &tokens->list);
    else
        text_add_format(out, " --tokens %zu", p->extent[EXTENT_TOKENS]);
    text_add_format(out, " --width %zu", p->extent[EXTENT_WIDTH]);
    if (o->head_width > 0)
        text_add_format(out, " --head-width %zu", o->head_width);
    for (size_t i = 0; i < p->settings.count; i++) {
        const entry *one = &p->settings.entry[i];
        if (one != tokens)
            add_option(out, one->at.file, input_keys_value(o, one->name));
    }
    text_add_format(out, " --rng %s --seed %zu --dist %s", p->generator->named.name, o->seed,
                    init_dist(o));
    for (size_t i = 0; i < o->dist_of.count; i++)
        add_option(out, "dist-of", o->dist_of.item[i]);
    for (size_t i = 0; i < KNOBS; i++) {
        char number[NUMBER_TEXT];
        if (!o->knobs.is_set[i])
            continue;
        number_write_f64(o->knobs.value[i], number);
        add_option(out, KNOB_OPTIONS[i], number);
    }
    if (o->fan != NULL)
        add_option(out, "fan", o->fan);
    init_command_add_list(out, "draw", &o->draw);
    init_command_add_list(out, "exercise", &o->exercise);
    if (o->biases)
        text_add_string(out, " --biases");
    if (o->has_digits && to->is_json)
        text_add_format(out, " --digits %zu", o->digits);
}
