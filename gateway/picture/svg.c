// SPDX-License-Identifier: BSD-2-Clause
#include "picture/svg.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

// In units of the drawing: pixels if the drawing is not scaled.
enum {
    BOX_WIDTH = 122,
    BOX_HEIGHT = 34,
    BOX_GAP = 14,
    HOST_HEIGHT = 18, // of a host's line
    ROW_GAP = 30,
    LAYER_GAP = 120,
    MARGIN = 24,
    LEGEND_HEIGHT = 56,
    LEGEND_STEP = 170,
    LEGEND_BOXES = 5, // the legend's width
    ROW_MIN = 12,     // switches of a row, if a layer has more
    LABEL_MAX = 15,   // characters of a name
    TITLE_LINKS = 8,  // links in the title of a line
    PARALLEL_STEP = 5,
};

#define SVG_ROW_SHAPE 2.2 // how much wider than high a layer of several rows becomes

// Each colour is there twice: programs that know no variables, most but the browsers, keep the
// plain value.
const char SVG_STYLE[] =
    ".fabric{--paper:#fff;--ink:#111827;--soft:#4b5563;--wire:#94a3b8;--box:#f1f5f9;--rim:#64748b;"
    "--missing:#6b7280;--degraded:#c2570c;--fault:#d11a1a;"
    "font:12px system-ui,sans-serif;background:#fff;background:var(--paper)}"
    "@media(prefers-color-scheme:dark){.fabric{--paper:#0f172a;--ink:#e5e7eb;--soft:#a8b3c4;"
    "--wire:#475569;--box:#1e293b;--rim:#7c8ba1;--missing:#a8b3c4;--degraded:#fb923c;"
    "--fault:#ff6b6b}}"
    ".fabric .paper{fill:#fff;fill:var(--paper)}"
    ".fabric text{fill:#111827;fill:var(--ink);text-anchor:middle}"
    ".fabric .soft{fill:#4b5563;fill:var(--soft);font-size:11px}"
    ".fabric .left{text-anchor:start}"
    ".fabric .node "
    "rect{fill:#f1f5f9;fill:var(--box);stroke:#64748b;stroke:var(--rim);stroke-width:1.2}"
    ".fabric .host "
    "rect{fill:#fff;fill:var(--paper);stroke:#94a3b8;stroke:var(--wire);stroke-width:1}"
    ".fabric .host text{font-size:11px}"
    ".fabric .node.missing rect{stroke:#6b7280;stroke:var(--missing);stroke-width:2}"
    ".fabric .node.degraded rect{stroke:#c2570c;stroke:var(--degraded);stroke-width:2.5}"
    ".fabric .node.fault rect{stroke:#d11a1a;stroke:var(--fault);stroke-width:2.5}"
    ".fabric .absent rect{fill:#fff;fill:var(--paper);stroke-dasharray:3 3}"
    ".fabric .absent text{fill:#4b5563;fill:var(--soft)}"
    ".fabric .absent.fault rect{fill:#d11a1a;fill:var(--fault)}"
    ".fabric .absent.fault text{fill:#fff;fill:var(--paper);font-weight:700}"
    ".fabric .absent.fault .soft{fill:#4b5563;fill:var(--soft);font-weight:400}"
    ".fabric .silent rect{stroke-dasharray:7 3}"
    ".fabric path{fill:none;stroke:#94a3b8;stroke:var(--wire);stroke-width:1.3}"
    ".fabric .many path{stroke-width:1;stroke-opacity:.32}"
    ".fabric path.degraded{stroke:#c2570c;stroke:var(--degraded);stroke-width:2.6;stroke-opacity:1}"
    ".fabric path.fault{stroke:#d11a1a;stroke:var(--fault);stroke-width:2.6;stroke-dasharray:8 4;"
    "stroke-opacity:1}"
    ".fabric path.missing{stroke:#6b7280;stroke:var(--missing);stroke-width:2.2;stroke-dasharray:2 "
    "4;"
    "stroke-opacity:1}";

struct svg_place {
    int x, y; // of the middle of the upper edge
    bool drawn;
};

struct svg {
    FILE *out;
    const struct picture *picture;
    struct svg_place *places;          // by node
    uint32_t *hosts, *next_host;       // by node: the first folded host of a switch; the next one
    const struct picture_link **links; // the drawn links, sorted
    uint32_t link_count;
    uint32_t width, height;
    uint32_t left_out; // switches
    uint32_t left_out_links;
    uint32_t of[PICTURE_STATES];
};

