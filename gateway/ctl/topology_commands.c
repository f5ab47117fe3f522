// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/clock.h"
#include "base/random.h"
#include "ctl/client.h"
#include "ctl/fabric_json.h"
#include "ctl/protocol.h"
#include "picture/dot.h"
#include "picture/svg.h"
#include "topology/changes.h"
#include "topology/describe.h"

#include <inttypes.h>
#include <string.h>

// Calls `each` for every node: switches first, then hosts, routers and others.
static void topology_command_each_node(const struct fabric *fabric,
                                       void (*each)(void *ctx, uint32_t node), void *ctx)
{
    static const uint8_t TYPES[] = {FABRIC_SWITCH, FABRIC_CA, FABRIC_ROUTER, 0};
    for (size_t turn = 0; turn < sizeof TYPES; turn++) {
        for (uint32_t i = 0; i < fabric->node_count; i++) {
            const uint8_t type = fabric->nodes[i].type;
            if ((type <= FABRIC_ROUTER ? type : 0) == TYPES[turn])
                each(ctx, i);
        }
    }
}

// Nodes and links in the format of ibnetdiscover(8). Many tools read the format; everything else is
// in comments.

struct topology_text {
    FILE *out;
    const struct fabric *fabric;
    const struct names *names;
};

static void topology_command_write_id(FILE *out, const struct fabric_node *node)
{
    static const char LETTERS[] = {
        [0] = '?', [FABRIC_CA] = 'H', [FABRIC_SWITCH] = 'S', [FABRIC_ROUTER] = 'R'};
    fprintf(out, "\"%c-%016" PRIx64 "\"", LETTERS[node->type <= FABRIC_ROUTER ? node->type : 0],
            node->guid);
}

// Writes the name in quotation marks. A quotation mark in the name becomes an apostrophe.
static void topology_command_write_name(const struct topology_text *t,
                                        const struct fabric_node *node)
{
    fputc('"', t->out);
    for (const char *p = describe_name(node, 0, t->names); *p; p++)
        fputc(*p == '"' ? '\'' : *p, t->out);
    fputc('"', t->out);
}

static void topology_command_write_rate(FILE *out, const struct fabric_port *port)
{
    const bool is_rated = port->known && port->state != FABRIC_DOWN;
    const unsigned lanes = is_rated ? fabric_lanes(port->width_active) : 0;
    const char *speed = is_rated ? fabric_speed_word(port->speed_active) : "?";
    if (lanes > 0)
        fprintf(out, "%ux", lanes);
    else
        fputs("??", out);
    fputs(speed[0] == '?' ? "???" : speed, out);
}

// Writes the line of a port with a link.
static void topology_command_write_port(const struct topology_text *t,
                                        const struct fabric_node *node,
                                        const struct fabric_port *port,
                                        const struct fabric_port *peer)
{
    const struct fabric_node *other = &t->fabric->nodes[port->peer_node];
    const bool is_switch = node->type == FABRIC_SWITCH;
    fprintf(t->out, "[%u]", port->number);
    if (is_switch)
        fputc('\t', t->out);
    else
        fprintf(t->out, "(%" PRIx64 ") \t", port->guid);
    topology_command_write_id(t->out, other);
    fprintf(t->out, "[%u]", peer->number);
    if (other->type != FABRIC_SWITCH)
        fprintf(t->out, "%s(%" PRIx64 ") ", is_switch ? "" : " ", peer->guid);
    fputs("\t\t# ", t->out);
    if (!is_switch)
        fprintf(t->out, "lid %u lmc %u ", port->lid, port->lmc);
    topology_command_write_name(t, other);
    fprintf(t->out, " lid %u ", fabric_json_lid(t->fabric, port->peer_node, peer));
    topology_command_write_rate(t->out, port);
    fputc('\n', t->out);
}

static void topology_command_write_ids(FILE *out, const struct fabric_node *node)
{
    if (node->silent)
        fputs("\n# It did not answer; this is what was known of it.", out);
    fprintf(out, "\nvendid=0x%x\ndevid=0x%x\n", node->vendor, node->device);
    if (node->system_guid != 0)
        fprintf(out, "sysimgguid=0x%" PRIx64 "\n", node->system_guid);
}

