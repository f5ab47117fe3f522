// SPDX-License-Identifier: BSD-2-Clause
#include "picture/dot.h"

#include <inttypes.h>

// In labels, Graphviz reads escapes, and the entities of HTML.
static void dot_write_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

static void dot_write_id(FILE *out, const struct picture_node *node)
{
    fprintf(out, "\"%c-%016" PRIx64 "\"",
            node->type == FABRIC_SWITCH   ? 'S'
            : node->type == FABRIC_ROUTER ? 'R'
                                          : 'H',
            node->guid);
}

static const char *dot_node_style(const struct picture_node *node)
{
    static const char *const STYLES[PICTURE_STATES] = {
        [PICTURE_GOOD] = "",
        [PICTURE_MISSING] = ", color=\"#6b7280\"",
        [PICTURE_DEGRADED] = ", color=\"#d97706\", penwidth=2",
        [PICTURE_FAULT] = ", color=\"#dc2626\", penwidth=2"};
    return STYLES[node->state];
}

static void dot_write_node(FILE *out, const struct picture_node *node)
{
    fputs("  ", out);
    dot_write_id(out, node);
    fputs(" [label=\"", out);
    char name[PICTURE_NAME_SIZE];
    picture_name(node, name);
    dot_write_text(out, name);
    if (node->folded > 0)
        fprintf(out, "\\n%s%" PRIu32 " host%s", node->shown_hosts > 0 ? "+" : "", node->folded,
                node->folded == 1 ? "" : "s");
    fprintf(out, "\", shape=%s%s%s]\n", node->type == FABRIC_SWITCH ? "box" : "ellipse",
            node->absent   ? ", style=\"filled,dotted\""
            : node->silent ? ", style=\"filled,dashed\""
                           : "",
            dot_node_style(node));
}

static void dot_write_link(FILE *out, const struct picture *p, const struct picture_link *link)
{
    static const char *const STYLES[PICTURE_STATES] = {
        [PICTURE_GOOD] = "",
        [PICTURE_MISSING] = ", color=\"#6b7280\", style=dotted",
        [PICTURE_DEGRADED] = ", color=\"#d97706\", penwidth=2",
        [PICTURE_FAULT] = ", color=\"#dc2626\", style=dashed, penwidth=2"};
    fputs("  ", out);
    dot_write_id(out, &p->nodes[link->node]);
    fputs(" -- ", out);
    dot_write_id(out, &p->nodes[link->peer]);
    fprintf(out, " [taillabel=\"%u\", headlabel=\"%u\"%s]\n", (unsigned)link->port,
            (unsigned)link->peer_port, STYLES[link->state]);
}

static void dot_write_layer(FILE *out, const struct picture *p, uint32_t from, uint32_t end)
{
    fprintf(out, "  // Layer %" PRIu32 ".\n", p->nodes[p->order[from]].layer);
    for (uint32_t i = from; i < end; i++)
        dot_write_node(out, &p->nodes[p->order[i]]);
    fputs("  { rank=same;", out);
    for (uint32_t i = from; i < end; i++) {
        fputc(' ', out);
        dot_write_id(out, &p->nodes[p->order[i]]);
        fputc(';', out);
    }
    fputs(" }\n", out);
}

void dot_write(FILE *out, const struct picture *p)
{
    fputs("graph fabric {\n"
          "  graph [rankdir=TB, ranksep=1.5, ordering=out, outputorder=edgesfirst]\n"
          "  node [fontname=\"sans-serif\", fontsize=11, style=filled, fillcolor=white]\n"
          "  edge [color=\"#9ca3af\", fontname=\"sans-serif\", fontsize=7]\n",
          out);
    for (uint32_t i = 0, count; i < p->order_count; i += count) {
        count = picture_layer_size(p, i, p->order_count);
        dot_write_layer(out, p, i, i + count);
    }
    fputs("  // Hosts and routers.\n", out);
    for (uint32_t i = 0; i < p->node_count; i++) {
        if (p->nodes[i].type != FABRIC_SWITCH && p->nodes[i].shown)
            dot_write_node(out, &p->nodes[i]);
    }
    for (uint32_t i = 0; i < p->link_count; i++) {
        if (picture_shows(p, &p->links[i]))
            dot_write_link(out, p, &p->links[i]);
    }
    fputs("}\n", out);
}
