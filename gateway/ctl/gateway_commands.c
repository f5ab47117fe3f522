// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/secret.h"
#include "base/text.h"
#include "ctl/client.h"
#include "ctl/protocol.h"
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

static const struct show_form CATALOGUE = {
    .list = "events",
    .head = "EVENT                     TRAP  SEVERITY       CATEGORY   TITLE\n",
    .line = "{event:-25} [trap?{trap:-5}|-    ] {severity:-14} {category:-10} {title~58}"};

static const char *gateway_command_catalogue_syntax_word(enum mib_syntax syntax)
{
    static const char *const WORDS[] = {"Integer32",  "Unsigned32",  "OCTET STRING",
                                        "BITS",       "DateAndTime", "GswGlobalId",
                                        "TruthValue", "OCTET STRING"};
    return WORDS[syntax];
}

static json_t *gateway_command_catalogue_notification_json(const struct mib_notification *n)
{
    if (!n)
        return json_null();
    json_t *objects = json_array();
    for (size_t i = 0; i < MIB_OBJECTS_MAX && n->objects[i]; i++) {
        const struct mib_object *o = n->objects[i];
        json_array_append_new(objects, json_pack("{s:s, s:o, s:s, s:i}", "name", o->name, "oid",
                                                 protocol_oid(o->oid.ids, o->oid.length), "syntax",
                                                 gateway_command_catalogue_syntax_word(o->syntax),
                                                 "size", (int)o->size));
    }
    return json_pack("{s:s, s:o, s:o}", "name", n->name, "oid",
                     protocol_oid(n->oid.ids, n->oid.length), "objects", objects);
}

static json_t *gateway_command_catalogue_entry_json(const struct catalogue_entry *e)
{
    json_t *fields = json_array();
    for (size_t i = 0; i < CATALOGUE_FIELDS_MAX && e->fields[i] != FIELD_NONE; i++)
        json_array_append_new(fields, json_string(field_name(e->fields[i])));
    return json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:i, s:b, s:o, s:i, s:b, s:o}",
        "event", e->name, "trap", e->trap ? json_integer(e->trap) : json_null(), "title", e->title,
        "category", category_word(e->category), "severity", severity_word(e->severity), "alarm",
        alarm_role_word(e->alarm), "text", e->text, "remedy", e->remedy, "fields", fields, "sma",
        gateway_command_catalogue_notification_json(e->sma), "switch",
        gateway_command_catalogue_notification_json(e->gsw), "switchReason", (int)e->switch_reason,
        "formerLink", (int)(e->former != NULL), "topo",
        gateway_command_catalogue_notification_json(e->topo), "topoReason", (int)e->topo_reason,
        "betweenSwitches", (int)e->between_switches, "own",
        gateway_command_catalogue_notification_json(e->own));
}

static json_t *gateway_command_catalogue_json(void)
{
    json_t *events = json_array();
    for (int i = 0; i < CATALOGUE_COUNT; i++)
        json_array_append_new(
            events, gateway_command_catalogue_entry_json(catalogue_get((enum catalogue_event)i)));
    return json_pack("{s:i, s:o}", "version", 1, "events", events);
}

enum command_outcome gateway_commands_catalogue(const struct arguments *a, struct error *err)
{
    return command_outcome(
        request_command_write(a, &CATALOGUE, gateway_command_catalogue_json(), err));
}

// Reloads.

// Under systemd, the output of ExecReload= goes to the journal, and ibtrapd has logged its refusal
// there.
static void gateway_command_reload_shorten(struct error *err)
{
    static const char REFUSED[] = "ibtrapd: ";
    if (strncmp(err->text, REFUSED, sizeof REFUSED - 1) == 0 && getenv("MAINPID") &&
        log_is_journal(STDERR_FILENO, getenv("JOURNAL_STREAM")))
        error_set(err, "ibtrapd refused the configuration and logged why");
}

static bool gateway_command_reload_show(FILE *out, const json_t *answer)
{
    size_t i;
    const json_t *sentence;
    json_array_foreach(json_object_get(answer, "backlogs"), i, sentence)
    {
        const char *text = json_string_value(sentence);
        terminal_wrap(out, 0, text ? text : "");
    }
    show_layout(out, "[restart?Reloaded. These items wait for a restart of ibtrapd: {restart}\n]",
                answer);
    return true;
}

