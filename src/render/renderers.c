#include "render/renderer.h"

#include "render/json.h"
#include "render/text.h"

static const renderer ROWS[] = {
    {{"text", "plain text for a terminal"}, text_render},
    {{"json", "data, for other programs to draw"}, json_render},
};

const named_table RENDERERS = NAMED_TABLE("trace format", ROWS);
