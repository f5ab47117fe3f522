// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/secret.h"
#include "base/text.h"
#include "ctl/client.h"
#include "ctl/protocol.h"
#include "ctl/show.h"
#include "ctl/terminal.h"
#include "model/catalogue.h"
#include "model/field.h"
#include "model/mib.h"
#include "model/severity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The catalogue of events.

static void show_catalogue(FILE *out)
{
    fprintf(out, "%-25s %-5s %-14s %-10s %s\n", "EVENT", "TRAP", "SEVERITY", "CATEGORY", "TITLE");
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        const struct catalogue_entry *e = catalogue_get((enum catalogue_event)i);
        char trap[8] = "-";
        if (e->trap != 0)
            snprintf(trap, sizeof trap, "%u", e->trap);
        fprintf(out, "%-25s %-5s %-14s %-10s ", e->name, trap, severity_word(e->severity),
                category_word(e->category));
        terminal_hang(out, 58, e->title);
    }
}

static json_t *show_catalogue_oid_json(const struct mib_oid *oid)
{
    char buffer[MIB_OID_MAX * 11];
    struct text t = text_in(buffer, sizeof buffer);
    mib_add_oid(&t, oid->ids, oid->length);
    return json_string(buffer);
}

static const char *syntax_word(enum mib_syntax syntax)
{
    static const char *const WORDS[] = {"Integer32",  "Unsigned32",  "OCTET STRING",
                                        "BITS",       "DateAndTime", "GswGlobalId",
                                        "TruthValue", "OCTET STRING"};
    return WORDS[syntax];
}

static json_t *notification_json(const struct mib_notification *n)
{
    if (!n)
        return json_null();
    json_t *objects = json_array();
    for (size_t i = 0; i < MIB_OBJECTS_MAX && n->objects[i]; i++) {
        const struct mib_object *o = n->objects[i];
        json_array_append_new(objects, json_pack("{s:s, s:o, s:s, s:i}", "name", o->name, "oid",
                                                 show_catalogue_oid_json(&o->oid), "syntax",
                                                 syntax_word(o->syntax), "size", (int)o->size));
    }
    return json_pack("{s:s, s:o, s:o}", "name", n->name, "oid", show_catalogue_oid_json(&n->oid),
                     "objects", objects);
}

static json_t *entry_json(const struct catalogue_entry *e)
{
    json_t *fields = json_array();
    for (size_t i = 0; i < CATALOGUE_FIELDS_MAX && e->fields[i] != FIELD_NONE; i++)
        json_array_append_new(fields, json_string(field_name(e->fields[i])));
    return json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:i, s:b, s:o, s:i, s:b, s:o}", "event",
        e->name, "trap", e->trap ? json_integer(e->trap) : json_null(), "title", e->title,
        "category", category_word(e->category), "severity", severity_word(e->severity), "alarm",
        alarm_role_word(e->alarm), "text", e->text, "fields", fields, "sma",
        notification_json(e->sma), "switch", notification_json(e->gsw), "switchReason",
        (int)e->switch_reason, "formerLink", (int)(e->former != NULL), "topo",
        notification_json(e->topo), "topoReason", (int)e->topo_reason, "betweenSwitches",
        (int)e->between_switches, "own", notification_json(e->own));
}

static json_t *show_catalogue_json(void)
{
    json_t *events = json_array();
    for (int i = 0; i < CATALOGUE_COUNT; i++)
        json_array_append_new(events, entry_json(catalogue_get((enum catalogue_event)i)));
    return json_pack("{s:i, s:o}", "version", 1, "events", events);
}

// The gateway.

enum command_outcome gateway_commands_status(const struct arguments *a, struct error *err)
{
    json_t *status = client_request(a->socket, a->wire, json_object(), err);
    bool ok = status && show_answer(a->out, status, a->json, show_status, err);
    json_decref(status);
    return command_outcome(ok);
}