// Texts.

static void svg_write_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

static size_t svg_character(const char *s)
{
    size_t n = 1;
    while (((unsigned char)s[n] & 0xC0) == 0x80)
        n++;
    return n;
}

// Writes the name; of a long name, the begin and end that fit into a box.
static void svg_write_label(FILE *out, const char *name)
{
    size_t characters = 0, at = 0;
    for (const char *s = name; *s; s += svg_character(s))
        characters++;
    for (const char *s = name; *s; at++) {
        const size_t n = svg_character(s);
        char one[8];
        const bool kept =
            characters <= LABEL_MAX || at < LABEL_MAX / 2 || characters - at < LABEL_MAX / 2;
        if (kept && n < sizeof one) {
            snprintf(one, sizeof one, "%.*s", (int)n, s);
            svg_write_text(out, one);
        } else if (at == LABEL_MAX / 2) {
            fputs("\xE2\x80\xA6", out);
        }
        s += n;
    }
}

static void svg_write_name(const struct svg *s, uint32_t node)
{
    char name[PICTURE_NAME_SIZE];
    picture_name(&s->picture->nodes[node], name);
    svg_write_text(s->out, name);
}

// Layout.

static uint32_t svg_columns(uint32_t count)
{
    const uint32_t wide = (uint32_t)ceil(sqrt(count * SVG_ROW_SHAPE));
    return count < ROW_MIN ? count : wide < ROW_MIN ? ROW_MIN : wide;
}

// The lines below a switch: its shown hosts, and a count of its folded hosts.
static uint32_t svg_lines(const struct picture_node *node)
{
    return node->shown_hosts + (node->folded > 0);
}

// Places a row of switches at a height; returns its own height.
static int svg_place_row(struct svg *s, uint32_t from, uint32_t count, int y)
{
    const struct picture *p = s->picture;
    const int step = BOX_WIDTH + BOX_GAP;
    const int left = ((int)s->width - (int)count * step + BOX_GAP) / 2;
    uint32_t lines = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = p->order[from + i];
        s->places[node] = (struct svg_place){left + (int)i * step + BOX_WIDTH / 2, y, true};
        lines = svg_lines(&p->nodes[node]) > lines ? svg_lines(&p->nodes[node]) : lines;
    }
    return BOX_HEIGHT + (int)lines * HOST_HEIGHT;
}

static int svg_place_layer(struct svg *s, uint32_t from, uint32_t count, int y)
{
    const uint32_t columns = svg_columns(count);
    for (uint32_t at = 0; at < count; at += columns) {
        const uint32_t n = count - at < columns ? count - at : columns;
        y += at > 0 ? ROW_GAP : 0;
        y += svg_place_row(s, from + at, n, y);
    }
    return y;
}

// Nodes of layer 0 without a switch.
static int svg_place_others(struct svg *s, int y)
{
    const struct picture *p = s->picture;
    const uint32_t columns = (s->width - MARGIN) / (BOX_WIDTH + BOX_GAP);
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->node_count && count < SVG_SWITCHES_MAX; i++) {
        if (p->nodes[i].layer != 0 || p->nodes[i].home != FABRIC_NONE || !p->nodes[i].shown)
            continue;
        const int column = (int)(count % columns), row = (int)(count / columns);
        s->places[i] = (struct svg_place){MARGIN + BOX_WIDTH / 2 + column * (BOX_WIDTH + BOX_GAP),
                                          y + ROW_GAP + row * (HOST_HEIGHT + BOX_GAP), true};
        count++;
    }
    const uint32_t rows = (count + columns - 1) / columns;
    return rows > 0 ? y + ROW_GAP + (int)rows * (HOST_HEIGHT + BOX_GAP) : y;
}

static void svg_place_hosts(struct svg *s)
{
    const struct picture *p = s->picture;
    for (uint32_t i = 0; i < p->node_count; i++) {
        const struct picture_node *n = &p->nodes[i];
        if (n->layer != 0 || n->home == FABRIC_NONE || !n->shown || !s->places[n->home].drawn)
            continue;
        const struct svg_place *home = &s->places[n->home];
        s->places[i] =
            (struct svg_place){home->x, home->y + BOX_HEIGHT + (int)n->place * HOST_HEIGHT, true};
    }
}

