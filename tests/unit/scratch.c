#include "scratch.h"

#include "io/source.h"
#include "said.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[SCRATCH_PATH / 2];

const char *scratch_path(const char *name)
{
    static char path[2][SCRATCH_PATH];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

void scratch_put(const char *name, const char *content, mode_t mode)
{
    int descriptor = open(scratch_path(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (descriptor < 0 || write(descriptor, content, strlen(content)) < 0)
        perror(name);
    fchmod(descriptor, mode);
    close(descriptor);
}

bool scratch_holds(const char *name, const char *content)
{
    source s;
    err e = {0};
    if (!source_open(&s, scratch_path(name), SIZE_MAX, &e))
        return false;
    bool same = s.length == strlen(content) && memcmp(s.bytes, content, s.length + 1) == 0;
    source_close(&s);
    return same;
}

size_t scratch_count(void)
{
    size_t count = 0;
    DIR *files = opendir(folder);
    for (struct dirent *file = readdir(files); file != NULL; file = readdir(files))
        count += strcmp(file->d_name, ".") != 0 && strcmp(file->d_name, "..") != 0;
    closedir(files);
    return count;
}

mode_t scratch_mode(const char *name)
{
    struct stat status;
    return lstat(scratch_path(name), &status) == 0 ? status.st_mode & (S_IFMT | 07777) : 0;
}

bool scratch_write(const char *file, const char *content, err *e)
{
    sink s;
    *e = (err){0};
    if (!sink_open(&s, file, e))
        return false;
    text_add_string(sink_text(&s), content);
    return sink_spill(&s, e) && sink_close(&s, e);
}

/* "PATH: cannot be written: reason" */
void scratch_refuses(unit *u, const char *file, const char *reason)
{
    char wanted[2 * SCRATCH_PATH];
    err e;
    snprintf(wanted, sizeof wanted, "%s: cannot be written: %s", file, reason);
    CHECK(u, !scratch_write(file, "new", &e));
    CHECK_TEXT(u, said(&e), wanted);
}

bool scratch_open(unit *u)
{
    const char *above = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.400s/selfattn-unit-XXXXXX", above == NULL ? "/tmp" : above);
    return CHECK(u, mkdtemp(folder) != NULL);
}

const char *scratch_folder(void)
{
    return folder;
}

void scratch_close(unit *u)
{
    CHECK(u, rmdir(folder) == 0);
}
