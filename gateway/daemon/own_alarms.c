// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/own_alarms.h"

#include "base/memory.h"
#include "base/text.h"
#include "daemon/gateway.h"
#include "model/catalogue.h"
#include "pipeline/pipeline.h"
#include "policy/summaries.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char GATEWAY[] = "gateway ";

static_assert(sizeof GATEWAY + CONF_GATEWAY_NAME_SIZE + sizeof OWN_ALARMS_RECEIVER +
                      CONF_NAME_SIZE - 2 <=
                  EVENT_KEY_SIZE,
              "the key of the longest name and receiver has room");

void own_alarms_name(const struct conf *conf, const char *host, char out[CONF_GATEWAY_NAME_SIZE])
{
    const struct conf_fabric *f = &conf->fabric;
    char port[CONF_DEVICE_SIZE + 16] = "", name[CONF_GATEWAY_NAME_SIZE];
    if (f->device[0] != '\0' && f->port != 0)
        snprintf(port, sizeof port, "/%s-%u", f->device, f->port);
    else if (f->device[0] != '\0')
        snprintf(port, sizeof port, "/%s", f->device);
    const size_t most = sizeof name - 1, length = strlen(port);
    snprintf(name, sizeof name, "%.*s%s", (int)(length < most ? most - length : 0), host, port);
    if (conf->name[0] != '\0')
        memcpy(name, conf->name, sizeof name);
    text_clean(name, sizeof name, out, CONF_GATEWAY_NAME_SIZE);
}

static_assert((int)CONF_GATEWAY_NAME_SIZE <= (int)EVENT_FABRIC_SIZE, "a gateway's name has room");

void own_alarms_name_fabric(const struct conf *conf, const char *gateway,
                            char out[EVENT_FABRIC_SIZE])
{
    const char *name = conf->fabric.name[0] != '\0' ? conf->fabric.name : gateway;
    snprintf(out, EVENT_FABRIC_SIZE, "%s", name);
    text_make_name(out, '.');
}

void own_alarms_key(const struct gateway *gateway, const char *what, char out[EVENT_KEY_SIZE])
{
    snprintf(out, EVENT_KEY_SIZE, "%s%s %s", GATEWAY, gateway->parts.gateway_name, what);
}

bool own_alarms_is_active(struct gateway *gateway, const char *what)
{
    char key[EVENT_KEY_SIZE];
    own_alarms_key(gateway, what, key);
    return journal_alarm_is_active(gateway->parts.journal, key);
}

void own_alarms_receiver_key(const struct gateway *gateway, const char *receiver,
                             char out[EVENT_KEY_SIZE])
{
    char what[sizeof OWN_ALARMS_RECEIVER + CONF_NAME_SIZE];
    snprintf(what, sizeof what, OWN_ALARMS_RECEIVER "%s", receiver);
    own_alarms_key(gateway, what, out);
}

bool own_alarms_receiver_is_active(struct gateway *gateway, const char *receiver)
{
    char key[EVENT_KEY_SIZE];
    own_alarms_receiver_key(gateway, receiver, key);
    return journal_alarm_is_active(gateway->parts.journal, key);
}

// Returns the text behind the beginning, or NULL if the text begins otherwise.
static const char *own_alarms_behind(const char *text, const char *beginning)
{
    const size_t length = strlen(beginning);
    return strncmp(text, beginning, length) == 0 ? text + length : NULL;
}

// Whether it is a key of version 0.1.0.
static bool own_alarms_has_no_name(const char *key)
{
    return strcmp(key, OWN_ALARMS_SUBSCRIPTIONS) == 0 || strcmp(key, OWN_ALARMS_SM) == 0 ||
           strcmp(key, OWN_ALARMS_JOURNAL) == 0 || own_alarms_behind(key, OWN_ALARMS_RECEIVER);
}

bool own_alarms_is_former(const struct gateway *gateway, const char *key)
{
    char ours[EVENT_KEY_SIZE];
    const char *flapping = own_alarms_behind(key, SUMMARIES_FLAPPING);
    const char *alarm = flapping ? flapping : key;
    own_alarms_key(gateway, "", ours);
    return own_alarms_has_no_name(alarm) ||
           (own_alarms_behind(alarm, GATEWAY) && !own_alarms_behind(alarm, ours));
}

