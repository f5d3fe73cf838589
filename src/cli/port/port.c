/* selfattn port: which layer of a model's port differs first, at which stage, and why. */
#include "cli/port/port.h"

#include "base/mem.h"
#include "cli/command.h"
#include "cli/out/said.h"
#include "io/sink.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the dump ---- */

static bool read_dump(const port *p, const char *file, input_file *in, bundle *to, err *e)
{
    if (!input_file_open_one(in, file, false, p->given, e) || !input_file_next(in))
        return false;
    read_options how = input_file_how(in, p->given, DTYPE_F64);
    how.kind = KEY_EXPECTED;
    how.type_is_fixed = how.types_expected = how.takes_truths = how.keeps_json = true;
    how.keeps_types = how.keeps_bits = how.allow_nonfinite = how.is_result = how.any_rank = true;
    how.keeps_unread = true;
    return input_file_read(in, &how, to, e);
}

bool port_is_of_other(const port *p, const char *name)
{
    static const char *const STACKS[] = {"encoder", "decoder"};
    for (size_t i = 0; i < 2 && p->given->prefix != NULL; i++)
        if (strstr(p->given->prefix, STACKS[i]) != NULL)
            return strstr(name, STACKS[1 - i]) != NULL && strstr(name, STACKS[i]) == NULL;
    return false;
}

/* What the model computed, where no option says it: whole numbers of such a name, of one sequence;
 * and what the encoder gave to its decoder. The first of a name is taken, which for
 * decoder_input_ids is the decoder's. */
static bool take_ids(const port *p, bundle *contents, err *e)
{
    static const struct {
        const char *pattern, *of, *as; /* a table of the model's that the key picks rows of */
    } SAID[] = {{"*type_ids*", "segment_embedding", "segments"},
                {"*position_ids*", NULL, NULL},
                {"*ids*", "embedding", "ids"},
                {"*encoder_last_hidden_state*", "embedding", "memory"}};
    enum { OF_OTHER = 3, SAYS = 4 };
    static const char *const FROM[] = {"ids", "x", "tokens"};
    const entry *of_several = NULL;
    char shape[SHAPE_TEXT];
    for (size_t i = 0; i < p->dump.count && !e->is_set; i++) {
        const entry *one = &p->dump.entry[i];
        const char *last = strrchr(one->name, '.');
        const tensor *t = &one->tensor;
        size_t j = 0;
        while (j < SAYS &&
               !stage_name_matches(SAID[j].pattern, last == NULL ? one->name : last + 1))
            j++;
        const bool has_batch = t->rank == (j == OF_OTHER ? 3 : 2);
        if (j < OF_OTHER && t->rank == 2 && t->size[0] > 1 && SAID[j].of != NULL)
            of_several = one;
        if (one->kind != ENTRY_TENSOR || j == SAYS || SAID[j].of == NULL ||
            port_is_of_other(p, one->name) != (j == OF_OTHER) || (has_batch && t->size[0] > 1) ||
            t->rank - has_batch != (j == OF_OTHER ? 2 : 1) ||
            bundle_find(contents, SAID[j].of) == NULL || bundle_find(contents, SAID[j].as) != NULL)
            continue;
        const tensor flat = has_batch ? tensor_at(t, 0) : tensor_view_of(t);
        tensor numbers;
        if (tensor_new(&numbers, DTYPE_F64, flat.rank, flat.size, e)) {
            tensor_copy(&flat, &numbers);
            bundle_add_tensor(contents, SAID[j].as, &numbers, one->at, e);
        }
    }
    if (e->is_set || bundle_find_first(contents, FROM, sizeof FROM / sizeof FROM[0]) != NULL)
        return !e->is_set;
    place at = {.file = p->file != NULL ? p->file : p->from};
    if (of_several != NULL) {
        err_at(e, &at, "%s is %s, and a port is compared by one sequence", of_several->name,
               tensor_shape_text(&of_several->tensor, shape));
        return err_remedy(e, "a dump of one of them is wanted: its ids, and its rows");
    }
    err_at(e, &at, "it has no ids, the tokens that these matrices are of");
    return err_remedy(e, "--ids N,... gives them: a text is not split into tokens here");
}

