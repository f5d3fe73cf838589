#include "cli/output_format.h"

const format *output_format_said(const options *o, const char *file)
{
    return o->format != NULL ? format_by_name(o->format) : format_by_ending(file);
}

const format *output_format_written(const options *o, const char *file)
{
    const format *own = format_by_ending(file);
    return own != NULL ? own : output_format_said(o, o->output == NULL ? "-" : o->output);
}
