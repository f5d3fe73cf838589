#include "trace/stack_trace.h"

#include "base/nearest.h"
#include "model/embed.h"
#include "model/gradient.h"
#include "model/stack_run.h"

#include <stdio.h>
#include <string.h>

/* ---- what a word means ---- */

/* Whether the word is the way to it, layer.0.attention.weights. */
static bool matches_in_full(const char *word, const char *way, const char *name)
{
    char full[STAGE_NAME];
    snprintf(full, sizeof full, "%s%s", way, name);
    return stage_name_matches(word, full);
}

static bool matches(const char *word, const char *way, const char *name)
{
    return stage_name_matches(word, name) || matches_in_full(word, way, name);
}

/* What is a floor's is no attention's: output, and positions, which no attention of a stack
 * adds. */
static step_wish wish_of(const char *word, const char *way, const trace_place *at, step_id id)
{
    const step_row *row = step_of(id), *embedded = step_of(FLOOR_EMBEDDED);
    const named *floor = named_find(&FLOORS, word, strlen(word));
    const char *name = id < STEP_COUNT ? row->named.name : at->name;
    if (floor == NULL && strcmp(word, embedded->stages) == 0)
        floor = &embedded->named;
    if (floor != NULL)
        return floor == &row->named ? STEP_WANTED : STEP_UNWANTED;
    char within[STAGE_NAME], one[STAGE_NAME]; /* layer.0 is all that is within */
    int length = snprintf(within, sizeof within, "%s.*", word);
    if (matches(word, way, at->name) || (length < STAGE_NAME && matches_in_full(within, way, name)))
        return STEP_IF_IT_WORKS;
    bool is_named =
        matches(word, way, row->named.name) || (id == at->more_by && matches(word, way, at->more));
    for (const char *list = row->stages; *list != '\0' && !is_named;) {
        size_t bytes = strcspn(list, " ");
        snprintf(one, sizeof one, "%.*s", (int)bytes, list);
        is_named = matches(word, way, one);
        list += bytes + strspn(list + bytes, " ");
    }
    return is_named ? STEP_WANTED : STEP_UNWANTED;
}

step_wish stack_step_wish(const text_list *words, const trace_place *at, step_id id)
{
    step_wish most = STEP_UNWANTED;
    for (size_t i = 0; i < words->count; i++) {
        step_wish of_all = wish_of(words->item[i], at->way, at, id),
                  of_step = wish_of(words->item[i], at->way_in_step, at, id),
                  of_word = of_all > of_step ? of_all : of_step;
        most = of_word > most ? of_word : most;
    }
    return most;
}

/* The floor of what a part does that is no attention, and of the way back through it. */
static step_id floor_of(const part_step *step)
{
    static const step_id FLOOR[] = {[PART_STEP_NORM] = FLOOR_NORM,
                                    [PART_STEP_ITSELF] = FLOOR_FEED_FORWARD,
                                    [PART_STEP_SUM] = FLOOR_RESIDUAL};
    return FLOOR[step->kind];
}

static step_id floor_back(const part_step *step)
{
    static const step_id BACK[] = {[PART_STEP_NORM] = FLOOR_NORM_BACK,
                                   [PART_STEP_ITSELF] = FLOOR_FEED_FORWARD_BACK,
                                   [PART_STEP_SUM] = FLOOR_RESIDUAL_BACK};
    return BACK[step->kind];
}

/* A layer ends with the norm or the sum of its last part. */
void stack_place_find_more(trace_place *at, const layer *of)
{
    part_step step[PART_STEPS_MOST];
    if (of == NULL)
        return;
    const part_step *last = &step[part_steps(of->part[of->parts - 1].as, step) - 1];
    if (strcmp(at->name, part_name(PART_ATTENTION)) == 0 ||
        strcmp(at->name, part_name(PART_CROSS)) == 0) {
        at->more = "mean_weights";
        at->more_by = STEP_SOFTMAX;
    } else if (strcmp(at->name, last->name) == 0) {
        at->more = "output";
        at->more_by = floor_of(last);
    }
}

bool stack_words_name_more(const text_list *words, const trace_place *at)
{
    bool is_named = false;
    for (size_t i = 0; i < words->count; i++)
        is_named = is_named || matches(words->item[i], at->way, at->more) ||
                   matches(words->item[i], at->way_in_step, at->more);
    return is_named;
}

/* ---- words that mean nothing ---- */

/* A search through all steps of a stack for a word, and for the nearest name to it. */
typedef struct search {
    const char *word;
    const layer *layer; /* where it is; NULL: in none */
    char before[32];    /* "step.1.", or "" */
    bool is_found;
    nearest near;
    char found[STAGE_NAME]; /* the nearest; "": none is near */
} search;

static void look_near(search *f, const char *way, const char *name)
{
    char full[STAGE_NAME];
    snprintf(full, sizeof full, "%s%s", strchr(f->word, '.') == NULL ? "" : way, name);
    if (nearest_is_nearer(&f->near, full))
        snprintf(f->found, sizeof f->found, "%s", full);
}

