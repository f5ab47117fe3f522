// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "ctl/client.h"
#include "ctl/protocol.h"
#include "ctl/terminal.h"
#include "model/counter.h"
#include "topology/alarm_key.h"

#include <string.h>

// All that is known of a node or port. The daemon finds the nodes of a name with their ports
// ("ports"), and has the alarms, events and links.

enum {
    PLACE_EVENTS = 10,
    PLACE_EVENTS_READ = 400,
    PLACE_LINKS_READ = 1000,
    PLACE_GONE_MAX = 64,
    PLACE_WHOLE = -1
};

struct place {
    const struct arguments *a;
    char name[128];
    int port;       // PLACE_WHOLE: the whole node
    json_t *guids;  // of the nodes, as texts
    json_t *answer; // for the output
};

// Whether the place has this end of a link, an event or an alarm.
static bool place_has(const struct place *p, const char *guid, long long port)
{
    size_t i;
    const json_t *one;
    json_array_foreach(p->guids, i, one)
    {
        if (strcmp(json_string_value(one), guid) == 0)
            return p->port == PLACE_WHOLE || p->port == port;
    }
    return false;
}

static bool place_has_number(const struct place *p, uint64_t guid, unsigned port)
{
    json_t *text = protocol_guid(guid);
    const bool has = guid != 0 && place_has(p, json_string_value(text), port);
    json_decref(text);
    return has;
}

// Whether an alarm is about the port, and not about its whole node.
static bool place_has_alarm(const struct place *p, uint64_t guid, long long port)
{
    size_t i;
    const json_t *alarm;
    struct alarm_key key;
    json_array_foreach(json_object_get(p->answer, "alarms"), i, alarm)
    {
        if (port > 0 && alarm_key_parse(member_word(alarm, "key"), &key) &&
            ((key.guid == guid && key.port == port) ||
             (key.peer_guid == guid && key.peer_port == port)))
            return true;
    }
    return false;
}

// An alarm about a whole node concerns each port of the node.
static bool place_take_alarms(void *ctx, const json_t *page, struct error *err)
{
    struct place *p = ctx;
    size_t i;
    json_t *alarm, *alarms = json_object_get(page, "alarms");
    if (!json_is_array(alarms))
        return show_refuse_shape(err);
    json_array_foreach(alarms, i, alarm)
    {
        struct alarm_key key;
        if (!alarm_key_parse(member_word(alarm, "key"), &key))
            continue;
        const unsigned whole = key.kind == ALARM_KEY_NODE && p->port > 0 ? (unsigned)p->port : 0;
        if (place_has_number(p, key.guid, key.port + whole) ||
            place_has_number(p, key.peer_guid, key.peer_port))
            json_array_append(json_object_get(p->answer, "alarms"), alarm);
    }
    return true;
}

static bool place_take_events(void *ctx, const json_t *page, struct error *err)
{
    struct place *p = ctx;
    size_t i;
    json_t *event, *all = json_object_get(p->answer, "events");
    (void)err;
    json_array_foreach(json_object_get(page, "events"), i, event)
    {
        const bool fits =
            p->port == PLACE_WHOLE ||
            place_has(p, member_word(event, "subjectNodeGuid"),
                      member_count(event, "subjectPort")) ||
            place_has(p, member_word(event, "peerNodeGuid"), member_count(event, "peerPort"));
        // Of a node, not the consequences at its links and at the nodes behind them.
        const bool follows = p->port == PLACE_WHOLE &&
                             strcmp(member_word(event, "suppressed"), "consequence") == 0 &&
                             (strcmp(member_word(event, "category"), "link") == 0 ||
                              !place_has(p, member_word(event, "subjectNodeGuid"), 0));
        if (fits && !follows && json_array_size(all) < PLACE_EVENTS)
            json_array_append(all, event);
    }
    return true;
}

