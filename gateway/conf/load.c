// SPDX-License-Identifier: BSD-2-Clause
#include "conf/load.h"

#include "base/memory.h"
#include "conf/parser.h"
#include "conf/rows.h"
#include "conf/section.h"
#include "install.h"
#include "model/catalogue.h"
#include "model/node_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_SIZE_MAX = 1 << 20 };

// Returns the content of `f` with a NUL, for the caller to free. `f` may be NULL if the file did
// not open. NULL with a sentence.
static char *load_read(FILE *f, const char *path, struct error *err)
{
    char *text = f ? memory_get(FILE_SIZE_MAX + 1) : NULL;
    size_t n = text ? fread(text, 1, FILE_SIZE_MAX, f) : 0;
    err->text[0] = '\0';
    if (!text || ferror(f))
        error_set(err, "cannot read the configuration '%s': %s%s", path, strerror(errno),
                  errno == EACCES ? ": the user that runs ibtrapd must be able to read it, and to "
                                    "enter the directories above it"
                                  : "");
    else if (n == FILE_SIZE_MAX)
        error_set(err, "the configuration '%s' is longer than 1 MiB", path);
    else if (memchr(text, '\0', n))
        error_set(err, "the configuration '%s' is not a text: it has NUL octets", path);
    if (text && err->text[0] == '\0') {
        text[n] = '\0';
        return text;
    }
    if (text)
        explicit_bzero(text, n); // it may have a community
    free(text);
    return NULL;
}

static void load_add_syslog(struct conf *conf, const char *name, enum transport transport)
{
    struct conf_receiver *r = &conf->receivers[conf->receiver_count++];
    conf_receiver_init(r, CONF_SYSLOG, name);
    r->transport = transport;
    r->syslog.format = section_syslog_format(transport);
}

void conf_tell_mistakes(const struct conf_mistakes *mistakes, struct error *err)
{
    size_t others = mistakes->count - 1;
    *err = mistakes->sentences[0];
    size_t used = strlen(err->text);
    if (others > 0)
        snprintf(err->text + used, sizeof err->text - used, " (and %zu more mistake%s)", others,
                 others == 1 ? "" : "s");
}

// Reads `text` into `conf`. `name` stands for the file in mistakes. `looks`: at the files that the
// text names. `mistakes` may be NULL.
static bool load_parse(const char *text, const char *name, bool looks, struct conf *conf,
                       struct conf_mistakes *mistakes, struct error *err)
{
    struct report report = {.path = name};
    memset(conf, 0, sizeof *conf); // with its padding: a reload compares ranges of octets
    conf->receivers = memory_zeroed(CONF_RECEIVERS_MAX + 1, sizeof *conf->receivers);
    conf->policy.rules = memory_zeroed(CONF_RULES_MAX, sizeof *conf->policy.rules);
    rows_set_defaults(conf);
    if (!parser_run(text, looks, conf, &report)) {
        if (mistakes)
            *mistakes = report.mistakes;
        conf_free(conf);
        conf_tell_mistakes(&report.mistakes, err);
        return false;
    }
    if (conf->receiver_count == 0)
        load_add_syslog(conf, "syslog", TRANSPORT_LOCAL);
    return true;
}

static bool load_from_file(const char *path, struct conf *conf, struct conf_mistakes *mistakes,
                           struct error *err)
{
    FILE *f = fopen(path, "re");
    char *text = load_read(f, path, err);
    if (f)
        fclose(f);
    if (!text) {
        if (mistakes)
            *mistakes = (struct conf_mistakes){.count = 1, .sentences = {*err}};
        return false;
    }
    bool ok = load_parse(text, path, true, conf, mistakes, err);
    explicit_bzero(text, strlen(text)); // it may have communities
    free(text);
    if (ok)
        snprintf(conf->file, sizeof conf->file, "%s", path);
    conf->has_file = ok;
    return ok;
}

bool conf_load(const char *path, struct conf *conf, struct error *err)
{
    return load_from_file(path, conf, NULL, err);
}

bool conf_load_text(const char *text, const char *name, bool looks, struct conf *conf,
                    struct error *err)
{
    return load_parse(text, name, looks, conf, NULL, err);
}

