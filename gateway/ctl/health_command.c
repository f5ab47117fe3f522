// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/health_command.h"

#include "base/text.h"
#include "ctl/client.h"
#include "ctl/pages.h"
#include "ctl/show.h"
#include "model/severity.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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
        more = false;
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
