// SPDX-License-Identifier: BSD-2-Clause
#include "control/handlers.h"

#include "base/memory.h"
#include "control/answer.h"
#include "ctl/fabric_json.h"
#include "ctl/protocol.h"
#include "model/fabric_record.h"
#include "model/filter.h"
#include "topology/describe.h"
#include "topology/expectation.h"
#include "topology/link_history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Names that nobody has.

enum { NODES_MAX = 20000 }; // that one request looks at

static bool fabric_answers_fit_guid(const struct fabric *fabric, const struct fabric_node *node,
                                    const struct filter_list *list)
{
    if (filter_list_has_guid(list, node->guid))
        return true;
    for (uint32_t i = node->first_port; i < node->first_port + node->ports; i++) {
        if (filter_list_has_guid(list, fabric->ports[i].guid))
            return true;
    }
    return false;
}

// The node's name is its own, or one of its system, or its label; its description is none.
static enum known_nodes fabric_answers_fit_name(const struct systems *systems,
                                                const struct names *names, uint32_t node,
                                                const struct filter_list *list)
{
    const struct fabric_node *n = &systems->fabric->nodes[node];
    const char *name = names_of_node(names, n, 0);
    const char *system = systems_of(systems, node)->name;
    if ((name && filter_list_has(list, name)) ||
        (system[0] != '\0' && filter_list_has(list, system)))
        return KNOWN_NODES_FIT;
    if (filter_list_has(list, describe_name(n, 0, names)))
        return KNOWN_NODES_NAMELESS;
    char label[NAMES_NAME_SIZE];
    return filter_list_has(list, describe_label(systems->fabric, node, FABRIC_NONE, names, label))
               ? KNOWN_NODES_FIT
               : KNOWN_NODES_NONE;
}

enum known_nodes known_nodes_fit(const struct systems *systems, const struct names *names,
                                 const char *pattern)
{
    const struct fabric *fabric = systems ? systems->fabric : NULL;
    const bool is_guid = strncmp(pattern, "0x", 2) == 0;
    struct filter_list list = {.count = 1};
    snprintf(list.patterns[0], sizeof list.patterns[0], "%s", pattern);
    const uint32_t looked_at = !fabric                          ? 0
                               : fabric->node_count < NODES_MAX ? fabric->node_count
                                                                : NODES_MAX;
    enum known_nodes best = KNOWN_NODES_NONE;
    for (uint32_t i = 0; i < looked_at && best != KNOWN_NODES_FIT; i++) {
        const enum known_nodes one = !is_guid ? fabric_answers_fit_name(systems, names, i, &list)
                                     : fabric_answers_fit_guid(fabric, &fabric->nodes[i], &list)
                                         ? KNOWN_NODES_FIT
                                         : KNOWN_NODES_NONE;
        best = one > best ? one : best;
    }
    return !fabric || looked_at < fabric->node_count ? KNOWN_NODES_FIT : best;
}

// One node, by its name.

static bool fabric_answers_is_called(const struct control *c, uint32_t node, const char *name)
{
    const struct fabric_node *n = &c->fabric->nodes[node];
    const char *own = names_of_node(c->names, n, 0);
    char label[NAMES_NAME_SIZE];
    return (own && strcmp(own, name) == 0) ||
           strcmp(systems_of(c->systems, node)->name, name) == 0 ||
           strcmp(describe_label(c->fabric, node, FABRIC_NONE, c->names, label), name) == 0;
}

static json_t *fabric_answers_values_json(const struct counter_sample *last,
                                          const uint64_t values[COUNTER_COUNT])
{
    json_t *all = json_object();
    for (enum counter i = 0; i < COUNTER_COUNT; i++) {
        if (counter_was_read(last, i))
            json_object_set_new(all, counter_name(i), json_integer((json_int_t)values[i]));
    }
    return all;
}

// What a node's ports are described by.
struct port_facts {
    struct accumulated_counters *accumulated;
    struct expectation *expectation; // NULL: none
    struct expected_links links;
    int64_t port; // whose other end is described, too; 0: none
};