// Reads the newest events about the nodes, by their GUIDs, newest first.
static bool place_read_events(struct place *p, struct error *err)
{
    const size_t nodes = json_array_size(p->guids);
    return nodes == 0 || client_each_page(p->a->socket, "events",
                                          json_pack("{s:O, s:i}", "node", p->guids, "limit",
                                                    (int)PLACE_EVENTS_READ),
                                          place_take_events, p, err);
}

// Reads which receivers got each event. The journal may have dropped an event meanwhile.
static void place_read_fates(const struct place *p)
{
    size_t i;
    json_t *event;
    struct error err;
    json_array_foreach(json_object_get(p->answer, "events"), i, event)
    {
        json_t *answer =
            client_request(p->a->socket, "explain",
                           json_pack("{s:O}", "number", json_object_get(event, "number")), &err);
        json_object_set(event, "receivers", json_object_get(answer, "receivers"));
        json_decref(answer);
    }
}

// Reads the occasions on which links of the place failed.
static bool place_read_links(struct place *p, struct error *err)
{
    size_t i, j;
    json_t *link;
    const json_t *end;
    json_t *answer = client_request(p->a->socket, "links",
                                    json_pack("{s:i}", "limit", (int)PLACE_LINKS_READ), err);
    json_array_foreach(json_object_get(answer, "links"), i, link)
    {
        bool has = false;
        json_array_foreach(json_object_get(link, "ends"), j, end) has |=
            place_has(p, member_word(end, "node"), member_count(end, "port"));
        if (has)
            json_array_append(json_object_get(p->answer, "links"), link);
    }
    json_decref(answer);
    return answer != NULL;
}

// The error counters that are not 0, as a text, empty if all are.
static void place_list_errors(const json_t *counters, struct text *t)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(counters, "values"), name, value)
    {
        if (counter_find(name) != COUNTER_ERRORS && json_integer_value(value) > 0)
            text_addf(t, "%s%s %lld", t->len > 0 ? ", " : "", name, json_integer_value(value));
    }
}

// Leaves out ports that are not of the place.
static void place_choose_port(const struct place *p, json_t *node)
{
    json_t *kept = json_array(), *port;
    size_t i;
    json_array_foreach(json_object_get(node, "ports"), i, port)
    {
        if (p->port == PLACE_WHOLE || p->port == member_count(port, "port"))
            json_array_append(kept, port);
    }
    json_object_set_new(node, "ports", kept);
}

// Adds the nodes that the daemon found.
static void place_take_nodes(struct place *p, const json_t *found)
{
    size_t i;
    json_t *node;
    json_array_foreach(json_object_get(found, "nodes"), i, node)
    {
        place_choose_port(p, node);
        json_array_append(json_object_get(p->answer, "nodes"), node);
        json_array_append(p->guids, json_object_get(node, "guid"));
    }
}

// The members of an event about one of the two ends.
static const char *const PLACE_ENDS[][3] = {{"subjectName", "subjectSystem", "subjectNodeGuid"},
                                            {"peerName", "peerSystem", "peerNodeGuid"}};

static void place_take_gone(const struct place *p, const json_t *event, const char *const end[3])
{
    json_t *guid = json_object_get(event, end[2]);
    const bool called = strcmp(member_word(event, end[0]), p->name) == 0 ||
                        strcmp(member_word(event, end[1]), p->name) == 0;
    if (called && json_is_string(guid) && json_array_size(p->guids) < PLACE_GONE_MAX &&
        !place_has(p, json_string_value(guid), p->port))
        json_array_append(p->guids, guid);
}

