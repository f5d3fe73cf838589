#include "cli/check/check_files.h"

#include "base/mem.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *file)
{
    struct stat status;
    return stat(file, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A pipe in a folder may never say anything. What can't be looked at is told when it is read. */
static bool may_be_document(const char *file)
{
    struct stat status;
    return stat(file, &status) != 0 || S_ISREG(status.st_mode);
}

static bool ends_in_json(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_path(text_list *files, const char *folder, const char *name, err *e)
{
    text path = {0};
    text_add_format(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
    bool done = text_ok(&path, e) && (!may_be_document(text_string(&path)) ||
                                      text_list_add(files, text_string(&path), path.length, e));
    text_free(&path);
    return done;
}

static bool fail(const char *folder, int reason, err *e)
{
    return err_at(e, &(place){.file = folder}, "cannot be read: %s", strerror(reason));
}

/* The end of a folder and a failure look the same but for errno. */
static struct dirent *next_in(DIR *folder)
{
    errno = 0;
    return readdir(folder);
}

static bool add_folder(text_list *files, const char *folder, err *e)
{
    DIR *open = opendir(folder);
    size_t first = files->count;
    bool done = true;
    if (open == NULL)
        return fail(folder, errno, e);
    for (struct dirent *one; done && (one = next_in(open)) != NULL;) {
        if (ends_in_json(one->d_name))
            done = add_path(files, folder, one->d_name, e);
    }
    if (done && errno != 0)
        done = fail(folder, errno, e);
    closedir(open);
    if (done && files->count == first)
        return err_at(e, &(place){.file = folder}, "there is no .json document in this folder");
    if (files->count > first)
        qsort(files->item + first, files->count - first, sizeof files->item[0], by_name);
    return done;
}

static bool may_read_standard_input(const options *o, const env *world)
{
    bool is_taken = o->bundle != NULL || (o->actual != NULL && strcmp(o->actual, "-") == 0);
    for (size_t i = 0; i < o->answers.count; i++)
        is_taken = is_taken || strcmp(o->answers.item[i], "-") == 0;
    return !world->stdin_is_terminal && !is_taken;
}

typedef struct bad_folder {
    size_t index;
    err why;
} bad_folder;

static bool add_operand(check_files *files, const char *file, err *e)
{
    err bad = {0};
    if (!is_folder(file))
        return text_list_add(&files->file, file, strlen(file), e);
    if (add_folder(&files->file, file, &bad))
        return true;
    if (!bad.is_memory) {
        /* Others are checked all the same, where nothing can be had of a folder. */
        bad_folder *larger =
            mem_grow(files->bad, files->bad_count, &files->bad_capacity, sizeof larger[0], e);
        if (larger == NULL)
            return false;
        files->bad = larger;
        files->bad[files->bad_count++] = (bad_folder){files->file.count, bad};
        return text_list_add(&files->file, file, strlen(file), e);
    }
    *e = bad;
    return false;
}

bool check_files_list(const options *o, const env *world, check_files *files, err *e)
{
    if (o->operands == 0 && may_read_standard_input(o, world))
        return text_list_add(&files->file, "-", 1, e);
    if (o->operands == 0)
        return err_set(e, "check: name the documents or folders to check");
    for (size_t i = 0; i < o->operands; i++) {
        if (!add_operand(files, o->operand[i], e))
            return false;
    }
    return true;
}

void check_files_free(check_files *files)
{
    mem_free(files->bad);
    text_list_free(&files->file);
}

const err *check_files_bad(const check_files *files, size_t index)
{
    for (size_t i = 0; i < files->bad_count; i++) {
        if (files->bad[i].index == index)
            return &files->bad[i].why;
    }
    return NULL;
}