static void port_facts_open(struct port_facts *facts, const struct control *c)
{
    struct correlator *correlator = pipeline_correlator(c->parts->pipeline);
    *facts = (struct port_facts){.accumulated = correlator_accumulated(correlator),
                                 .expectation = correlator_expectation(correlator)};
    if (facts->expectation)
        expected_links_open(&facts->links, facts->expectation, c->fabric, c->names);
}

static void port_facts_close(struct port_facts *facts)
{
    accumulated_unref(facts->accumulated);
    expected_links_close(&facts->links);
    expectation_unref(facts->expectation);
}

static void port_facts_add_counters(const struct port_facts *facts, uint64_t guid, uint8_t number,
                                    json_t *port)
{
    struct counter_sample last;
    uint64_t sums[COUNTER_COUNT];
    if (accumulated_find_last(facts->accumulated, guid, number, &last) &&
        accumulated_find(facts->accumulated, guid, number, sums))
        json_object_set_new(
            port, "counters",
            json_pack("{s:o, s:o, s:o}", "since",
                      protocol_time(accumulated_began_at(facts->accumulated, guid, number)),
                      "values", fabric_answers_values_json(&last, last.values), "growth",
                      fabric_answers_values_json(&last, sums)));
}

static void port_facts_add_expected(const struct port_facts *facts, uint32_t node, uint8_t number,
                                    json_t *port)
{
    struct endpoint end;
    bool is_there;
    if (facts->expectation && expected_links_find(&facts->links, node, number, &end, &is_there))
        json_object_set_new(port, "expected",
                            json_pack("{s:o, s:o, s:i, s:b}", "guid", protocol_guid(end.node_guid),
                                      "name", protocol_text(end.name), "port", (int)end.port,
                                      "is_there", (int)is_there));
}

// Adds what the device tells of itself (port 0), or of the module in a port.
static void port_facts_add_hardware(const struct control *c, uint64_t guid, uint8_t number,
                                    const char *name, json_t *to)
{
    json_t *values = inventory_answers_values(c, guid, number);
    if (values)
        json_object_set_new(to, name, values);
}

static void port_facts_add_modules(const struct port_facts *facts, const struct control *c,
                                   uint32_t node, uint8_t number, json_t *port)
{
    const uint32_t peer = fabric_peer(c->fabric, fabric_find_port(c->fabric, node, number));
    if (number > 0)
        port_facts_add_hardware(c, c->fabric->nodes[node].guid, number, "module", port);
    if (peer != FABRIC_NONE && number == facts->port)
        port_facts_add_hardware(c, c->fabric->nodes[fabric_node_of_port(c->fabric, peer)].guid,
                                c->fabric->ports[peer].number, "peer_module", port);
}

static json_t *fabric_answers_node_json(const struct control *c, const struct port_facts *facts,
                                        uint32_t index)
{
    const uint64_t guid = c->fabric->nodes[index].guid;
    json_t *node = fabric_json_node(c->systems, index, c->names), *port;
    size_t i;
    port_facts_add_hardware(c, guid, 0, "hardware", node);
    json_array_foreach(json_object_get(node, "ports"), i, port)
    {
        const uint8_t number = (uint8_t)json_integer_value(json_object_get(port, "port"));
        port_facts_add_counters(facts, guid, number, port);
        port_facts_add_expected(facts, index, number, port);
        port_facts_add_modules(facts, c, index, number, port);
    }
    return node;
}

json_t *port_answers_find(struct control *c, const json_t *request)
{
    char name[NAMES_NAME_SIZE];
    int64_t port;
    if (!answer_read_text(request, "node", name, sizeof name) || name[0] == '\0' ||
        !answer_read_number(request, "port", UINT8_MAX, &port))
        return answer_refuse("'node' must be a name or GUID, and 'port' a number");
    if (!c->fabric)
        return answer_refuse("no sweep of the fabric has ended yet");
    struct filter_list guid = {.count = 1};
    snprintf(guid.patterns[0], sizeof guid.patterns[0], "%s", name);
    struct port_facts facts;
    port_facts_open(&facts, c);
    facts.port = port;
    struct nearest nearest = nearest_begin(name);
    json_t *nodes = json_array();
    size_t found = 0;
    for (uint32_t i = 0; i < c->fabric->node_count; i++) {
        const struct fabric_node *n = &c->fabric->nodes[i];
        const char *own = names_of_node(c->names, n, 0);
        if (own)
            nearest_try(&nearest, own);
        if ((fabric_answers_fit_guid(c->fabric, n, &guid) ||
             fabric_answers_is_called(c, i, name)) &&
            ++found <= PORT_ANSWERS_NODES)
            json_array_append_new(nodes, fabric_answers_node_json(c, &facts, i));
    }
    port_facts_close(&facts);
    return json_pack("{s:i, s:o, s:I, s:o}", "version", PROTOCOL_VERSION, "nodes", nodes,
                     "left_out", (json_int_t)(found - json_array_size(nodes)), "nearest",
                     nearest.name ? protocol_text(nearest.name) : json_null());
}