// Nodes that left the fabric have their names, and the name of their system, in their events.
static bool place_find_gone(struct place *p, const char *nearest, struct error *err)
{
    json_t *answer = client_request(p->a->socket, "events",
                                    json_pack("{s:s, s:i}", "node", p->name, "limit", 200), err);
    size_t i;
    const json_t *event;
    json_array_foreach(json_object_get(answer, "events"), i, event)
    {
        place_take_gone(p, event, PLACE_ENDS[0]);
        place_take_gone(p, event, PLACE_ENDS[1]);
    }
    json_decref(answer);
    if (answer && json_array_size(p->guids) == 0)
        return nearest[0] != '\0'
                   ? error_set(err, "no node is called %s; did you mean '%s'?", p->name, nearest)
                   : error_set(err,
                               "no node is called %s; 'ibtrapctl topology' lists names and "
                               "GUIDs",
                               p->name);
    return answer != NULL;
}

static bool place_read(struct place *p, struct error *err)
{
    json_t *found = client_request(
        p->a->socket, p->a->command->wire,
        json_pack("{s:s, s:i}", "node", p->name, "port", p->port > 0 ? p->port : 0), err);
    bool ok = found != NULL;
    json_object_set(p->answer, "left_out", json_object_get(found, "left_out"));
    place_take_nodes(p, found);
    if (ok && json_array_size(json_object_get(found, "nodes")) == 0)
        ok = place_find_gone(p, member_word(found, "nearest"), err);
    json_decref(found);
    return ok &&
           client_each_page(p->a->socket, "alarms", json_pack("{s:b}", "all", 1), place_take_alarms,
                            p, err) &&
           place_read_links(p, err) && place_read_events(p, err);
}

static bool place_follows(const json_t *alarm)
{
    return json_is_string(json_object_get(alarm, "cause"));
}

// Text.

static const char PLACE_NODE[] =
    "{name}: {type}[silent?, did not answer the last sweep]\n"
    "  GUID         {guid}\n"
    "[system?  system       {system}\n]"
    "  description  {description}\n"
    "  device       {device} of vendor {vendor}, revision {revision}\n"
    "  ports        {port_count}\n"
    "[hardware.product?  product      {hardware.product}, serial number "
    "{hardware.serial}\n]"
    "[hardware.firmware?  firmware     {hardware.firmware}, PSID "
    "{hardware.psid}[hardware.uptime?, up for {hardware.uptime} s]\n]"
    "[hardware.temperature?  temperature  {hardware.temperature} "
    "degrees[hardware.temperature_high?, limit "
    "{hardware.temperature_high}][hardware.ambient?, air "
    "{hardware.ambient}]\n]"
    "[hardware.fans?  hardware     {hardware.fans} fans, {hardware.fans_out} too slow; "
    "{hardware.supplies} power supplies with power\n]";

static const char PLACE_PORT[] =
    "  port {port:-4}{state:-8}[width?{width}X {speed}  ]"
    "[peer?to {peer.name} port {peer.port} ({peer.type}, LID {peer.lid})|"
    "[silent?the other end does not answer|no link]]\n"
    "[elsewhere?           expected: {expected.name} port {expected.port}\n]"
    "[errors?{errors>11}]";

static const char PLACE_MODULES[] =
    "[module.down_reason,module.device_text?           Went down last: "
    "[module.down_reason?{module.down_reason}|unknown reason]"
    "[module.down_blame?, which it blames on its {module.down_blame} end]"
    "[module.device_text?; it says: {module.device_text}]\n]"
    "[module.kind?           {module.vendor} {module.part}, serial number {module.serial}, "
    "{module.kind}"
    "[module.length?, {module.length} m][module.temperature?, {module.temperature} degrees"
    "[module.temperature_high?, limit {module.temperature_high}]]\n]"
    "[module.raw_ber,module.effective_ber,module.symbol_ber?           Errors a bit: "
    "{module.raw_ber} raw[module.effective_ber?, {module.effective_ber} effective]"
    "[module.symbol_ber?, {module.symbol_ber} of symbols]\n]"
    "[peer_module.kind?           At the other end: {peer_module.vendor} {peer_module.part}, "
    "serial "
    "number "
    "{peer_module.serial}[peer_module.temperature?, {peer_module.temperature} degrees]\n]";

