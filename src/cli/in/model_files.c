#include "cli/in/model_files.h"

#include "base/mem.h"
#include "base/path.h"
#include "cli/in/matrix_file.h"

#include <string.h>
#include <sys/stat.h>

static const char CONFIG[] = "config.json", WEIGHTS[] = "model.safetensors",
                  INDEX[] = "model.safetensors.index.json", MAP[] = "weight_map";

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static void add_path(text *out, const char *folder, const char *name)
{
    text_add_string(out, folder);
    text_add_string(out, *path_name(folder) == '\0' ? "" : "/");
    text_add_string(out, name);
}

void model_config_path(text *out, const char *file, bool is_folder)
{
    if (is_folder) {
        add_path(out, file, CONFIG);
        return;
    }
    text_add(out, file, path_folder(file));
    text_add_string(out, CONFIG);
}

bool path_is_model(const char *path)
{
    text config = {0};
    if (!is_folder(path))
        return false;
    model_config_path(&config, path, true);
    bool is_one = is_file(text_string(&config));
    text_free(&config);
    return is_one;
}

/* ---- JSON that is read by itself ---- */

static bool read_json(const char *path, const options *o, bundle *to, err *e)
{
    read_options how = read_options_of(o, path, DTYPE_F64);
    how.kind = KEY_NUMBERS;
    how.type_is_fixed = how.keeps_all = how.keeps_json = how.allow_nonfinite = true;
    source s;
    if (!source_open(&s, path, o->max_memory, e))
        return false;
    bool done = json_read(s.bytes, s.length, &how, to, e);
    source_close(&s);
    return done;
}

/* ---- the parts ---- */

/* A name within the folder, and not one that leads out of it. */
static bool add_part(model_files *f, const char *folder, const entry *listed, err *e)
{
    text path = {0};
    if (listed->kind != ENTRY_TEXT)
        return err_at(e, &listed->at, "weight_map says no file of %s", listed->name);
    if (*listed->text == '\0' || *listed->text == '.' || path_folder(listed->text) > 0)
        return err_at(e, &listed->at, "weight_map names '%s', which is no file of this folder",
                      listed->text);
    add_path(&path, folder, listed->text);
    bool done = text_ok(&path, e) && (text_list_find(&f->path, text_string(&path)) != NULL ||
                                      text_list_add(&f->path, text_string(&path), path.length, e));
    text_free(&path);
    return done;
}

static bool find_parts(model_files *f, const options *o, err *e)
{
    const char *folder = o->bundle, *index;
    place at = {.file = folder};
    text one = {0};
    if (!f->is_folder)
        return text_list_add(&f->path, folder, strlen(folder), e);
    add_path(&one, folder, WEIGHTS);
    add_path(&f->index_path, folder, INDEX);
    bool done = text_ok(&one, e) && text_ok(&f->index_path, e), is_one = is_file(text_string(&one));
    if (done && is_one)
        done = text_list_add(&f->path, text_string(&one), one.length, e);
    text_free(&one);
    if (!done || is_one)
        return done;
    index = text_string(&f->index_path);
    if (!is_file(index)) {
        err_at(e, &at, "there is neither %s nor %s in this folder", WEIGHTS, INDEX);
        return err_remedy(e, "model.save_pretrained(FOLDER) of transformers writes them");
    }
    if (!read_json(index, o, &f->index, e) || !text_list_index(&f->path, e))
        return false;
    const entry *map = bundle_find(&f->index, MAP);
    at.file = index;
    if (map == NULL || map->kind != ENTRY_BUNDLE || map->bundle->count == 0)
        return err_at(e, &at, "it has no weight_map, which says where each tensor is");
    for (size_t i = 0; i < map->bundle->count; i++) {
        if (!add_part(f, folder, &map->bundle->entry[i], e))
            return false;
    }
    return true;
}

bool model_files_open(model_files *f, const options *o, err *e)
{
    *f = (model_files){.is_folder = is_folder(o->bundle)};
    if (o->model != NULL && !f->is_folder)
        return err_option(e, "model", "'%s' is no folder", o->model) ||
               err_remedy(e, "--bundle FILE takes a file of weights");
    if (!find_parts(f, o, e) ||
        (f->part = mem_alloc_zeroed(f->path.count, sizeof f->part[0], e)) == NULL)
        return false;
    for (; f->parts < f->path.count; f->parts++) {
        source *s = &f->part[f->parts];
        if (!source_open(s, f->path.item[f->parts], o->max_memory, e))
            return false;
        const char *name = descriptor_name(s->file);
        const format *one = f->is_folder ? format_recognise(s->bytes, s->length, name, e)
                                         : input_format_of(o, s->bytes, s->length, name, e);
        f->format = f->parts == 0 ? one : f->format;
        if (one == NULL || one != f->format) {
            place at = {.file = name};
            f->parts++;
            return one != NULL &&
                   err_at(e, &at, "it is of another format than the files before it");
        }
    }
    /* Files of transformers have it next to them; a document's matrices in another format don't. */
    bool may_have = f->is_folder || (strcmp(f->format->named.name, "safetensors") == 0 &&
                                     strcmp(o->bundle, "-") != 0);
    model_config_path(&f->config_path, o->bundle, f->is_folder);
    f->has_config = may_have && is_file(text_string(&f->config_path));
    if (f->is_folder && !f->has_config) {
        place at = {.file = o->bundle};
        err_at(e, &at, "there is no %s in this folder, which says what its model computes", CONFIG);
        return err_remedy(e, "--bundle %s takes the weights by their names alone", f->path.item[0]);
    }
    return text_ok(&f->config_path, e);
}

void model_files_close(model_files *f)
{
    for (size_t i = 0; i < f->parts; i++)
        source_close(&f->part[i]);
    mem_free(f->part);
    text_list_free(&f->path);
    bundle_free(&f->index);
    text_free(&f->index_path);
    text_free(&f->config_path);
    *f = (model_files){0};
}

size_t model_files_bytes(const model_files *f)
{
    size_t bytes = 0;
    for (size_t i = 0; i < f->parts; i++)
        bytes = size_sum(bytes, f->part[i].length);
    return bytes;
}

bool model_files_check(const model_files *f, const text_list *names, err *e)
{
    const entry *map = bundle_find(&f->index, MAP);
    for (size_t i = 0; map != NULL && i < map->bundle->count; i++) {
        const entry *one = &map->bundle->entry[i];
        if (text_list_find(names, one->name) == NULL)
            return err_at(e, &one->at, "%s is to be in %s, and no file of the index has it",
                          one->name, one->text);
    }
    return true;
}

bool model_files_config(const model_files *f, const options *o, bool is_alone, model_config *to,
                        bool *is_read, err *e)
{
    const char *path = text_string(&f->config_path);
    bundle read = {0};
    *to = (model_config){0};
    *is_read = false;
    if (!f->has_config)
        return true;
    bool done = read_json(path, o, &read, e);
    *is_read = done && (f->is_folder || model_config_is(&read));
    done = done && (!*is_read || model_config_read(to, &read, path, is_alone, e));
    bundle_free(&read);
    return done;
}
