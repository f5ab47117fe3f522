// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/settings.h"

#include "base/text.h"
#include "daemon/gateway.h"
#include "daemon/loop.h"
#include "daemon/receivers.h"
#include "daemon/trap_recipients.h"
#include "model/topology_file.h"
#include "topology/expectation.h"

#include <string.h>

enum event_level settings_trap_level(void *ctx, uint64_t switch_guid)
{
    const struct gateway *g = ctx;
    struct settings *settings = journal_settings(g->parts.journal);
    const struct setting *level = settings_find(settings, SETTING_EVENT_TRAP_LEVEL, switch_guid, 0);
    enum event_level out =
        (enum event_level)(level ? level->value[0] : g->conf->subagent.event_trap_level);
    settings_unref(settings);
    return out;
}

// Names.

bool settings_load_map(const struct conf *conf, struct log *log, struct names **out,
                       struct error *err)
{
    const char *path = conf->fabric.node_name_map;
    *out = NULL;
    if (path[0] == '\0')
        return true;
    *out = names_load(path, err);
    if (*out)
        log_write(log, LOG_LEVEL_INFO, "read %zu names from %s", names_count(*out), path);
    return *out != NULL;
}

bool settings_load_book(const struct conf *conf, struct log *log, struct notice_book **out,
                        struct error *err)
{
    const char *path = conf->fabric.notices;
    *out = NULL;
    if (path[0] == '\0')
        return true;
    *out = notice_book_load(path, err);
    if (*out)
        log_write(log, LOG_LEVEL_INFO, "read %zu notices from %s", notice_book_count(*out), path);
    return *out != NULL;
}

bool settings_load_expectation(const struct conf *conf, struct log *log, struct expectation **out,
                               struct error *err)
{
    const char *path = conf->fabric.expected_topology;
    *out = NULL;
    if (path[0] == '\0')
        return true;
    struct fabric *fabric = topology_file_load(path, err);
    if (!fabric)
        return false;
    log_write(log, LOG_LEVEL_INFO, "read %u nodes and %u links, which are expected, from %s",
              (unsigned)fabric->node_count, (unsigned)fabric_count_links(fabric), path);
    *out = expectation_new(fabric, conf->fabric.expected_by_name, &conf->fabric.host_names);
    return true;
}

static void settings_use_names(struct gateway *g, struct event_builder *builder,
                               const struct settings *settings)
{
    const struct filter_list *refused = &g->conf->fabric.no_names;
    struct names *names = names_with(g->map, settings, refused->patterns, refused->count);
    topology_set_host_names(g->parts.topology, &g->conf->fabric.host_names);
    topology_rename(g->parts.topology, names);
    builder->book = g->book;
    builder->names = names; // the topology has the reference; only this thread exchanges the names
    names_unref(names);
}

void settings_rename(struct gateway *gateway, struct event_builder *builder)
{
    struct settings *settings = journal_settings(gateway->parts.journal);
    settings_use_names(gateway, builder, settings);
    settings_unref(settings);
}

// Changes in words.

enum { SHOWN_MAX = 64 }; // octets of a value

static void settings_add_quoted(struct text *t, const struct setting *s)
{
    char shown[SHOWN_MAX + 1];
    text_clean((const char *)s->value, s->size, shown, sizeof shown);
    text_addf(t, strlen(shown) < s->size ? "\"%s...\"" : "\"%s\"", shown);
}

// Adds the value of a setting; NULL: the setting was never made.
static void settings_add_value(struct text *t, const struct setting *s)
{
    const uint8_t *v = s ? s->value : NULL;
    if (!s || s->size == 0)
        text_add(t, "nothing");
    else if (s->kind == SETTING_EVENT_TRAP_LEVEL)
        text_add(t, event_level_word((enum event_level)v[0]));
    else if (s->kind == SETTING_TRAP_RECIPIENT)
        text_addf(t, "%u.%u.%u.%u", v[0], v[1], v[2], v[3]);
    else
        settings_add_quoted(t, s);
}

// Writes what changed, by whom. Leaves out the values of a community: it is a secret.
static void settings_describe(const struct setting *old, const struct setting *now, const char *who,
                              char out[EVENT_REASON_SIZE])
{
    struct text t = text_in(out, EVENT_REASON_SIZE);
    text_add(&t, setting_object(now->kind));
    if (now->number != 0)
        text_addf(&t, " of row %u", (unsigned)now->number);
    if (now->kind != SETTING_COMMUNITY) {
        text_add(&t, " from ");
        settings_add_value(&t, old);
        text_add(&t, " to ");
        settings_add_value(&t, now);
    }
    text_addf(&t, ", by %s", who);
}