const struct show_form reload_form = {.rest = gateway_command_reload_show};

enum command_outcome gateway_commands_reload(const struct arguments *a, struct error *err)
{
    const enum command_outcome outcome = request_command_run(a, err);
    if (outcome == COMMAND_REFUSED)
        gateway_command_reload_shorten(err);
    return outcome;
}

// The verdicts.

enum { LINE_MAX_SIZE = 1200 };

// What the words and options choose.
struct health_choice {
    const char *about; // "gateway" or "fabric"; NULL: both
    bool has_severity;
    enum severity severity; // makes the verdict on the fabric critical, and worse ones do
    long long count;        // of open alarms of this severity and worse
};

static void gateway_command_health_count_alarms(const json_t *health, struct health_choice *choice)
{
    const json_t *open = json_object_get(health, "open_alarms");
    for (int i = 0; choice->has_severity && i <= (int)choice->severity; i++)
        choice->count += member_count(open, severity_word((enum severity)i));
}

// The text behind the bar in the format of monitoring plugins: label=value;warn;crit;min;max.
static const char HEALTH_VALUES[] =
    "subscriptions={subscriptions.subscribed};;;0;{subscriptions.all}"
    "[sweep_age,sweep_age=0? sweep_age={sweep_age}s;;;0]"
    " receivers_failing={receivers.failing};;;0;{receivers.all}"
    " receivers_paused={receivers.paused};;;0;{receivers.all}"
    " events_waiting={receivers.waiting};;;0 events={events};;;0";

static void gateway_command_health_write_values(FILE *out, const json_t *health)
{
    const char *severity;
    json_t *count;
    show_layout(out, HEALTH_VALUES, health);
    json_object_foreach(json_object_get(health, "alarms"), severity, count)
    {
        fprintf(out, " alarms_%s=%" JSON_INTEGER_FORMAT ";;;0", severity,
                json_integer_value(count));
    }
}

// Writes the sentences. A bar would begin the values, and becomes a slash.
static void gateway_command_health_write_line(FILE *out, const char *line)
{
    char clean[LINE_MAX_SIZE];
    text_clean(line, strlen(line), clean, sizeof clean);
    for (char *p = clean; *p != '\0'; p++) {
        if (*p == '|')
            *p = '/';
    }
    fputs(clean, out);
}

static enum command_outcome gateway_command_health_outcome(const json_t *health,
                                                           const struct health_choice *choice)
{
    const char *state =
        member_word(choice->about ? json_object_get(health, choice->about) : health, "state");
    if (strcmp(state, "critical") == 0 || choice->count > 0)
        return COMMAND_CRITICAL;
    return strcmp(state, "ok") == 0 ? COMMAND_DONE : COMMAND_WARNING;
}

static void gateway_command_health_write_verdict(FILE *out, const json_t *health, const char *about)
{
    fprintf(out, "%s ", about);
    gateway_command_health_write_line(out, member_word(json_object_get(health, about), "line"));
}

// The worse verdict comes first.
static void gateway_command_health_write_verdicts(FILE *out, const json_t *health,
                                                  const struct health_choice *choice)
{
    const bool fabric_first = strcmp(member_word(health, "worse"), "fabric") == 0;
    if (choice->count > 0)
        fprintf(out, "CRITICAL: %lld open alarm%s of severity %s or worse; ", choice->count,
                choice->count == 1 ? "" : "s", severity_word(choice->severity));
    if (choice->about) {
        gateway_command_health_write_verdict(out, health, choice->about);
        return;
    }
    gateway_command_health_write_verdict(out, health, fabric_first ? "fabric" : "gateway");
    fputs("; ", out);
    gateway_command_health_write_verdict(out, health, fabric_first ? "gateway" : "fabric");
}

static enum command_outcome gateway_command_health_write(const struct arguments *a, json_t *health,
                                                         const struct health_choice *choice,
                                                         struct error *err)
{
    if (!json_is_object(json_object_get(health, "gateway")) ||
        !json_is_object(json_object_get(health, "fabric")) ||
        !json_is_object(json_object_get(health, "alarms"))) {
        show_refuse_shape(err);
        return COMMAND_UNKNOWN;
    }
    if (a->json)
        return show_json(a->out, health, err) ? gateway_command_health_outcome(health, choice)
                                              : COMMAND_UNKNOWN;
    gateway_command_health_write_verdicts(a->out, health, choice);
    fputs(" | ", a->out);
    gateway_command_health_write_values(a->out, health);
    fputc('\n', a->out);
    return gateway_command_health_outcome(health, choice);
}

