/* What --bundle, or --model, names: one file of weights, or a folder with a model as transformers
 * saves it, in one file or in several that an index lists; and the config.json next to them.
 *
 * Each file is mapped, so that weights larger than memory are used where they are. */
#ifndef SELFATTN_CLI_IN_MODEL_FILES_H
#define SELFATTN_CLI_IN_MODEL_FILES_H

#include "cli/line/env.h"
#include "cli/line/options.h"
#include "io/format.h"
#include "io/source.h"
#include "weights/model_config.h"

typedef struct model_files {
    bool is_folder;
    text_list path; /* of each part */
    source *part;   /* as many; owned */
    size_t parts;
    const format *format; /* of all of them */
    text index_path;
    bundle index; /* each tensor's name and file; of one file nothing */
    text config_path;
    bool has_config;
} model_files;

/* Of --bundle's file or folder. To be closed in any case. */
bool model_files_open(model_files *f, const options *o, err *e);
void model_files_close(model_files *f);

/* Bytes of all parts. */
size_t model_files_bytes(const model_files *f);
/* Whether all that the index lists is among the names. */
bool model_files_check(const model_files *f, const text_list *names, err *e);
/* Reads config.json; *is_read is false where there is none, or next to a file one that is of no
 * model. To be freed in any case. */
bool model_files_config(const model_files *f, const options *o, bool is_alone, model_config *to,
                        bool *is_read, err *e);

/* "FOLDER/config.json", of a folder or next to a file. */
void model_config_path(text *out, const char *file, bool is_folder);
/* Whether it is a folder with a config.json in it. */
bool path_is_model(const char *path);

#endif