static void svg_place(struct svg *s)
{
    const struct picture *p = s->picture;
    uint32_t widest = LEGEND_BOXES, count, end = p->order_count;
    int y = MARGIN;
    if (end > SVG_SWITCHES_MAX)
        end = SVG_SWITCHES_MAX;
    s->left_out = p->order_count - end;
    for (uint32_t at = 0; at < end; at += count) {
        count = picture_layer_size(p, at, end);
        widest = svg_columns(count) > widest ? svg_columns(count) : widest;
    }
    s->width = 2 * MARGIN + widest * (BOX_WIDTH + BOX_GAP) - BOX_GAP;
    for (uint32_t at = end; at > 0; at -= count) { // the highest layer is on top
        for (count = 1; count < at && p->nodes[p->order[at - count - 1]].layer ==
                                          p->nodes[p->order[at - 1]].layer;)
            count++;
        y = svg_place_layer(s, at - count, count, y) + (at > count ? LAYER_GAP : 0);
    }
    svg_place_hosts(s);
    y = svg_place_others(s, y);
    s->height = (uint32_t)y + MARGIN + LEGEND_HEIGHT;
}

// Links.

// Good links come first: the other links are drawn over good links.
static int svg_compare_links(const void *a, const void *b)
{
    const struct picture_link *x = *(const struct picture_link *const *)a;
    const struct picture_link *y = *(const struct picture_link *const *)b;
    const uint32_t of_x[] = {x->state, x->node, x->peer, x->port, x->peer_port},
                   of_y[] = {y->state, y->node, y->peer, y->port, y->peer_port};
    for (size_t i = 0; i < sizeof of_x / sizeof *of_x; i++) {
        if (of_x[i] != of_y[i])
            return of_x[i] < of_y[i] ? -1 : 1;
    }
    return 0;
}

// Whether the link has a line. A link of a host to its home has none: the box of the host shows the
// state of the link.
static bool svg_draws(const struct svg *s, const struct picture_link *link)
{
    return s->places[link->node].drawn && s->places[link->peer].drawn &&
           s->picture->nodes[link->peer].home != link->node;
}

static void svg_sort_links(struct svg *s)
{
    const struct picture *p = s->picture;
    for (uint32_t i = 0; i < p->link_count; i++) {
        s->of[p->links[i].state]++;
        if (svg_draws(s, &p->links[i]))
            s->links[s->link_count++] = &p->links[i];
    }
    qsort(s->links, s->link_count, sizeof *s->links, svg_compare_links);
}

static void svg_write_end(const struct svg *s, uint32_t node, unsigned port)
{
    svg_write_name(s, node);
    fprintf(s->out, " port %u", port);
}

static void svg_write_link_title(const struct svg *s, const struct picture_link *const *links,
                                 uint32_t count)
{
    fputs("<title>", s->out);
    for (uint32_t i = 0; i < count && i < TITLE_LINKS; i++) {
        fputs(i > 0 ? "\n" : "", s->out);
        svg_write_end(s, links[i]->node, links[i]->port);
        fputs(" \xE2\x80\x93 ", s->out);
        svg_write_end(s, links[i]->peer, links[i]->peer_port);
        if (links[i]->state != PICTURE_GOOD)
            fprintf(s->out, ": %s%s", picture_state_word(links[i]->state),
                    links[i]->absent ? ", not there" : "");
    }
    if (count > TITLE_LINKS)
        fprintf(s->out, "\nand %" PRIu32 " more", count - TITLE_LINKS);
    fputs("</title>", s->out);
}

// Writes the line of some links of one state between the same nodes.
static void svg_write_line(const struct svg *s, const struct picture_link *const *links,
                           uint32_t count)
{
    const struct picture_link *link = links[0];
    const struct svg_place *a = &s->places[link->node], *b = &s->places[link->peer];
    const int shift = (int)link->state * PARALLEL_STEP; // beside the line of good links
    const int ax = a->x + shift, bx = b->x + shift;
    fprintf(s->out,
            "<path class=\"%s\" data-links=\"%" PRIu32 "\" data-ends=\"0x%016" PRIx64
            " 0x%016" PRIx64 "\" d=\"",
            picture_state_word(link->state), count, s->picture->nodes[link->node].guid,
            s->picture->nodes[link->peer].guid);
    if (a->y == b->y) // beside each other: an arc above
        fprintf(s->out, "M%d %dQ%d %d %d %d", ax, a->y, (ax + bx) / 2,
                a->y - ROW_GAP - (abs(bx - ax) > 4 * BOX_WIDTH ? ROW_GAP : 0), bx, b->y);
    else if (a->y < b->y)
        fprintf(s->out, "M%d %dL%d %d", ax, a->y + BOX_HEIGHT, bx, b->y);
    else
        fprintf(s->out, "M%d %dL%d %d", ax, a->y, bx, b->y + BOX_HEIGHT);
    fputs("\">", s->out);
    if (link->state != PICTURE_GOOD || s->link_count <= SVG_TOLD_MAX)
        svg_write_link_title(s, links, count);
    fputs("</path>\n", s->out);
}

