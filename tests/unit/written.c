#include "written.h"

#include "said.h"

const char *write_error(writer *write, const bundle *b, const write_options *how)
{
    err e = {0};
    sink out;
    sink_open_memory(&out);
    bool done = write(b, how, &out, &e);
    sink_discard(&out);
    return done ? "" : said(&e);
}

text sink_take(sink *from)
{
    text taken = *sink_text(from);
    *sink_text(from) = (text){0};
    sink_discard(from);
    return taken;
}