// Snapshots.

enum { TOPOLOGY_PAGE = 1 << 20 }; // octets of the record and the names in one answer

struct topology_record {
    uint8_t *octets; // of the record, then octets of the names
    size_t record, size;
    int64_t time_us;
};

// Collects the octets of the snapshot. Returns false with a sentence if there is no such snapshot.
static bool fabric_answers_collect(const struct control *c, int64_t number,
                                   struct topology_record *out, struct error *err)
{
    struct journal_snapshot meta = {.time_us = c->fabric ? c->fabric->time_us : 0};
    char *octets = NULL;
    uint8_t *record = NULL;
    if (number != 0)
        record = journal_read_snapshot(c->parts->journal, number, &meta, &out->record, err);
    else if (c->fabric)
        record = fabric_record_write(c->fabric, &out->record);
    else
        error_set(err, "no sweep of the fabric has ended yet");
    if (!record)
        return false;
    FILE *all = memory_need(open_memstream(&octets, &out->size));
    fwrite(record, out->record, 1, all);
    names_pack(c->names, all);
    fclose(all);
    free(record);
    out->octets = (uint8_t *)octets;
    out->time_us = meta.time_us;
    return true;
}

static json_t *fabric_answers_hex(const uint8_t *octets, size_t size)
{
    char *digits = memory_get(2 * size + 1);
    struct text t = text_in(digits, 2 * size + 1);
    text_add_hex(&t, octets, size);
    json_t *hex = json_stringn(digits, t.len);
    free(digits);
    return hex;
}

static json_t *fabric_answers_host_names(const struct filter_list *patterns)
{
    json_t *list = json_array();
    for (size_t i = 0; i < patterns->count; i++)
        json_array_append_new(list, protocol_text(patterns->patterns[i]));
    return list;
}

static json_t *fabric_answers_page(const struct control *c, const struct topology_record *r,
                                   int64_t number, size_t first, const char *digest)
{
    const size_t size = r->size - first < TOPOLOGY_PAGE ? r->size - first : TOPOLOGY_PAGE;
    json_t *page = json_pack("{s:i, s:I, s:I, s:o, s:I, s:I, s:o}", "version", PROTOCOL_VERSION,
                             "snapshot", (json_int_t)number, "time_us", (json_int_t)r->time_us,
                             "host_names", fabric_answers_host_names(&c->settings.host_names),
                             "record", (json_int_t)r->record, "first", (json_int_t)first, "octets",
                             fabric_answers_hex(r->octets + first, size));
    const size_t next = first + size;
    if (next < r->size)
        json_object_set_new(page, "more",
                            json_pack("{s:I, s:s}", "first", (json_int_t)next, "digest", digest));
    return page;
}

json_t *topology_answers_show(struct control *c, const json_t *request)
{
    struct error err;
    struct topology_record record;
    int64_t number, first;
    char asked[20], digest[20];
    if (!answer_read_number(request, "snapshot", INT64_MAX, &number) ||
        !answer_read_number(request, "first", UINT32_MAX, &first) ||
        !answer_read_text(request, "digest", asked, sizeof asked))
        return answer_refuse("'snapshot' and 'first' must be numbers, and 'digest' a text");
    if (!fabric_answers_collect(c, number, &record, &err))
        return answer_refuse("%s", err.text);
    snprintf(digest, sizeof digest, "%016" PRIx64,
             fabric_record_digest(record.octets, record.size));
    const bool goes_on = strcmp(asked, digest) == 0 && (uint64_t)first < record.size;
    json_t *page = fabric_answers_page(c, &record, number, goes_on ? (size_t)first : 0, digest);
    free(record.octets);
    return page;
}

