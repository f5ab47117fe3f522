// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/topology_commands.h"

#include "ctl/pages.h"
#include "ctl/picture_command.h"
#include "ctl/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t show_topology_guid(const json_t *object, const char *key)
{
    return strtoull(member_word(object, key), NULL, 16);
}

static bool is_switch(const json_t *object)
{
    return strcmp(member_word(object, "type"), "switch") == 0;
}

// Nodes and links in the format of ibnetdiscover(8), which other tools read; all else is in
// comments.

static void show_id(FILE *out, const json_t *node)
{
    const char *type = member_word(node, "type");
    char letter = is_switch(node)               ? 'S'
                  : strcmp(type, "host") == 0   ? 'H'
                  : strcmp(type, "router") == 0 ? 'R'
                                                : '?';
    fprintf(out, "\"%c-%016" PRIx64 "\"", letter, show_topology_guid(node, "guid"));
}

// Writes the name in quotation marks, and its own quotation marks as apostrophes.
static void show_name(FILE *out, const json_t *node)
{
    fputc('"', out);
    for (const char *p = member_word(node, "name"); *p; p++)
        fputc(*p == '"' ? '\'' : *p, out);
    fputc('"', out);
}

static void show_rate(FILE *out, const json_t *port)
{
    long long width = member_count(port, "width");
    const char *speed = member_word(port, "speed");
    if (width > 0)
        fprintf(out, "%lldx", width);
    else
        fputs("??", out);
    fputs(speed[0] == '\0' || speed[0] == '?' ? "???" : speed, out);
}

static void show_switch_port(FILE *out, const json_t *port, const json_t *peer)
{
    fprintf(out, "[%lld]\t", member_count(port, "port"));
    show_id(out, peer);
    fprintf(out, "[%lld]", member_count(peer, "port"));
    if (!is_switch(peer))
        fprintf(out, "(%" PRIx64 ") ", show_topology_guid(peer, "port_guid"));
    fputs("\t\t# ", out);
    show_name(out, peer);
    fprintf(out, " lid %lld ", member_count(peer, "lid"));
    show_rate(out, port);
    fputc('\n', out);
}

static void show_other_port(FILE *out, const json_t *port, const json_t *peer)
{
    fprintf(out, "[%lld](%" PRIx64 ") \t", member_count(port, "port"),
            show_topology_guid(port, "guid"));
    show_id(out, peer);
    fprintf(out, "[%lld]", member_count(peer, "port"));
    if (!is_switch(peer))
        fprintf(out, " (%" PRIx64 ") ", show_topology_guid(peer, "port_guid"));
    fprintf(out, "\t\t# lid %lld lmc %lld ", member_count(port, "lid"), member_count(port, "lmc"));
    show_name(out, peer);
    fprintf(out, " lid %lld ", member_count(peer, "lid"));
    show_rate(out, port);
    fputc('\n', out);
}

static void show_ids(FILE *out, const json_t *node)
{
    uint64_t system = show_topology_guid(node, "system_guid");
    if (json_is_true(json_object_get(node, "silent")))
        fputs("\n# It did not answer; this is what was known of it.", out);
    fprintf(out, "\nvendid=0x%llx\ndevid=0x%llx\n", member_count(node, "vendor"),
            member_count(node, "device"));
    if (system != 0)
        fprintf(out, "sysimgguid=0x%" PRIx64 "\n", system);
}

static void show_switch(FILE *out, const json_t *node)
{
    const json_t *zero = json_array_get(json_object_get(node, "ports"), 0);
    bool has_zero = member_count(zero, "port") == 0;
    fprintf(out, "switchguid=0x%" PRIx64 "(%" PRIx64 ")\nSwitch\t%lld ",
            show_topology_guid(node, "guid"), has_zero ? show_topology_guid(zero, "guid") : 0,
            member_count(node, "port_count"));
    show_id(out, node);
    fputs("\t\t# ", out);
    show_name(out, node);
    fprintf(out, " base port 0 lid %lld lmc %lld\n", has_zero ? member_count(zero, "lid") : 0,
            has_zero ? member_count(zero, "lmc") : 0);
}

static void show_topology_other(FILE *out, const json_t *node)
{
    bool host = strcmp(member_word(node, "type"), "host") == 0;
    fprintf(out, "%sguid=0x%" PRIx64 "\n%s\t%lld ", host ? "ca" : "rt",
            show_topology_guid(node, "guid"), host ? "Ca" : "Rt", member_count(node, "port_count"));
    show_id(out, node);
    fputs("\t\t# ", out);
    show_name(out, node);
    fputc('\n', out);
}

