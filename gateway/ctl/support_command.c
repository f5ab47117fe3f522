// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/handlers.h"

#include "base/clock.h"
#include "base/text.h"
#include "ctl/client.h"
#include "ctl/commands.h"
#include "ctl/protocol.h"
#include "install.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

// The machine, for the support file.

enum {
    VALUE_MAX = 400,
    PATH_SIZE = 400,
    ENTRIES_MAX = 512,
    LOG_MAX = 1 << 20,
    LOG_WAIT_MS = 10000
};

// Writes "NAME: VALUE" with the first octets of a file.
static void support_command_write_file(FILE *out, const char *directory, const char *name)
{
    char path[PATH_SIZE], value[VALUE_MAX + 1];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(value, 1, VALUE_MAX, f) : 0;
    if (!f || ferror(f)) {
        fprintf(out, "  %s: %s\n", name, strerror(errno));
    } else {
        char clean[2 * VALUE_MAX];
        while (n > 0 && value[n - 1] == '\n')
            n--;
        text_clean(value, n, clean, sizeof clean);
        fprintf(out, "  %s: %s\n", name, clean);
    }
    if (f)
        fclose(f);
}

static void support_command_write_files(FILE *out, const char *directory, const char *const *names)
{
    char clean[PATH_SIZE];
    text_clean(directory, strlen(directory), clean, sizeof clean);
    fprintf(out, "%s\n", clean);
    for (; *names; names++)
        support_command_write_file(out, directory, *names);
}

// Calls `each` for the entries of a directory, and says why there are none.
static void support_command_each(FILE *out, const char *directory,
                                 void (*each)(FILE *out, const char *path, const char *name))
{
    DIR *d = opendir(directory);
    const struct dirent *entry;
    if (!d)
        fprintf(out, "%s: %s\n", directory, strerror(errno));
    for (int i = 0; d && i < ENTRIES_MAX && (entry = readdir(d)) != NULL; i++) {
        char path[PATH_SIZE];
        int length = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (entry->d_name[0] != '.' && length < (int)sizeof path)
            each(out, path, entry->d_name);
    }
    if (d)
        closedir(d);
}

static void support_command_write_port(FILE *out, const char *path, const char *name)
{
    static const char *const NAMES[] = {"link_layer", "state",          "phys_state", "rate",
                                        "lid",        "lid_mask_count", "sm_lid",     "sm_sl",
                                        "cap_mask",   "pkeys/0",        "gids/0",     NULL};
    (void)name;
    support_command_write_files(out, path, NAMES);
}

static void support_command_write_adapter(FILE *out, const char *path, const char *name)
{
    static const char *const NAMES[] = {"hca_type",  "board_id",  "fw_ver", "node_type",
                                        "node_guid", "node_desc", NULL};
    char ports[PATH_SIZE];
    (void)name;
    support_command_write_files(out, path, NAMES);
    if (snprintf(ports, sizeof ports, "%s/ports", path) < (int)sizeof ports)
        support_command_each(out, ports, support_command_write_port);
}

static void support_command_write_umad(FILE *out, const char *path, const char *name)
{
    static const char *const NAMES[] = {"ibdev", "port", NULL};
    if (strncmp(name, "umad", 4) == 0)
        support_command_write_files(out, path, NAMES);
}

// The log.

