#include "cli/out/output_file.h"

#include "base/mem.h"
#include "io/sink.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

bool output_check_disk(const char *file, const char *what, size_t bytes, const char *less,
                       const options *o, err *e)
{
    enum { SMALL = 16 << 20 }; /* is not worth a question to the system */
    uint64_t left;
    if (o->force || bytes <= SMALL || !free_disk(file, &left) || bytes <= left / 10)
        return true;
    err_at(e, &(place){.file = strcmp(file, "-") == 0 ? "standard output" : file},
           "%s would be %zu bytes or more, over a tenth of the %zu that are free there", what,
           bytes, (size_t)left);
    return err_remedy(e, "%s, or name a file on another disk; --force writes it all the same",
                      less);
}

static const struct picture_format {
    named named;
    const char *endings;
} PICTURES[] = {{{"svg", NULL}, ".svg"}};
static const named_table PICTURE_FORMATS = NAMED_TABLE("picture", PICTURES);
static const ending_table PICTURE_ENDINGS = {&PICTURE_FORMATS,
                                             offsetof(struct picture_format, endings)};

/* There is one way to write tokens, and the results of a command that takes no --format. */
static bool check_results(const char *file, const options *o, unsigned groups, err *e)
{
    static const char FORMAT[] = "format";
    if (o->format != NULL || ending_check(&FORMAT_ENDINGS, "results", file, e))
        return true;
    return ((groups & GROUP_GENERATE) == 0 || o->emit.count + o->write.count > 0) &&
           option_heading(option_by_name(FORMAT, strlen(FORMAT)), groups) != 0 &&
           err_remedy(e, "--format names the format of what ends otherwise");
}

bool output_check_endings(const options *o, unsigned groups, err *e)
{
    bool fits = o->output == NULL || check_results(o->output, o, groups, e);
    for (size_t i = 0; i < o->write.count && fits; i++)
        fits = check_results(strchr(o->write.item[i], '=') + 1, o, groups, e);
    if (fits && o->trace_output != NULL && o->trace_format == NULL)
        fits = ending_check(&RENDERER_ENDINGS, "a trace", o->trace_output, e) ||
               err_remedy(e, "--trace-format names the format of what ends otherwise; a browser "
                             "prints .html");
    if (fits && o->picture != NULL)
        fits = ending_check(&PICTURE_ENDINGS, "a picture", o->picture, e) ||
               err_remedy(e, "--picture - draws it in characters");
    return fits;
}

bool output_has_trace(const options *o)
{
    return o->trace || o->trace_format != NULL || o->trace_output != NULL;
}

const char *output_data_file(const options *o)
{
    return o->output == NULL ? "-" : o->output;
}

const char *output_trace_file(const options *o)
{
    return o->trace_output == NULL ? "-" : o->trace_output;
}

const renderer *output_renderer(const options *o)
{
    const char *name = o->trace_format;
    if (name == NULL)
        return renderer_by_ending(output_trace_file(o));
    return (const renderer *)(const void *)named_find(&RENDERERS, name, strlen(name));
}

bool output_uses_color(const options *o, const env *world, const char *file)
{
    if (o->color != NULL && strcmp(o->color, "auto") != 0)
        return strcmp(o->color, "always") == 0;
    return world->stdout_is_terminal && !world->no_color && strcmp(file, "-") == 0;
}

write_options output_how(const options *o, const format *f)
{
    return (write_options){.digits = option_digits(o),
                           .single_line = (f->holds & HOLDS_STREAM) != 0,
                           .delimiter = o->delimiter == NULL ? '\0' : o->delimiter[0],
                           .csv_safe = o->csv_safe,
                           .threads = o->threads};
}

/* ---- formats ---- */

const format *output_format_said(const options *o, const char *file)
{
    return o->format != NULL ? format_by_name(o->format) : format_by_ending(file);
}

const format *output_format_or(const options *o, const char *file, const char *usual)
{
    const format *said = output_format_said(o, file);
    return said != NULL ? said : format_by_name(usual);
}

size_t output_format_bytes(const format *f, size_t count, dtype type)
{
    bool is_binary = (f->holds & HOLDS_TYPES) != 0;
    size_t bytes;
    return size_mul(count, is_binary ? dtype_size(type) : 2, &bytes) ? bytes : SIZE_MAX;
}
