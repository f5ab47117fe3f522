// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "ctl/client.h"
#include "ctl/fabric_json.h"
#include "ctl/protocol.h"
#include "ctl/terminal.h"
#include "model/address.h"
#include "model/fabric_record.h"
#include "model/topology_file.h"
#include "picture/dot.h"
#include "picture/svg.h"
#include "topology/changes.h"
#include "topology/describe.h"
#include "topology/expectation.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Pages that are requested at most: twice the number of pages of the largest fabric. If the fabric
// changes between two pages, the daemon begins with the first page again.
enum { FABRIC_REQUEST_PAGES = 1024 };

struct fabric_octets {
    struct filter_list host_names;
    uint8_t *all;
    size_t size;
    int64_t time_us, record; // of the last page
    unsigned pages;
};

static void fabric_octets_take_patterns(struct filter_list *out, const json_t *patterns)
{
    size_t i;
    const json_t *one;
    out->count = 0;
    json_array_foreach(patterns, i, one)
    {
        const char *pattern = json_string_value(one);
        if (pattern && out->count < FILTER_PATTERNS_MAX)
            snprintf(out->patterns[out->count++], FILTER_PATTERN_SIZE, "%s", pattern);
    }
}

// Adds the octets of a page.
static bool fabric_octets_add(void *ctx, const json_t *page, struct error *err)
{
    struct fabric_octets *octets = ctx;
    const json_t *item = json_object_get(page, "octets");
    const char *digits = json_string_value(item);
    const size_t count = json_string_length(item) / 2;
    octets->time_us = member_count(page, "time_us");
    octets->record = member_count(page, "record");
    fabric_octets_take_patterns(&octets->host_names, json_object_get(page, "host_names"));
    if (octets->pages++ == FABRIC_REQUEST_PAGES)
        return error_set(err, "the fabric changes all the time; try again");
    if (member_count(page, "first") == 0)
        octets->size = 0;
    if (!digits || member_count(page, "first") != (long long)octets->size)
        return show_refuse_shape(err);
    octets->all = memory_resize(octets->all, octets->size + count, 1);
    for (size_t i = 0; i < count; i++) {
        const char *digit = digits + 2 * i;
        uint64_t octet;
        if (!address_take_hex(&digit, digit + 2, &octet) || digit != digits + 2 * (i + 1))
            return show_refuse_shape(err);
        octets->all[octets->size++] = (uint8_t)octet;
    }
    return true;
}

bool fabric_request_begin(struct fabric_request *request, const char *socket, int64_t number,
                          struct error *err)
{
    struct fabric_octets octets = {.all = NULL};
    *request = (struct fabric_request){.number = number};
    bool ok =
        client_each_page(socket, "topology", json_pack("{s:I}", "snapshot", (json_int_t)number),
                         fabric_octets_add, &octets, err);
    if (ok && (octets.record < 0 || (size_t)octets.record > octets.size))
        ok = show_refuse_shape(err);
    if (ok) {
        const size_t record = (size_t)octets.record;
        request->fabric = fabric_record_read(octets.all, record, err);
        request->names = names_unpack(octets.all + record, octets.size - record);
        ok = request->fabric && (request->names || show_refuse_shape(err));
    }
    if (ok) {
        request->fabric->time_us = octets.time_us;
        request->host_names = octets.host_names;
        request->systems = describe_systems(request->fabric, request->names, &request->host_names);
    }
    free(octets.all);
    return ok;
}

void fabric_request_end(struct fabric_request *request)
{
    systems_unref(request->systems);
    fabric_unref(request->fabric);
    names_unref(request->names);
}

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
    if (node->silent)
        fputs("\n# It did not answer; this is what was known of it.", t->out);
    fprintf(t->out, "\nvendid=0x%x\ndevid=0x%x\n", node->vendor, node->device);
    if (node->system_guid != 0)
        fprintf(t->out, "sysimgguid=0x%" PRIx64 "\n", node->system_guid);
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
    json_t *one = fabric_json_node(json->what->systems, node, json->what->names);
    show_list_add(&json->list, one);
    json_decref(one);
}

