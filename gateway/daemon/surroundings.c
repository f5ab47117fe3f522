// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/surroundings.h"

#include "base/path.h"
#include "control/handlers.h"
#include "daemon/sinks.h"
#include "journal/store.h"
#include "model/fabric_record.h"
#include "topology/describe.h"

#include <fcntl.h>
#include <libgen.h>
#include <netdb.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// The unit of systemd.

// Returns the value if the line has the property; NULL otherwise.
static const char *surroundings_unit_value(const char *line, const char *property)
{
    size_t length = strlen(property);
    return strncmp(line, property, length) == 0 && line[length] == '=' ? line + length + 1 : NULL;
}

static void surroundings_unit_read(FILE *answer, struct surroundings_unit *out)
{
    char line[SURROUNDINGS_UNIT_SIZE];
    while (fgets(line, sizeof line, answer)) {
        const char *value;
        line[strcspn(line, "\n")] = '\0';
        if ((value = surroundings_unit_value(line, "ProtectSystem")))
            out->is_strict = strcmp(value, "strict") == 0;
        if ((value = surroundings_unit_value(line, "ReadWritePaths")))
            snprintf(out->writable + strlen(out->writable),
                     sizeof out->writable - strlen(out->writable), "%s", value);
    }
}

// Starts systemctl for the service. Returns what it prints, or NULL.
static FILE *surroundings_unit_start(const char *service, pid_t *child)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    const char *const words[] = {
        "systemctl", "show", "--property=ProtectSystem", "--property=ReadWritePaths",
        service,     NULL};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int rc = posix_spawnp(child, words[0], &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *answer = rc == 0 ? fdopen(ends[0], "r") : NULL;
    if (!answer)
        close(ends[0]);
    return answer;
}

void surroundings_ask_unit(const char *name, const struct instance *instance,
                           struct surroundings_unit *out)
{
    char service[sizeof out->name + sizeof ".service"], run[INSTANCE_PATH_SIZE];
    pid_t child;
    int status = -1;
    *out = (struct surroundings_unit){.is_strict = false};
    snprintf(run, sizeof run, "%s", instance->socket);
    snprintf(out->name, sizeof out->name, "ibtrapd%s%s", name ? "@" : "", name ? name : "");
    snprintf(out->writable, sizeof out->writable, "%s %s %s ", instance->logs, instance->state,
             dirname(run));
    snprintf(service, sizeof service, "%s.service", out->name);
    FILE *answer =
        access("/run/systemd/system", F_OK) == 0 ? surroundings_unit_start(service, &child) : NULL;
    if (!answer)
        return;
    surroundings_unit_read(answer, out);
    fclose(answer);
    if (waitpid(child, &status, 0) != child || status != 0)
        out->is_strict = false;
}

// Whether the directory is at the path or below the path. The path has `length` octets.
static bool surroundings_unit_is_above(const char *path, size_t length, const char *directory)
{
    while (length > 1 && path[length - 1] == '/')
        length--;
    return strncmp(path, directory, length) == 0 &&
           (length == 1 || directory[length] == '/' || directory[length] == '\0');
}

static bool surroundings_unit_lets_write(const struct surroundings_unit *unit,
                                         const char *directory)
{
    static const char *const ALWAYS[] = {"/dev", "/tmp", "/var/tmp"}; // by PrivateTmp=
    for (size_t i = 0; i < sizeof ALWAYS / sizeof *ALWAYS; i++) {
        if (surroundings_unit_is_above(ALWAYS[i], strlen(ALWAYS[i]), directory))
            return true;
    }
    for (const char *p = unit->writable; *p;) {
        p +=
            strspn(p, " -+"); // the marks of a path that may be missing, or is below RootDirectory=
        size_t length = strcspn(p, " ");
        if (length > 0 && surroundings_unit_is_above(p, length, directory))
            return true;
        p += length;
    }
    return false;
}

static bool surroundings_unit_check_directory(const struct surroundings_unit *unit,
                                              const char *directory, struct error *err)
{
    return !unit->is_strict || surroundings_unit_lets_write(unit, directory) ||
           error_set(err,
                     "%s is read-only in the unit %s: set ReadWritePaths=%s there (systemctl edit "
                     "%s)",
                     directory, unit->name, directory, unit->name);
}

// The configuration.

// Adds the sentence to the mistakes, unless all is `fine`.
static void surroundings_note(struct conf_mistakes *mistakes, const struct conf *conf, bool fine,
                              const struct error *err)
{
    if (!fine && mistakes->count < CONF_MISTAKES_MAX)
        error_set(&mistakes->sentences[mistakes->count++], "%s: %s", conf->file, err->text);
}

