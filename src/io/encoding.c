#include "io/encoding.h"

#include "io/source.h"

#include <string.h>

/* Whether NULs stand at `first`, 0 or 1, and two bytes after it, if the text is so long. */
static bool has_nuls(const char *bytes, size_t length, size_t first)
{
    return bytes[first] == '\0' && (length < first + 3 || bytes[first + 2] == '\0');
}

bool encoding_check(const char *bytes, size_t length, place at, err *e)
{
    bool has_name = strcmp(at.file, descriptor_name("-")) != 0;
    bool is_utf16 =
        length >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0 ||
                        has_nuls(bytes, length, 0) || has_nuls(bytes, length, 1));
    if (!is_utf16)
        return true;
    err_at(e, &at, "the text is in UTF-16, and only UTF-8 is read");
    return err_remedy(e, "iconv -f UTF-16 -t UTF-8%s%s", has_name ? " " : "",
                      has_name ? at.file : "");
}

bool encoding_remedy(err *e)
{
    return err_remedy(e, "save the file in UTF-8");
}
