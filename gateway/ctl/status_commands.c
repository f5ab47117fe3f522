// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/text.h"
#include "ctl/client.h"
#include "ctl/terminal.h"

#include <string.h>

// Receivers.

// Columns of the name and the address: what a usual receiver takes, more for longer texts where the
// terminal has room, less for the name and the address on a narrow terminal.
struct status_columns {
    int name, address;
};

enum {
    STATUS_NAME_COLUMNS = 16,
    STATUS_NAME_LEAST = 8,
    STATUS_KIND_COLUMNS = 7,
    STATUS_ADDRESS_COLUMNS = 25,
    STATUS_ADDRESS_LEAST = 7,
    STATUS_OTHER_COLUMNS = 47, // state, numbers and blanks
};

// What the longest name takes, and the longest address. A long kind takes columns of the address:
// alertmanager, for instance.
static struct status_columns status_command_longest(const json_t *receivers)
{
    size_t i;
    const json_t *one;
    struct status_columns longest = {0, 0};
    json_array_foreach(receivers, i, one)
    {
        const int name = (int)strlen(member_word(one, "name"));
        const int more = (int)strlen(member_word(one, "kind")) - STATUS_KIND_COLUMNS;
        const int address = (int)strlen(member_word(one, "address")) + (more > 0 ? more : 0);
        longest.name = name > longest.name ? name : longest.name;
        longest.address = address > longest.address ? address : longest.address;
    }
    return longest;
}

static struct status_columns status_command_columns(FILE *out, const json_t *receivers)
{
    const struct status_columns longest = status_command_longest(receivers);
    const int name = longest.name, address = longest.address;
    const int room = terminal_width(out) - STATUS_OTHER_COLUMNS - STATUS_KIND_COLUMNS;
    struct status_columns c = {.name = STATUS_NAME_COLUMNS, .address = STATUS_ADDRESS_COLUMNS};
    if (c.name + c.address > room) { // a narrow terminal
        c.name = name < STATUS_NAME_LEAST ? STATUS_NAME_LEAST : name < c.name ? name : c.name;
        c.address = room - c.name > STATUS_ADDRESS_LEAST ? room - c.name : STATUS_ADDRESS_LEAST;
        return c;
    }
    if (name > c.name && name + c.address <= room)
        c.name = name;
    if (address > c.address && c.name + address <= room)
        c.address = address;
    return c;
}

static void status_command_show_receiver(FILE *out, const json_t *one,
                                         const struct status_columns *c)
{
    const char *address = member_word(one, "address");
    terminal_cell(out, member_word(one, "name"), c->name);
    const int printed = fprintf(out, " %-*s ", STATUS_KIND_COLUMNS, member_word(one, "kind"));
    const int columns = STATUS_KIND_COLUMNS + 2 + c->address - printed;
    const bool is_long = (int)strlen(address) > columns;
    fprintf(out, "%-*s ", columns > 0 ? columns : 0, is_long ? "" : address);
    show_layout(out, "{state#8}{sent:9} {queued:8} {failed:8} {dropped:8}\n", one);
    terminal_wrap(out, 4, is_long ? address : "");
    show_layout(out, "{problem>4}", one);
}

static void status_command_show_gone(FILE *out, const json_t *one)
{
    char line[256];
    long long queued = member_count(one, "queued");
    snprintf(line, sizeof line, "gone since %.19sZ: %s, which did not get %lld event%s",
             member_word(one, "since"), member_word(one, "name"), queued, queued == 1 ? "" : "s");
    terminal_wrap(out, 0, line);
}

static bool status_command_show_receivers(FILE *out, const json_t *answer)
{
    size_t i;
    const json_t *one, *receivers = json_object_get(answer, "receivers");
    const struct status_columns columns = status_command_columns(out, receivers);
    if (json_array_size(receivers) > 0 || json_array_size(json_object_get(answer, "gone")) == 0)
        fprintf(out, "%-*s %-*s %-*s STATE        SENT   QUEUED   FAILED  DROPPED\n", columns.name,
                "RECEIVER", STATUS_KIND_COLUMNS, "KIND", columns.address, "ADDRESS");
    json_array_foreach(receivers, i, one) status_command_show_receiver(out, one, &columns);
    json_array_foreach(json_object_get(answer, "gone"), i, one) status_command_show_gone(out, one);
    return true;
}

const struct show_form receiver_form = {
    .list = "receivers", .is_paged = true, .rest = status_command_show_receivers};

// The status.

enum { STATUS_LABEL = 9 }; // columns of the word before each line

#define STATUS_FABRIC  "Fabric   {health.fabric.line~9}"
#define STATUS_GATEWAY "Gateway  {health.gateway.line~9}"

static const char STATUS_VERDICTS[] = "[health?[health.worse=fabric?" STATUS_FABRIC STATUS_GATEWAY
                                      "|" STATUS_GATEWAY STATUS_FABRIC "]]";

