#include "base/path.h"

#include <string.h>

#ifdef _WIN32
static const char SLASHES[] = "/\\";
#else
static const char SLASHES[] = "/";
#endif

const char *path_name(const char *path)
{
    const char *name = path;
    for (const char *at; *(at = name + strcspn(name, SLASHES)) != '\0';)
        name = at + 1;
    return name;
}

size_t path_folder(const char *path)
{
    return (size_t)(path_name(path) - path);
}
