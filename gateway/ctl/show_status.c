#include "ctl/show.h"

#include <string.h>

static const char *word(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

static long long count(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void show_port(FILE *out, const json_t *status)
{
    const json_t *port = json_object_get(status, "port"), *sm = json_object_get(status, "sm");
    if (word(port, "device")[0] != '\0')
        fprintf(out, "Port     %s port %lld, %s, LID %lld, GUID %s\n", word(port, "device"),
                count(port, "port"), word(port, "state"), count(port, "lid"), word(port, "guid"));
    else
        fprintf(out, "Port     none\n");
    if (count(sm, "lid") != 0)
        fprintf(out, "Master   LID %lld, GUID %s, %s%s%s\n", count(sm, "lid"), word(sm, "guid"),
                json_is_true(json_object_get(sm, "answers")) ? "answers" : "does not answer",
                word(sm, "name")[0] ? ", " : "", word(sm, "name"));
    if (word(status, "problem")[0] != '\0')
        fprintf(out, "Problem  %s\n", word(status, "problem"));
}

// As `createUser -e` of snmptrapd wants it.
static void show_engine(FILE *out, const json_t *snmp)
{
    if (word(snmp, "engine_id")[0] != '\0')
        fprintf(out, "SNMP     engine ID 0x%s\n", word(snmp, "engine_id"));
}

static void show_role(FILE *out, const json_t *role)
{
    const char *reason = word(role, "reason");
    if (json_is_object(role) && !json_is_true(json_object_get(role, "active")))
        fprintf(out, "Role     STANDBY, receivers get nothing%s%s\n", reason[0] ? ": " : "", reason);
    else if (reason[0] != '\0')
        fprintf(out, "Role     active: %s\n", reason);
}

static void show_sweep(FILE *out, const json_t *sweep)
{
    if (!json_is_object(sweep) || strcmp(word(sweep, "method"), "off") == 0)
        return;
    const char *when = word(sweep, "last");
    fprintf(out, "\nSweep    %s, ", word(sweep, "method"));
    if (when[0] == '\0')
        fprintf(out, "%s\n", json_is_true(json_object_get(sweep, "running")) ? "the first runs" : "none yet");
    else
        fprintf(out, "last %s, %lld ms, %s: %lld nodes, %lld links, %lld silent\n", when,
                count(sweep, "duration_us") / 1000,
                json_is_true(json_object_get(sweep, "complete")) ? "complete" : "NOT COMPLETE",
                count(sweep, "nodes"), count(sweep, "links"), count(sweep, "silent"));
    if (word(sweep, "problem")[0] != '\0')
        fprintf(out, "         %s\n", word(sweep, "problem"));
}

static void show_port_counters(FILE *out, const json_t *counters)
{
    if (word(counters, "last")[0] != '\0')
        fprintf(out, "Errors   read %s, %lld ms: %lld ports, %lld silent\n", word(counters, "last"),
                count(counters, "duration_us") / 1000, count(counters, "ports"),
                count(counters, "silent"));
}

static void show_sms(FILE *out, const json_t *list)
{
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one) {
        fprintf(out, "SM       %s port %lld, LID %lld, GUID %s, %s, priority %lld\n",
                word(one, "name"), count(one, "port"), count(one, "lid"), word(one, "guid"),
                word(one, "state"), count(one, "priority"));
    }
}

static void show_subscriptions(FILE *out, const json_t *list)
{
    size_t i;
    json_t *one;
    fprintf(out, "\n%-8s %-11s %s\n", "TRAP", "STATE", "DETAIL");
    json_array_foreach(list, i, one) {
        char trap[24];
        const json_t *number = json_object_get(one, "trap");
        if (json_is_integer(number))
            snprintf(trap, sizeof trap, "%lld", json_integer_value(number));
        else
            snprintf(trap, sizeof trap, "%s", json_string_value(number));
        const char *state = word(one, "state"), *detail = word(one, "detail");
        if (strcmp(state, "subscribed") == 0)
            fprintf(out, "%-8s %s\n", trap, state);
        else
            fprintf(out, "%-8s %-11s %s%sretrying in %lld s\n", trap, state, detail,
                    detail[0] ? "; " : "", count(one, "retry_in"));
    }
}

static void show_receivers(FILE *out, const json_t *list)
{
    size_t i;
    json_t *one;
    fprintf(out, "\n%-16s %-7s %-28s %9s %7s %8s %8s\n", "RECEIVER", "KIND", "ADDRESS", "SENT",
            "QUEUED", "FAILED", "DROPPED");
    json_array_foreach(list, i, one) {
        fprintf(out, "%-16s %-7s %-28s %9lld %7lld %8lld %8lld\n", word(one, "name"),
                word(one, "kind"), word(one, "address"), count(one, "sent"), count(one, "queued"),
                count(one, "failed"), count(one, "dropped"));
        if (word(one, "problem")[0] != '\0')
            fprintf(out, "    %s\n", word(one, "problem"));
    }
}

static void show_journal(FILE *out, const json_t *journal)
{
    fprintf(out, "\nJournal  %lld events, %lld alarm%s, %lld MiB, %s\n", count(journal, "rows"),
            count(journal, "alarms"), count(journal, "alarms") == 1 ? "" : "s",
            count(journal, "bytes") >> 20,
            json_is_true(json_object_get(journal, "durable")) ? "on disk" : "IN MEMORY ONLY");
    if (word(journal, "problem")[0] != '\0')
        fprintf(out, "         %s\n", word(journal, "problem"));
}

static void show_counters(FILE *out, const json_t *counters)
{
    const char *key;
    json_t *value;
    const char *separator = "\nCounters ";
    json_object_foreach((json_t *)counters, key, value) {
        fprintf(out, "%s%s %lld", separator, key, json_integer_value(value));
        separator = ", ";
    }
    fprintf(out, "\n");
}

bool show_status(FILE *out, const json_t *status)
{
    const json_t *subscriptions = json_object_get(status, "subscriptions");
    const json_t *receivers = json_object_get(status, "receivers");
    const json_t *counters = json_object_get(status, "counters");
    if (!json_is_array(subscriptions) || !json_is_array(receivers) || !json_is_object(counters))
        return false;
    fprintf(out, "ibtrapd %s, running for %lld s\n", word(status, "release"),
            count(status, "uptime"));
    show_port(out, status);
    show_engine(out, json_object_get(status, "snmp"));
    show_role(out, json_object_get(status, "role"));
    show_sweep(out, json_object_get(status, "sweep"));
    show_port_counters(out, json_object_get(status, "port_counters"));
    show_sms(out, json_object_get(status, "sms"));
    show_subscriptions(out, subscriptions);
    show_receivers(out, receivers);
    show_journal(out, json_object_get(status, "journal"));
    show_counters(out, counters);
    return true;
}