enum command_outcome gateway_commands_catalogue(const struct arguments *a, struct error *err)
{
    if (!a->json) {
        show_catalogue(a->out);
        return COMMAND_DONE;
    }
    json_t *catalogue = show_catalogue_json();
    bool ok = show_json(a->out, catalogue, err);
    json_decref(catalogue);
    return command_outcome(ok);
}

enum command_outcome gateway_commands_send(const struct arguments *a, struct error *err)
{
    return command_outcome(client_send(a->socket, a->wire, json_object(), err));
}

enum command_outcome gateway_commands_log(const struct arguments *a, struct error *err)
{
    json_t *items =
        json_pack("{s:s, s:s}", "level", a->words[0], "folder", a->count > 1 ? a->words[1] : "");
    return command_outcome(client_send(a->socket, a->wire, items, err));
}

// Under systemd, ExecReload= writes to the journal that has the line of ibtrapd about its refusal.
static void gateway_commands_shorten(struct error *err)
{
    static const char REFUSED[] = "ibtrapd: ";
    if (strncmp(err->text, REFUSED, sizeof REFUSED - 1) == 0 && getenv("MAINPID") &&
        log_is_journal(STDERR_FILENO, getenv("JOURNAL_STREAM")))
        error_set(err, "ibtrapd refused the configuration and logged why");
}

enum command_outcome gateway_commands_reload(const struct arguments *a, struct error *err)
{
    json_t *answer = client_request(a->socket, a->wire, json_object(), err);
    const char *restart = member_word(answer, "restart");
    size_t i;
    const json_t *sentence;
    json_array_foreach(json_object_get(answer, "backlogs"), i, sentence)
    {
        const char *text = json_string_value(sentence);
        terminal_wrap(a->out, 0, text ? text : "");
    }
    if (restart[0] != '\0')
        fprintf(a->out, "Reloaded. These items wait for a restart of ibtrapd: %s\n", restart);
    if (!answer)
        gateway_commands_shorten(err);
    json_decref(answer);
    return command_outcome(answer != NULL);
}

// The verdict on the gateway.

enum { LINE_MAX_SIZE = 1200 };

// Alarms at which the option --severity makes the verdict critical.
struct health_alarms {
    bool asked;
    enum severity severity;
    long long count; // active ones of that severity and worse, neither acknowledged nor shelved
};

static void health_count_alarms(struct health_alarms *alarms, const json_t *page)
{
    size_t i;
    const json_t *alarm;
    json_array_foreach(json_object_get(page, "alarms"), i, alarm)
    {
        enum severity severity;
        alarms->count += severity_find(member_word(alarm, "severity"), &severity) &&
                         severity <= alarms->severity &&
                         member_word(alarm, "acknowledged")[0] == '\0' &&
                         member_word(alarm, "shelved_until")[0] == '\0';
    }
}

static bool health_read_alarms(const struct arguments *a, struct health_alarms *alarms,
                               struct error *err)
{
    json_t *items = json_object();
    bool ok = true, more = alarms->asked;
    while (ok && more) {
        json_t *page = client_request(a->socket, "alarms", json_copy(items), err);
        ok = page != NULL;
        if (ok)
            health_count_alarms(alarms, page);
        more = ok && pages_turn(items, page);
        json_decref(page);
    }
    json_decref(items);
    return ok;
}

// What stands behind the bar: label=value;warn;crit;min;max, as monitoring plugins write it.
static void health_write_values(FILE *out, const json_t *health)
{
    const json_t *subscriptions = json_object_get(health, "subscriptions");
    const json_t *receivers = json_object_get(health, "receivers");
    const json_t *age = json_object_get(health, "sweep_age");
    const char *severity;
    json_t *count;
    fprintf(out, "subscriptions=%lld;;;0;%lld", member_count(subscriptions, "subscribed"),
            member_count(subscriptions, "all"));
    if (json_is_integer(age))
        fprintf(out, " sweep_age=%" JSON_INTEGER_FORMAT "s;;;0", json_integer_value(age));
    fprintf(
        out,
        " receivers_failing=%lld;;;0;%lld receivers_paused=%lld;;;0;%lld events_waiting=%lld;;;0",
        member_count(receivers, "failing"), member_count(receivers, "all"),
        member_count(receivers, "paused"), member_count(receivers, "all"),
        member_count(receivers, "waiting"));
    fprintf(out, " events=%lld;;;0", member_count(health, "events"));
    json_object_foreach(json_object_get(health, "alarms"), severity, count)
    {
        fprintf(out, " alarms_%s=%" JSON_INTEGER_FORMAT ";;;0", severity,
                json_integer_value(count));
    }
}