/* ---- noise ---- */

/* What rounding to the type leaves, of the greatest number. */
static double level_of(number_type type)
{
    return type == NUMBER_BF16 ? 0x1p-8 : type == NUMBER_F16 ? 0x1p-11 : 0x1p-24;
}

/* What float32 leaves of a layer: a sum rounds as the root of how many numbers it adds. At widths
 * of 4 to 32 up to 6e-7 of the greatest number was seen, at 768 up to 2e-6. */
static double least_noise(const port *p)
{
    return level_of(NUMBER_F32) * fmax(2, sqrt((double)p->width) / 4);
}

static int by_size(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

enum { ABOVE_NOISE = 8 }; /* so much more than rounding is not rounding */

/* Rounding is the same in all layers: the level that most matrices keep to is the noise, if it is
 * that of float32; what rounds more is to show it. */
static bool measure_noise(port *p, err *e)
{
    double *found = mem_alloc(p->stages, sizeof found[0], e);
    if (found == NULL)
        return false;
    for (size_t i = 0; i < p->stages; i++)
        found[i] = p->stage[i].found;
    qsort(found, p->stages, sizeof found[0], by_size);
    const double least = least_noise(p), most = found[(p->stages - 1) / 2];
    p->noise = most > least && most <= 4 * least ? most : least;
    for (size_t i = 0; i < p->stages; i++) {
        p->stage[i].limit = ABOVE_NOISE * p->noise;
        /* Embedded rows may be no coarser than the weights that they are. */
        if (p->stage[i].part > 0 && p->stage[i].stored > p->coarsest)
            p->coarsest = p->stage[i].stored;
    }
    mem_free(found);
    return true;
}

/* ---- a model that is computed ---- */

static bool measure_part(port *p, port_part part, err *e)
{
    part_document d;
    bool done = part_open(&d, p, part, NULL, 0, e) &&
                ((d.claims == 0 && d.claim[0].name == NULL) || part_measure(&d, p, part, e));
    part_close(&d);
    return done;
}

static double worst_of(const port *p, port_part part)
{
    double worst = 0;
    for (size_t i = 0; i < p->stages; i++)
        worst = p->stage[i].part == part ? fmax(worst, p->stage[i].found) : worst;
    return worst;
}

/* Of the first layer's first stage, which alone is made of nothing but the rows before it. */
static double first_of_layers(const port *p)
{
    size_t i = 0;
    while (i < p->stages && p->stage[i].part < 1)
        i++;
    return i < p->stages && p->stage[i].part == 1 ? p->stage[i].found : 0;
}

/* Rows that are right but for their rounding may have gone into the first layer as they were before
 * it: that which leaves less is taken. */
static bool choose_begin(port *p, err *e)
{
    bool is_rounded = false;
    for (size_t i = 0; i < p->stages; i++)
        is_rounded = is_rounded || (p->stage[i].part == 0 && p->stage[i].stored >= NUMBER_F16);
    if (!is_rounded || worst_of(p, 0) > ABOVE_NOISE * least_noise(p))
        return true;
    const double by_rows = first_of_layers(p);
    p->begins_unrounded = true;
    if (!measure_part(p, 0, e) || !measure_part(p, 1, e))
        return false;
    p->begins_unrounded = first_of_layers(p) < by_rows;
    return p->begins_unrounded || measure_part(p, 1, e);
}

/* ---- how names are read ---- */

/* Before noise is measured: float32's, or that of the type in which it is stored. */
static size_t count_near(const port *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->stages; i++) {
        const port_stage *one = &p->stage[i];
        const double level = one->stored >= NUMBER_F16 ? level_of(one->stored) : least_noise(p);
        count += one->found <= ABOVE_NOISE * level;
    }
    return count;
}

