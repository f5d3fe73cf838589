#include "weights/bundle_index.h"

#include "attn/keys.h"
#include "weights/bundle_names.h"
#include "weights/layer_weights.h"

#include <string.h>

/* As transformers writes it: an object from each tensor's name to its file's. */
static const char MAP[] = "weight_map";

bool bundle_index_is(const text_list *names)
{
    return text_list_find(names, MAP) != NULL;
}

static bool add_file(text_list *files, const bundle *map, const char *name, err *e)
{
    const char *file = name == NULL ? NULL : bundle_text(map, name);
    return file == NULL || text_list_find(files, file) != NULL ||
           text_list_add(files, file, strlen(file), e);
}

/* The files of one attention's weights. */
static bool find_files(text_list *files, const bundle *map, const text_list *names,
                       const char *file, const wishes *w, err *e)
{
    bundle_names found;
    bool done = bundle_names_find(&found, names, file, w, e);
    for (size_t i = 0; i < KEYS.count && done; i++)
        done = add_file(files, map, found.from[i].name, e);
    bundle_names_free(&found);
    return done;
}

static bool find_files_of_layers(text_list *files, const bundle *map, const text_list *names,
                                 const char *file, const wishes *w, err *e)
{
    layer_weights found;
    bool done = layer_weights_find(&found, names, file, w, e);
    for (size_t i = 0; i < found.sources.count && done; i++)
        done = add_file(files, map, found.sources.item[i].name, e);
    layer_weights_free(&found);
    return done;
}

/* Files of an index are beside it. */
static int folder_length(const char *file)
{
    const char *last = strrchr(file, '/');
    return last == NULL ? 0 : (int)(last + 1 - file);
}

static bool refuse(const text_list *files, const char *file, bool is_of_layers, err *e)
{
    enum { SHOWN = 4 };
    place at = {.file = file};
    const char *whose = is_of_layers ? "layers" : "layer";
    err_at(e, &at, "it is an index of files, and has no weights itself");
    if (files->count == 0)
        return err_remedy(e, "--prefix says which %s, and so which file", whose);
    if (files->count == 1)
        return err_remedy(e, "--bundle %.*s%s has those of the %s", folder_length(file), file,
                          files->item[0], whose);
    text list = {0};
    for (size_t i = 0; i < files->count && i < SHOWN; i++)
        text_add_format(&list, "%s%s", i == 0 ? "" : ", ", files->item[i]);
    err_remedy(e, "those of the %s are in %zu files, which are to be joined first: %s%s", whose,
               files->count, text_string(&list), files->count > SHOWN ? ", …" : "");
    text_free(&list);
    return false;
}

bool bundle_index_refuse(const bundle *read, const char *file, const wishes *w, bool is_of_layers,
                         err *e)
{
    static const bundle NOTHING = {0};
    const entry *map = bundle_find(read, MAP);
    const bundle *all = map == NULL || map->kind != ENTRY_BUNDLE ? &NOTHING : map->bundle;
    text_list names = {0}, files = {0};
    bool done = true;
    for (size_t i = 0; i < all->count && done; i++)
        done = text_list_add(&names, all->entry[i].name, strlen(all->entry[i].name), e);
    done = done && (is_of_layers ? find_files_of_layers(&files, all, &names, file, w, e)
                                 : find_files(&files, all, &names, file, w, e));
    if (!done && !e->is_memory) { /* several layers, or none that are known */
        err_clear(e);
        text_list_free(&files);
    }
    if (!e->is_set)
        refuse(&files, file, is_of_layers, e);
    text_list_free(&names);
    text_list_free(&files);
    return false;
}