// Behind the event of the stop, policy sends the events that it held back. At most LAST_EVENTS_MAX
// events are looked at.
enum { LAST_EVENTS_MAX = 4096, LAST_EVENTS_CHUNK = 64 };

// Looks at the newest events before `*before` for the stop or the start of the last run, and moves
// on. True: found.
static bool own_alarms_find_end_of_run(struct journal *journal, int64_t *before, bool *stopped,
                                       bool *more)
{
    struct journal_item items[LAST_EVENTS_CHUNK];
    const size_t n = journal_read_back(journal, *before, items, LAST_EVENTS_CHUNK);
    bool found = false;
    *more = n > 0;
    for (size_t i = 0; i < n; i++) {
        const struct catalogue_entry *type = items[i].event ? items[i].event->type : NULL;
        const bool is_stop = type == catalogue_get(CATALOGUE_GATEWAY_STOPPED);
        if (!found && (is_stop || type == catalogue_get(CATALOGUE_GATEWAY_STARTED))) {
            found = true;
            *stopped = is_stop;
        }
        *before = items[i].sequence;
        event_unref(items[i].event);
    }
    return found;
}

static bool own_alarms_is_cut_short(struct journal *journal)
{
    int64_t before = INT64_MAX;
    bool stopped = false, more = true, any = false;
    for (int i = 0; i < LAST_EVENTS_MAX / LAST_EVENTS_CHUNK && more; i++) {
        if (own_alarms_find_end_of_run(journal, &before, &stopped, &more))
            return !stopped;
        any = any || more;
    }
    return any;
}

// Opens the note about the journal. `mode` as for fopen(3); "we" empties the note.
static FILE *own_alarms_open_note(const struct gateway *gateway, const char *mode)
{
    char path[CONF_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s.journal", gateway->conf->socket);
    return fopen(path, mode);
}

bool own_alarms_may_stand(const struct gateway *gateway)
{
    struct journal *journal = gateway->parts.journal;
    FILE *note = own_alarms_open_note(gateway, "re");
    int64_t last;
    if (!note)
        return own_alarms_is_cut_short(journal);
    const bool known = fscanf(note, "%" SCNd64, &last) == 1 && last <= journal_last(journal);
    fclose(note);
    return !known;
}

void own_alarms_note_journal(const struct gateway *gateway, int64_t last)
{
    FILE *note = own_alarms_open_note(gateway, "we");
    if (note && last >= 0)
        fprintf(note, "%" PRId64 "\n", last);
    if (note)
        fclose(note);
}

struct event *own_alarms_end_of_journal(const struct gateway *gateway,
                                        const struct event_builder *builder)
{
    char key[EVENT_KEY_SIZE];
    own_alarms_key(gateway, OWN_ALARMS_JOURNAL, key);
    return event_builder_end_of_alarm(
        builder, key, catalogue_get(CATALOGUE_JOURNAL_DEGRADED),
        "the journal works; the run before ended without a word, and may have sent it");
}

// Keys. A key without room waits for the next start.
struct former_keys {
    const struct gateway *gateway;
    char all[2 * GATEWAY_RECEIVERS_MAX][EVENT_KEY_SIZE];
    size_t count;
};

static void own_alarms_note_if_former(void *ctx, const struct alarm *alarm)
{
    struct former_keys *keys = ctx;
    if (keys->count < (size_t)2 * GATEWAY_RECEIVERS_MAX &&
        own_alarms_is_former(keys->gateway, alarm->key))
        snprintf(keys->all[keys->count++], EVENT_KEY_SIZE, "%s", alarm->key);
}

// Pipeline's thread.
static void own_alarms_end_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct former_keys *keys = ctx;
    char why[EVENT_REASON_SIZE];
    snprintf(why, sizeof why, "this gateway's own alarms are called '%s%s ...' now", GATEWAY,
             keys->gateway->parts.gateway_name);
    journal_each_alarm(keys->gateway->parts.journal, JOURNAL_ACTIVE_ALARMS,
                       own_alarms_note_if_former, keys);
    for (size_t i = 0; i < keys->count; i++)
        emitter_end_alarm(inside->emitter, keys->all[i], NULL, why);
}

void own_alarms_end_former(struct gateway *gateway)
{
    struct former_keys *keys = memory_zeroed(1, sizeof *keys);
    keys->gateway = gateway;
    pipeline_call(gateway->parts.pipeline, own_alarms_end_in_pipeline, keys);
    free(keys);
}
