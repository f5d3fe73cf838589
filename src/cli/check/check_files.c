#include "cli/check/checker.h"

#include "cli/out/stage_names.h"
#include "model/keys.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- which files ---- */

static bool is_folder(const char *file)
{
    struct stat status;
    return stat(file, &status) == 0 && S_ISDIR(status.st_mode);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
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
        size_t length = strlen(one->d_name);
        struct stat status;
        text path = {0};
        if (length <= 5 || strcmp(one->d_name + length - 5, ".json") != 0)
            continue;
        text_add_format(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
                        one->d_name);
        done = text_ok(&path, e);
        /* A pipe may never say anything. What can't be looked at is told when it is read. */
        if (done && (stat(text_string(&path), &status) != 0 || S_ISREG(status.st_mode)))
            done = text_list_add(files, text_string(&path), path.length, e);
        text_free(&path);
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

bool check_files_is_bad(const char *file, err *bad)
{
    text_list files = {0};
    bool is_bad = is_folder(file) && !add_folder(&files, file, bad);
    text_list_free(&files);
    return is_bad;
}

bool check_files_list(const options *o, const env *world, const char *const *file, size_t count,
                      text_list *files, err *e)
{
    bool is_taken = o->bundle != NULL || (o->actual != NULL && strcmp(o->actual, "-") == 0);
    bool done = true;
    for (size_t i = 0; i < o->answers.count; i++)
        is_taken = is_taken || strcmp(o->answers.item[i], "-") == 0;
    if (count == 0 && !world->stdin_is_terminal && !is_taken)
        return text_list_add(files, "-", 1, e);
    if (count == 0)
        return err_set(e, "check: name the documents or folders to check");
    for (size_t i = 0; i < count && done; i++) {
        err bad = {0};
        if (is_folder(file[i]) && add_folder(files, file[i], &bad))
            continue;
        /* Others are checked all the same, where nothing can be had of a folder. */
        done = !bad.is_memory && text_list_add(files, file[i], strlen(file[i]), e);
        if (bad.is_memory)
            *e = bad;
    }
    return done;
}

/* ---- answers, and the documents that they are of ---- */

/* All that it has, whatever that is for. */
static bool glance(const options *o, const char *file, bundle *said, err *e)
{
    read_options how = read_options_of(o, file, DTYPE_F64);
    how.kind = KEY_EXPECTED;
    how.keeps_unread = how.allow_nonfinite = how.is_result = true;
    return input_read(o, file, &how, said, e) != NULL;
}

/* Of what can't be read it is not known, and it is told as a file of answers. */
static bool is_answers(const options *o, const char *file)
{
    bundle said = {0};
    err bad = {0};
    if (strcmp(file, "-") == 0 || is_folder(file))
        return false;
    bool is_it = !glance(o, file, &said, &bad);
    for (size_t i = 0; i < said.count && !is_it; i++) {
        const char *name = said.entry[i].name;
        size_t length = strlen(name);
        bool is_key = key_find(&STACK_DOCUMENT, name, length) != NULL;
        is_it = check_page_saves(name) ||
                (!is_key && (stage_names_have(NULL, name) || stack_may_have_stage(name, length)));
    }
    bundle_free(&said);
    return is_it;
}

bool check_class_list(check_class *all, const options *o, const env *world, err *e)
{
    text_list answers = {0}, documents = {0};
    bool done = text_list_add_all(&answers, &o->answers, e);
    *all = (check_class){0};
    for (size_t i = 0; i < o->operands && done; i++) {
        const char *file = o->operand[i];
        text_list *to = o->operands > 1 && is_answers(o, file) ? &answers : &documents;
        done = text_list_add(to, file, strlen(file), e);
    }
    done = done &&
           check_files_list(o, world, (const char *const *)documents.item, documents.count,
                            &all->documents, e) &&
           check_files_list(o, world, (const char *const *)answers.item, answers.count,
                            &all->answers, e);
    /* A pipe is read once. */
    if (done && strcmp(all->documents.item[0], "-") == 0 && all->answers.count != 1) {
        err_set(e, "standard input is read once, and %zu files of answers are marked by it",
                all->answers.count);
        done = err_remedy(e, "name the document's file");
    }
    /* Of one alone nobody asks which it is. One that can't be read is told when it is checked. */
    const text_list *files = &all->documents;
    for (size_t i = 0; i < files->count && files->count > 1 && done; i++) {
        bundle said = {0};
        err bad = {0};
        const char *name =
            glance(o, files->item[i], &said, &bad) ? bundle_text(&said, "name") : NULL;
        name = name == NULL ? "" : name;
        done = text_list_add(&all->name, name, strlen(name), e);
        bundle_free(&said);
    }
    text_list_free(&answers);
    text_list_free(&documents);
    return done;
}

char **check_class_document(const check_class *all, const char *answers, const options *o, err *e)
{
    const place at = {.file = descriptor_name(answers)};
    char **found = NULL;
    bundle said = {0};
    if (all->documents.count == 1)
        return all->documents.item;
    bool is_read = glance(o, answers, &said, e);
    const char *name = bundle_text(&said, CHECK_DOCUMENT);
    for (size_t i = 0; i < all->name.count && name != NULL && found == NULL; i++) {
        if (strcmp(all->name.item[i], name) == 0)
            found = &all->documents.item[i];
    }
    if (is_read && name == NULL) {
        err_at(e, &at, "it does not say which of %zu documents it answers", all->documents.count);
        err_remedy(e, "a page saves that as \"" CHECK_DOCUMENT "\"; or name one document");
    } else if (is_read && found == NULL) {
        err_at(e, &at, "it answers \"%s\", and none of %zu documents has that name", name,
               all->documents.count);
    }
    bundle_free(&said);
    return is_read ? found : NULL;
}
