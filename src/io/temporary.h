/* The temporary files that outputs are written into, next to what they will replace.
 *
 * None stays: a failure removes its own, a signal all that there are, and what a process left that
 * was killed (SIGKILL, a power cut) the next one removes that makes a file in the folder. A process
 * holds a lock on each of its own, so that others know which are in use, whatever machine,
 * container or process number it has; where a file system has no locks, those of others are
 * not touched. */
#ifndef SELFATTN_IO_TEMPORARY_H
#define SELFATTN_IO_TEMPORARY_H

#include "io/sink.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum { TEMPORARY_MOST = 32 }; /* -o, --trace-output and a --write for each of the stages */

/* Room for one, whose path will stand there; NULL: there are as many as can be. */
char *temporary_take(void);
/* Makes it in the folder of `target`, locked and empty, and gives its descriptor; -1, with errno,
 * and nothing left behind where that fails: then there is no room taken any more. */
int temporary_create(char *path, const char *target, mode_t mode);
/* Between these two no signal removes it, and none ends the program; false, with errno, where the
 * program ends already. What lies there then is removed as it was, if anything does. */
bool temporary_hold(const char *path, sigset_t *before);
void temporary_let_go(const char *path, const sigset_t *before);
/* Gives it a name that no other process removes, and tells it; false, with errno, where that
 * fails. To be called while it is held: where files are exchanged, what lies there is another
 * program's for a moment, and stays if this process is killed then. */
bool temporary_set_aside(const char *path, char aside[SINK_PATH]);
/* It has another name now, and needs no room. */
void temporary_release(const char *path);

/* Removes all that exist, and lets no thread make another: the program ends. Safe to call from a
 * signal handler. */
void temporary_remove_all(void);

#endif