static void look(search *f, const char *way, const char *room, step_id id)
{
    const char *name = step_of(id)->named.name;
    char full[STAGE_NAME];
    trace_place at = {.name = room};
    stack_place_find_more(&at, f->layer);
    snprintf(full, sizeof full, "%s%s", f->before, way);
    f->is_found = f->is_found || wish_of(f->word, way, &at, id) != STEP_UNWANTED ||
                  wish_of(f->word, full, &at, id) != STEP_UNWANTED;
    look_near(f, full, id < STEP_COUNT ? name : room);
    if (at.more != NULL && id == at.more_by)
        look_near(f, full, at.more);
    if (strchr(f->word, '.') == NULL) {
        look_near(f, full, name);
        look_near(f, full, room);
    }
}

/* The room of the way back through one of this name. */
static void look_back(search *f, const stack *s, const char *way, const char *name, step_id id)
{
    if (s->goal.is_there)
        look(f, way, gradient_of(name).text, id);
}

static void look_at_stack(search *f, const stack *s)
{
    look(f, "", "embedded", FLOOR_EMBEDDED);
    look_back(f, s, "", "embedded", FLOOR_EMBEDDED_BACK);
    if (s->has_first) {
        look(f, "", "ln_e", FLOOR_NORM);
        look_back(f, s, "", "ln_e", FLOOR_NORM_BACK);
    }
    if (stack_ends_with_product(s)) {
        look(f, "", EMBED, FLOOR_EMBED);
        look_back(f, s, "", EMBED, FLOOR_EMBED_BACK);
    }
    for (size_t i = 0; i < s->layers; i++) {
        stage_way way = stage_way_of_layer(i);
        f->layer = &s->layer[i];
        look(f, way.text, "x", FLOOR_LAYER);
        look_back(f, s, way.text, "x", FLOOR_LAYER_BACK);
        look_back(f, s, way.text, "output", FLOOR_LAYER_BACK);
        for (size_t j = 0; j < s->layer[i].parts; j++) {
            const part_row *as = s->layer[i].part[j].as;
            part_step step[PART_STEPS_MOST];
            size_t steps = part_steps(as, step);
            for (const part_step *of = step; of < step + steps; of++) {
                stage_way within = stage_way_on(&way, of->name);
                bool is_attention = of->kind == PART_STEP_ITSELF && as->kind != PART_FEED_FORWARD;
                if (!is_attention) {
                    look(f, way.text, of->name, floor_of(of));
                    look_back(f, s, way.text, of->name, floor_back(of));
                }
                for (step_id id = 0; is_attention && id < STEP_COUNT; id++)
                    look(f, within.text, of->name, id);
            }
        }
        f->layer = NULL;
    }
    if (s->has_end) {
        look(f, "", "ffn", FLOOR_FEED_FORWARD);
        look_back(f, s, "", "ffn", FLOOR_FEED_FORWARD_BACK);
    }
    if (s->has_final) {
        look(f, "", "ln_f", FLOOR_NORM);
        look_back(f, s, "", "ln_f", FLOOR_NORM_BACK);
    }
    look(f, "", "output", FLOOR_OUTPUT);
    if (stack_makes_head(s)) {
        look(f, "", HEAD, FLOOR_HEAD);
        look_back(f, s, "", HEAD, FLOOR_HEAD_BACK);
        if (s->head.has_norm) {
            look(f, "", HEAD_NORM_NAME, FLOOR_NORM);
            look_back(f, s, "", HEAD_NORM_NAME, FLOOR_NORM_BACK);
        }
    }
    if (s->goal.is_there)
        look(f, "", "loss", FLOOR_LOSS);
    if (stack_has_rollout(s))
        look(f, "", "rollout", FLOOR_ROLLOUT);
}

bool stack_steps_check(const stack *s, size_t steps, const text_list *words, err *e)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->item[i];
        size_t length = strlen(word);
        search f = {.word = word, .near = nearest_to(word, length, spelling_reach(length))};
        look_at_stack(&f, s);
        for (size_t step = 0; step < steps && !f.is_found; step++) {
            /* Each step of a generation has the steps of a stack, and its own. */
            snprintf(f.before, sizeof f.before, "step.%zu.", step);
            look_at_stack(&f, s);
            look(&f, "", "logits", FLOOR_LOGITS);
            look(&f, "", "probabilities", FLOOR_PROBABILITIES);
            look(&f, "", "choice", FLOOR_CHOICE);
        }
        if (f.is_found)
            continue;
        err_set(e, "there is no step \"%s\" in this stack", word);
        return f.found[0] == '\0'
                   ? err_remedy(e, "selfattn help steps lists those of attention, selfattn help "
                                   "floors what is next to it")
                   : err_remedy(e, "did you mean \"%s\"?", f.found);
    }
    return true;
}