static bool has_stage(const port *p, const char *name)
{
    size_t i = 0;
    while (i < p->stages && strcmp(p->stage[i].name, name) != 0)
        i++;
    return i < p->stages;
}

static bool read_as(port *p, dump_reading how, err *e)
{
    p->reading = how;
    if (!port_names_find(p, e))
        return false;
    for (size_t i = 0; i < p->stages; i++)
        p->stage[i].limit = ABOVE_NOISE * least_noise(p);
    for (port_part part = 0; part < p->parts && p->stages > 0; part++) {
        if (!measure_part(p, part, e) || !port_names_settle(p, part, e))
            return false;
    }
    return true;
}

/* Where something differs, names are read otherwise, too: what makes more matrices agree is what
 * they mean. Without logits a list that ends before the last norm is one of a port that lacks
 * it. */
static bool read_dump_names(port *p, err *e)
{
    dump_reading best = READ_AS_COUNTED;
    if (!read_as(p, best, e))
        return false;
    const size_t stages = p->stages;
    size_t near = count_near(p);
    const bool has_logits = has_stage(p, "logits"),
               is_changed = text_list_find(&p->model->there, "logits.product") != NULL;
    for (dump_reading how = best + 1; how < READING_COUNT && near < stages; how++) {
        if ((how == READ_ENDS_UNNORMED && !has_logits) || (how == READ_HEAD_ALONE && !is_changed))
            continue;
        if (!read_as(p, how, e))
            return false;
        const size_t now = count_near(p);
        best = now > near ? how : best;
        near = now > near ? now : near;
    }
    return p->reading == best || read_as(p, best, e);
}

/* Says that nothing was found; and of rows that are as wide as the layers', how many they are. */
static bool refuse_all(const port *p, err *e)
{
    const size_t rows = p->layers->rows, width = p->layers->width;
    const entry *near = NULL;
    place at = {.file = p->file};
    char shape[SHAPE_TEXT];
    for (size_t i = 0; i < p->dump.count && near == NULL; i++) {
        const entry *one = &p->dump.entry[i];
        const tensor *t = &one->tensor;
        const bool is_wide =
            one->kind == ENTRY_TENSOR && t->rank >= 2 && t->size[t->rank - 1] == width;
        near = is_wide && tensor_count(t) != rows * width ? one : NULL;
    }
    err_at(e, &at, "none of its %zu matrices has the name and the shape of a stage of this model",
           p->dump.count);
    if (near == NULL)
        return err_remedy(e, "selfattn info lists them; rows of layers are %zu x %zu here", rows,
                          width);
    return err_remedy(e,
                      "%s is %s, and rows of layers are %zu x %zu here: %zu tokens of one "
                      "sequence, a matrix a layer",
                      near->name, tensor_shape_text(&near->tensor, shape), rows, width, rows);
}

static bool compare(port *p, err *e)
{
    p->depth = p->layers->layers;
    p->width = p->layers->width;
    p->parts = p->depth + 2;
    p->rows = mem_alloc_zeroed(p->parts + 1, sizeof p->rows[0], e);
    if (p->rows == NULL || !work_list(p->model, e) || !read_dump_names(p, e))
        return false;
    if (p->stages == 0)
        return refuse_all(p, e);
    if (!choose_begin(p, e) || !measure_noise(p, e))
        return false;
    for (size_t i = 0; i < p->stages; i++)
        p->stage[i].before = p->stage[i].found;
    return port_find_causes(p, e) && (p->first != NULL || port_find_shown(p, e));
}

/* ---- a recorded dump in the place of a model ---- */

/* Each layer has the rounding of those before it in its rows, as it adds up by chance. */
static double piled_up(const port *p, const port_stage *one)
{
    const double level = one->stored >= NUMBER_F16 ? level_of(one->stored) : least_noise(p);
    return level * sqrt((double)one->part + 1);
}