void topology_commands_write_json(FILE *out, const struct fabric_request *what)
{
    struct topology_json json = {.list = {.out = out}, .what = what};
    json_t *head = fabric_json_head(what->systems, what->number, what->names);
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

enum { TOPOLOGY_NAMES_MAX = 64 }; // events that are read for the names of absent nodes

struct topology_picture {
    struct picture *picture;
    long long to_name[TOPOLOGY_NAMES_MAX]; // numbers of events that name absent nodes
    size_t count;
};

static void topology_command_name(struct picture *picture, const char *guid, const char *name,
                                  const char *system)
{
    picture_name_absent(picture, strtoull(guid, NULL, 16), name, system);
}

// Beyond TOPOLOGY_NAMES_MAX, absent nodes have the name of their host or box.
static bool topology_command_mark_alarms(void *ctx, const json_t *page, struct error *err)
{
    struct topology_picture *p = ctx;
    size_t i;
    const json_t *alarm, *alarms = json_object_get(page, "alarms");
    if (!json_is_array(alarms))
        return show_refuse_shape(err);
    json_array_foreach(alarms, i, alarm)
    {
        const uint32_t before = p->picture->node_count;
        picture_add_alarm(p->picture, member_word(alarm, "key"), member_word(alarm, "event"),
                          member_word(alarm, "cause")[0] != '\0');
        if (p->picture->node_count > before && p->count < TOPOLOGY_NAMES_MAX)
            p->to_name[p->count++] = member_count(alarm, "number");
        else if (p->picture->node_count > before)
            topology_command_name(p->picture, member_word(alarm, "node"),
                                  member_word(alarm, "system"), member_word(alarm, "system"));
    }
    return true;
}

// Gives absent nodes the names in the event that raised the alarm. Without the event they keep
// their GUIDs.
static void topology_command_name_absent(const struct arguments *a, struct picture *picture,
                                         long long number)
{
    struct error err;
    json_t *answer =
        client_request(a->socket, "events",
                       json_pack("{s:I, s:i}", "after", (json_int_t)number - 1, "limit", 1), &err);
    const json_t *event = json_array_get(json_object_get(answer, "events"), 0);
    topology_command_name(picture, member_word(event, "subjectNodeGuid"),
                          member_word(event, "subjectName"), member_word(event, "subjectSystem"));
    topology_command_name(picture, member_word(event, "peerNodeGuid"),
                          member_word(event, "peerName"), member_word(event, "peerSystem"));
    json_decref(answer);
}

static bool topology_command_draw(const struct arguments *a, const struct fabric_request *what,
                                  struct error *err)
{
    struct picture *picture =
        picture_new(what->fabric, what->names, what->systems, a->values[OPTION_HOSTS] != NULL);
    struct topology_picture p = {.picture = picture};
    const bool ok = client_each_page(a->socket, "alarms", json_pack("{s:b}", "all", 1),
                                     topology_command_mark_alarms, &p, err);
    for (size_t i = 0; ok && i < p.count; i++)
        topology_command_name_absent(a, picture, p.to_name[i]);
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
    .head = "SNAPSHOT  TIME                    NODES    LINKS\n",
    .line = "[snapshot?{snapshot:8}|       -]  {time@} {nodes:8} {links:8}\n"};

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

// The expected fabric.

// Saving.

static bool topology_command_end_file(FILE *out, const char *path, struct error *err)
{
    bool ok = fflush(out) == 0 && !ferror(out) && fsync(fileno(out)) == 0;
    if (!ok)
        error_set(err, "cannot write '%s': %s", path, strerror(errno));
    return fclose(out) == 0 && ok;
}

// Fills `out` with the path of the file behind a name and its symbolic links: the new file will
// replace the file at this path. False: the name stands for something else, for instance a device.
static bool topology_command_find_file(const char *name, char out[PATH_MAX], struct error *err)
{
    struct stat st;
    if (snprintf(out, PATH_MAX, "%s", name) >= PATH_MAX)
        return error_set(err, "the path is too long");
    if (lstat(name, &st) != 0)
        return errno == ENOENT || error_set(err, "cannot examine '%s': %s", name, strerror(errno));
    if (S_ISLNK(st.st_mode) && (!realpath(name, out) || stat(out, &st) != 0))
        return error_set(err, "cannot follow the link '%s': %s", name, strerror(errno));
    return S_ISREG(st.st_mode) ||
           error_set(err, "'%s' is not a regular file; 'ibtrapctl topology' prints the same", name);
}

static bool topology_command_show_saved(const struct arguments *a, const struct fabric *saved,
                                        bool complete, struct error *err)
{
    static const struct show_form FORM = {
        .head = "{file} has {nodes} nodes and {links} links."
                "[complete?| Some nodes did not answer: look at what it lacks.]\n"};
    json_t *all = json_pack("{s:i, s:s, s:I, s:I, s:b}", "version", PROTOCOL_VERSION, "file",
                            a->words[0], "nodes", (json_int_t)saved->node_count, "links",
                            (json_int_t)fabric_count_links(saved), "complete", (int)complete);
    return request_command_write(a, &FORM, all, err);
}

// The new file is whole before the file takes its name: a reload at any time reads the old file or
// the new file. Keeps no file that cannot be read back.
static bool topology_command_save_as(const struct arguments *a, const char *path, const char *draft,
                                     const struct fabric_request *what, struct error *err)
{
    const int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out)
        return error_set(err, "cannot make '%s': %s%s", draft, strerror(errno),
                         errno == EEXIST ? "; remove it if no other ibtrapctl writes it" : "");
    topology_commands_write(out, what);
    bool ok = topology_command_end_file(out, draft, err);
    struct fabric *fabric = ok ? topology_file_load(draft, err) : NULL;
    ok = fabric && (rename(draft, path) == 0 ||
                    error_set(err, "cannot rename '%s': %s", draft, strerror(errno)));
    if (!ok)
        unlink(draft);
    ok = ok && topology_command_show_saved(a, fabric, what->fabric->complete, err);
    fabric_unref(fabric);
    return ok;
}

