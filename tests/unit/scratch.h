/* A folder of one test alone, and the files in it; every test leaves it empty. */
#ifndef SELFATTN_TESTS_UNIT_SCRATCH_H
#define SELFATTN_TESTS_UNIT_SCRATCH_H

#include "unit.h"
#include "io/sink.h"

#include <sys/stat.h>

enum { SCRATCH_PATH = 1024 };

/* False where there can be none; removed again by scratch_close. */
bool scratch_open(unit *u);
void scratch_close(unit *u);

const char *scratch_folder(void);
/* A file's path; good until the next but one is asked for. */
const char *scratch_path(const char *name);
void scratch_put(const char *name, const char *content, mode_t mode);
bool scratch_holds(const char *name, const char *content);
size_t scratch_count(void);
mode_t scratch_mode(const char *name); /* type and permissions, of a link its own; 0: no file */

/* Writes through a sink. */
bool scratch_write(const char *file, const char *content, err *e);
/* Checks that writing says "FILE: cannot be written: REASON". */
void scratch_refuses(unit *u, const char *file, const char *reason);

#endif
