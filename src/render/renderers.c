#include "render/renderer.h"

#include "render/html.h"
#include "render/json.h"
#include "render/latex.h"
#include "render/markdown.h"
#include "render/text.h"

/* What a browser shows within a few seconds. */
enum { MOST_OF_A_PAGE = 8000000 };

static const renderer ROWS[] = {
    {.named = {"text", "plain text for a terminal"}, .render = text_render},
    {.named = {"markdown", "tables and math as GitHub shows them"}, .render = markdown_render},
    {.named = {"latex", "a LaTeX document, with amsmath and booktabs"},
     .render = latex_render,
     .is_whole_file = true},
    {.named = {"json", "data, for other programs to draw"}, .render = json_render},
    {.named = {"html", "a page to point at: each number shows its arithmetic"},
     .render = html_render,
     .is_whole_file = true,
     .takes_blanks = true,
     .most_bytes = MOST_OF_A_PAGE},
};

const named_table RENDERERS = NAMED_TABLE("trace format", ROWS);
