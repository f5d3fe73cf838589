/* A trace as one HTML page that asks for nothing else: all of it is readable without its script,
 * which adds that each number shows where it comes from; several such pages as one; and the page
 * that leads to several. The sources of style and script are in render/page and, of what holds
 * several pages, render/binder; a page's Content-Security-Policy names them by their hashes and
 * forbids the rest. */
#include "render/html.h"

#include "base/sha256.h"
#include "base/mem.h"
#include "render/display.h"
#include "render/html_data.h"
#include "render/html_english.h"
#include "render/html_items.h"
#include "render/html_overview.h"
#include "render/html_picture.h"
#include "render/html_words.h"
#include "render/number_text.h"

#include <string.h>

/* ---- the room that is written ---- */

bool html_begins_floor(const html_page *p, size_t index)
{
    const char *floor = p->whole->room[index]->place.floor;
    return trace_has_floors(p->whole) &&
           (index == 0 || strcmp(floor, p->whole->room[index - 1]->place.floor) != 0);
}

void html_enter(html_page *p, size_t room)
{
    p->room = p->whole->room[room];
    if (p->asked != NULL)
        p->asked->room = room;
}

void html_add_step_id(const html_page *p, step_id step)
{
    const trace_place *at = &p->room->place;
    text_add_format(p->out, "%s%s", at->way,
                    step < STEP_COUNT ? step_of(step)->named.name : at->name);
}

/* ---- the head ---- */

static const char BEGIN[] = "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
                            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                            "'none'; ";
static const char AFTER_POLICY[] = "; base-uri 'none'; form-action 'none'\">\n<meta name=viewport "
                                   "content=\"width=device-width, initial-scale=1\">\n<title>";

/* " 'sha256-…'", a source that a policy allows: this very style or script (Content Security Policy
 * Level 3, section 2.3.1). */
static void add_hash(text *out, const char *inline_text)
{
    char hash[SHA256_BASE64];
    sha256_base64(inline_text, strlen(inline_text), hash);
    text_add_format(out, " 'sha256-%s'", hash);
}

/* ---- the body ---- */

void html_add_items(const html_page *p, const trace_step *step)
{
    /* For a step that is asked for, an exam says how it is made, and has tables to fill in. */
    bool is_of_exam = p->is_blank && p->how->is_exam;
    size_t waited = p->is_alive ? 0 : step->waits;
    for (size_t i = 0; i <= step->count; i++) {
        for (; waited < step->waits && step->waiting[waited].before == i; waited++)
            html_add_item(p, &step->waiting[waited]);
        if (i == step->count)
            break;
        const trace_item *item = &step->item[i];
        if (!is_of_exam || item->kind == TRACE_FORMULA || item->kind == TRACE_MATRIX)
            html_add_item(p, item);
    }
}

static void add_step(html_page *p, const trace_step *step, size_t number)
{
    int level = trace_has_floors(p->whole) ? 3 : 2;
    text_add_string(p->out, "<section id=\"step-");
    html_add_step_id(p, step->id);
    text_add_format(p->out,
                    "\" data-room=%zu data-step=\"%s\">\n<h%d>%zu. %s<small>%s</small></h%d>\n",
                    p->room->number, step->name, level, number, step->name,
                    step_of(step->id)->named.help, level);
    if (p->asked != NULL && asked_leaves_out(p->asked, p->asked->room, step->id)) {
        html_add_format(p->out, "<p class=\"note closed\">%s</p>\n</section>\n",
                        html_english(p->how->is_exam ? "leftOut" : "closed"));
        return;
    }
    p->is_blank = p->asked != NULL && asked_step(p->how->blank, p->whole, p->room, step->id);
    html_add_items(p, step);
    html_add_asked(p, step->id);
    text_add_string(p->out, "</section>\n");
}

/* A page is of one document, and a title says more than the name of its file. */
static text title_of(const trace *t)
{
    text title = {0};
    if (t->title == NULL)
        return render_title(t, RENDER_UNTITLED);
    display_add_string(&title, t->title);
    return title;
}

