#include "render/display.h"
#include "render/renderer.h"

#include <stddef.h>

/* What a browser shows within a few seconds. */
enum { MOST_OF_A_PAGE = 8000000 };

static const renderer ROWS[] = {
    {.named = {"text", "plain text for a terminal"}, .endings = ".txt", .render = text_render},
    {.named = {"markdown", "tables and math as GitHub shows them"},
     .endings = ".md .markdown",
     .render = markdown_render},
    {.named = {"pandoc", "the same as Pandoc and Quarto read it, with $...$"},
     .endings = ".qmd .rmd",
     .render = markdown_render_pandoc},
    {.named = {"notebook", "cells of Markdown and NumPy, for Jupyter and Colab"},
     .endings = ".ipynb",
     .render = notebook_render,
     .is_whole_file = true},
    {.named = {"beamer", "slides in LaTeX: a step is a frame, or several"},
     .endings = ".beamer.tex",
     .render = beamer_render,
     .is_whole_file = true},
    {.named = {"latex", "a LaTeX document, with amsmath and booktabs"},
     .endings = ".tex",
     .render = latex_render,
     .is_whole_file = true},
    {.named = {"json", "data, for other programs to draw"},
     .endings = ".json",
     .render = json_render},
    {.named = {"html", "a page to point at: each number shows its arithmetic"},
     .endings = ".html .htm",
     .render = html_render,
     .is_whole_file = true,
     .bind = html_bind,
     .takes_blanks = true,
     .takes_entries = html_takes_entries,
     .takes_cuts = html_takes_cuts,
     .most_bytes = MOST_OF_A_PAGE},
};

static const synonym SYNONYMS[] = {
    {"page", "html"},      {"web", "html"},         {"jupyter", "notebook"},
    {"ipynb", "notebook"}, {"ipython", "notebook"}, {NULL, NULL},
};

const named_table RENDERERS = NAMED_TABLE_ALSO("trace format", ROWS, SYNONYMS);
const ending_table RENDERER_ENDINGS = {&RENDERERS, offsetof(renderer, endings)};

const renderer *renderer_by_ending(const char *file)
{
    const named *found = ending_find(&RENDERER_ENDINGS, file);
    return found == NULL ? &ROWS[0] : (const renderer *)(const void *)found;
}

text render_title(const trace *t, const char *otherwise)
{
    text title = {0};
    const char *name = t->name == NULL && t->title == NULL ? otherwise : t->name;
    display_add_string(&title, name == NULL ? "" : name);
    text_add_string(&title, name != NULL && t->title != NULL ? ": " : "");
    display_add_string(&title, t->title == NULL ? "" : t->title);
    return title;
}
