// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/support_command.h"

#include "base/clock.h"
#include "ctl/alarm_commands.h"
#include "ctl/client.h"
#include "ctl/event_commands.h"
#include "ctl/gateway_commands.h"
#include "ctl/health_command.h"
#include "ctl/journal_commands.h"
#include "ctl/maintenance_commands.h"
#include "ctl/receiver_commands.h"
#include "ctl/show.h"
#include "ctl/support_system.h"
#include "ctl/topology_commands.h"
#include "install.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// Configuration.

static enum command_outcome support_write_configuration(const struct arguments *a,
                                                        struct error *err)
{
    json_t *answer = client_request(a->socket, a->wire, json_object(), err);
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
    command_run *run;
    const char *wire;
    bool json;
};

static const struct support_part PARTS[] = {
    {"Verdict", health_command, "health", false},
    {"Status", gateway_commands_status, "status", false},
    {"Status, JSON", gateway_commands_status, "status", true},
    {"Configuration, without secrets", support_write_configuration, "configuration", false},
    {"Alarms", alarm_commands_list, "alarms", false},
    {"Last events", event_commands_list, "events", false},
    {"Receivers, JSON", receiver_commands_list, "receivers", true},
    {"Maintenance", maintenance_commands_list, "maintenance-list", false},
    {"Snapshots of the fabric", topology_commands_list, "topology-list", false},
    {"Fabric", topology_commands_show, "topology", false},
    {"Journal", journal_commands_stats, NULL, false},
};

static void support_write_title(FILE *out, const char *title)
{
    fprintf(out, "\n==== %s ====\n\n", title);
}

// Writes a part, or why it cannot be had. False: the gateway could not be asked.
static bool support_write_part(const struct arguments *a, const struct support_part *part,
                               FILE *out)
{
    struct error err;
    struct arguments own = {
        .out = out, .wire = part->wire, .socket = a->socket, .file = a->file, .json = part->json};
    support_write_title(out, part->title);
    if (part->run(&own, &err) != COMMAND_REFUSED)
        return true;
    fprintf(out, "%s\n", err.text);
    return false;
}

static bool support_write_all(const struct arguments *a, FILE *out)
{
    char now[CLOCK_TEXT_SIZE];
    bool whole = true;
    clock_format_utc(clock_utc(&clock_system), now);
    fprintf(out, "ibtrapctl " INSTALL_VERSION ", %s\n", now);
    support_write_title(out, "System");
    support_system_write_versions(out);
    support_write_title(out, "Adapters and ports");
    support_system_write_ports(out, "/sys/class");
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        whole &= support_write_part(a, &PARTS[i], out);
    support_write_title(out, "Log");
    support_system_write_log(out, a->values[OPTION_INSTANCE]);
    return whole;
}

enum command_outcome support_command(const struct arguments *a, struct error *err)
{
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
    bool whole = support_write_all(a, out);
    bool written = !ferror(out);
    if (fclose(out) != 0 || !written) {
        error_set(err, "cannot write '%s': is its disk full?", path);
        return COMMAND_REFUSED;
    }
    fprintf(a->out,
            "%s has what a developer needs, without keys, passwords and communities. It has names "
            "and\naddresses of your site: read it before you pass it on.\n",
            path);
    return whole ? COMMAND_DONE
                 : command_outcome(
                       error_set(err, "some of it could not be had; '%s' says why", path));
}