static bool settings_is_same(const struct setting *old, const struct setting *now)
{
    return old ? old->size == now->size && memcmp(old->value, now->value, now->size) == 0
               : now->size == 0;
}

static void settings_report(const struct pipeline_context *inside, const struct setting *old,
                            const struct setting *now, const char *who)
{
    if (settings_is_same(old, now))
        return;
    struct event_builder_occurrence o = {.type = CATALOGUE_SETTING_CHANGED,
                                         .switch_guid = now->guid};
    settings_describe(old, now, who, o.reason);
    emitter_emit(inside->emitter, event_builder_from_occurrence(inside->builder, &o));
}

// Changing.

struct request {
    struct gateway *gateway;
    const struct setting *changes;
    size_t n;
    const char *who;
    struct error *err;
    bool done;
};

// Stops a trap recipient that was removed or changed: the recipient sends no further event; later
// events wait in the journal for a successor. A recipient without a trap group equals no wanted
// recipient (trap_recipients_equal): settings_apply ends the recipient.
static void settings_silence(struct receiver *receiver, struct conf_receiver *conf)
{
    receiver_pause(receiver, true);
    receiver_request_stop(receiver, 0);
    guid_set_unref(conf->filter.trap_group);
    conf->filter.trap_group = NULL;
}

static void settings_change_running(struct gateway *g, size_t i,
                                    const struct trap_recipients *wanted)
{
    struct conf_receiver *running = g->receiver_confs[i];
    const struct conf_receiver *r = trap_recipients_find(wanted, running->name);
    if (r && strcmp(running->host, r->host) == 0 &&
        strcmp(running->snmp.community, r->snmp.community) == 0)
        receiver_change_trap_group(g->receivers[i], r->filter.trap_group);
    else if (trap_recipients_are_named(running->name))
        settings_silence(g->receivers[i], running);
}

// Makes the next event go to the right trap recipients, although only the thread of reloads starts
// and ends receivers: registers new recipients with the journal, and stops recipients without a
// row.
static void settings_expect_recipients(struct gateway *g, const struct trap_recipients *wanted)
{
    for (size_t i = 0; i < wanted->count; i++)
        journal_receiver(g->parts.journal, wanted->all[i].name);
    pthread_mutex_lock(&g->exchanged);
    for (size_t i = 0; i < g->parts.receiver_count; i++)
        settings_change_running(g, i, wanted);
    pthread_mutex_unlock(&g->exchanged);
}

// Saves the changes and puts the names in force. Sets `recipients` to the trap recipients after the
// changes. False with a sentence: nothing was changed.
static bool settings_change_all(const struct request *c, struct event_builder *builder,
                                const struct settings *old, struct trap_recipients *recipients)
{
    struct gateway *g = c->gateway;
    struct settings *wanted = settings_with(old, c->changes, c->n);
    if (!wanted)
        return error_set(c->err, "there is no room for more settings");
    bool ok = trap_recipients_of(wanted, g->conf->subagent.recipient_port, recipients, c->err) &&
              (journal_change_settings(g->parts.journal, c->changes, c->n) ||
               error_set(c->err, "there is no room for more settings"));
    if (ok)
        settings_use_names(g, builder, wanted);
    settings_unref(wanted);
    return ok;
}

static void settings_report_all(const struct request *c, const struct pipeline_context *inside,
                                const struct settings *old)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct setting *now = &c->changes[i];
        settings_report(inside, settings_find(old, now->kind, now->guid, now->number), now, c->who);
    }
}

static void settings_change_in_pipeline(void *ctx, const struct pipeline_context *inside)
{
    struct request *c = ctx;
    struct journal *journal = c->gateway->parts.journal;
    struct settings *old = journal_settings(journal);
    struct trap_recipients recipients = {0};
    c->done = settings_change_all(c, inside->builder, old, &recipients);
    if (c->done)
        settings_report_all(c, inside, old);
    journal_commit(journal);
    if (c->done)
        settings_expect_recipients(c->gateway, &recipients);
    trap_recipients_clear(&recipients);
    settings_unref(old);
}

bool settings_change(void *ctx, const struct setting *changes, size_t n, const char *who,
                     struct error *err)
{
    struct gateway *g = ctx;
    struct request c = {.gateway = g, .changes = changes, .n = n, .who = who, .err = err};
    if (!pipeline_call(g->parts.pipeline, settings_change_in_pipeline, &c))
        return error_set(err, "the gateway is stopping");
    if (c.done)
        loop_wake_up(g->settings_changed);
    return c.done;
}

// Beacons. No setting has a beacon's state: the switch itself knows the state.

struct beacon {
    struct gateway *gateway;
    uint64_t node_guid;
    bool on;
    const char *who;
};