// Whether systemd makes the directory for the service's user when the instance starts.
static bool surroundings_are_made(const char *directory, const struct instance *instance)
{
    char copy[INSTANCE_PATH_SIZE];
    snprintf(copy, sizeof copy, "%s", instance->socket);
    return strcmp(directory, instance->logs) == 0 || strcmp(directory, instance->state) == 0 ||
           strcmp(directory, dirname(copy)) == 0;
}

static bool surroundings_check_receiver(const struct conf_receiver *receiver,
                                        const struct instance *instance,
                                        const struct surroundings_unit *unit, struct error *err)
{
    char copy[CONF_PATH_SIZE];
    snprintf(copy, sizeof copy, "%s", receiver->file.path);
    const char *directory = dirname(copy);
    bool is_file = receiver->kind == CONF_FILE && receiver->file.path[0] == '/';
    bool will_be = is_file && access(receiver->file.path, F_OK) != 0 &&
                   surroundings_are_made(directory, instance);
    if (!will_be && !sinks_check(receiver, err))
        return false;
    return !is_file || !unit || surroundings_unit_check_directory(unit, directory, err) ||
           error_prefix(err, "receiver %s", receiver->name);
}

static bool surroundings_check_directory(const char *directory, const struct instance *instance,
                                         const struct surroundings_unit *unit, const char *section,
                                         struct error *err)
{
    return surroundings_are_made(directory, instance) ||
           (writable_check_directory(directory, err) &&
            (!unit || surroundings_unit_check_directory(unit, directory, err))) ||
           error_prefix(err, "section '%s'", section);
}

static bool surroundings_check_control(const char *path, const struct instance *instance,
                                       const struct surroundings_unit *unit, struct error *err)
{
    char copy[CONF_PATH_SIZE];
    snprintf(copy, sizeof copy, "%s", path);
    return surroundings_check_directory(dirname(copy), instance, unit, "control", err) &&
           (sinks_check_socket(path, err) || error_prefix(err, "section 'control'"));
}

bool surroundings_check(const struct conf *conf, const struct instance *instance,
                        const struct surroundings_unit *unit, struct conf_mistakes *mistakes)
{
    const struct conf_subagent *subagent = &conf->subagent;
    struct error err;
    bool fine;
    *mistakes = (struct conf_mistakes){.count = 0};
    for (size_t i = 0; i < conf->receiver_count; i++) {
        fine = surroundings_check_receiver(&conf->receivers[i], instance, unit, &err);
        surroundings_note(mistakes, conf, fine, &err);
    }
    fine = sinks_check_socket(subagent->socket, &err) || error_prefix(&err, "section 'subagent'");
    surroundings_note(mistakes, conf, fine, &err);
    fine = sinks_check_socket(subagent->fabric_socket, &err) ||
           error_prefix(&err, "section 'subagent', item 'fabric_socket'");
    surroundings_note(mistakes, conf, fine, &err);
    fine = surroundings_check_directory(conf->journal.directory, instance, unit, "journal", &err);
    surroundings_note(mistakes, conf, fine, &err);
    fine = surroundings_check_control(conf->socket, instance, unit, &err);
    surroundings_note(mistakes, conf, fine, &err);
    return mistakes->count == 0;
}

// Warnings.

static void surroundings_warn_of_device(const struct conf_fabric *fabric,
                                        void (*tell)(void *ctx, const char *sentence), void *ctx)
{
    char path[sizeof fabric->device + 32];
    struct error sentence;
    snprintf(path, sizeof path, "/sys/class/infiniband/%s", fabric->device);
    if (fabric->device[0] == '\0' || access(path, F_OK) == 0)
        return;
    const char *colon = strchr(fabric->device, ':');
    if (colon)
        error_set(&sentence,
                  "section 'fabric': no device is called '%s'; the port has an item of its own: "
                  "device = \"%.*s\" and port = %s",
                  fabric->device, (int)(colon - fabric->device), fabric->device,
                  colon[1] ? colon + 1 : "1");
    else
        error_set(&sentence,
                  "section 'fabric': this machine has no device '%s' now; 'ls "
                  "/sys/class/infiniband' lists its devices",
                  fabric->device);
    tell(ctx, sentence.text);
}

static void surroundings_warn_of_hosts(const struct conf *conf,
                                       void (*tell)(void *ctx, const char *sentence), void *ctx)
{
    int found = 0; // without name servers, each further name would wait for them again
    for (size_t i = 0; i < conf->receiver_count && found != EAI_AGAIN; i++) {
        const struct conf_receiver *r = &conf->receivers[i];
        struct addrinfo *list = NULL;
        struct error sentence;
        if (r->host[0] == '\0')
            continue;
        found = getaddrinfo(r->host, NULL, NULL, &list);
        if (found == 0) {
            freeaddrinfo(list);
            continue;
        }
        error_set(&sentence, "receiver \"%s\": no address is known of host '%s': %s", r->name,
                  r->host, gai_strerror(found));
        tell(ctx, sentence.text);
    }
}

