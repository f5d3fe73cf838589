#include <errno.h>
#include <string.h>

#undef strerror

const char *wasi_strerror(int number)
{
    switch (number) {
    case EIO:
        return "Input/output error";
    case ELOOP:
        return "Too many levels of symbolic links";
    case ENAMETOOLONG:
        return "File name too long";
    case EMFILE:
        return "Too many open files";
    case ENOMEM:
        return "Cannot allocate memory";
    case EXDEV:
        return "Invalid cross-device link";
    case EBUSY:
        return "Device or resource busy";
    default:
        return strerror(number);
    }
}
