#include "io/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *descriptor_name(const char *file)
{
    return strcmp(file, "-") == 0 ? "standard input" : file;
}

static bool fail(const char *file, err *e)
{
    int reason = errno;
    err_at(e, &(place){.file = descriptor_name(file)}, "cannot be read: %s", strerror(reason));
    if (reason == EISDIR)
        err_remedy(e, "name a file in it");
    return false;
}

int descriptor_open(const char *file, err *e)
{
    bool is_standard = strcmp(file, "-") == 0;
    int descriptor = is_standard ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        fail(file, e);
    return descriptor;
}

bool descriptor_read(int descriptor, const char *file, size_t wanted, text *to, bool *ends, err *e)
{
    char *room = text_room(to, wanted);
    if (room == NULL)
        return text_ok(to, e);
    ssize_t got;
    do
        got = read(descriptor, room, wanted);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return fail(file, e);
    text_added(to, (size_t)got);
    *ends = got == 0;
    return true;
}

bool descriptor_is_file(int descriptor)
{
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

void descriptor_close(int descriptor, const char *file)
{
    if (strcmp(file, "-") != 0)
        close(descriptor); /* nothing was written, so nothing can be lost here */
}