static const char STATUS_PORT[] =
    "ibtrapd {release}[gateway_name? at {gateway_name}], running for {uptime^}\n"
    "[reload?Reload   REFUSED {reload.refused@}; the former configuration is in force:\n"
    "         {reload.reason}\n]"
    "Port     [port.device?{port.device} port {port.port}, {port.state}, LID {port.lid}, GUID "
    "{port.guid}|none]\n"
    "[port.no_smps?         as the kernel says, since this host may send no SMPs: "
    "{port.no_smps}\n]"
    "[sm.lid?Master   LID {sm.lid}, GUID {sm.guid}, [sm.answers?answers|does not answer]"
    "[sm.name?, {sm.name}]\n]";

// For a subnet administration at another LID than the subnet manager.
static const char STATUS_SA[] =
    "[sm.sa_lid?         redirects requests to its subnet administration at LID {sm.sa_lid}\n]";

// The engine ID has the form for `createUser -e` of snmptrapd.
static const char STATUS_ROLE[] =
    "[sm.unanswered?         does not answer queries for {sm.unanswered}; subscriptions are "
    "renewed instead\n]"
    "[problem?Problem  {problem}\n]"
    "[snmp.engine_id?SNMP     engine ID 0x{snmp.engine_id}\n]"
    "[role?[role.active?[role.reason?Role     active: {role.reason}\n]"
    "|Role     STANDBY, receivers get events about this gateway only[role.reason?: "
    "{role.reason}]\n]]";

#define STATUS_FOUND "[found?, {found} nodes so far]\n"
#define STATUS_LAST                                                                                \
    "last {last@}, {duration_us/1000} ms, [complete?complete|NOT COMPLETE]: {nodes} nodes, "       \
    "{links} links[inactive?, {inactive} of them not active], {silent} silent\n"

static const char STATUS_SWEEP[] =
    "\nSweep    {method}[no_smps? instead of smp], "
    "[running?[sweeps?"
    "[last?" STATUS_LAST "|the first runs" STATUS_FOUND "]         the next one runs" STATUS_FOUND
    "|the first runs" STATUS_FOUND "]"
    "|[last?" STATUS_LAST "|none yet" STATUS_FOUND "]]"
    "[problem?         {problem}\n][mkeys?         {mkeys}\n]"
    "[pkeys?         {pkeys}\n]"
    "[hidden?         the subnet manager hides {hidden} ports or their links from this host: they "
    "share no partition (P_Key) with it; 'smp' as the method of section 'sweep' sees all\n]"
    "[nameless?         {nameless} node[nameless=1? has|s have] no name of [nameless=1?its|their] "
    "own: name [nameless=1?it|them] in node_name_map\n]"
    "[overflowed?         {overflowed} of {sweeps} sweeps reached a limit\n]";

static const char STATUS_ERRORS[] =
    "[last?Errors   read {last@}, {duration_us/1000} ms: {ports} ports, {silent} silent\n]"
    "[unwatched_errors,unwatched_waits?"
    "         TOO MANY: {unwatched_errors} times an error counter grew, {unwatched_waits} times a "
    "port had to wait, and there "
    "was no room to watch it, so that no alarm begins; look for what the links have in "
    "common\n]";

static const char STATUS_SM[] = "SM       {name} port {port}, LID {lid}, GUID {guid}, {state}, "
                                "priority {priority}\n";

// Without `retry_in`, the time of the next request is unknown.
static const char STATUS_SUBSCRIPTION[] =
    "{trap:-8} [state=subscribed?{state}"
    "|[detail,retry_in,retry_in=0?{state:-11} {detail}[detail?[retry_in,retry_in=0?; ]]"
    "[retry_in=0?retrying now|[retry_in?retrying in {retry_in} s]]|{state}]]\n";

// Before the first query on demand, the line of queries is left out.
static const char STATUS_TABLES[] =
    "[tables?\nTables   [tables.context?context {tables.context}|default context], "
    "[tables.up?below|NOT SERVED below] {tables.socket}[tables.problem?: {tables.problem}]\n"
    "[tables.reads.sent?         {tables.reads.sent} queries on demand, {tables.reads.answered} "
    "answered, {tables.reads.silent} reads without an answer\n]]"
    "[fabric_device?Fabric   one device, [fabric_device.up?below|NOT SERVED below] "
    "{fabric_device.socket}[fabric_device.problem?: {fabric_device.problem}]\n]";