static void add_body(html_page *p, const char *title)
{
    text *out = p->out, line = {0}, notes = {0};
    bool has_floors = trace_has_floors(p->whole);
    size_t number = 0;
    html_add_format(out, "<header>\n<h1>%s</h1>\n", title);
    /* A line of the user's notes is a paragraph. */
    display_add_lines(&notes, p->whole->notes == NULL ? "" : p->whole->notes);
    for (const char *at = text_string(&notes); *at != '\0';) {
        size_t length = strcspn(at, "\n");
        text_clear(&line);
        text_add(&line, at, length);
        html_add_format(out, "<p>%s</p>\n", text_string(&line));
        at += length + (at[length] != '\0');
    }
    text_close(&notes, out);
    text_close(&line, out);
    if (!has_floors)
        html_add_formula(p);
    text_add_string(out, "</header>\n");
    (has_floors ? html_add_house : html_add_picture)(p);
    html_add_overview(p);
    text_add_string(out, "<main>\n");
    for (size_t i = 0; i < p->whole->rooms && !out->failed; i++) {
        html_enter(p, i);
        if (html_begins_floor(p, i)) {
            /* A floor is folded and unfolded by its heading, without any script. */
            text_add_string(out, i > 0 ? "</details>\n" : "");
            html_add_format(out,
                            "<details class=floor open id=\"floor-%zu\">\n"
                            "<summary><h2>%s</h2></summary>\n",
                            i, p->room->place.floor);
        }
        if (has_floors)
            html_add_picture(p);
        for (size_t j = 0; j < p->room->steps && !out->failed; j++)
            add_step(p, p->room->step[j], ++number);
    }
    text_add_string(out, has_floors ? "</details>\n</main>\n" : "</main>\n");
    html_add_data(p);
}

/* Those of its attentions: rooms without one have none. */
static size_t heads_of(const trace *t)
{
    size_t heads = 1;
    for (size_t i = 0; i < t->rooms; i++)
        heads = size_larger(heads, t->room[i]->heads);
    return heads;
}

/* What the page shows in the place of its body once other numbers of heads are chosen. */
static void add_cuts(const html_page *p)
{
    for (const trace *at = p->whole->next_cut; at != NULL; at = at->next_cut) {
        text title = title_of(at);
        html_page cut = {
            .out = p->out, .whole = at, .how = p->how, .room = at->room[0], .is_cut = true};
        cut.is_alive = html_is_alive(&cut);
        text_add_format(p->out, "<template data-heads=%zu>\n", heads_of(at));
        add_body(&cut, text_string(&title));
        text_add_string(p->out, "</template>\n");
        text_close(&title, p->out);
    }
}

/* Of a page, or of a binder of several. */
static void begin_page(text *out, const char *title, bool is_binder)
{
    text_add_string(out, BEGIN);
    text_add_string(out, "style-src");
    add_hash(out, PAGE_STYLE);
    if (is_binder)
        add_hash(out, BINDER_STYLE);
    text_add_string(out, "; script-src");
    add_hash(out, PAGE_SCRIPT);
    if (is_binder)
        add_hash(out, BINDER_SCRIPT);
    text_add_string(out, AFTER_POLICY);
    html_add_format(out, "%s</title>\n<style>", title);
    text_add_string(out, PAGE_STYLE);
    text_add_string(out, "</style>\n");
    if (is_binder)
        text_add_format(out, "<style>%s</style>\n", BINDER_STYLE);
    text_add_string(out, "</head>\n");
}

/* Bound, a page is an article, and has all that it would have alone but for the script, which
 * stands at the end, once, for the binder's script to start it by. */