static void show_node(FILE *out, const json_t *node)
{
    size_t i;
    const json_t *port;
    show_ids(out, node);
    if (is_switch(node))
        show_switch(out, node);
    else
        show_topology_other(out, node);
    json_array_foreach(json_object_get(node, "ports"), i, port)
    {
        const json_t *peer = json_object_get(port, "peer");
        if (json_is_object(peer) && is_switch(node))
            show_switch_port(out, port, peer);
        else if (json_is_object(peer))
            show_other_port(out, port, peer);
    }
}

static void show_place(FILE *out, const json_t *side)
{
    if (member_count(side, "snapshot") != 0)
        fprintf(out, "snapshot %lld (%s)", member_count(side, "snapshot"),
                member_word(side, "time"));
    else
        fprintf(out, "now (%s)", member_word(side, "time"));
}

bool topology_commands_show_nodes(FILE *out, const json_t *page, bool first)
{
    size_t i;
    const json_t *node;
    if (first) {
        fprintf(out, "#\n# Topology file: generated on %s\n#\n# %lld nodes, %lld links; ",
                member_word(page, "time"), member_count(page, "node_count"),
                member_count(page, "link_count"));
        show_place(out, page);
        fputs(json_is_true(json_object_get(page, "complete")) ? "\n"
                                                              : "; some nodes did not answer\n",
              out);
    }
    json_array_foreach(json_object_get(page, "nodes"), i, node) show_node(out, node);
    return true;
}

static bool show_snapshots(FILE *out, const json_t *answer, bool first)
{
    size_t i;
    const json_t *one;
    if (first)
        fprintf(out, "%8s  %-27s %8s %8s\n", "SNAPSHOT", "TIME", "NODES", "LINKS");
    json_array_foreach(json_object_get(answer, "snapshots"), i, one)
    {
        char number[24] = "-"; // not in the journal's file yet
        if (member_count(one, "snapshot") != 0)
            snprintf(number, sizeof number, "%lld", member_count(one, "snapshot"));
        fprintf(out, "%8s  %-27s %8lld %8lld\n", number, member_word(one, "time"),
                member_count(one, "nodes"), member_count(one, "links"));
    }
    return true;
}

bool topology_commands_show_changes(FILE *out, const json_t *page, bool first)
{
    size_t i;
    const json_t *change;
    const json_t *from = json_object_get(page, "from"), *to = json_object_get(page, "to");
    if (!json_is_object(from) || !json_is_object(to))
        return false;
    if (first) {
        fputs("From ", out);
        show_place(out, from);
        fputs(" to ", out);
        show_place(out, to);
        fprintf(out, ": %lld change%s\n", member_count(page, "change_count"),
                member_count(page, "change_count") == 1 ? "" : "s");
    }
    json_array_foreach(json_object_get(page, "changes"), i, change)
    {
        bool follows = json_is_integer(json_object_get(change, "cause"));
        fprintf(out, "%s%s\n", follows ? "  " : "", member_word(change, "text"));
    }
    return true;
}

// Commands.

// Reads the number of a snapshot; the word "now" is 0.
static bool read_snapshot(const char *text, long long *out)
{
    *out = 0;
    return strcmp(text, "now") == 0 || (arguments_read_number(text, out) && *out > 0);
}

enum command_outcome topology_commands_show(const struct arguments *a, struct error *err)
{
    const struct pages pages = {a->out, "nodes", a->json ? NULL : topology_commands_show_nodes};
    long long number = 0;
    if (picture_command_wanted(a))
        return picture_command(a, err);
    if (a->count == 1 && !read_snapshot(a->words[0], &number))
        return COMMAND_WRONG_USAGE;
    json_t *items = json_pack("{s:I}", "snapshot", (json_int_t)number);
    return command_outcome(pages_write(&pages, a->socket, a->wire, items, err));
}

enum command_outcome topology_commands_list(const struct arguments *a, struct error *err)
{
    const struct pages pages = {a->out, "snapshots", a->json ? NULL : show_snapshots};
    return command_outcome(pages_write(&pages, a->socket, a->wire, json_object(), err));
}

enum command_outcome topology_commands_diff(const struct arguments *a, struct error *err)
{
    const struct pages pages = {a->out, "changes", a->json ? NULL : topology_commands_show_changes};
    long long from, to;
    if (!read_snapshot(a->words[0], &from) || !read_snapshot(a->words[1], &to))
        return COMMAND_WRONG_USAGE;
    json_t *items = json_pack("{s:I, s:I}", "from", (json_int_t)from, "to", (json_int_t)to);
    return command_outcome(pages_write(&pages, a->socket, a->wire, items, err));
}