static bool compare_recorded(port *p, err *e)
{
    input_file in = {0};
    bundle recorded = {0};
    bool done = read_dump(p, p->reference, &in, &recorded, e) && port_names_pair(p, &recorded, e);
    if (done && p->stages == 0) {
        place at = {.file = p->file};
        err_at(e, &at, "none of its %zu matrices is known by its name and also in %s",
               p->dump.count, p->reference);
        done = err_remedy(e, "selfattn diff --map A=B compares names that are given");
    }
    for (size_t i = 0; i < p->stages && done; i++) {
        port_stage *one = &p->stage[i];
        one->before = one->found;
        one->limit = ABOVE_NOISE * piled_up(p, one);
        p->coarsest = one->stored > p->coarsest ? one->stored : p->coarsest;
        if (p->first == NULL && !port_agrees(one)) {
            p->first = one;
            p->first_part = one->part;
        }
    }
    bundle_free(&recorded);
    input_file_close(&in);
    return done;
}

/* Whether config.json is refused, and so the model is not computed. */
static bool is_refused(port *p, model_config *config, err *e)
{
    model_files files = {.is_folder = true, .has_config = true};
    bool is_read = false;
    if (!path_is_model(p->from)) {
        place at = {.file = p->from};
        err_at(e, &at, "with a reference the model is a folder that has a config.json");
        return false;
    }
    model_config_path(&files.config_path, p->from, true);
    bool is_known = model_files_config(&files, p->given, false, config, &is_read, &p->refused);
    model_files_close(&files);
    if (!is_known && (!is_read || p->refused.is_memory)) {
        *e = p->refused;
        return false;
    }
    if (is_known) {
        err_set(e, "%s is computed, and a reference stands in for what is not", p->from);
        err_remedy(e, "without %s causes are found too; selfattn diff compares two dumps",
                   p->reference);
        return false;
    }
    p->depth = model_config_size(config, SIZE_LAYERS);
    p->width = model_config_size(config, SIZE_WIDTH);
    p->ids = model_config_size(config, SIZE_IDS);
    p->parts = p->depth + 2;
    place at = {.file = p->from};
    return (p->depth > 0 && p->width > 0) ||
           err_at(e, &at, "its config.json does not say how many layers it has, and how wide");
}

/* ---- the command ---- */

static int report(const port *p, const options *o, err *e)
{
    text out = {0};
    if (o->format != NULL)
        port_report_json(p, &out);
    else
        port_report_text(p, &out);
    if (!sink_write_text("-", &out, true, e))
        return EXIT_WRONG;
    return p->first == NULL ? EXIT_DONE : EXIT_DIFFER;
}

static void port_free(port *p)
{
    for (size_t i = 0; i < p->parts && p->rows != NULL; i++)
        tensor_free(&p->rows[i]);
    for (size_t i = 0; i < p->causes; i++)
        mem_free(p->cause[i].is_in);
    mem_free(p->stage);
    mem_free(p->rows);
    mem_free(p->missed);
    text_list_free(&p->unused);
    bundle_free(&p->dump);
}

static bool is_document(const char *file)
{
    const char *dot = strrchr(file, '.');
    return dot != NULL && strcmp(dot, ".json") == 0;
}

enum { LARGE_MODEL = 64 << 20 };

/* Those of a layer as it is, and as much again for one attempt with something changed. */
enum { PRODUCTS = 16 };