static void topology_command_write_head(const struct topology_text *t,
                                        const struct fabric_node *node)
{
    static const struct fabric_port NONE = {0};
    const struct fabric_port *first = &t->fabric->ports[node->first_port];
    const struct fabric_port *zero = node->ports > 0 && first->number == 0 ? first : &NONE;
    const bool is_switch = node->type == FABRIC_SWITCH, is_host = node->type == FABRIC_CA;
    if (is_switch)
        fprintf(t->out, "switchguid=0x%" PRIx64 "(%" PRIx64 ")\nSwitch", node->guid, zero->guid);
    else
        fprintf(t->out, "%sguid=0x%" PRIx64 "\n%s", is_host ? "ca" : "rt", node->guid,
                is_host ? "Ca" : "Rt");
    fprintf(t->out, "\t%u ", node->port_count);
    topology_command_write_id(t->out, node);
    fputs("\t\t# ", t->out);
    topology_command_write_name(t, node);
    if (is_switch)
        fprintf(t->out, " base port 0 lid %u lmc %u", zero->lid, zero->lmc);
    fputc('\n', t->out);
}

static void topology_command_write_node(void *ctx, uint32_t index)
{
    const struct topology_text *t = ctx;
    const struct fabric_node *node = &t->fabric->nodes[index];
    topology_command_write_ids(t->out, node);
    topology_command_write_head(t, node);
    for (uint32_t i = node->first_port; i < node->first_port + node->ports; i++) {
        const uint32_t peer = fabric_peer(t->fabric, i);
        if (peer != FABRIC_NONE)
            topology_command_write_port(t, node, &t->fabric->ports[i], &t->fabric->ports[peer]);
    }
}

static void topology_command_write_place(FILE *out, const struct fabric_request *side)
{
    char time[CLOCK_TEXT_SIZE];
    clock_format_utc(side->fabric->time_us, time);
    if (side->number != 0)
        fprintf(out, "snapshot %" PRId64 " (%s)", side->number, time);
    else
        fprintf(out, "now (%s)", time);
}

void topology_commands_write(FILE *out, const struct fabric_request *what)
{
    struct topology_text text = {out, what->fabric, what->names};
    char time[CLOCK_TEXT_SIZE];
    clock_format_utc(what->fabric->time_us, time);
    fprintf(out, "#\n# Topology file: generated on %s\n#\n# %" PRIu32 " nodes, %" PRIu32 " links; ",
            time, what->fabric->node_count, fabric_count_links(what->fabric));
    topology_command_write_place(out, what);
    fputs(what->fabric->complete ? "\n" : "; some nodes did not answer\n", out);
    topology_command_each_node(what->fabric, topology_command_write_node, &text);
}

// JSON.

struct topology_json {
    struct show_list list;
    const struct fabric_request *what;
};

static void topology_command_add_json(void *ctx, uint32_t node)
{
    struct topology_json *json = ctx;
    json_t *one = fabric_json_node(json->what->fabric, node, json->what->names);
    show_list_add(&json->list, one);
    json_decref(one);
}

void topology_commands_write_json(FILE *out, const struct fabric_request *what)
{
    struct topology_json json = {.list = {.out = out}, .what = what};
    json_t *head = fabric_json_head(what->fabric, what->number, what->names);
    show_list_begin(&json.list, head, "nodes");
    json_decref(head);
    topology_command_each_node(what->fabric, topology_command_add_json, &json);
    show_list_end(&json.list);
}

// Changes.