static bool load_take_port(struct conf_fabric *fabric, const struct instance *instance,
                           struct error *err)
{
    bool other_device = fabric->device[0] && strcmp(fabric->device, instance->device) != 0;
    bool other_port = fabric->port && fabric->port != instance->port;
    if (instance->port == 0)
        return true;
    if (other_device || other_port)
        return error_set(err,
                         "the configuration is for device '%s' port %u, and the instance for '%s' "
                         "port %u: leave 'device' and 'port' out",
                         fabric->device, fabric->port, instance->device, instance->port);
    snprintf(fabric->device, sizeof fabric->device, "%s", instance->device);
    fabric->port = instance->port;
    return true;
}

// Gives the subagent of an instance the instance's name as its context, unless the configuration
// sets one.
static bool load_take_context(struct conf_subagent *subagent, const struct instance *instance,
                              struct error *err)
{
    if (subagent->socket[0] == '\0' || subagent->has_context || instance->port == 0)
        return true;
    int length = snprintf(subagent->context, sizeof subagent->context, "%s-%u", instance->device,
                          instance->port);
    return length < (int)sizeof subagent->context ||
           error_set(err,
                     "the instance's name '%s-%u' is too long for an SNMP context: give section "
                     "'subagent' an item 'context' of at most %d octets",
                     instance->device, instance->port, CONF_CONTEXT_SIZE - 1);
}

// Replaces the default path, which the gateways of a host would share.
static void load_take_path(char path[CONF_PATH_SIZE], const char *shared, const char *own)
{
    if (strcmp(path, shared) == 0)
        snprintf(path, CONF_PATH_SIZE, "%s", own);
}

// A link that leads nowhere is not absent: a file is meant to be there.
static bool load_is_absent(const char *path)
{
    struct stat st;
    return lstat(path, &st) != 0 && errno == ENOENT;
}

static bool load_own(const char *path, struct conf *conf, struct conf_mistakes *mistakes,
                     struct error *err)
{
    if (!load_is_absent(path))
        return load_from_file(path, conf, mistakes, err);
    if (!load_parse("", "", true, conf, NULL, err))
        return false;
    snprintf(conf->file, sizeof conf->file, "%s", path);
    return true;
}

bool conf_load_instance(const struct instance *instance, const char *path, struct conf *conf,
                        struct conf_mistakes *mistakes, struct error *err)
{
    if (path ? !load_from_file(path, conf, mistakes, err)
             : !load_own(instance->config, conf, mistakes, err))
        return false;
    load_take_path(conf->journal.directory, INSTALL_STATE_DIRECTORY, instance->state);
    load_take_path(conf->socket, INSTALL_CONTROL_SOCKET, instance->socket);
    if (load_take_port(&conf->fabric, instance, err) &&
        load_take_context(&conf->subagent, instance, err))
        return true;
    error_prefix(err, "%s", conf->file);
    if (mistakes)
        *mistakes = (struct conf_mistakes){.count = 1, .sentences = {*err}};
    conf_free(conf);
    return false;
}

bool conf_may_replace(const struct conf *running, const struct conf *next, struct error *err)
{
    return !running->has_file || next->has_file ||
           error_set(err,
                     "the configuration '%s', which is in force, is gone: put it back, or restart "
                     "ibtrapd to run with the defaults",
                     running->file);
}

// Warns of patterns that are the description of a factory: no node is called so.
static void load_warn_of_nodes(const char *section, const char *name, const char *item,
                               const struct filter_list *list,
                               void (*tell)(void *ctx, const char *sentence), void *ctx)
{
    for (size_t i = 0; i < list->count; i++) {
        struct error sentence;
        if (!node_name_is_of_factory(list->patterns[i]))
            continue;
        error_set(&sentence,
                  "%s \"%s\": item '%s' has \"%s\", the description of a factory, which "
                  "tells no node from the others: name the nodes in node_name_map, or use GUIDs",
                  section, name, item, list->patterns[i]);
        tell(ctx, sentence.text);
    }
}