static const char PLACE_SINCE[] =
    "[errors?           since its last reset|           No errors since its last reset]; read by "
    "ibtrapd since [counters.since?{counters.since@}|its start]\n";

static const char PLACE_ALARM[] =
    "{number:8}  {raised@}  {severity#13}  {event}\n"
    "{text>10}"
    "[suppressed?          suppressed: {suppressed}\n]"
    "[acknowledged?          acknowledged {acknowledged@}\n]"
    "[cause?          follows from event {cause_number}:\n{cause_text>10}|{remedy>10}]";

static const char PLACE_LINK[] = "  {occasion_count} occasion[occasion_count=1?|s], last {last@}: "
                                 "{failures} failure[failures=1?|s], {flaps} flap[flaps=1?|s], "
                                 "{error_alarms} times too many errors[unreliable?; unreliable]\n";

static void place_show_port(const struct place *p, FILE *out, uint64_t guid, json_t *port)
{
    char errors[600];
    struct text t = text_in(errors, sizeof errors);
    const json_t *counters = json_object_get(port, "counters");
    place_list_errors(counters, &t);
    const json_t *expected = json_object_get(port, "expected");
    const bool elsewhere = expected && !json_is_true(json_object_get(expected, "is_there"));
    if (p->port == PLACE_WHOLE && t.len == 0 && !elsewhere &&
        !json_is_object(json_object_get(port, "peer")) &&
        !json_is_true(json_object_get(port, "silent")) &&
        !place_has_alarm(p, guid, member_count(port, "port")))
        return;
    json_object_set_new(port, "elsewhere",
                        json_boolean(elsewhere || (expected && p->port != PLACE_WHOLE)));
    json_object_set_new(port, "errors", json_string(t.len > 0 ? errors : ""));
    show_layout(out, PLACE_PORT, port);
    if (p->port != PLACE_WHOLE)
        show_layout(out, PLACE_MODULES, port);
    if (p->port != PLACE_WHOLE && counters)
        show_layout(out, PLACE_SINCE, port);
}

static void place_show_nodes(const struct place *p, FILE *out)
{
    size_t i, j;
    const json_t *node;
    json_t *port;
    if (json_array_size(json_object_get(p->answer, "nodes")) == 0)
        fprintf(out, "%s is not in the fabric now.\n", p->name);
    json_array_foreach(json_object_get(p->answer, "nodes"), i, node)
    {
        show_layout(out, PLACE_NODE, node);
        json_array_foreach(json_object_get(node, "ports"), j, port)
            place_show_port(p, out, strtoull(member_word(node, "guid"), NULL, 16), port);
    }
    show_layout(out, "[left_out?and {left_out} more nodes; ibtrapctl topology --json has all\n]",
                p->answer);
}

static void place_show_follower(const struct place *p, FILE *out, json_t *alarm)
{
    struct error err;
    json_t *answer = client_request(
        p->a->socket, "explain", json_pack("{s:O}", "id", json_object_get(alarm, "cause")), &err);
    const json_t *event = json_object_get(answer, "event");
    json_object_set(alarm, "cause_number", json_object_get(event, "number"));
    json_object_set(alarm, "cause_text", json_object_get(event, "text"));
    show_layout(out, PLACE_ALARM, alarm);
    json_decref(answer);
}

// Shows the causes. Alarms that follow from them are counted; without a cause here, the first of
// them names the cause.
static void place_show_alarms(const struct place *p, FILE *out)
{
    size_t i, shown = 0, followers = 0;
    json_t *alarm, *alarms = json_object_get(p->answer, "alarms");
    fputs(json_array_size(alarms) > 0 ? "\nAlarms\n" : "\nNo alarm is active here.\n", out);
    json_array_foreach(alarms, i, alarm)
    {
        if (place_follows(alarm))
            continue;
        show_layout(out, PLACE_ALARM, alarm);
        shown++;
    }
    json_array_foreach(alarms, i, alarm)
    {
        if (place_follows(alarm) && shown++ == 0)
            place_show_follower(p, out, alarm);
        else
            followers += place_follows(alarm);
    }
    if (followers > 0)
        fprintf(out, "          and %zu alarm%s here that follow%s; --json has all\n", followers,
                followers == 1 ? "" : "s", followers == 1 ? "s" : "");
}