// Writes the sentences without the bar, which would begin the values.
static void health_write_line(FILE *out, const char *line)
{
    char clean[LINE_MAX_SIZE];
    text_clean(line, strlen(line), clean, sizeof clean);
    for (char *p = clean; *p != '\0'; p++) {
        if (*p == '|')
            *p = '/';
    }
    fputs(clean, out);
}

static enum command_outcome health_outcome(const json_t *health, const struct health_alarms *alarms)
{
    const char *state = member_word(health, "state");
    if (strcmp(state, "critical") == 0 || alarms->count > 0)
        return COMMAND_CRITICAL;
    return strcmp(state, "ok") == 0 ? COMMAND_DONE : COMMAND_WARNING;
}

static enum command_outcome health_write(const struct arguments *a, json_t *health,
                                         const struct health_alarms *alarms, struct error *err)
{
    const char *line = member_word(health, "line");
    if (line[0] == '\0' || !json_is_object(json_object_get(health, "alarms"))) {
        show_refuse_shape(err);
        return COMMAND_UNKNOWN;
    }
    if (a->json)
        return show_json(a->out, health, err) ? health_outcome(health, alarms) : COMMAND_UNKNOWN;
    fputs("ibtrapd ", a->out);
    if (alarms->count > 0) {
        fprintf(a->out, "CRITICAL: %lld active alarm%s of severity %s or worse; ", alarms->count,
                alarms->count == 1 ? "" : "s", severity_word(alarms->severity));
    }
    health_write_line(a->out, line);
    fputs(" | ", a->out);
    health_write_values(a->out, health);
    fputc('\n', a->out);
    return health_outcome(health, alarms);
}

// A gateway that does not run is critical; one that cannot be asked is unknown.
static enum command_outcome health_give_up(const struct arguments *a, const struct error *why)
{
    struct error err;
    const int fd = client_connect(a->socket, &err);
    const bool down = fd < 0 && (errno == ENOENT || errno == ECONNREFUSED);
    if (fd >= 0)
        close(fd);
    if (a->json)
        fprintf(a->out, "{\"version\":1,\"state\":\"%s\"}\n", down ? "critical" : "unknown");
    else {
        fprintf(a->out, "ibtrapd %s: ", down ? "CRITICAL" : "UNKNOWN");
        health_write_line(a->out, why->text);
        fputc('\n', a->out);
    }
    return down ? COMMAND_CRITICAL : COMMAND_UNKNOWN;
}

enum command_outcome health_command(const struct arguments *a, struct error *err)
{
    struct health_alarms alarms = {.asked = a->values[OPTION_SEVERITY] != NULL};
    if (alarms.asked && !severity_find(a->values[OPTION_SEVERITY], &alarms.severity))
        return COMMAND_WRONG_USAGE;
    json_t *health = client_request(a->socket, a->wire, json_object(), err);
    enum command_outcome outcome = COMMAND_UNKNOWN;
    bool ok = health && health_read_alarms(a, &alarms, err);
    if (ok)
        outcome = health_write(a, health, &alarms, err);
    if (!ok || outcome == COMMAND_UNKNOWN)
        outcome = health_give_up(a, err);
    json_decref(health);
    if ((fflush(a->out) == 0 && !ferror(a->out)) || outcome != COMMAND_DONE)
        return outcome;
    fputs("ibtrapctl: cannot write to standard output; is its disk full?\n", stderr);
    return COMMAND_UNKNOWN; // a warning would be about the gateway
}

// A dry run of another configuration.