json_t *topology_answers_list(struct control *c, const json_t *request)
{
    (void)request;
    struct journal_snapshot kept[JOURNAL_SNAPSHOTS_MAX + 1];
    size_t n = journal_list_snapshots(c->parts->journal, kept);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            list, json_pack("{s:I, s:o, s:I, s:I}", "snapshot", (json_int_t)kept[i].number, "time",
                            protocol_time(kept[i].time_us), "nodes", (json_int_t)kept[i].nodes,
                            "links", (json_int_t)kept[i].links));
    return json_pack("{s:i, s:o}", "version", PROTOCOL_VERSION, "snapshots", list);
}

// Links that fail again and again.

// An end of a link, with everything known from the fabric and the names.
static struct endpoint fabric_answers_link_end(const struct control *c, uint64_t guid,
                                               uint8_t number)
{
    struct endpoint end = {.guid = guid, .node_guid = guid, .port = number};
    const uint32_t port = fabric_find_end(c->fabric, guid, number);
    const char *name = names_find(c->names, guid);
    if (port != FABRIC_NONE)
        describe_port(c->fabric, port, c->names, &end);
    else if (name)
        snprintf(end.name, sizeof end.name, "%s", name);
    return end;
}

// The share of a window that the end waited; null: it is not known.
static json_t *fabric_answers_wait_json(const struct measured_errors *errors,
                                        const struct endpoint *end, enum error_window window)
{
    double share;
    const bool known =
        errors && measured_errors_find_wait(errors, end->node_guid, end->port, window, &share);
    return known ? json_real(share) : json_null();
}

static json_t *fabric_answers_end_json(const struct measured_errors *errors,
                                       const struct endpoint *end)
{
    return json_pack("{s:o, s:o, s:i, s:{s:o, s:o}}", "node", protocol_guid(end->node_guid), "name",
                     protocol_text(end->name), "port", (int)end->port, "wait", "short",
                     fabric_answers_wait_json(errors, end, ERROR_WINDOW_SHORT), "long",
                     fabric_answers_wait_json(errors, end, ERROR_WINDOW_LONG));
}

// Both ends; a switch comes before a host.
static json_t *fabric_answers_ends_json(const struct control *c, const struct alarm_key *link)
{
    struct measured_errors *errors =
        correlator_measured_errors(pipeline_correlator(c->parts->pipeline));
    const struct endpoint first = fabric_answers_link_end(c, link->guid, link->port);
    const struct endpoint second = fabric_answers_link_end(c, link->peer_guid, link->peer_port);
    const bool swapped = !fabric_is_element(first.type) && fabric_is_element(second.type);
    json_t *ends = json_pack("[o, o]", fabric_answers_end_json(errors, swapped ? &second : &first),
                             fabric_answers_end_json(errors, swapped ? &first : &second));
    measured_errors_unref(errors);
    return ends;
}

static json_t *fabric_answers_occasions_json(const struct link_record *record)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < record->count; i++) {
        const struct link_occasion *one = &record->occasions[i];
        json_array_append_new(list,
                              json_pack("{s:o, s:i, s:i, s:i}", "time", protocol_time(one->utc_us),
                                        "failures", (int)one->incidents[LINK_FAILED], "flaps",
                                        (int)one->incidents[LINK_FLAPPED], "error_alarms",
                                        (int)one->incidents[LINK_HAD_ERRORS]));
    }
    return list;
}

static json_t *fabric_answers_record_json(const struct control *c, const struct link_record *record)
{
    const int64_t last = record->count > 0 ? record->occasions[record->count - 1].utc_us : 0;
    return json_pack("{s:o, s:b, s:i, s:I, s:I, s:I, s:o, s:o}", "ends",
                     fabric_answers_ends_json(c, &record->link), "unreliable",
                     (int)record->unreliable, "occasion_count", (int)record->count, "failures",
                     (json_int_t)link_record_incidents(record, LINK_FAILED), "flaps",
                     (json_int_t)link_record_incidents(record, LINK_FLAPPED), "error_alarms",
                     (json_int_t)link_record_incidents(record, LINK_HAD_ERRORS), "last",
                     protocol_time(last), "occasions", fabric_answers_occasions_json(record));
}

