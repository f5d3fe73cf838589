/* Arguments become UTF-8, and no stream changes a byte. */
#include "windows_api.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv);

int _dowildcard = 0; /* an argument stays as it was given */

int wmain(int argc, wchar_t **wide)
{
    char **argv = calloc((size_t)argc + 1, sizeof *argv);
    for (int i = 0; argv != NULL && i < argc; i++) {
        int length = WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, NULL, 0, NULL, NULL);
        argv[i] = calloc((size_t)length + 1, 1);
        if (argv[i] == NULL)
            return 2;
        WideCharToMultiByte(CP_UTF8, 0, wide[i], -1, argv[i], length, NULL, NULL);
    }
    for (int stream = 0; stream < 3; stream++)
        _setmode(stream, _O_BINARY);
    setvbuf(stderr, NULL, _IONBF, 0); /* what is said is there before what follows */
    console_open();
    return argv == NULL ? 2 : main(argc, argv);
}