// Writes which receivers got the event, or why not: "nms delivered, logs filtered (severity)".
static void place_show_fates(FILE *out, const json_t *event)
{
    size_t i;
    const json_t *one;
    char line[2000];
    struct text t = text_in(line, sizeof line);
    json_array_foreach(json_object_get(event, "receivers"), i, one)
    {
        const char *reason = member_word(one, "reason");
        if (strcmp(reason, "suppressed") == 0)
            continue;
        text_addf(&t, "%s%s %s", t.len > 0 ? ", " : "receivers: ", member_word(one, "name"),
                  member_word(one, "state"));
        if (reason[0] != '\0')
            text_addf(&t, " (%s)", reason);
    }
    terminal_wrap(out, 10, line);
}

static void place_show(const struct place *p, FILE *out)
{
    const json_t *links = json_object_get(p->answer, "links");
    const json_t *events = json_object_get(p->answer, "events");
    size_t i;
    const json_t *event, *link;
    place_show_nodes(p, out);
    place_show_alarms(p, out);
    if (json_array_size(links) > 0)
        fputs("\nFailures of links\n", out);
    json_array_foreach(links, i, link) show_wrapped(out, 4, PLACE_LINK, link);
    fputs(json_array_size(events) > 0 ? "\nThe last events, and which receivers got them\n"
                                      : "\nThe journal has no event about it.\n",
          out);
    json_array_foreach(events, i, event)
    {
        show_form(out, &event_form, event, true);
        place_show_fates(out, event);
    }
}

// Commands.

static enum command_outcome place_run(const struct arguments *a, const char *name, size_t length,
                                      int port, struct error *err)
{
    struct place p = {.a = a, .port = port, .guids = json_array()};
    snprintf(p.name, sizeof p.name, "%.*s", (int)length, name);
    p.answer = json_pack("{s:i, s:s, s:[], s:[], s:[], s:[]}", "version", PROTOCOL_VERSION, "name",
                         p.name, "nodes", "alarms", "links", "events");
    if (port != PLACE_WHOLE)
        json_object_set_new(p.answer, "port", json_integer(port));
    bool ok = place_read(&p, err);
    const json_t *node = json_array_get(json_object_get(p.answer, "nodes"), 0);
    place_read_fates(&p);
    if (ok && port != PLACE_WHOLE && node && json_array_size(json_object_get(node, "ports")) == 0)
        ok = error_set(err, "%s has no port %d; 'ibtrapctl node %s' lists its ports", p.name, port,
                       p.name);
    if (ok && a->json)
        ok = show_json(a->out, p.answer, err);
    else if (ok)
        place_show(&p, a->out);
    json_decref(p.guids);
    json_decref(p.answer);
    return command_outcome(ok);
}

enum command_outcome place_commands_node(const struct arguments *a, struct error *err)
{
    return place_run(a, a->words[0], strlen(a->words[0]), PLACE_WHOLE, err);
}

enum command_outcome place_commands_port(const struct arguments *a, struct error *err)
{
    long long number;
    const char *slash = strrchr(a->words[0], '/');
    const char *digits = slash ? slash + 1 : a->count > 1 ? a->words[1] : "";
    const size_t length = slash ? (size_t)(slash - a->words[0]) : strlen(a->words[0]);
    if (!arguments_read_number(digits, &number) || number > 255 || (slash && a->count > 1))
        return COMMAND_WRONG_USAGE;
    return place_run(a, a->words[0], length, (int)number, err);
}
