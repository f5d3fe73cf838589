/* A trace as one HTML page that asks for nothing else: all of it is readable without its script,
 * which adds that each number shows where it comes from. The sources of style and script are in
 * render/page; the page's Content-Security-Policy names them by their hashes and forbids the
 * rest. */
#include "render/renderer.h"

#include "base/sha256.h"
#include "render/display.h"
#include "render/html_assets.h"
#include "render/html_parts.h"

#include <string.h>

/* ---- the head ---- */

void html_add_hash(text *out, const char *inline_text)
{
    char hash[SHA256_BASE64];
    sha256_base64(inline_text, strlen(inline_text), hash);
    text_add_format(out, " 'sha256-%s'", hash);
}

/* Nothing may be loaded, and only these two inline texts take part (Content Security Policy Level
 * 3, section 2.3.1). */
static void add_policy(text *out)
{
    text_add_string(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                         "'none'; style-src");
    html_add_hash(out, PAGE_STYLE);
    text_add_string(out, "; script-src");
    html_add_hash(out, PAGE_SCRIPT);
    text_add_string(out, "; base-uri 'none'; form-action 'none'\">\n");
}

static void add_title(const html_page *p)
{
    const trace *t = p->trace;
    if (t->name == NULL && t->title == NULL)
        html_say(p->out, "untitled", NULL);
    html_add_words(p->out, t->name != NULL ? t->name : "");
    text_add_string(p->out, t->name != NULL && t->title != NULL ? ": " : "");
    html_add_words(p->out, t->title != NULL ? t->title : "");
}

static void add_head(const html_page *p)
{
    text_add_string(p->out, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n");
    add_policy(p->out);
    text_add_string(p->out, "<meta name=viewport content=\"width=device-width, "
                            "initial-scale=1\">\n<title>");
    add_title(p);
    text_add_format(p->out, "</title>\n<style>%s</style>\n</head>\n", PAGE_STYLE);
}

/* ---- the body ---- */

/* A line of the user's is a paragraph. */
static void add_notes(const html_page *p)
{
    text line = {0}, notes = {0};
    display_add_lines(&notes, p->trace->notes == NULL ? "" : p->trace->notes);
    for (const char *at = text_string(&notes); *at != '\0';) {
        size_t length = strcspn(at, "\n");
        text_clear(&line);
        text_add(&line, at, length);
        text_add_string(p->out, "<p>");
        html_add_words(p->out, text_string(&line));
        text_add_string(p->out, "</p>\n");
        at += length + (at[length] != '\0');
    }
    text_close(&notes, p->out);
    text_close(&line, p->out);
}

/* Among those of the house. */
static ptrdiff_t room_number(const html_page *p)
{
    return html_has_floors(p) ? p->trace - p->whole->rooms : 0;
}

/* What an exam says of a step that it asks for: how it is made, and the tables to be filled in. */
static bool is_of_exam(const html_page *p, const trace_item *item)
{
    map_place at;
    return item->kind == TRACE_FORMULA ||
           (item->kind == TRACE_MATRIX && map_of(p->trace, &item->a, &at) != NULL);
}

static void add_items(const html_page *p, const trace_step *step)
{
    bool is_blank = html_is_blank(p, step->id);
    for (size_t i = 0; i < step->count; i++) {
        if (!is_blank || !p->how->is_exam || is_of_exam(p, &step->item[i]))
            html_add_item(p, &step->item[i], is_blank);
    }
}

static void add_step(const html_page *p, const trace_step *step, size_t number)
{
    int level = html_has_floors(p) ? 3 : 2;
    text_add_string(p->out, "<section id=\"step-");
    html_add_step_id(p, step->id);
    text_add_format(p->out,
                    "\" data-room=%td data-step=\"%s\">\n<h%d>%zu. %s<small>%s</small></h%d>\n",
                    room_number(p), step->name, level, number, step->name,
                    step_of(step->id)->named.help, level);
    if (asked_leaves_out(p->asked, p->trace, step->id)) {
        text_add_string(p->out, "<p class=note>");
        html_say(p->out, "leftOut", NULL);
        text_add_string(p->out, "</p>\n");
    } else {
        add_items(p, step);
        html_add_asked(p, step->id);
    }
    text_add_string(p->out, "</section>\n");
}

/* A floor is folded and unfolded by its heading, without any script. */
static void add_floor_begin(const html_page *p, size_t index)
{
    text_add_format(p->out, "%s<details class=floor open id=\"floor-%zu\">\n<summary><h2>",
                    index > 0 ? "</details>\n" : "", index);
    html_add_words(p->out, p->trace->place.floor);
    text_add_string(p->out, "</h2></summary>\n");
}

static void add_rooms(const html_page *whole)
{
    html_page p = *whole;
    size_t number = 0;
    for (size_t i = 0; i < trace_rooms(p.whole) && !p.out->failed; i++) {
        html_enter(&p, i);
        if (html_begins_floor(&p, i))
            add_floor_begin(&p, i);
        if (html_has_floors(&p))
            html_add_picture(&p);
        for (size_t j = 0; j < p.trace->steps && !p.out->failed; j++)
            add_step(&p, &p.trace->step[j], ++number);
    }
    text_add_string(p.out, html_has_floors(&p) ? "</details>\n" : "");
}

static void add_body(const html_page *p)
{
    text_add_string(p->out, "<body>\n<header>\n<h1>");
    add_title(p);
    text_add_string(p->out, "</h1>\n");
    add_notes(p);
    if (!html_has_floors(p))
        html_add_formula(p);
    text_add_string(p->out, "</header>\n");
    if (html_has_floors(p))
        html_add_house(p);
    else
        html_add_picture(p);
    text_add_string(p->out, "<main>\n");
    add_rooms(p);
    text_add_string(p->out, "</main>\n");
}

static void add_page(const html_page *p)
{
    add_head(p);
    add_body(p);
    html_add_data(p);
    text_add_format(p->out, "<script>%s</script>\n</body>\n</html>\n", PAGE_SCRIPT);
}

bool html_render(const trace *t, const render_options *how, sink *to, err *e)
{
    asked from = {0};
    render_options with = *how;
    html_page p = {.out = sink_text(to), .trace = t, .whole = t, .how = &with};
    bool is_said = how->blank != NULL && how->blank->count > 0;
    with.blank = is_said ? how->blank : t->exercise;
    bool is_asked = with.blank != NULL && with.blank->count > 0;
    if (how->is_exam && !is_asked) {
        err_set(e, "--exam leaves nothing empty: no step is asked for");
        return err_remedy(e, "--blank names steps, or the document has an \"exercise\"");
    }
    if (is_asked) {
        if (!asked_check(with.blank, is_said ? "--blank" : "exercise", t, e) ||
            !asked_begin(&from, t, &with, e))
            return false;
        with.asked = p.asked = &from;
    }
    p.is_alive = html_is_alive(&p);
    add_page(&p);
    asked_end(&from);
    return sink_spill(to, e);
}
