#include "io/unnamed.h"

const char *unnamed_or_own(const entry *one, const char *unnamed)
{
    return one->name[0] == '\0' ? unnamed : one->name;
}

bool unnamed_check(const bundle *result, const char *unnamed, err *e)
{
    const entry *found = bundle_find(result, "");
    return found == NULL || bundle_find(result, unnamed) == NULL ||
           err_at(e, &found->at,
                  "the matrix without a name would be '%s', and there is one of that name",
                  unnamed);
}
