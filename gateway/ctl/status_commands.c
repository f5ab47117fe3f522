// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/text.h"
#include "ctl/client.h"
#include "ctl/show.h"
#include "ctl/terminal.h"

#include <string.h>

// Receivers.

enum { NAME_COLUMNS = 16, KIND_COLUMNS = 7, ADDRESS_COLUMNS = 25 };

static void show_receiver(FILE *out, const json_t *one)
{
    const char *address = member_word(one, "address");
    terminal_cell(out, member_word(one, "name"), NAME_COLUMNS);
    const int printed = fprintf(out, " %-*s ", KIND_COLUMNS, member_word(one, "kind"));
    // A long kind, such as alertmanager, takes columns of the address.
    const int columns = KIND_COLUMNS + 2 + ADDRESS_COLUMNS - printed;
    const bool is_long = (int)strlen(address) > columns;
    fprintf(out, "%-*s ", columns, is_long ? "" : address);
    terminal_word(out, member_word(one, "state"), 8);
    fprintf(out, "%9lld %8lld %8lld %8lld\n", member_count(one, "sent"),
            member_count(one, "queued"), member_count(one, "failed"), member_count(one, "dropped"));
    terminal_wrap(out, 4, is_long ? address : "");
    terminal_wrap(out, 4, member_word(one, "problem"));
}

static void show_gone(FILE *out, const json_t *one)
{
    char line[256];
    long long queued = member_count(one, "queued");
    snprintf(line, sizeof line, "gone since %s: %s, which did not get %lld event%s",
             member_word(one, "since"), member_word(one, "name"), queued, queued == 1 ? "" : "s");
    terminal_wrap(out, 0, line);
}

bool receiver_commands_show(FILE *out, const json_t *answer, bool first)
{
    size_t i;
    const json_t *one;
    if (first)
        fprintf(out, "%-*s %-*s %-*s %-8s%9s %8s %8s %8s\n", NAME_COLUMNS, "RECEIVER", KIND_COLUMNS,
                "KIND", ADDRESS_COLUMNS, "ADDRESS", "STATE", "SENT", "QUEUED", "FAILED", "DROPPED");
    json_array_foreach(json_object_get(answer, "receivers"), i, one) show_receiver(out, one);
    json_array_foreach(json_object_get(answer, "gone"), i, one) show_gone(out, one);
    return true;
}

enum command_outcome receiver_commands_list(const struct arguments *a, struct error *err)
{
    const struct pages pages = {a->out, "receivers", a->json ? NULL : receiver_commands_show};
    return command_outcome(pages_write(&pages, a->socket, a->wire, json_object(), err));
}

enum command_outcome receiver_commands_change(const struct arguments *a, struct error *err)
{
    json_t *items = json_pack("{s:s}", "name", a->words[0]);
    return command_outcome(client_send(a->socket, a->wire, items, err));
}

// The status.

static void show_port(FILE *out, const json_t *status)
{
    const json_t *port = json_object_get(status, "port"), *sm = json_object_get(status, "sm");
    if (member_word(port, "device")[0] != '\0')
        fprintf(out, "Port     %s port %lld, %s, LID %lld, GUID %s\n", member_word(port, "device"),
                member_count(port, "port"), member_word(port, "state"), member_count(port, "lid"),
                member_word(port, "guid"));
    else
        fprintf(out, "Port     none\n");
    if (member_word(port, "no_smps")[0] != '\0')
        fprintf(out, "         as the kernel says, since this host may send no SMPs: %s\n",
                member_word(port, "no_smps"));
    if (member_count(sm, "lid") != 0)
        fprintf(out, "Master   LID %lld, GUID %s, %s%s%s\n", member_count(sm, "lid"),
                member_word(sm, "guid"),
                json_is_true(json_object_get(sm, "answers")) ? "answers" : "does not answer",
                member_word(sm, "name")[0] ? ", " : "", member_word(sm, "name"));
    if (member_count(sm, "sa_lid") != member_count(sm, "lid") && member_count(sm, "sa_lid") != 0)
        fprintf(out, "         redirects requests to its subnet administration at LID %lld\n",
                member_count(sm, "sa_lid"));
    if (member_word(sm, "unanswered")[0] != '\0')
        fprintf(out, "         does not answer queries for %s; subscriptions are renewed instead\n",
                member_word(sm, "unanswered"));
    if (member_word(status, "problem")[0] != '\0')
        fprintf(out, "Problem  %s\n", member_word(status, "problem"));
}

static void show_refused_reload(FILE *out, const json_t *reload)
{
    if (!json_is_object(reload))
        return;
    fprintf(out, "Reload   REFUSED %.19sZ; the former configuration is in force:\n",
            member_word(reload, "refused"));
    terminal_wrap(out, 9, member_word(reload, "reason"));
}