static void surroundings_warn_of_readers(const struct conf *conf,
                                         void (*tell)(void *ctx, const char *sentence), void *ctx)
{
    struct stat st;
    struct error sentence;
    bool has_community = false;
    for (size_t i = 0; i < conf->receiver_count; i++) {
        const struct conf_receiver *r = &conf->receivers[i];
        has_community |= r->kind == CONF_SNMP && r->snmp.version < 3 &&
                         r->snmp.community_file[0] == '\0' &&
                         strcmp(r->snmp.community, "public") != 0;
    }
    if (!has_community || stat(conf->file, &st) != 0 || !(st.st_mode & S_IROTH))
        return;
    error_set(&sentence,
              "%s has a community, and every user may read it: use community_file, or take the "
              "right away with chmod o-r",
              conf->file);
    tell(ctx, sentence.text);
}

// Who is told of patterns that fit no node, and what the nodes are.
struct surroundings_nodes {
    const struct systems *systems;
    const struct names *names;
    void (*tell)(void *ctx, const char *sentence);
    void *ctx;
};

static void surroundings_warn_of_list(const struct surroundings_nodes *known, const char *section,
                                      const char *name, const char *item,
                                      const struct filter_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct error sentence;
        if (known_nodes_fit(known->systems, known->names, list->patterns[i]) != KNOWN_NODES_NONE)
            continue;
        error_set(
            &sentence,
            "%s \"%s\": item '%s' has \"%s\", which fits no node of the fabric as ibtrapd saw "
            "the fabric last",
            section, name, item, list->patterns[i]);
        known->tell(known->ctx, sentence.text);
    }
}

void surroundings_warn_of_nodes(const struct conf *conf, const struct systems *systems,
                                const struct names *names,
                                void (*tell)(void *ctx, const char *sentence), void *ctx)
{
    const struct surroundings_nodes known = {systems, names, tell, ctx};
    for (size_t i = 0; i < conf->receiver_count; i++) {
        const struct conf_receiver *r = &conf->receivers[i];
        surroundings_warn_of_list(&known, "receiver", r->name, "nodes", &r->filter.nodes);
        surroundings_warn_of_list(&known, "receiver", r->name, "guids", &r->filter.guids);
        surroundings_warn_of_list(&known, "receiver", r->name, "switches", &r->filter.switches);
    }
    for (size_t i = 0; i < conf->policy.rule_count; i++) {
        const struct conf_rule *rule = &conf->policy.rules[i];
        surroundings_warn_of_list(&known, "policy", rule->name, "nodes", &rule->nodes);
    }
}

static void surroundings_take_snapshot(void *ctx, const struct store_snapshot *snapshot)
{
    struct fabric **fabric = ctx;
    struct error damaged;
    *fabric = fabric_record_read(snapshot->record, snapshot->size, &damaged);
}

// By the newest snapshot in the journal, if there is one that this process may read.
static void surroundings_warn_of_unknown(const struct conf *conf,
                                         void (*tell)(void *ctx, const char *sentence), void *ctx)
{
    const char *map_file = conf->fabric.node_name_map;
    char path[CONF_PATH_SIZE + sizeof "/journal.db"];
    struct store *store;
    struct fabric *fabric = NULL;
    struct error err;
    snprintf(path, sizeof path, "%s/journal.db", conf->journal.directory);
    if (access(path, R_OK) != 0 || store_examine(path, &store, &err) != STORE_OK)
        return;
    store_read_snapshots(store, 0, surroundings_take_snapshot, &fabric, &err);
    store_close(store);
    if (!fabric)
        return;
    struct names *map = map_file[0] != '\0' ? names_load(map_file, &err) : NULL;
    struct names *names =
        names_with(map, NULL, conf->fabric.no_names.patterns, conf->fabric.no_names.count);
    struct systems *systems = describe_systems(fabric, names, &conf->fabric.host_names);
    surroundings_warn_of_nodes(conf, systems, names, tell, ctx);
    systems_unref(systems);
    names_unref(names);
    names_unref(map);
    fabric_unref(fabric);
}

void surroundings_warn(const struct conf *conf, void (*tell)(void *ctx, const char *sentence),
                       void *ctx)
{
    surroundings_warn_of_device(&conf->fabric, tell, ctx);
    surroundings_warn_of_hosts(conf, tell, ctx);
    surroundings_warn_of_readers(conf, tell, ctx);
    surroundings_warn_of_unknown(conf, tell, ctx);
}