// A gateway that does not run is critical. A gateway that cannot be asked is unknown.
static enum command_outcome gateway_command_health_give_up(const struct arguments *a,
                                                           const struct error *why)
{
    struct error err;
    const int fd = client_connect(a->socket, &err);
    const bool down = fd < 0 && (errno == ENOENT || errno == ECONNREFUSED);
    if (fd >= 0)
        close(fd);
    if (a->json)
        fprintf(a->out, "{\"version\":1,\"state\":\"%s\"}\n", down ? "critical" : "unknown");
    else {
        fprintf(a->out, "gateway %s: ", down ? "CRITICAL" : "UNKNOWN");
        gateway_command_health_write_line(a->out, why->text);
        fputc('\n', a->out);
    }
    return down ? COMMAND_CRITICAL : COMMAND_UNKNOWN;
}

enum command_outcome health_command(const struct arguments *a, struct error *err)
{
    if (a->values[OPTION_FLEET])
        return fleet_commands_health(a, err);
    struct health_choice choice = {.about = a->count > 0 ? a->words[0] : NULL,
                                   .has_severity = a->values[OPTION_SEVERITY] != NULL};
    if (choice.about && strcmp(choice.about, "gateway") != 0 && strcmp(choice.about, "fabric") != 0)
        return COMMAND_WRONG_USAGE;
    if (choice.has_severity && !severity_find(a->values[OPTION_SEVERITY], &choice.severity))
        return COMMAND_WRONG_USAGE;
    json_t *health = client_request(a->socket, a->command->wire, json_object(), err);
    enum command_outcome outcome = COMMAND_UNKNOWN;
    gateway_command_health_count_alarms(health, &choice);
    if (health)
        outcome = gateway_command_health_write(a, health, &choice, err);
    if (outcome == COMMAND_UNKNOWN)
        outcome = gateway_command_health_give_up(a, err);
    json_decref(health);
    if ((fflush(a->out) == 0 && !ferror(a->out)) || outcome != COMMAND_DONE)
        return outcome;
    fputs("ibtrapctl: cannot write to standard output; is its disk full?\n", stderr);
    return COMMAND_UNKNOWN; // a warning would be about the gateway
}

// A dry run of another configuration.

enum { DRY_RUN_INDENT = 4 };

// Reads the file into a text that the caller frees. NULL with a sentence: failed, or the text is
// too long for a request.
static char *gateway_command_dry_run_read_config(const char *path, struct error *err)
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
static void gateway_command_dry_run_show_counts(FILE *out, const json_t *counts)
{
    const char *name;
    json_t *count;
    size_t column = 0;
    json_object_foreach((json_t *)counts, name, count)
    {
        char item[100];
        snprintf(item, sizeof item, "%s %lld", name, (long long)json_integer_value(count));
        show_item(out, DRY_RUN_INDENT, ", ", item, &column);
    }
    if (column > 0)
        fputc('\n', out);
}

static bool gateway_command_dry_run_show(FILE *out, const json_t *answer)
{
    size_t i;
    const json_t *suppressed = json_object_get(answer, "suppressed"), *one;
    show_layout(out,
                "[from?{events} events from {from@} to {until@}"
                "|The journal has no events.]\n",
                answer);
    if (json_object_size(suppressed) > 0)
        fputs("Suppressed\n", out);
    gateway_command_dry_run_show_counts(out, suppressed);
    json_array_foreach(json_object_get(answer, "receivers"), i, one)
    {
        show_layout(out, "Receiver {name}: {events}\n", one);
        gateway_command_dry_run_show_counts(out, json_object_get(one, "by_event"));
    }
    return true;
}

const struct show_form dry_run_form = {.list = "receivers", .rest = gateway_command_dry_run_show};

// Makes the items of the request. `events` 0: the daemon's default. NULL with a sentence: failed.
static json_t *gateway_command_dry_run_items(const char *path, long long events, struct error *err)
{
    char *text = gateway_command_dry_run_read_config(path, err);
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
    json_t *items = gateway_command_dry_run_items(a->words[0], events, err);
    return items ? request_command_send(a, a->command->form, items, err) : COMMAND_REFUSED;
}