static void svg_write_links(struct svg *s)
{
    fprintf(s->out, "<g%s>\n", s->link_count > 200 ? " class=\"many\"" : "");
    uint32_t count, lines = 0;
    for (uint32_t i = 0; i < s->link_count; i += count) {
        const struct picture_link *link = s->links[i];
        for (count = 1; i + count < s->link_count; count++) {
            const struct picture_link *other = s->links[i + count];
            if (other->state != link->state || other->node != link->node ||
                other->peer != link->peer)
                break;
        }
        if (link->state == PICTURE_GOOD && lines++ >= SVG_LINES_MAX)
            s->left_out_links += count;
        else
            svg_write_line(s, &s->links[i], count);
    }
    fputs("</g>\n", s->out);
}

// Nodes.

// For the search of the page: the GUIDs of all adapters of a host, and the hosts of a switch that
// have no box.
static void svg_write_data(const struct svg *s, uint32_t i)
{
    const struct picture_node *node = &s->picture->nodes[i];
    fprintf(s->out, " data-guid=\"0x%016" PRIx64 "\"", node->guid);
    if (node->next != FABRIC_NONE) {
        fprintf(s->out, " data-parts=\"0x%016" PRIx64, node->guid);
        for (uint32_t k = node->next; k != FABRIC_NONE; k = s->picture->nodes[k].next)
            fprintf(s->out, " 0x%016" PRIx64, s->picture->nodes[k].guid);
        fputc('"', s->out);
    }
    for (uint32_t k = s->hosts[i]; k != FABRIC_NONE; k = s->next_host[k]) {
        fputs(k == s->hosts[i] ? " data-hosts=\"" : "&#10;", s->out);
        svg_write_name(s, k);
        fputs(s->next_host[k] == FABRIC_NONE ? "\"" : "", s->out);
    }
}

static void svg_list_hosts(const struct svg *s)
{
    const uint32_t count = s->picture->node_count;
    for (uint32_t i = 0; i < count; i++)
        s->hosts[i] = s->next_host[i] = FABRIC_NONE;
    for (uint32_t i = count; i-- > 0;) {
        const struct picture_node *node = &s->picture->nodes[i];
        if (node->shown || node->one != i || node->home == FABRIC_NONE)
            continue;
        s->next_host[i] = s->hosts[node->home];
        s->hosts[node->home] = i;
    }
}

static void svg_write_node_title(const struct svg *s, uint32_t i)
{
    const struct picture_node *node = &s->picture->nodes[i];
    fputs("<title>", s->out);
    svg_write_name(s, i);
    fprintf(s->out, "\n0x%016" PRIx64, node->guid);
    for (uint32_t k = node->next; k != FABRIC_NONE; k = s->picture->nodes[k].next) {
        fputc('\n', s->out);
        svg_write_name(s, k);
    }
    if (node->hosts > 0)
        fprintf(s->out, "\n%" PRIu32 " host%s", node->hosts, node->hosts == 1 ? "" : "s");
    if (node->absent)
        fputs("\nnot in the fabric", s->out);
    else if (node->silent)
        fputs("\ndid not answer the last sweep", s->out);
    if (node->whole != PICTURE_GOOD)
        fprintf(s->out, "\n%s", picture_state_word(node->whole));
    fputs("</title>", s->out);
}