json_t *link_answers_list(struct control *control, const json_t *request)
{
    int64_t limit, worst;
    if (!answer_read_number(request, "worst", 1, &worst))
        return answer_refuse("'worst' must be 0 or 1");
    if (!answer_read_number(request, "limit", LINK_ANSWERS_MAX, &limit))
        return answer_refuse("the number of links must be from 1 to %d", (int)LINK_ANSWERS_MAX);
    const enum link_order order = worst ? LINK_WORST_FIRST : LINK_LATEST_FIRST;
    limit = limit > 0 ? limit : LINK_ANSWERS_DEFAULT;
    struct link_record *records = memory_zeroed((size_t)limit, sizeof *records);
    json_t *list = json_array();
    const size_t count =
        link_history_list(control->parts->link_history, order, records, (size_t)limit);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, fabric_answers_record_json(control, &records[i]));
    free(records);
    return json_pack("{s:i, s:i, s:i, s:i, s:o}", "version", PROTOCOL_VERSION, "limit",
                     (int)control->parts->conf->unreliable.occasions, "days",
                     (int)(control->parts->conf->unreliable.window_us / (86400 * CLOCK_US_PER_S)),
                     "total", (int)link_history_count(control->parts->link_history), "links", list);
}

// SNMP contexts.

enum { PAGE = 1000 };

static const char *fabric_answers_context_type_word(uint8_t type)
{
    return type == FABRIC_SWITCH ? "switch" : type == FABRIC_ROUTER ? "router" : "host";
}

static json_t *fabric_answers_context_json(const struct control *c, uint32_t index,
                                           const struct fabric_port *port)
{
    const struct fabric_node *node = &c->fabric->nodes[index];
    char context[CONTEXTS_NAME_SIZE], label[NAMES_NAME_SIZE];
    contexts_name(port->guid, context);
    const char *name = describe_label(c->fabric, index, FABRIC_NONE, c->names, label);
    return json_pack("{s:o, s:s, s:o, s:i, s:s}", "name", protocol_text(name), "type",
                     fabric_answers_context_type_word(node->type), "guid",
                     protocol_guid(node->guid), "port", (int)port->number, "context", context);
}

// Fills `list` with the contexts of port GUIDs greater than `after`, if there are any. Returns the
// last one; 0: there are no more.
static uint64_t fabric_answers_context_add_page(const struct control *c, uint64_t after,
                                                json_t *list)
{
    const struct fabric *fabric = c->fabric;
    for (uint32_t i = 0; i < fabric->port_guid_count; i++) {
        const struct fabric_port_key *key = &fabric->port_guids[i];
        const uint32_t node = fabric_node_of_port(fabric, key->port);
        const struct fabric_port *port = &fabric->ports[key->port];
        if (key->guid <= after || !agent_has_context(c->parts->subagent, key->guid))
            continue;
        json_array_append_new(list, fabric_answers_context_json(c, node, port));
        if (json_array_size(list) == PAGE)
            return key->guid;
    }
    return 0;
}

json_t *context_answers_list(struct control *c, const json_t *request)
{
    char after[CONTEXTS_NAME_SIZE], last[CONTEXTS_NAME_SIZE];
    uint64_t guid = 0;
    struct agent_status status;
    if (!answer_read_text(request, "after", after, sizeof after) ||
        (after[0] != '\0' && !contexts_read_name(after, &guid)))
        return answer_refuse("'after' must be a context");
    if (!c->parts->subagent)
        return answer_refuse("there are no contexts without an item 'socket' in the section "
                             "'subagent' of the configuration");
    agent_get_status(c->parts->subagent, &status);
    if (status.contexts_of == CONTEXTS_OFF)
        return answer_refuse("there are no contexts: the section 'subagent' of the configuration "
                             "has 'contexts = \"off\"'");
    json_t *list = json_array();
    guid = c->fabric ? fabric_answers_context_add_page(c, guid, list) : 0;
    if (guid == 0)
        return json_pack("{s:i, s:o}", "most", CONTEXTS_MAX, "contexts", list);
    contexts_name(guid, last);
    return json_pack("{s:i, s:o, s:{s:s}}", "most", CONTEXTS_MAX, "contexts", list, "more", "after",
                     last);
}
