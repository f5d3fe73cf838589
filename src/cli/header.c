#include "cli/header.h"

#include "base/float_bits.h"
#include "base/text.h"
#include "cli/version.h"

/* FNV-1a over the elements' bits as float64, in C order: the same for any strides and either
 * type. */
static uint64_t hash_of(const tensor *t)
{
    uint64_t hash = 0xcbf29ce484222325u;
    size_t index[TENSOR_MAX_RANK] = {0};
    do {
        uint64_t bits = float64_bits(tensor_get(t, index));
        for (int byte = 0; byte < 8; byte++)
            hash = (hash ^ (bits >> (8 * byte) & 0xff)) * 0x100000001b3u;
    } while (tensor_next(t, index));
    return hash;
}

static bool add_line(text_list *lines, text *line, err *e)
{
    bool done = text_ok(line, e) && text_list_add(lines, text_string(line), line->length, e);
    text_clear(line);
    return done;
}

/* A line is a line: control characters in an argument are shown as '?'. */
static void add_argument(text *line, const char *argument)
{
    text_add_string(line, " ");
    for (const char *at = argument; *at != '\0'; at++)
        text_add(line, (unsigned char)*at < 0x20 ? "?" : at, 1);
}

bool header_lines(const solution *s, const options *o, text_list *lines, err *e)
{
    text line = {0};
    char shape[SHAPE_TEXT];
    text_add_string(&line, "made by: selfattn " SELFATTN_VERSION);
    bool done = add_line(lines, &line, e);
    text_add_string(&line, "arguments:");
    for (int i = 1; i < o->argc; i++)
        add_argument(&line, o->argv[i]);
    done = done && add_line(lines, &line, e);
    for (input which = INPUT_X; which < INPUT_COUNT && done; which++) {
        const tensor *given = s->problem.in[which];
        if (given == NULL)
            continue;
        text_add_format(&line, "input: %s, %s, %s, hash %016llx", input_key(which),
                        tensor_shape_text(given, shape), dtype_name(given->type),
                        (unsigned long long)hash_of(given));
        done = add_line(lines, &line, e);
    }
    text_free(&line);
    return done;
}