static void svg_write_node(const struct svg *s, uint32_t i)
{
    const struct picture_node *node = &s->picture->nodes[i];
    const struct svg_place *at = &s->places[i];
    const bool host = node->layer == 0;
    const int height = host ? HOST_HEIGHT - 2 : BOX_HEIGHT, inset = host ? 6 : 0;
    char name[PICTURE_NAME_SIZE];
    picture_name(node, name);
    fprintf(s->out, "<g class=\"node %s %s near-%s%s%s\"", host ? "host" : "switch",
            picture_state_word(node->whole), picture_state_word(node->near),
            node->absent ? " absent" : "", node->silent ? " silent" : "");
    svg_write_data(s, i);
    fputc('>', s->out);
    svg_write_node_title(s, i);
    fprintf(s->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>",
            at->x - BOX_WIDTH / 2 + inset, at->y + (host ? 2 : 0), BOX_WIDTH - 2 * inset, height,
            host ? 3 : 6);
    fprintf(s->out, "<text x=\"%d\" y=\"%d\">", at->x, at->y + (host ? 14 : 21));
    svg_write_label(s->out, name);
    fputs("</text>", s->out);
    if (node->folded > 0)
        fprintf(s->out, "<text class=\"soft\" x=\"%d\" y=\"%d\">%s%" PRIu32 " host%s</text>", at->x,
                at->y + BOX_HEIGHT + (int)node->shown_hosts * HOST_HEIGHT + 13,
                node->shown_hosts > 0 ? "+ " : "", node->folded, node->folded == 1 ? "" : "s");
    fputs("</g>\n", s->out);
}

// The frame.

static void svg_write_legend(const struct svg *s)
{
    static const char *const WORDS[PICTURE_STATES] = {"links", "missing", "degraded",
                                                      "with faults"};
    const int y = (int)s->height - LEGEND_HEIGHT / 2;
    for (int i = 0; i < PICTURE_STATES; i++) {
        const int x = MARGIN + i * LEGEND_STEP;
        fprintf(
            s->out,
            "<path class=\"%s\" d=\"M%d %dh36\"/><text class=\"left\" x=\"%d\" y=\"%d\">%" PRIu32
            " %s</text>\n",
            picture_state_word((enum picture_state)i), x, y, x + 44, y + 4, s->of[i],
            i == 0 && s->of[i] == 1 ? "link" : WORDS[i]);
    }
    if (s->left_out > 0 || s->left_out_links > 0 || s->picture->cut)
        fprintf(s->out,
                "<text class=\"left\" x=\"%d\" y=\"%d\">Not all of the fabric is drawn: %" PRIu32
                " switches and %" PRIu32 " good links%s are left out.</text>\n",
                MARGIN, y + 20, s->left_out, s->left_out_links,
                s->picture->cut ? ", and some of what is missing," : "");
}

static void svg_write_head(const struct svg *s, bool styled)
{
    const struct fabric *fabric = s->picture->fabric;
    fprintf(s->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fabric\" role=\"img\" "
            "viewBox=\"0 0 %" PRIu32 " %" PRIu32 "\" width=\"%" PRIu32 "\" height=\"%" PRIu32
            "\">\n<title>The fabric: %" PRIu32 " nodes, %" PRIu32 " links</title>\n"
            "<desc>%" PRIu32 " links with faults, %" PRIu32 " degraded, %" PRIu32
            " missing.</desc>\n",
            s->width, s->height, s->width, s->height, fabric->node_count, s->picture->present_links,
            s->of[PICTURE_FAULT], s->of[PICTURE_DEGRADED], s->of[PICTURE_MISSING]);
    if (styled)
        fprintf(s->out, "<style>%s</style>\n", SVG_STYLE);
    fprintf(s->out, "<rect class=\"paper\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\"/>\n",
            s->width, s->height);
}

void svg_write(FILE *out, const struct picture *picture, bool styled)
{
    struct svg s = {.out = out,
                    .picture = picture,
                    .places = memory_zeroed(picture->node_count, sizeof *s.places),
                    .hosts = memory_get(((size_t)picture->node_count + 1) * sizeof *s.hosts),
                    .next_host = memory_get(((size_t)picture->node_count + 1) * sizeof *s.hosts),
                    .links = memory_get(picture->link_count * sizeof *s.links)};
    svg_list_hosts(&s);
    svg_place(&s);
    svg_sort_links(&s);
    svg_write_head(&s, styled);
    svg_write_links(&s);
    for (uint32_t i = 0; i < s.picture->node_count; i++) {
        if (s.places[i].drawn)
            svg_write_node(&s, i);
    }
    svg_write_legend(&s);
    fputs("</svg>\n", out);
    free(s.places);
    free(s.hosts);
    free(s.next_host);
    free((void *)s.links);
}