enum command_outcome topology_commands_save(const struct arguments *a, struct error *err)
{
    char path[PATH_MAX], draft[PATH_MAX + sizeof ".new"];
    struct fabric_request what = {0};
    if (!topology_command_find_file(a->words[0], path, err))
        return COMMAND_REFUSED;
    snprintf(draft, sizeof draft, "%s.new", path);
    const bool ok = fabric_request_begin(&what, a->socket, 0, err) &&
                    topology_command_save_as(a, path, draft, &what, err);
    fabric_request_end(&what);
    return command_outcome(ok);
}

// Checking.

struct topology_check {
    const struct event_builder *builder;
    json_t *differences;
    size_t unseen;
};

static void topology_command_take_difference(void *ctx, const struct change *difference,
                                             bool unseen)
{
    struct topology_check *check = ctx;
    json_t *one = fabric_json_change(difference, check->builder);
    check->unseen += unseen;
    json_object_set_new(one, "alarmKey", json_string(difference->alarm_key));
    json_object_set_new(one, "unseen", json_boolean(unseen));
    json_array_append_new(check->differences, one);
}

static bool topology_command_show_differences(FILE *out, const json_t *answer)
{
    size_t i, unseen = 0;
    const json_t *one, *all = json_object_get(answer, "differences");
    json_array_foreach(all, i, one) unseen += json_is_true(json_object_get(one, "unseen"));
    const size_t seen = json_array_size(all) - unseen;
    if (seen > 0)
        fprintf(out, "%zu difference%s", seen, seen == 1 ? "" : "s");
    show_layout(out, seen == 0 ? "The fabric is as in {file}.\n" : " from {file}:\n", answer);
    show_each(out, "[unseen?|[cause,cause=0?  ]{text}\n]", all);
    if (unseen > 0)
        fprintf(out, "%zu more cannot be judged, as nodes there did not answer.\n", unseen);
    return true;
}

// A script reads 0 and 1 as an answer. Therefore the whole answer must be written.
static bool topology_command_end_output(const struct arguments *a, struct error *err)
{
    return (fflush(a->out) == 0 && !ferror(a->out)) ||
           error_set(err, "cannot write to standard output; is its disk full?");
}

