// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/surroundings.h"

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

// Whether the receiver writes to a directory that systemd makes when it starts the instance.
static bool surroundings_come_later(const struct conf_receiver *receiver,
                                    const struct instance *instance)
{
    char copy[CONF_PATH_SIZE];
    if (receiver->kind != CONF_FILE)
        return false;
    snprintf(copy, sizeof copy, "%s", receiver->file.path);
    const char *directory = dirname(copy);
    return (strcmp(directory, instance->logs) == 0 || strcmp(directory, instance->state) == 0) &&
           access(directory, F_OK) != 0;
}

bool surroundings_check(const struct conf *conf, const struct instance *instance,
                        struct conf_mistakes *mistakes)
{
    struct error err;
    *mistakes = (struct conf_mistakes){.count = 0};
    for (size_t i = 0; i < conf->receiver_count; i++) {
        const struct conf_receiver *receiver = &conf->receivers[i];
        if (!surroundings_come_later(receiver, instance) && !sinks_check(receiver, &err))
            surroundings_add(mistakes, conf, err.text);
    }
    if (!sinks_check_socket(conf->subagent.socket, &err)) {
        error_prefix(&err, "section 'subagent'");
        surroundings_add(mistakes, conf, err.text);
    }
    return mistakes->count == 0;
}