static void settings_report_beacon(void *ctx, const struct pipeline_context *inside)
{
    const struct beacon *b = ctx;
    struct event_builder_occurrence o = {.type = CATALOGUE_SETTING_CHANGED,
                                         .switch_guid = b->node_guid};
    struct text t = text_in(o.reason, sizeof o.reason);
    text_addf(&t, "gswBeaconAdmStatus from %s to %s, by %s", b->on ? "off" : "on",
              b->on ? "on" : "off", b->who);
    emitter_emit(inside->emitter, event_builder_from_occurrence(inside->builder, &o));
    journal_commit(b->gateway->parts.journal);
}

void settings_tell_beacon(void *ctx, uint64_t node_guid, bool on, const char *who)
{
    struct gateway *g = ctx;
    struct beacon b = {.gateway = g, .node_guid = node_guid, .on = on, .who = who};
    pipeline_call(g->parts.pipeline, settings_report_beacon, &b);
}

// Recipients.

// settings_silence has already silenced a recipient that ends.
static enum receivers_fate settings_fate(void *ctx, const struct conf_receiver *running)
{
    if (!trap_recipients_are_named(running->name))
        return RECEIVERS_STAYS;
    const struct conf_receiver *wanted = trap_recipients_find(ctx, running->name);
    return wanted && trap_recipients_equal(running, wanted) ? RECEIVERS_STAYS : RECEIVERS_SUCCEEDED;
}

// Lists the trap recipients by the present settings.
static bool settings_list_recipients(const struct gateway *g, struct trap_recipients *out,
                                     struct error *err)
{
    struct settings *settings = journal_settings(g->parts.journal);
    const bool all = trap_recipients_of(settings, g->conf->subagent.recipient_port, out, err);
    settings_unref(settings);
    return all;
}

// Deletes the cursors of the trap recipients that have no row any longer, and do not run.
static void settings_forget_recipients(const struct gateway *g,
                                       const struct trap_recipients *wanted)
{
    struct journal_receiver_state all[JOURNAL_RECEIVERS_MAX];
    const size_t n = journal_list_receivers(g->parts.journal, all);
    for (size_t i = 0; i < n; i++) {
        if (trap_recipients_are_named(all[i].name) && !trap_recipients_find(wanted, all[i].name) &&
            !receivers_find(g, all[i].name))
            journal_forget_receiver(g->parts.journal, all[i].name, false);
    }
}

struct wanted_receivers {
    const struct conf *conf;
    const struct trap_recipients *recipients;
};

static bool settings_wants(void *ctx, const char *name)
{
    const struct wanted_receivers *wanted = ctx;
    return receivers_find_conf(wanted->conf, name) ||
           trap_recipients_find(wanted->recipients, name);
}

// Deletes the cursors of departed trap recipients. Lets the journal drop the events that it kept
// for receivers that are gone. Pipeline's thread.
static void settings_forget_departed(void *ctx, const struct pipeline_context *inside)
{
    struct gateway *g = ctx;
    struct error err;
    struct trap_recipients recipients;
    (void)inside;
    settings_list_recipients(g, &recipients, &err);
    settings_forget_recipients(g, &recipients);
    struct wanted_receivers wanted = {g->conf, &recipients};
    receivers_tell_gone(g, settings_wants, &wanted);
    journal_end_receivers(g->parts.journal, settings_wants, &wanted);
    trap_recipients_clear(&recipients);
    // Names that left or changed are on disk before a reload answers.
    if (journal_has_work(g->parts.journal))
        journal_commit(g->parts.journal);
}

static void settings_apply_recipients(struct gateway *g)
{
    struct error err;
    struct trap_recipients wanted;
    if (!settings_list_recipients(g, &wanted, &err))
        log_write(g->parts.log, LOG_LEVEL_ERROR, "trap recipients set by SNMP: %s", err.text);
    receivers_end(g, settings_fate, NULL, &wanted);
    pipeline_call(g->parts.pipeline, settings_forget_departed, g);
    for (size_t i = 0; i < wanted.count; i++) {
        struct receivers_made made;
        if (!receivers_find(g, wanted.all[i].name) &&
            !(receivers_make(g, &wanted.all[i], &made, &err) && receivers_start(g, &made, &err)))
            log_write(g->parts.log, LOG_LEVEL_ERROR, "%s", err.text);
    }
    trap_recipients_clear(&wanted);
}

static void settings_apply_names(void *ctx, const struct pipeline_context *inside)
{
    settings_rename(ctx, inside->builder);
}

void settings_apply(void *ctx)
{
    struct gateway *g = ctx;
    pipeline_call(g->parts.pipeline, settings_apply_names, g);
    settings_apply_recipients(g);
    receivers_clear_departed(g);
}