static const char STATUS_JOURNAL[] =
    "\nJournal  {journal.rows} event[journal.rows=1?|s], {journal.alarms} "
    "alarm[journal.alarms=1?|s], {journal.bytes/1048576} MiB, "
    "[journal.durable?on disk|IN MEMORY ONLY]\n"
    "[journal.problem?         {journal.problem}\n]"
    "[journal.warning?         {journal.warning}\n]"
    "[policy.overflowed,journal.alarms_missed?"
    "Alarms   TOO MANY: {policy.overflowed} events of alarms beyond the limit were treated as "
    "events without an "
    "alarm, {journal.alarms_missed} changes are not in the list; end alarms that nobody "
    "needs: 'ibtrapctl alarms'\n]";

// The number of the trap, or the word "vendor".
static void status_command_add_trap(struct text *t, const json_t *subscription)
{
    if (json_is_integer(json_object_get(subscription, "trap")))
        text_addf(t, "%lld", member_count(subscription, "trap"));
    else
        text_add(t, member_word(subscription, "trap"));
}

// Writes a line for each subscription that is missing, and one line for all others.
static void status_command_show_subscriptions(FILE *out, const json_t *list)
{
    size_t i, missing = 0;
    const json_t *one;
    char all[600] = "";
    struct text t = text_in(all, sizeof all);
    json_array_foreach(list, i, one)
    {
        const bool is_there = strcmp(member_word(one, "state"), "subscribed") == 0;
        if (is_there) {
            text_add(&t, t.len > 0 ? ", " : "subscribed: ");
            status_command_add_trap(&t, one);
            continue;
        }
        if (missing++ == 0)
            fputs("\nTRAP     STATE       DETAIL\n", out);
        show_layout(out, STATUS_SUBSCRIPTION, one);
    }
    if (t.len > 0) {
        fputs("\nTraps    ", out);
        terminal_hang(out, STATUS_LABEL, all);
    }
    fputc('\n', out);
}

static void status_command_show_counters(FILE *out, const json_t *counters)
{
    const char *key;
    json_t *value;
    char line[600] = "";
    struct text t = text_in(line, sizeof line);
    json_object_foreach((json_t *)counters, key, value)
    {
        if (strcmp(key, "missed") != 0 || json_integer_value(value) > 0)
            text_addf(&t, "%s%s %lld", t.len > 0 ? ", " : "", key, json_integer_value(value));
    }
    fputs("\nCounters ", out);
    terminal_hang(out, STATUS_LABEL, line);
}

static bool status_command_show(FILE *out, const json_t *status)
{
    size_t i;
    const json_t *one;
    const json_t *counters = json_object_get(status, "counters");
    const json_t *sm = json_object_get(status, "sm"), *sweep = json_object_get(status, "sweep");
    if (!json_is_array(json_object_get(status, "receivers")) || !json_is_object(counters))
        return false;
    show_layout(out, STATUS_VERDICTS, status);
    if (json_array_size(json_object_get(status, "maintenance")) > 0) {
        fputs("In maintenance:\n", out);
        maintenance_commands_show(out, status);
    }
    show_wrapped(out, STATUS_LABEL, STATUS_PORT, status);
    if (member_count(sm, "sa_lid") != member_count(sm, "lid"))
        show_wrapped(out, STATUS_LABEL, STATUS_SA, status);
    show_wrapped(out, STATUS_LABEL, STATUS_ROLE, status);
    if (json_is_object(sweep) && strcmp(member_word(sweep, "method"), "off") != 0)
        show_wrapped(out, STATUS_LABEL, STATUS_SWEEP, sweep);
    show_wrapped(out, STATUS_LABEL, STATUS_ERRORS, json_object_get(status, "port_counters"));
    json_array_foreach(json_object_get(status, "sms"), i, one)
        show_wrapped(out, STATUS_LABEL, STATUS_SM, one);
    status_command_show_subscriptions(out, json_object_get(status, "subscriptions"));
    show_form(out, &receiver_form, status, true);
    show_wrapped(out, STATUS_LABEL, STATUS_TABLES, status);
    show_wrapped(out, STATUS_LABEL, STATUS_JOURNAL, status);
    status_command_show_counters(out, counters);
    return true;
}

const struct show_form status_form = {.list = "subscriptions", .rest = status_command_show};

// Adds to each window how many alarms it holds back. The daemon reads their events from the disk,
// for which a status does not wait.
static void status_command_count_held(const struct arguments *a, json_t *status)
{
    struct error err;
    const json_t *journal = json_object_get(status, "journal");
    if (json_array_size(json_object_get(status, "maintenance")) == 0 ||
        !json_is_true(json_object_get(journal, "durable")))
        return;
    json_t *windows = client_request(a->socket, "maintenance-list", json_object(), &err);
    json_object_update_existing(status, windows); // NULL changes nothing
    json_decref(windows);
}

enum command_outcome status_command(const struct arguments *a, struct error *err)
{
    json_t *status = client_request(a->socket, a->command->wire, json_object(), err);
    if (status)
        status_command_count_held(a, status);
    return command_outcome(status && request_command_write(a, a->command->form, status, err));
}