enum { INDENT = 4 };

// Reads the file into a text that the caller frees. NULL with a sentence: failed, or the text is
// too long for a request.
static char *read_config(const char *path, struct error *err)
{
    FILE *f = fopen(path, "re");
    char *text = memory_zeroed(1, PROTOCOL_LINE_MAX + 1);
    size_t n = f ? fread(text, 1, PROTOCOL_LINE_MAX, f) : 0;
    bool ok = f && !ferror(f);
    if (!ok)
        error_set(err, "cannot read the configuration '%s': %s", path, strerror(errno));
    else if (n == PROTOCOL_LINE_MAX)
        ok = error_set(err, "the configuration '%s' is too long for a dry run", path);
    else if (strlen(text) != n)
        ok = error_set(err, "the configuration '%s' is not a text: it has NUL octets", path);
    else if (!text_is_utf8(text))
        ok = error_set(err, "the configuration '%s' is not UTF-8", path);
    if (f)
        fclose(f);
    if (ok)
        return text;
    secret_release(text);
    return NULL;
}

// Writes "link-down 12, link-up 12", broken into lines.
static void show_counts(FILE *out, const json_t *counts)
{
    const char *name;
    json_t *count;
    size_t column = 0;
    json_object_foreach((json_t *)counts, name, count)
    {
        char buffer[100];
        struct text t = text_in(buffer, sizeof buffer);
        text_addf(&t, "%s %lld", name, (long long)json_integer_value(count));
        if (column > 0 && column + t.len + 3 > (size_t)terminal_columns(out)) {
            fputs(",\n", out);
            column = 0;
        } else if (column > 0) {
            column += (size_t)fprintf(out, ", ");
        }
        column += (size_t)fprintf(out, "%*s%s", column ? 0 : INDENT, "", buffer);
    }
    if (column > 0)
        fputc('\n', out);
}

static bool dry_run_command_show(FILE *out, const json_t *answer)
{
    json_int_t events;
    const char *from, *until;
    size_t i;
    json_t *suppressed, *receivers, *one;
    if (json_unpack((json_t *)answer, "{s:I, s:o, s:o}", "events", &events, "suppressed",
                    &suppressed, "receivers", &receivers) != 0)
        return false;
    if (json_unpack((json_t *)answer, "{s:s, s:s}", "from", &from, "until", &until) == 0)
        fprintf(out, "%lld events from %.19sZ to %.19sZ\n", (long long)events, from, until);
    else
        fputs("The journal has no events.\n", out);
    if (json_object_size(suppressed) > 0)
        fputs("Suppressed\n", out);
    show_counts(out, suppressed);
    json_array_foreach(receivers, i, one)
    {
        const char *name;
        json_t *kinds;
        if (json_unpack(one, "{s:s, s:I, s:o}", "name", &name, "events", &events, "by_event",
                        &kinds) != 0)
            return false;
        fprintf(out, "Receiver %s: %lld\n", name, (long long)events);
        show_counts(out, kinds);
    }
    return true;
}

// Makes the items of the request. `events` 0: the daemon's default. NULL with a sentence: failed.
static json_t *dry_run_command_items(const char *path, long long events, struct error *err)
{
    char *text = read_config(path, err);
    if (!text)
        return NULL;
    json_t *items = json_pack("{s:s, s:s}", "config", text, "name", path);
    secret_release(text); // it may have communities
    if (events != 0)
        json_object_set_new(items, "events", json_integer(events));
    return items;
}

enum command_outcome dry_run_command(const struct arguments *a, struct error *err)
{
    long long events = 0;
    if (a->count == 2 && (!arguments_read_number(a->words[1], &events) || events == 0))
        return COMMAND_WRONG_USAGE;
    json_t *items = dry_run_command_items(a->words[0], events, err);
    json_t *answer = items ? client_request(a->socket, a->wire, items, err) : NULL;
    bool ok = answer && show_answer(a->out, answer, a->json, dry_run_command_show, err);
    json_decref(answer);
    return command_outcome(ok);
}
