#include "render/renderer.h"

#include "render/json.h"
#include "render/latex.h"
#include "render/markdown.h"
#include "render/text.h"

static const renderer ROWS[] = {
    {{"text", "plain text for a terminal"}, text_render},
    {{"markdown", "tables and math as GitHub shows them"}, markdown_render},
    {{"latex", "a LaTeX document, with amsmath and booktabs"}, latex_render},
    {{"json", "data, for other programs to draw"}, json_render},
};

const named_table RENDERERS = NAMED_TABLE("trace format", ROWS);