// Writes the engine ID in the form that `createUser -e` of snmptrapd requires.
static void show_engine(FILE *out, const json_t *snmp)
{
    if (member_word(snmp, "engine_id")[0] != '\0')
        fprintf(out, "SNMP     engine ID 0x%s\n", member_word(snmp, "engine_id"));
}

static void show_role(FILE *out, const json_t *role)
{
    const char *reason = member_word(role, "reason");
    if (json_is_object(role) && !json_is_true(json_object_get(role, "active")))
        fprintf(out, "Role     STANDBY, receivers get events about this gateway only%s%s\n",
                reason[0] ? ": " : "", reason);
    else if (reason[0] != '\0')
        fprintf(out, "Role     active: %s\n", reason);
}

// Writes how far the sweep under way is, and ends the line.
static void show_sweep_so_far(FILE *out, const json_t *sweep)
{
    if (member_count(sweep, "found") > 0)
        fprintf(out, ", %lld nodes so far", member_count(sweep, "found"));
    fputc('\n', out);
}

static void show_sweep(FILE *out, const json_t *sweep)
{
    if (!json_is_object(sweep) || strcmp(member_word(sweep, "method"), "off") == 0)
        return;
    const bool running = json_is_true(json_object_get(sweep, "running"));
    fprintf(out, "\nSweep    %s%s, ", member_word(sweep, "method"),
            member_word(sweep, "no_smps")[0] ? " instead of smp" : "");
    const bool first = running && member_count(sweep, "sweeps") == 0;
    if (first || member_word(sweep, "last")[0] == '\0') {
        fputs(running ? "the first runs" : "none yet", out);
        show_sweep_so_far(out, sweep);
    } else {
        fprintf(out, "last %s, %lld ms, %s: %lld nodes, %lld links, %lld silent\n",
                member_word(sweep, "last"), member_count(sweep, "duration_us") / 1000,
                json_is_true(json_object_get(sweep, "complete")) ? "complete" : "NOT COMPLETE",
                member_count(sweep, "nodes"), member_count(sweep, "links"),
                member_count(sweep, "silent"));
    }
    if (running && !first) {
        fputs("         the next one runs", out);
        show_sweep_so_far(out, sweep);
    }
    if (member_word(sweep, "problem")[0] != '\0')
        fprintf(out, "         %s\n", member_word(sweep, "problem"));
    if (member_word(sweep, "mkeys")[0] != '\0')
        terminal_wrap(out, 9, member_word(sweep, "mkeys"));
    if (member_word(sweep, "pkeys")[0] != '\0')
        terminal_wrap(out, 9, member_word(sweep, "pkeys"));
    if (member_count(sweep, "overflowed") > 0)
        fprintf(out, "         %lld of %lld sweeps reached a limit\n",
                member_count(sweep, "overflowed"), member_count(sweep, "sweeps"));
}

static void show_port_counters(FILE *out, const json_t *counters)
{
    if (member_word(counters, "last")[0] != '\0')
        fprintf(out, "Errors   read %s, %lld ms: %lld ports, %lld silent\n",
                member_word(counters, "last"), member_count(counters, "duration_us") / 1000,
                member_count(counters, "ports"), member_count(counters, "silent"));
    const long long errors = member_count(counters, "unwatched_errors");
    const long long waits = member_count(counters, "unwatched_waits");
    if (errors > 0 || waits > 0)
        fprintf(out,
                "         TOO MANY: %lld times an error counter grew, %lld times a port had to "
                "wait, and there was\n"
                "         no room to watch it, so that no alarm begins; look for what the links "
                "have in common\n",
                errors, waits);
}

static void show_sms(FILE *out, const json_t *list)
{
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one)
    {
        fprintf(out, "SM       %s port %lld, LID %lld, GUID %s, %s, priority %lld\n",
                member_word(one, "name"), member_count(one, "port"), member_count(one, "lid"),
                member_word(one, "guid"), member_word(one, "state"), member_count(one, "priority"));
    }
}

// Writes a subscription that is not confirmed, and when it is requested again, if that is known.
static void show_unsubscribed(FILE *out, const json_t *one, const char *trap, const char *state)
{
    char line[300];
    struct text t = text_in(line, sizeof line);
    const json_t *wait = json_object_get(one, "retry_in");
    const char *detail = member_word(one, "detail");
    text_addf(&t, "%-8s %-11s %s", trap, state, detail);
    if (json_is_integer(wait))
        text_add(&t, detail[0] ? "; " : "");
    if (json_is_integer(wait) && json_integer_value(wait) == 0)
        text_add(&t, "retrying now");
    else if (json_is_integer(wait))
        text_addf(&t, "retrying in %lld s", (long long)json_integer_value(wait));
    while (t.len > 0 && line[t.len - 1] == ' ')
        line[--t.len] = '\0';
    fprintf(out, "%s\n", line);
}

