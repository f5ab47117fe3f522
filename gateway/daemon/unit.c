// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/unit.h"

#include <fcntl.h>
#include <libgen.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Returns the value if the line is that of the property; else NULL.
static const char *unit_value(const char *line, const char *property)
{
    size_t length = strlen(property);
    return strncmp(line, property, length) == 0 && line[length] == '=' ? line + length + 1 : NULL;
}

static void unit_read(FILE *answer, struct unit *out)
{
    char line[UNIT_TEXT_SIZE];
    while (fgets(line, sizeof line, answer)) {
        const char *value;
        line[strcspn(line, "\n")] = '\0';
        if ((value = unit_value(line, "ProtectSystem")))
            out->is_strict = strcmp(value, "strict") == 0;
        if ((value = unit_value(line, "ReadWritePaths")))
            snprintf(out->writable + strlen(out->writable),
                     sizeof out->writable - strlen(out->writable), "%s", value);
    }
}

// Starts systemctl for the service. Returns what it prints, or NULL.
static FILE *unit_start(const char *service, pid_t *child)
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

void unit_ask(const char *name, const struct instance *instance, struct unit *out)
{
    char service[sizeof out->name + sizeof ".service"], run[INSTANCE_PATH_SIZE];
    pid_t child;
    int status = -1;
    *out = (struct unit){.is_strict = false};
    snprintf(run, sizeof run, "%s", instance->socket);
    snprintf(out->name, sizeof out->name, "ibtrapd%s%s", name ? "@" : "", name ? name : "");
    snprintf(out->writable, sizeof out->writable, "%s %s %s ", instance->logs, instance->state,
             dirname(run));
    snprintf(service, sizeof service, "%s.service", out->name);
    FILE *answer = access("/run/systemd/system", F_OK) == 0 ? unit_start(service, &child) : NULL;
    if (!answer)
        return;
    unit_read(answer, out);
    fclose(answer);
    if (waitpid(child, &status, 0) != child || status != 0)
        out->is_strict = false;
}

// Whether a path is the directory or above it. The path has `length` octets.
static bool unit_is_above(const char *path, size_t length, const char *directory)
{
    while (length > 1 && path[length - 1] == '/')
        length--;
    return strncmp(path, directory, length) == 0 &&
           (length == 1 || directory[length] == '/' || directory[length] == '\0');
}

static bool unit_lets_write(const struct unit *unit, const char *directory)
{
    static const char *const ALWAYS[] = {"/dev", "/tmp", "/var/tmp"}; // by PrivateTmp=
    for (size_t i = 0; i < sizeof ALWAYS / sizeof *ALWAYS; i++) {
        if (unit_is_above(ALWAYS[i], strlen(ALWAYS[i]), directory))
            return true;
    }
    for (const char *p = unit->writable; *p;) {
        p +=
            strspn(p, " -+"); // the marks of a path that may be missing, or is below RootDirectory=
        size_t length = strcspn(p, " ");
        if (length > 0 && unit_is_above(p, length, directory))
            return true;
        p += length;
    }
    return false;
}

bool unit_check_directory(const struct unit *unit, const char *directory, struct error *err)
{
    return !unit->is_strict || unit_lets_write(unit, directory) ||
           error_set(err,
                     "%s is read-only in the unit %s: set ReadWritePaths=%s there (systemctl edit "
                     "%s)",
                     directory, unit->name, directory, unit->name);
}
