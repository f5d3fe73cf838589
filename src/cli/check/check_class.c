#include "cli/check/checker.h"

#include "base/mem.h"
#include "cli/in/matrix_file.h"
#include "cli/out/stage_names.h"
#include "io/source.h"
#include "model/keys.h"
#include "model/stack.h"

#include <string.h>
#include <sys/stat.h>

/* ---- what a file is ---- */

/* All that it has, whatever that is for. */
static bool glance(const options *o, const char *file, bundle *said, err *e)
{
    read_options how = read_options_of(o, file, DTYPE_F64);
    how.kind = KEY_EXPECTED;
    how.keeps_unread = how.allow_nonfinite = how.is_result = true;
    return input_read(o, file, &how, said, e) != NULL;
}

static bool is_of_answers(const char *name)
{
    bool is_key = key_find(&STACK_DOCUMENT, name, strlen(name)) != NULL;
    return check_page_saves(name) ||
           (!is_key && (stage_names_have(NULL, name) || stack_may_have_stage(name, strlen(name))));
}

/* Of what can't be read it is not known, and it is told as a file of answers. */
static bool is_answers(const options *o, const char *file)
{
    bundle said = {0};
    struct stat status;
    err bad = {0};
    if (strcmp(file, "-") == 0 || (stat(file, &status) == 0 && S_ISDIR(status.st_mode)))
        return false;
    bool is_it = !glance(o, file, &said, &bad);
    for (size_t i = 0; i < said.count && !is_it; i++)
        is_it = is_of_answers(said.entry[i].name);
    bundle_free(&said);
    return is_it;
}

/* ---- the files ---- */

static bool list(const options *o, const env *world, const text_list *files, text_list *to, err *e)
{
    options some = *o;
    some.operand = (const char **)files->item;
    some.operands = files->count;
    return check_files_list(&some, world, to, e);
}

static bool sort_operands(const options *o, text_list *answers, text_list *documents, err *e)
{
    bool done = true;
    for (size_t i = 0; i < o->answers.count && done; i++)
        done = text_list_add(answers, o->answers.item[i], strlen(o->answers.item[i]), e);
    for (size_t i = 0; i < o->operands && done; i++) {
        const char *file = o->operand[i];
        text_list *to = o->operands > 1 && is_answers(o, file) ? answers : documents;
        done = text_list_add(to, file, strlen(file), e);
    }
    return done;
}

/* Of one alone nobody asks which it is. One that can't be read is told when it is checked. */
static bool find_names(check_class *all, const options *o, err *e)
{
    const text_list *files = &all->documents;
    bool done = true;
    for (size_t i = 0; i < files->count && files->count > 1 && done; i++) {
        bundle said = {0};
        err bad = {0};
        const char *name =
            glance(o, files->item[i], &said, &bad) ? bundle_text(&said, "name") : NULL;
        name = name == NULL ? "" : name;
        done = text_list_add(&all->name, name, strlen(name), e);
        bundle_free(&said);
    }
    return done;
}

/* A pipe is read once. */
static bool check_pipes(const check_class *all, err *e)
{
    const char *only = all->documents.item[0];
    if (strcmp(only, "-") != 0 || all->answers.count == 1)
        return true;
    err_set(e, "standard input is read once, and %zu files of answers are marked by it",
            all->answers.count);
    return err_remedy(e, "name the document's file");
}

bool check_class_list(check_class *all, const options *o, const env *world, err *e)
{
    text_list answers = {0}, documents = {0};
    *all = (check_class){0};
    bool done = sort_operands(o, &answers, &documents, e) &&
                list(o, world, &documents, &all->documents, e) &&
                list(o, world, &answers, &all->answers, e) && check_pipes(all, e) &&
                find_names(all, o, e);
    text_list_free(&answers);
    text_list_free(&documents);
    return done;
}

void check_class_free(check_class *all)
{
    text_list_free(&all->answers);
    text_list_free(&all->documents);
    text_list_free(&all->name);
}

/* ---- which document ---- */

static char **document_named(const check_class *all, const char *name)
{
    for (size_t i = 0; i < all->name.count; i++) {
        if (strcmp(all->name.item[i], name) == 0)
            return &all->documents.item[i];
    }
    return NULL;
}

static bool find_document(const check_class *all, const char *answers, const bundle *said,
                          char ***found, err *e)
{
    const place at = {.file = descriptor_name(answers)};
    const char *name = bundle_text(said, CHECK_DOCUMENT);
    if (name == NULL) {
        err_at(e, &at, "it does not say which of %zu documents it answers", all->documents.count);
        return err_remedy(e, "a page saves that as \"" CHECK_DOCUMENT "\"; or name one document");
    }
    *found = document_named(all, name);
    return *found != NULL ||
           err_at(e, &at, "it answers \"%s\", and none of %zu documents has that name", name,
                  all->documents.count);
}

char **check_class_document(const check_class *all, const char *answers, const options *o, err *e)
{
    char **found = NULL;
    bundle said = {0};
    if (all->documents.count == 1)
        return all->documents.item;
    if (!glance(o, answers, &said, e) || !find_document(all, answers, &said, &found, e))
        found = NULL;
    bundle_free(&said);
    return found;
}
