// SPDX-License-Identifier: BSD-2-Clause
#include "base/instance.h"

#include "base/text.h"
#include "install.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PORT_MAX = 254 };

// Splits DEVICE-PORT. Refuses a slash, since the name becomes part of paths.
static bool instance_split(const char *name, struct instance *out)
{
    const char *dash = strrchr(name, '-');
    size_t length = dash ? (size_t)(dash - name) : 0;
    if (length == 0 || length >= sizeof out->device || name[0] == '.' ||
        name[strspn(name, TEXT_NAME_CHARACTERS)] != '\0')
        return false;
    snprintf(out->device, sizeof out->device, "%.*s", (int)length, name);
    char *end;
    unsigned long port = strtoul(dash + 1, &end, 10);
    out->port = (unsigned)port;
    return dash[1] >= '1' && dash[1] <= '9' && *end == '\0' && port <= PORT_MAX;
}

bool instance_find(const char *name, struct instance *out, struct error *err)
{
    *out = (struct instance){0};
    if (!name) {
        snprintf(out->config, sizeof out->config, "%s", INSTALL_CONFIG_FILE);
        snprintf(out->state, sizeof out->state, "%s", INSTALL_STATE_DIRECTORY);
        snprintf(out->logs, sizeof out->logs, "%s", INSTALL_LOG_DIRECTORY);
        snprintf(out->socket, sizeof out->socket, "%s", INSTALL_CONTROL_SOCKET);
        return true;
    }
    if (!instance_split(name, out))
        return error_set(err, "the instance '%s' is not DEVICE-PORT, such as mlx5_0-1", name);
    int lengths[] = {
        snprintf(out->config, sizeof out->config, INSTALL_CONFIG_DIRECTORY "/%s.conf", name),
        snprintf(out->state, sizeof out->state, INSTALL_STATE_DIRECTORY "-%s", name),
        snprintf(out->logs, sizeof out->logs, INSTALL_LOG_DIRECTORY "-%s", name),
        snprintf(out->socket, sizeof out->socket, INSTALL_RUN_DIRECTORY "-%s/control.sock", name)};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (lengths[i] >= INSTANCE_PATH_SIZE)
            return error_set(err, "the paths of instance '%s' would be too long", name);
    }
    return true;
}