static void add_page(html_page *p)
{
    text *out = p->out, title = title_of(p->whole);
    render_binding binding = p->how->binding;
    if (binding == BOUND_NOT) {
        begin_page(out, text_string(&title), false);
        text_add_string(out, "<body>\n");
    } else if (p->how->is_first) {
        begin_page(out, html_english(binding == BOUND_CHAIN ? "chained" : "beside"), true);
        text_add_format(out, "<body class=\"binder %s\">\n",
                        binding == BOUND_CHAIN ? "chain" : "beside");
    }
    if (binding != BOUND_NOT)
        html_add_format(out, "<article data-title=\"%s\" data-source=\"%s\">\n",
                        text_string(&title), p->how->source == NULL ? "" : p->how->source);
    add_body(p, text_string(&title));
    if (p->is_alive)
        add_cuts(p);
    if (binding != BOUND_NOT)
        text_add_string(out, "</article>\n");
    else
        text_add_format(out, "<script>%s</script>\n</body>\n</html>\n", PAGE_SCRIPT);
    text_close(&title, out);
}

bool html_bind(sink *to, err *e)
{
    text_add_format(sink_text(to),
                    "<script type=\"text/plain\" id=page>%s</script>\n<script>%s</script>\n"
                    "</body>\n</html>\n",
                    PAGE_SCRIPT, BINDER_SCRIPT);
    return sink_spill(to, e);
}

bool html_render(const trace *t, const render_options *how, sink *to, err *e)
{
    asked from = {0};
    render_options with = *how;
    if (with.digits < 0)
        with.digits = NUMBER_TEXT_KEEPS;
    html_page p = {.out = sink_text(to), .room = t->room[0], .whole = t, .how = &with};
    bool is_said = how->blank->count > 0;
    with.blank = is_said ? how->blank : t->exercise;
    bool is_asked = with.blank != NULL && with.blank->count > 0;
    if (how->is_exam && !is_asked) {
        err_set(e, "--exam leaves nothing empty: no step is asked for");
        return err_remedy(e, "--blank names steps, or the document has an \"exercise\"");
    }
    if (is_asked) {
        if (!asked_check(with.blank, is_said ? "--blank" : "exercise", t, e))
            return false;
        if (!asked_begin(&from, t, &with, e)) {
            asked_end(&from);
            return false;
        }
        p.asked = &from;
    }
    p.is_alive = html_is_alive(&p);
    p.is_lean = html_is_lean(&p);
    add_page(&p);
    asked_end(&from);
    return sink_spill(to, e);
}

/* ---- the page that leads to the others ---- */

/* What the index needs besides the pages' style. Pictures are drawn on white. */
static const char INDEX_STYLE[] =
    "img { background: #fff; border: 1px solid var(--line); border-radius: 8px; display: block; "
    "margin: .8rem 0; max-width: 100%; height: auto; }";

/* Pictures come from next to the page: 'self' where it is served, file: where it is opened. */
void html_add_index(text *out, const html_index_row *row, size_t count)
{
    text_add_string(out, BEGIN);
    text_add_string(out, "img-src 'self' file:; style-src");
    add_hash(out, PAGE_STYLE);
    add_hash(out, INDEX_STYLE);
    text_add_format(out, "%s%s</title>\n<style>%s</style>\n<style>%s</style>\n</head>\n",
                    AFTER_POLICY, html_english("examples"), PAGE_STYLE, INDEX_STYLE);
    html_add_format(out, "<body>\n<header>\n<h1>%s</h1>\n<p>%s</p>\n</header>\n<main>\n",
                    html_english("examples"), html_english("aboutExamples"));
    for (const html_index_row *end = row + count; row < end; row++) {
        html_add_format(
            out,
            "<section id=\"%s\">\n<h2><a href=\"%s.html\">%s</a><small>%s</small></h2>\n"
            "<p>%s</p>\n",
            row->name, row->name, row->title, row->name, row->notes);
        if (row->has_picture) {
            text_add_format(out, "<a href=\"%s.html\"><img src=\"%s.svg\" loading=lazy alt=\"",
                            row->name, row->name);
            html_say(out, "weightsOf", &row->name);
            text_add_string(out, "\"></a>\n");
        }
        text_add_format(out, "<p class=note><a href=\"%s.html\">", row->name);
        html_say(out, "everyStep", &row->name);
        html_add_format(out, "</a> · <a href=\"%s.json\">%s</a></p>\n</section>\n", row->name,
                        html_english("itsDocument"));
    }
    text_add_string(out, "</main>\n</body>\n</html>\n");
}