static void show_subscriptions(FILE *out, const json_t *list)
{
    size_t i;
    json_t *one;
    fprintf(out, "\n%-8s %-11s %s\n", "TRAP", "STATE", "DETAIL");
    json_array_foreach(list, i, one)
    {
        char trap[24];
        const json_t *number = json_object_get(one, "trap");
        if (json_is_integer(number))
            snprintf(trap, sizeof trap, "%lld", json_integer_value(number));
        else
            snprintf(trap, sizeof trap, "%s", member_word(one, "trap"));
        const char *state = member_word(one, "state");
        if (strcmp(state, "subscribed") == 0)
            fprintf(out, "%-8s %s\n", trap, state);
        else
            show_unsubscribed(out, one, trap, state);
    }
}

static void show_journal(FILE *out, const json_t *journal)
{
    fprintf(out, "\nJournal  %lld event%s, %lld alarm%s, %lld MiB, %s\n",
            member_count(journal, "rows"), member_count(journal, "rows") == 1 ? "" : "s",
            member_count(journal, "alarms"), member_count(journal, "alarms") == 1 ? "" : "s",
            member_count(journal, "bytes") >> 20,
            json_is_true(json_object_get(journal, "durable")) ? "on disk" : "IN MEMORY ONLY");
    if (member_word(journal, "problem")[0] != '\0')
        fprintf(out, "         %s\n", member_word(journal, "problem"));
    if (member_word(journal, "warning")[0] != '\0')
        fprintf(out, "         %s\n", member_word(journal, "warning"));
}

static void show_overflow(FILE *out, const json_t *status)
{
    const long long events = member_count(json_object_get(status, "policy"), "overflowed");
    const long long changes = member_count(json_object_get(status, "journal"), "alarms_missed");
    if (events > 0 || changes > 0)
        fprintf(out,
                "Alarms   TOO MANY: %lld events of alarms beyond the limit were treated as events "
                "without an\n"
                "         alarm, %lld changes are not in the list; end alarms that nobody needs: "
                "'ibtrapctl alarms'\n",
                events, changes);
}

static void show_counters(FILE *out, const json_t *counters)
{
    const char *key;
    json_t *value;
    const char *separator = "\nCounters ";
    json_object_foreach((json_t *)counters, key, value)
    {
        if (strcmp(key, "missed") == 0 && json_integer_value(value) == 0)
            continue; // as nearly always, and the line is long
        fprintf(out, "%s%s %lld", separator, key, json_integer_value(value));
        separator = ", ";
    }
    fprintf(out, "\n");
}

// None before a manager has asked for what is read on demand.
static void show_reads(FILE *out, const json_t *reads)
{
    if (member_count(reads, "sent") > 0)
        fprintf(out,
                "         %lld queries on demand, %lld answered, %lld reads without an answer\n",
                member_count(reads, "sent"), member_count(reads, "answered"),
                member_count(reads, "silent"));
}

static void show_tables(FILE *out, const json_t *tables)
{
    const char *context = member_word(tables, "context");
    if (!json_is_object(tables))
        return;
    fprintf(out, "\nTables   %s%s, %s%s%s%s\n", context[0] ? "context " : "default context",
            context, json_is_true(json_object_get(tables, "up")) ? "below " : "NOT SERVED below ",
            member_word(tables, "socket"), member_word(tables, "problem")[0] ? ": " : "",
            member_word(tables, "problem"));
    show_reads(out, json_object_get(tables, "reads"));
}

static void show_fabric_device(FILE *out, const json_t *device)
{
    if (!json_is_object(device))
        return;
    fprintf(out, "Fabric   one device, %s%s%s%s\n",
            json_is_true(json_object_get(device, "up")) ? "below " : "NOT SERVED below ",
            member_word(device, "socket"), member_word(device, "problem")[0] ? ": " : "",
            member_word(device, "problem"));
}

bool show_status(FILE *out, const json_t *status)
{
    const json_t *subscriptions = json_object_get(status, "subscriptions");
    const json_t *receivers = json_object_get(status, "receivers");
    const json_t *counters = json_object_get(status, "counters");
    if (!json_is_array(subscriptions) || !json_is_array(receivers) || !json_is_object(counters))
        return false;
    terminal_wrap(out, 0, member_word(status, "health"));
    fprintf(out, "ibtrapd %s, running for %lld s\n", member_word(status, "release"),
            member_count(status, "uptime"));
    show_refused_reload(out, json_object_get(status, "reload"));
    show_port(out, status);
    show_engine(out, json_object_get(status, "snmp"));
    show_role(out, json_object_get(status, "role"));
    show_sweep(out, json_object_get(status, "sweep"));
    show_port_counters(out, json_object_get(status, "port_counters"));
    show_sms(out, json_object_get(status, "sms"));
    show_subscriptions(out, subscriptions);
    fputc('\n', out);
    receiver_commands_show(out, status, true);
    show_tables(out, json_object_get(status, "tables"));
    show_fabric_device(out, json_object_get(status, "fabric_device"));
    show_journal(out, json_object_get(status, "journal"));
    show_overflow(out, status);
    show_counters(out, counters);
    return true;
}
