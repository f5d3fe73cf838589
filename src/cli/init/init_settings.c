#include "cli/init/init_settings.h"

#include "attn/spec/setting.h"
#include "attn/spec/words.h"
#include "cli/in/cli_inputs.h"
#include "cli/line/options.h"
#include "cli/out/note.h"
#include "io/format.h"

#include <string.h>

/* What init's options give, in the order of the document. */
typedef struct setting {
    const char *name;
    bool decides;      /* what run computes, by more than the elements' type */
    const char *usual; /* of a word: what run takes where none is said; or NULL */
} setting;
static const setting SETTINGS[] = {{"tokens", false, NULL},
                                   {"heads", true, NULL},
                                   {"kv_heads", true, NULL},
                                   {"layout", true, "in-out"},
                                   {"dtype", false, NULL}};
enum { SETTING_COUNT = sizeof SETTINGS / sizeof SETTINGS[0] };

/* ---- reading ---- */

/* No document is read here, which would judge it. */
static bool check_layout(const bundle *settings, err *e)
{
    const entry *said = bundle_find(settings, "layout");
    return said == NULL || setting_word(said, &LAYOUT_WORDS, "", e) != NULL;
}

bool init_settings_read(bundle *settings, const options *o, const env *world, err *e)
{
    bundle given = {0};
    cli_inputs files;
    weights_input none = {0};
    bool is_all_tables;
    bool done = cli_inputs_open(&files, o, world, e) &&
                cli_inputs_apply(&files, &none, DTYPE_F32, &given, &is_all_tables, e);
    cli_inputs_close(&files);
    if (done && input_keys_value(o, "dtype") == NULL)
        bundle_remove(&given, "dtype"); /* what run and check compute in is theirs to say */
    for (size_t i = 0; i < SETTING_COUNT && done; i++) {
        entry *one = bundle_find(&given, SETTINGS[i].name);
        done = one == NULL || bundle_take(settings, SETTINGS[i].name, one, e);
    }
    bundle_free(&given);
    return done && check_layout(settings, e);
}

/* ---- keeping ---- */

/* A format of one matrix has a place for nothing else. */
static bool has_place(const format *to, const bundle *settings, const entry *one)
{
    return to->holds & HOLDS_MATRICES && format_lacks(to, settings, one) == NULL;
}

/* Without it run would compute something else. */
static bool is_missed(const setting *s, const entry *one)
{
    return s->decides && (s->usual == NULL || strcmp(one->text, s->usual) != 0);
}

bool init_settings_keep(const bundle *settings, const format *to, const options *o,
                        const env *world, bundle *kept, err *e)
{
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        const entry *one = bundle_find(settings, SETTINGS[i].name);
        /* The elements' type is in a binary file by itself. */
        if (one == NULL || (to->holds & HOLDS_TYPES && strcmp(one->name, "dtype") == 0))
            continue;
        if (has_place(to, settings, one) && bundle_borrow(kept, one->name, one, e) == NULL)
            return false;
        if (has_place(to, settings, one))
            continue;
        if (is_missed(&SETTINGS[i], one) && to->holds & HOLDS_MATRICES) {
            err_at(e, &one->at, "%s has no place for it, without which run computes something else",
                   to->title);
            return err_remedy(e, "JSON has one; convert --force takes the matrices from there");
        }
        note_say(world, o, NULL, "%s is left out: %s has no place for it", one->name, to->title);
    }
    return true;
}
