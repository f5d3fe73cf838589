/* What config.json says of a model, as transformers writes it: a row a family of models (its
 * model_type), and a row a key, which says what becomes of it here.
 *
 * What changes a number and has no row is refused by its name: a model that is computed without one
 * of its parts gives wrong numbers, and nothing shows it. */
#ifndef SELFATTN_WEIGHTS_CONFIG_KEYS_H
#define SELFATTN_WEIGHTS_CONFIG_KEYS_H

#include "base/named.h"

typedef enum config_use {
    CONFIG_READ,    /* model_config.c reads it, together with others */
    CONFIG_SETTING, /* it is the setting `to` of a document */
    CONFIG_SWITCH,  /* `to` is a setting, and "WORD=" with a word or a number for each that it may
                       be, or - where that says nothing; where it is none of them, it may not be */
    CONFIG_ROOT,    /* the setting `to` is 1 over its root, */
    CONFIG_INVERSE, /* or 1 over it */
    CONFIG_SIZE,    /* the weights have this size, by its name in CONFIG_SIZES */
    CONFIG_ONLY,    /* only the words `to` are computed, with spaces between; NULL: it may not be */
    CONFIG_WITHIN,  /* an object, whose keys are read as if they stood next to it */
    CONFIG_ROPE     /* so is this, of models that turn; it is not known of others */
} config_use;

typedef struct config_key {
    named named; /* as config.json has it; its help says what it is, where it is refused */
    config_use use;
    const char *to;
    bool is_of_layers; /* of CONFIG_ONLY and CONFIG_SWITCH: one attention alone does without */
    const char *where; /* it counts where this "KEY=WORD" is so; or NULL */
} config_key;

typedef enum config_size {
    SIZE_LAYERS,
    SIZE_WIDTH,
    SIZE_HIDDEN,
    SIZE_IDS,
    SIZE_HEAD,
    SIZE_EXPERTS,
    SIZE_OF_EXPERT, /* hidden numbers of one */
    SIZE_LATENT,
    SIZE_Q_LATENT,
    SIZE_UNTURNED, /* of a head's numbers, those before */
    SIZE_TURNED,   /* those that are turned */
    SIZE_VALUE,
    SIZE_COUNT
} config_size;

extern const named_table CONFIG_SIZES; /* in this order */

/* What a key is where config.json has none: a number, or a word. */
typedef struct config_default {
    const char *key;
    double number;
    const char *word;
} config_default;

enum { FAMILY_DEFAULTS = 17, FAMILY_SETTINGS = 4, FAMILY_KEYS = 2 };

typedef struct model_family {
    named named;       /* model_type; help: what it computes, in a word or two */
    const char *names; /* of its layers, some of LAYER_CONVENTIONS; NULL: they tell themselves */
    const char *rope;  /* which numbers are turned together; NULL: it turns none */
    struct {
        const char *key, *word;
    } setting[FAMILY_SETTINGS]; /* of a document, that models of it have besides the names' own */
    config_default by_default[FAMILY_DEFAULTS];
    const config_key *own[FAMILY_KEYS]; /* before those of all; the last of each has no name */
    const char *head;                   /* of its logits, what is not computed; NULL: nothing */
    const char *x_of;                   /* that x is, which nothing here makes; NULL: it has ids */
    bool is_masked;                     /* logits are made by a head, which the file has or not */
    const char *head_activation;        /* of that, or the key that says it; NULL: the layers' */
    bool shares_head;                   /* with classifiers: a masked model has a bias for ids */
    bool counts_shown;                  /* its positions count the rows that the mask shows */
    bool gains_lack_one;                /* each norm's gain is 1 + what is there */
    bool scales_rows;                   /* by the root of their width, in float32 */
    bool scales_by_mscale;              /* yarn's, the square of which is in the scale */
    bool norms_heads;                   /* queries and keys, with the eps of all norms */
    bool has_windows;                   /* sliding_window is known of them */
    bool has_types;                     /* layers differ in that, by layer_types or their numbers */
    bool switches_windows;              /* by use_sliding_window */
    bool turns_part;                    /* of a head, by partial_rotary_factor */
    bool asks_how_it_turns;             /* where nothing says it, by what is not computed here */
    size_t full_every;    /* that layer of so many has no window, where nothing says which */
    bool begins_full;     /* the first of so many, and not the last */
    bool sees_both_sides; /* its windows go as far forward as back */
    bool scales_logits;   /* by 1 over the root of the width, of tied models */
    bool rounds_alibi;    /* divided as scores are, to bfloat16; with it nothing turns */
    bool is_of_two;       /* an encoder and its decoder, which alone has logits */
} model_family;

extern const named_table MODEL_FAMILIES;

/* The row of a key, in the family's own or of all, or (NULL) in those of all alone; NULL: there is
 * none. */
const config_key *config_key_find(const model_family *of, const char *name);
/* Whether the key, in any family, changes no number, or what it says the weights tell as well. */
bool config_key_is_idle(const char *name);

/* Adds, for help and manual, the keys that change no number; those of all families, "; KEY: what it
 * is here" each; and what is said of one family. */
void config_keys_describe(text *out);
void config_keys_describe_all(text *out);
void model_family_describe(text *out, const model_family *row);

#endif
