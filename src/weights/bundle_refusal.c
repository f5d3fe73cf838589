#include "weights/bundle_refusal.h"

#include <string.h>

bool bundle_refuse(const char *file, const char *name, const refusal *why, const char *layer,
                   err *e)
{
    place at = {.file = file};
    err_at(e, &at, "%s %s", name,
           why->why != NULL ? why->why
                            : "takes part in this layer's attention, and is not computed here");
    if (strcmp(why->key, "bias") == 0)
        return err_remedy(e,
                          "--bias FILE gives %swhat is added to each score, --no-bias leaves it "
                          "out",
                          *layer == '\0' ? "" : "encode and decode ");
    return err_remedy(e,
                      "--map %s%s=%s takes it for the gain of an RMS norm, --no-%c-gain leaves "
                      "it out",
                      layer, why->key, name, why->key[0]);
}

bool bundle_decides(const wishes *w, const bundle *in, const bundle *top, const char *key_name)
{
    return wishes_remove(w, key_name) || (in != NULL && bundle_find(in, key_name) != NULL) ||
           (top != NULL && bundle_find(top, key_name) != NULL);
}
