// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/surroundings.h"

#include "base/path.h"
#include "daemon/sinks.h"

#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void surroundings_add(struct conf_mistakes *mistakes, const struct conf *conf,
                             const char *sentence)
{
    if (mistakes->count < CONF_MISTAKES_MAX)
        error_set(&mistakes->sentences[mistakes->count++], "%s: %s", conf->file, sentence);
}

// Whether systemd makes the directory when it starts the instance, for the user that runs it.
static bool surroundings_are_made(const char *directory, const struct instance *instance)
{
    char copy[INSTANCE_PATH_SIZE];
    snprintf(copy, sizeof copy, "%s", instance->socket);
    return strcmp(directory, instance->logs) == 0 || strcmp(directory, instance->state) == 0 ||
           strcmp(directory, dirname(copy)) == 0;
}

static bool surroundings_check_receiver(const struct conf_receiver *receiver,
                                        const struct instance *instance, const struct unit *unit,
                                        struct error *err)
{
    char copy[CONF_PATH_SIZE];
    snprintf(copy, sizeof copy, "%s", receiver->file.path);
    const char *directory = dirname(copy);
    bool is_file = receiver->kind == CONF_FILE && receiver->file.path[0] == '/';
    bool will_be = is_file && access(receiver->file.path, F_OK) != 0 &&
                   surroundings_are_made(directory, instance);
    if (!will_be && !sinks_check(receiver, err))
        return false;
    return !is_file || !unit || unit_check_directory(unit, directory, err) ||
           error_prefix(err, "receiver %s", receiver->name);
}

static bool surroundings_check_directory(const char *directory, const struct instance *instance,
                                         const struct unit *unit, const char *section,
                                         struct error *err)
{
    return surroundings_are_made(directory, instance) ||
           (writable_check_directory(directory, err) &&
            (!unit || unit_check_directory(unit, directory, err))) ||
           error_prefix(err, "section '%s'", section);
}

static bool surroundings_check_control(const char *path, const struct instance *instance,
                                       const struct unit *unit, struct error *err)
{
    char copy[CONF_PATH_SIZE];
    snprintf(copy, sizeof copy, "%s", path);
    return surroundings_check_directory(dirname(copy), instance, unit, "control", err) &&
           (sinks_check_socket(path, err) || error_prefix(err, "section 'control'"));
}

bool surroundings_check(const struct conf *conf, const struct instance *instance,
                        const struct unit *unit, struct conf_mistakes *mistakes)
{
    struct error err;
    *mistakes = (struct conf_mistakes){.count = 0};
    for (size_t i = 0; i < conf->receiver_count; i++) {
        if (!surroundings_check_receiver(&conf->receivers[i], instance, unit, &err))
            surroundings_add(mistakes, conf, err.text);
    }
    if (!sinks_check_socket(conf->subagent.socket, &err)) {
        error_prefix(&err, "section 'subagent'");
        surroundings_add(mistakes, conf, err.text);
    }
    if (!sinks_check_socket(conf->subagent.fabric_socket, &err)) {
        error_prefix(&err, "section 'subagent', item 'fabric_socket'");
        surroundings_add(mistakes, conf, err.text);
    }
    if (!surroundings_check_directory(conf->journal.directory, instance, unit, "journal", &err))
        surroundings_add(mistakes, conf, err.text);
    if (!surroundings_check_control(conf->socket, instance, unit, &err))
        surroundings_add(mistakes, conf, err.text);
    return mistakes->count == 0;
}
