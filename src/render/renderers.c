#include "render/renderer.h"

#include "render/text.h"

static const renderer ROWS[] = {
    {{"text", "plain text for a terminal"}, text_render},
};

const named_table RENDERERS = NAMED_TABLE("trace format", ROWS);