/* Plans the model with its logits, where they are computed. */
static bool plan_model(port *p, document_reader *documents, document *one, work *solved, err *e)
{
    static const char LOGITS[] = "logits", TRUE_WORD[] = "true";
    const model_config *config = &documents->weights->use[1].config;
    const bundle *has = &one->contents;
    bool has_other_head = config->of != NULL && config->of->head != NULL; /* is not computed */
    /* Rows that a product made wider, or narrower, are not compared with those looked up. */
    bool is_tied = bundle_find(has, "embedding") != NULL &&
                   (bundle_find(has, "embed") == NULL || bundle_find(has, "head") != NULL);
    if (!has_other_head && (is_tied || bundle_find(has, "unembedding") != NULL)) {
        bundle_remove(&one->contents, LOGITS);
        bundle_add_text(&one->contents, LOGITS, TRUE_WORD, strlen(TRUE_WORD), (place){0}, e);
    }
    bundle_set_stays(&one->contents);
    bool done = !e->is_set && document_reader_look(documents, one, e) &&
                work_plan(solved, one, NULL, documents->given, e);
    if (done && solved->kind->layers == NULL)
        return err_set(e, "%s is one attention, and port takes layers", p->from);
    if (!done)
        return false;
    p->model = solved;
    p->layers = solved->kind->layers(solved);
    p->config = config->of == NULL ? NULL : config;
    return true;
}

static int port_to_model(port *p, const options *o, err *e)
{
    options quiet = *p->given;
    weights_input weights = {.is_for = FOR_LAYERS, .keeps_narrow = true};
    document_reader documents = {0};
    document one = {0};
    work solved = {0};
    bool is_there = false;
    int status = EXIT_WRONG;
    quiet.operands = is_document(p->from) ? 1 : 0;
    quiet.bundle = is_document(p->from) ? NULL : p->from;
    quiet.quiet = true;
    packed_weights kept = {.products_most = PRODUCTS, .only = &one.contents};
    p->kept = &kept;
    bool is_open = document_reader_open(&documents, &quiet, &weights, p->world, DTYPE_F64, e);
    /* Weights of float32 are used where they lie, and float64 is a copy. */
    if (is_open && weights.type_word == NULL && model_files_bytes(&weights.files) > LARGE_MODEL)
        documents.type = DTYPE_F32;
    if (is_open && document_reader_next(&documents, &one, &is_there, e) && is_there &&
        take_ids(p, &one.contents, e) && plan_model(p, &documents, &one, &solved, e) &&
        (p->file == NULL || compare(p, e)) && (o->record == NULL || port_record(p, o, e)))
        status = p->file == NULL ? EXIT_DONE : report(p, o, e);
    packed_weights_free(&kept);
    work_free(&solved);
    document_free(&one);
    document_reader_close(&documents);
    weights_input_close(&weights);
    return status;
}

static int port_to_reference(port *p, const options *o, err *e)
{
    model_config config = {0};
    int status = EXIT_WRONG;
    if (is_refused(p, &config, e)) {
        p->config = &config;
        status = compare_recorded(p, e) ? report(p, o, e) : EXIT_WRONG;
    }
    model_config_free(&config);
    return status;
}

int command_port(const options *o, env *world, err *e)
{
    options own = *o;
    own.format = NULL;
    input_file dump = {0};
    int status = EXIT_WRONG;
    if (o->operands < 1 + (o->record == NULL) || o->operands > 3) {
        err_set(e, "port takes a model, a dump and perhaps a reference, %zu %s named", o->operands,
                o->operands == 1 ? "is" : "are");
        return EXIT_WRONG;
    }
    if (o->record != NULL && port_record_format(o, e) == NULL)
        return EXIT_WRONG;
    if (o->format != NULL && strcmp(o->format, "json") != 0) {
        err_set(e, "port is written as text, or with --format json, not as %s", o->format);
        return EXIT_WRONG;
    }
    port p = {.given = &own,
              .world = world,
              .from = o->operand[0],
              .file = o->operands > 1 ? o->operand[1] : NULL,
              .reference = o->operands > 2 ? o->operand[2] : NULL};
    if (p.reference != NULL && o->record != NULL)
        err_option(e, "record", "%s stands in for a model that is not computed: nothing is made",
                   p.reference);
    else if (p.file == NULL || read_dump(&p, p.file, &dump, &p.dump, e))
        status = p.reference != NULL ? port_to_reference(&p, o, e) : port_to_model(&p, o, e);
    port_free(&p);
    input_file_close(&dump);
    return status;
}