void topology_commands_write_changes(FILE *out, bool json, const struct fabric_request *from,
                                     const struct fabric_request *to)
{
    const struct event_builder builder = {
        .clock = &clock_system, .random = &random_system, .names = to->names};
    struct changes changes = {0};
    struct show_list list = {.out = out};
    changes_between(from->fabric, to->fabric, to->names, &changes);
    json_t *head = json_pack("{s:i, s:o, s:o, s:I}", "version", PROTOCOL_VERSION, "from",
                             fabric_json_side(from->fabric, from->number), "to",
                             fabric_json_side(to->fabric, to->number), "change_count",
                             (json_int_t)changes.count);
    if (json) {
        show_list_begin(&list, head, "changes");
    } else {
        fputs("From ", out);
        topology_command_write_place(out, from);
        fputs(" to ", out);
        topology_command_write_place(out, to);
        fprintf(out, ": %" PRIu32 " change%s\n", changes.count, changes.count == 1 ? "" : "s");
    }
    json_decref(head);
    for (uint32_t i = 0; i < changes.count; i++) {
        json_t *change = fabric_json_change(&changes.all[i], &builder);
        if (json)
            show_list_add(&list, change);
        else
            fprintf(out, "%s%s\n", changes.all[i].cause == FABRIC_NONE ? "" : "  ",
                    member_word(change, "text"));
        json_decref(change);
    }
    if (json)
        show_list_end(&list);
    changes_clear(&changes);
}

// Pictures.

static bool topology_command_mark_alarms(void *picture, const json_t *page, struct error *err)
{
    size_t i;
    const json_t *alarm, *alarms = json_object_get(page, "alarms");
    if (!json_is_array(alarms))
        return show_refuse_shape(err);
    json_array_foreach(alarms, i, alarm)
        picture_add_alarm(picture, member_word(alarm, "key"), member_word(alarm, "event"));
    return true;
}

static bool topology_command_draw(const struct arguments *a, const struct fabric_request *what,
                                  struct error *err)
{
    struct picture *picture =
        picture_new(what->fabric, what->names, a->values[OPTION_HOSTS] != NULL);
    const bool ok = client_each_page(a->socket, "alarms", json_object(),
                                     topology_command_mark_alarms, picture, err);
    if (ok)
        picture_finish(picture);
    if (ok && a->values[OPTION_DOT])
        dot_write(a->out, picture);
    else if (ok)
        svg_write(a->out, picture, true);
    picture_free(picture);
    return ok;
}

// Commands.

// Reads the number of a snapshot; the word "now" is 0.
static bool topology_command_read_number(const char *text, long long *out)
{
    *out = 0;
    return strcmp(text, "now") == 0 || (arguments_read_number(text, out) && *out > 0);
}

enum command_outcome topology_commands_show(const struct arguments *a, struct error *err)
{
    const bool draws = a->values[OPTION_DOT] || a->values[OPTION_SVG] || a->values[OPTION_HOSTS];
    const bool is_one_picture = !a->values[OPTION_DOT] != !a->values[OPTION_SVG];
    struct fabric_request what;
    long long number = 0;
    if ((draws && (!is_one_picture || a->json || a->count > 0)) ||
        (a->count == 1 && !topology_command_read_number(a->words[0], &number)))
        return COMMAND_WRONG_USAGE;
    bool ok = fabric_request_begin(&what, a->socket, number, err);
    if (ok && draws)
        ok = topology_command_draw(a, &what, err);
    else if (ok && a->json)
        topology_commands_write_json(a->out, &what);
    else if (ok)
        topology_commands_write(a->out, &what);
    fabric_request_end(&what);
    return command_outcome(ok);
}

// A snapshot has no number before the journal's file has the snapshot.
const struct show_form snapshot_form = {
    .list = "snapshots",
    .is_paged = true,
    .head = "SNAPSHOT  TIME                           NODES    LINKS\n",
    .line = "[snapshot?{snapshot:8}|       -]  {time:-27} {nodes:8} {links:8}\n"};

enum command_outcome topology_commands_diff(const struct arguments *a, struct error *err)
{
    struct fabric_request from = {0}, to = {0};
    long long before, after;
    if (!topology_command_read_number(a->words[0], &before) ||
        !topology_command_read_number(a->words[1], &after))
        return COMMAND_WRONG_USAGE;
    const bool ok = fabric_request_begin(&from, a->socket, before, err) &&
                    fabric_request_begin(&to, a->socket, after, err);
    if (ok)
        topology_commands_write_changes(a->out, a->json, &from, &to);
    fabric_request_end(&from);
    fabric_request_end(&to);
    return command_outcome(ok);
}

