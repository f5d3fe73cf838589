/* The temporary files that outputs are written into, next to what they will replace.
 *
 * None of them stays. A failure removes its own file, a signal removes all. What a killed process
 * left (SIGKILL, a power cut) is removed by the next process that makes a file in that folder. Each
 * process holds a lock on its own files, so that others see which are in use, on whatever machine
 * or in whatever container it runs; where a file system has no locks, files of others are not
 * touched. */
#ifndef SELFATTN_IO_TEMPORARY_H
#define SELFATTN_IO_TEMPORARY_H

#include "io/sink.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

enum { TEMPORARY_MOST = 32 }; /* -o, --trace-output and a --write for each of the stages */

/* Takes room for the path of one more file; NULL: TEMPORARY_MOST are in use. */
char *temporary_take(void);
/* Makes the file in the folder of `target`, locked and empty, writes its path, and returns its
 * descriptor. -1, with errno, where that fails: then no file is left, and the room is free
 * again. */
int temporary_create(char *path, const char *target, mode_t mode);
/* Between these two calls no signal removes the file or ends the program. The first is false, with
 * errno, where the program is ending already. */
bool temporary_hold(const char *path, sigset_t *before);
void temporary_let_go(const char *path, const sigset_t *before);
/* Gives the file a name that no other process removes, and writes it to `aside`; false, with errno,
 * where that fails. To be called while the file is held: when two files are exchanged, another
 * program's file has this name for a moment, and must stay if this process is killed then. */
bool temporary_set_aside(const char *path, char aside[SINK_PATH]);
/* The file has its final name: frees the room. */
void temporary_release(const char *path);

/* Removes all files, and stops other threads from making more: the program ends. Safe to call from
 * a signal handler. */
void temporary_remove_all(void);

#endif
