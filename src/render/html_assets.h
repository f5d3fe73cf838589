/* The style and the script of a page, whose sources are the files in render/page; src/text/
 * embed.sh puts them into the program. */
#ifndef SELFATTN_RENDER_HTML_ASSETS_H
#define SELFATTN_RENDER_HTML_ASSETS_H

extern const char PAGE_STYLE[], PAGE_SCRIPT[];

#endif