// Compares the present fabric with the expected fabric. Takes over the reference to `expected`.
static enum command_outcome topology_command_check_fabric(const struct arguments *a,
                                                          struct fabric *expected, bool by_name,
                                                          struct error *err)
{
    static const struct show_form FORM = {.rest = topology_command_show_differences};
    struct fabric_request now;
    if (!fabric_request_begin(&now, a->socket, 0, err)) {
        fabric_request_end(&now);
        fabric_unref(expected);
        return COMMAND_TROUBLE;
    }
    struct expectation *expectation = expectation_new(expected, by_name, &now.host_names);
    const struct event_builder builder = {
        .clock = &clock_system, .random = &random_system, .names = now.names};
    struct topology_check check = {.builder = &builder, .differences = json_array()};
    expectation_compare(expectation, now.systems, now.names, topology_command_take_difference,
                        &check);
    expectation_unref(expectation);
    const bool differs = json_array_size(check.differences) > check.unseen;
    json_t *all =
        json_pack("{s:i, s:s, s:b, s:o}", "version", PROTOCOL_VERSION, "file", a->words[0],
                  "complete", (int)now.fabric->complete, "differences", check.differences);
    const bool ok =
        request_command_write(a, &FORM, all, err) && topology_command_end_output(a, err);
    fabric_request_end(&now);
    return !ok ? COMMAND_TROUBLE : differs ? COMMAND_DIFFERS : COMMAND_DONE;
}

enum command_outcome topology_commands_check(const struct arguments *a, struct error *err)
{
    const char *match = a->count == 2 ? a->words[1] : "guid";
    const bool by_name = strcmp(match, "name") == 0;
    if (!by_name && strcmp(match, "guid") != 0)
        return COMMAND_WRONG_USAGE;
    struct fabric *expected = topology_file_load(a->words[0], err);
    if (!expected)
        return COMMAND_TROUBLE;
    return topology_command_check_fabric(a, expected, by_name, err);
}

// Links that fail again and again.

enum {
    WAIT_SHOWN = 1, // percent of the time
    LINK_COLUMN = 58,
};

// Adds "leaf1 port 3", or "leaf1 port 3 (waits 12%)"; without a name, the GUID.
static void topology_command_add_link_end(struct text *t, const json_t *end)
{
    const char *name = member_word(end, "name");
    const double wait =
        json_real_value(json_object_get(json_object_get(end, "wait"), "short")) * 100;
    text_addf(t, "%s port %lld", name[0] != '\0' ? name : member_word(end, "node"),
              member_count(end, "port"));
    if (wait >= WAIT_SHOWN)
        text_addf(t, " (waits %.0f%%)", wait);
}

// Both ends have a line of their own where the terminal is too narrow.
static void topology_command_show_link(FILE *out, const json_t *link)
{
    const json_t *ends = json_object_get(link, "ends");
    char names[600];
    struct text t = text_in(names, sizeof names);
    topology_command_add_link_end(&t, json_array_get(ends, 0));
    text_add(&t, " - ");
    topology_command_add_link_end(&t, json_array_get(ends, 1));
    text_add(&t, json_is_true(json_object_get(link, "unreliable")) ? ", unreliable" : "");
    const bool fits = LINK_COLUMN + t.len <= (size_t)terminal_width(out);
    // Without a time, the journal has lost the occasions.
    show_layout(out, "{occasion_count:9} {failures:9} {flaps:6} {error_alarms:7}  {last@}", link);
    fprintf(out, "%s%s\n", fits ? "  " : "\n    ", names);
}

static bool topology_command_show_links(FILE *out, const json_t *answer)
{
    size_t i;
    const json_t *link, *links = json_object_get(answer, "links");
    json_array_foreach(links, i, link) topology_command_show_link(out, link);
    if (json_array_size(links) > 0 &&
        (long long)json_array_size(links) < member_count(answer, "total"))
        show_layout(out, "{total} links failed in the last {days} days.\n", answer);
    return true;
}

const struct show_form link_form = {
    .list = "links",
    .none = "No link failed in the last {days} days; failures in maintenance do not count.\n",
    .head = "OCCASIONS  FAILURES  FLAPS  ERRORS  LAST                  LINK\n",
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