// Starts journalctl with its output in a pipe. Returns its process id, or -1 with errno.
static pid_t support_command_start_journalctl(const char *unit, int *from)
{
    char lines[] = "--lines=1000", pager[] = "--no-pager", output[] = "--output=short-iso-precise",
         option[] = "--unit", name[] = "journalctl", value[200];
    char *const words[] = {name, pager, lines, output, option, value, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], error;
    pid_t pid = -1;
    snprintf(value, sizeof value, "%s", unit);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
        error = posix_spawnp(&pid, name, &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    *from = ends[0];
    if (error == 0)
        return pid;
    close(ends[0]);
    errno = error;
    return -1;
}

// Copies octets until the end, until LOG_MAX octets, or until no octet came for LOG_WAIT_MS.
static void support_command_copy(FILE *out, int from)
{
    char chunk[4096];
    size_t all = 0;
    ssize_t n = 1;
    while (n > 0 && all < LOG_MAX) {
        struct pollfd wait = {.fd = from, .events = POLLIN};
        n = poll(&wait, 1, LOG_WAIT_MS) > 0 ? read(from, chunk, sizeof chunk) : 0;
        if (n > 0)
            all += fwrite(chunk, 1, (size_t)n, out);
    }
}

static void support_command_system_write_log(FILE *out, const char *instance)
{
    char unit[200];
    int from;
    snprintf(unit, sizeof unit, instance ? "ibtrapd@%s.service" : "ibtrapd.service",
             instance ? instance : "");
    pid_t pid = support_command_start_journalctl(unit, &from);
    if (pid < 0) {
        fprintf(out, "cannot run journalctl: %s\n", strerror(errno));
        return;
    }
    support_command_copy(out, from);
    close(from);
    kill(pid, SIGKILL); // nobody reads its output any more
    waitpid(pid, NULL, 0);
}

// The support file.

// Configuration.

static enum command_outcome support_command_write_configuration(const struct arguments *a,
                                                                struct error *err)
{
    json_t *answer = client_request(a->socket, a->command->wire, json_object(), err);
    size_t i;
    const json_t *line;
    json_array_foreach(json_object_get(answer, "configuration"), i, line)
    {
        fprintf(a->out, "%s\n", json_string_value(line) ? json_string_value(line) : "");
    }
    json_decref(answer);
    return command_outcome(answer != NULL);
}

// Parts.

struct support_part {
    const char *title;
    const char *command; // NULL: the configuration
    bool json;
};

static const struct support_part PARTS[] = {
    {"Verdict", "health", false},
    {"Status", "status", false},
    {"Status, JSON", "status", true},
    {"Configuration, without secrets", NULL, false},
    {"Alarms", "alarms", false},
    {"Last events", "events", false},
    {"Receivers, JSON", "receivers", true},
    {"Maintenance", "maintenance list", false},
    {"Snapshots of the fabric", "topology list", false},
    {"Fabric", "topology", false},
    {"Journal", "journal stats", false},
};

static void support_command_write_title(FILE *out, const char *title)
{
    fprintf(out, "\n==== %s ====\n\n", title);
}

// Writes a part, or the reason why the part is missing. False: the gateway could not be asked.
static bool support_command_write_part(const struct arguments *a, const struct support_part *part,
                                       FILE *out)
{
    struct error err;
    struct arguments own = {.out = out,
                            .command = part->command ? commands_named(part->command) : a->command,
                            .socket = a->socket,
                            .file = a->file,
                            .json = part->json};
    support_command_write_title(out, part->title);
    command_run *run = part->command ? own.command->run : support_command_write_configuration;
    if (run(&own, &err) != COMMAND_REFUSED)
        return true;
    fprintf(out, "%s\n", err.text);
    return false;
}

static bool support_command_write_all(const struct arguments *a, FILE *out)
{
    char now[CLOCK_TEXT_SIZE];
    bool whole = true;
    clock_format_utc(clock_utc(&clock_system), now);
    fprintf(out, "ibtrapctl " INSTALL_VERSION ", %s\n", now);
    support_command_write_title(out, "System");
    struct utsname system;
    if (uname(&system) == 0)
        fprintf(out, "%s %s %s %s\n", system.sysname, system.release, system.version,
                system.machine);
    support_command_write_file(out, "/etc", "debian_version");
    support_command_write_file(out, "/etc", "redhat-release");
    support_command_write_title(out, "Adapters and ports");
    support_command_each(out, "/sys/class/infiniband", support_command_write_adapter);
    support_command_each(out, "/sys/class/infiniband_mad", support_command_write_umad);
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        whole &= support_command_write_part(a, &PARTS[i], out);
    support_command_write_title(out, "Log");
    support_command_system_write_log(out, a->values[OPTION_INSTANCE]);
    return whole;
}

enum command_outcome support_command(const struct arguments *a, struct error *err)
{
    static const struct show_form FORM = {
        .head =
            "{file} has what a developer needs, without keys, passwords and communities. It has "
            "names and\naddresses of your site: read it before you pass it on.\n"};
    const char *path = a->words[0];
    // Addresses and names are nobody else's business.
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        error_set(err, "cannot make the file '%s': %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return COMMAND_REFUSED;
    }
    bool whole = support_command_write_all(a, out);
    bool written = !ferror(out);
    if (fclose(out) != 0 || !written) {
        error_set(err, "cannot write '%s': is its disk full?", path);
        return COMMAND_REFUSED;
    }
    request_command_write(a, &FORM,
                          json_pack("{s:i, s:s, s:b}", "version", PROTOCOL_VERSION, "file", path,
                                    "whole", (int)whole),
                          err);
    return whole ? COMMAND_DONE
                 : command_outcome(
                       error_set(err, "some of it could not be had; '%s' says why", path));
}