// Links that fail again and again.

enum { WAIT_SHOWN = 1 }; // percent of the time

// Writes "leaf1 port 3", or "leaf1 port 3 (waits 12%)"; without a name, the GUID.
static void topology_command_show_link_end(FILE *out, const json_t *end)
{
    const char *name = member_word(end, "name");
    const double wait =
        json_real_value(json_object_get(json_object_get(end, "wait"), "short")) * 100;
    fprintf(out, "%s port %lld", name[0] != '\0' ? name : member_word(end, "node"),
            member_count(end, "port"));
    if (wait >= WAIT_SHOWN)
        fprintf(out, " (waits %.0f%%)", wait);
}

static bool topology_command_show_links(FILE *out, const json_t *answer)
{
    size_t i;
    const json_t *link, *links = json_object_get(answer, "links");
    json_array_foreach(links, i, link)
    {
        const json_t *ends = json_object_get(link, "ends");
        // Without a time, the journal has lost the occasions.
        show_layout(out,
                    "{occasion_count:9} {failures:9} {flaps:6} {error_alarms:7}  "
                    "{last:-16.16}[last?Z|-]  ",
                    link);
        topology_command_show_link_end(out, json_array_get(ends, 0));
        fputs(" - ", out);
        topology_command_show_link_end(out, json_array_get(ends, 1));
        show_layout(out, "[unreliable?, unreliable]\n", link);
    }
    if (json_array_size(links) > 0 &&
        (long long)json_array_size(links) < member_count(answer, "total"))
        show_layout(out, "{total} links failed in the last {days} days.\n", answer);
    return true;
}

const struct show_form link_form = {
    .list = "links",
    .none = "No link failed in the last {days} days.\n",
    .head = "OCCASIONS  FAILURES  FLAPS  ERRORS  LAST               LINK\n",
    .rest = topology_command_show_links};

enum command_outcome link_commands_list(const struct arguments *a, struct error *err)
{
    long long limit = 0;
    if (a->count > 0 && (!arguments_read_number(a->words[0], &limit) || limit == 0))
        return COMMAND_WRONG_USAGE;
    json_t *items = json_pack("{s:I, s:i}", "limit", (json_int_t)limit, "worst",
                              a->values[OPTION_WORST] != NULL);
    return request_command_send(a, a->command->form, items, err);
}

// SNMP contexts.

const struct show_form context_form = {
    .list = "contexts",
    .is_paged = true,
    .head = "NAME                             TYPE   NODE GUID          PORT CONTEXT\n",
    .line = "{name$32} {type:-6} {guid:-18} {port:4} {context}\n"};

// Lines of snmpd.conf: each context gets a community of its own. The names of nodes are in
// comments: control characters were replaced before.
static const char CONTEXT_VIEW[] =
    "view ibtrapd-devices included .1.3.6.1.2.1\n"
    "view ibtrapd-devices included .1.3.6.1.3.117\n"
    "group ibtrapd-devices v2c ibtrapd-device\n"
    "access ibtrapd-devices \"\" v2c noauth prefix ibtrapd-devices none none\n";

// Whether the word can be the beginning of a community in snmpd.conf.
static bool topology_command_is_community(const char *word)
{
    enum { LONGEST = 32 };
    const size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                       "0123456789_.-");
    return length > 0 && length <= LONGEST && word[length] == '\0';
}

enum command_outcome context_commands_communities(const struct arguments *a, struct error *err)
{
    if (!topology_command_is_community(a->words[0])) {
        error_set(err, "a community here has 1 to 32 letters, digits and _ . - in it");
        return COMMAND_REFUSED;
    }
    char line[160];
    snprintf(line, sizeof line,
             "# {name}\ncom2sec -Cn {context} ibtrapd-device default %s-{context}\n", a->words[0]);
    const struct show_form form = {"contexts", .is_paged = true, .head = CONTEXT_VIEW,
                                   .line = line};
    return request_command_send(a, &form, json_object(), err);
}