// Whether some event passes the filter, or for an Alertmanager, some alarm. A policy may give
// events another severity or category. A summary counts only by its own name: it passes with the
// events that it summarises.
static bool load_passes_any(const struct conf *conf, const struct filter *filter, bool alarms_only)
{
    bool any = conf->policy.rule_count > 0;
    for (int kind = 0; kind < CATALOGUE_COUNT && !any; kind++) {
        const struct catalogue_entry *type = catalogue_get((enum catalogue_event)kind);
        any = (!alarms_only || type->alarm == ALARM_RAISES) &&
              filter_may_pass(filter, type, type->severity, type->category) &&
              (!catalogue_is_summary(type) || filter_list_has(&filter->events, type->name));
    }
    return any;
}

// Warns of a receiver that gets nothing, or the same as a receiver before it.
static void load_warn_of_receiver(const struct conf *conf, const struct conf_receiver *r,
                                  void (*tell)(void *ctx, const char *sentence), void *ctx)
{
    struct error sentence;
    const bool alarms_only = r->kind == CONF_ALERTMANAGER;
    if (!load_passes_any(conf, &r->filter, alarms_only)) {
        error_set(&sentence,
                  "receiver \"%s\" gets no event: no %s has such a name, category and severity",
                  r->name, alarms_only ? "alarm" : "event");
        tell(ctx, sentence.text);
    }
    for (const struct conf_receiver *b = conf->receivers; b < r && r->host[0] != '\0'; b++) {
        if (b->kind != r->kind || b->port != r->port || strcmp(b->host, r->host) != 0 ||
            filter_digest(&b->filter) != filter_digest(&r->filter))
            continue;
        error_set(&sentence,
                  "the receivers \"%s\" and \"%s\" have the same address and filter: each event "
                  "arrives twice at %s",
                  b->name, r->name, r->host);
        tell(ctx, sentence.text);
    }
}

static void load_warn_of_rule(const struct conf_rule *rule,
                              void (*tell)(void *ctx, const char *sentence), void *ctx)
{
    struct error sentence;
    const bool all_events = rule->events.count == 0 || strcmp(rule->events.patterns[0], "*") == 0;
    const bool all_nodes = rule->nodes.count == 0 || strcmp(rule->nodes.patterns[0], "*") == 0;
    if (rule->enabled != 0 || !all_events || !all_nodes)
        return;
    error_set(
        &sentence,
        "policy \"%s\" disables all events: receivers get nothing; name events or nodes in it",
        rule->name);
    tell(ctx, sentence.text);
}

void conf_warn(const struct conf *conf, void (*tell)(void *ctx, const char *sentence), void *ctx)
{
    if (conf->metrics.page && conf->metrics.host[0] == '\0')
        tell(ctx, "section 'metrics': the page is not served without the item 'listen', such as "
                  "listen = \"127.0.0.1:9683\"");
    for (size_t i = 0; i < conf->receiver_count; i++) {
        const struct conf_receiver *r = &conf->receivers[i];
        load_warn_of_receiver(conf, r, tell, ctx);
        load_warn_of_nodes("receiver", r->name, "nodes", &r->filter.nodes, tell, ctx);
        load_warn_of_nodes("receiver", r->name, "switches", &r->filter.switches, tell, ctx);
    }
    for (size_t i = 0; i < conf->policy.rule_count; i++) {
        const struct conf_rule *rule = &conf->policy.rules[i];
        load_warn_of_rule(rule, tell, ctx);
        load_warn_of_nodes("policy", rule->name, "nodes", &rule->nodes, tell, ctx);
    }
}

void conf_log_file(const struct conf *conf, struct log *log)
{
    if (conf->has_file)
        log_write(log, LOG_LEVEL_INFO, "the configuration is %s", conf->file);
    else
        log_write(log, LOG_LEVEL_INFO, "there is no configuration %s: the defaults hold",
                  conf->file);
}

void conf_free(struct conf *conf)
{
    if (conf->receivers)
        explicit_bzero(conf->receivers, conf->receiver_count * sizeof *conf->receivers);
    free(conf->receivers);
    free(conf->policy.rules);
    explicit_bzero(conf, sizeof *conf); // it has the SA key and the M_Key
}

void conf_add_stdout(struct conf *conf)
{
    for (size_t i = 0; i < conf->receiver_count; i++) {
        if (conf->receivers[i].kind == CONF_SYSLOG &&
            conf->receivers[i].transport == TRANSPORT_STDOUT)
            return;
    }
    load_add_syslog(conf, "standard-output", TRANSPORT_STDOUT);
}
