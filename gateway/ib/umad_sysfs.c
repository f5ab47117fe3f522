// SPDX-License-Identifier: BSD-2-Clause
#include "ib/umad_sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VALUE_SIZE = 64, GID_BLOCKS = 4 };

struct umad_sysfs {
    const char *root;
    const struct mad_port_id *id;
};

static bool umad_sysfs_read(const struct umad_sysfs *port, const char *name, char out[VALUE_SIZE])
{
    char path[256];
    const int length = snprintf(path, sizeof path, "%s/%s/ports/%u/%s", port->root,
                                port->id->device, port->id->port, name);
    const int fd =
        length < (int)sizeof path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : -1;
    if (fd < 0)
        return false;
    const ssize_t size = read(fd, out, VALUE_SIZE - 1);
    close(fd);
    out[size > 0 ? size : 0] = '\0';
    return size > 0;
}

// Reads a number, decimal or hexadecimal, which words may follow, as in "4: ACTIVE".
static bool umad_sysfs_number(const struct umad_sysfs *port, const char *name, unsigned max,
                              unsigned *out)
{
    char text[VALUE_SIZE], *end;
    if (!umad_sysfs_read(port, name, text) || text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 0);
    *out = (unsigned)value;
    return errno == 0 && value <= max && strchr("\n: ", *end) != NULL;
}

// The first half of "fe80:0000:0000:0000:0002:c903:00a1:0001".
static bool umad_sysfs_prefix(const struct umad_sysfs *port, uint64_t *out)
{
    char text[VALUE_SIZE];
    const char *at = text;
    *out = 0;
    if (!umad_sysfs_read(port, "gids/0", text))
        return false;
    for (int i = 0; i < GID_BLOCKS; i++) {
        char *end;
        const unsigned long block = strtoul(at, &end, 16);
        if (end != at + 4 || *end != ':')
            return false;
        *out = *out << 16 | block;
        at = end + 1;
    }
    return true;
}

bool umad_sysfs_read_port(const char *root, const struct mad_port_id *id, struct mad_port *out)
{
    enum { LID_MAX = 0xFFFF, LMC_MAX = 7, SL_MAX = 15, STATE_MAX = 5 };
    const struct umad_sysfs port = {root, id};
    unsigned lid, lmc, sm_lid, sm_sl, state;
    *out = (struct mad_port){.lid = 0};
    if (!umad_sysfs_number(&port, "lid", LID_MAX, &lid) ||
        !umad_sysfs_number(&port, "lid_mask_count", LMC_MAX, &lmc) ||
        !umad_sysfs_number(&port, "sm_lid", LID_MAX, &sm_lid) ||
        !umad_sysfs_number(&port, "sm_sl", SL_MAX, &sm_sl) ||
        !umad_sysfs_number(&port, "state", STATE_MAX, &state) ||
        !umad_sysfs_prefix(&port, &out->subnet_prefix))
        return false;
    out->lid = (uint16_t)lid;
    out->lmc = (uint8_t)lmc;
    out->sm_lid = (uint16_t)sm_lid;
    out->sm_sl = (uint8_t)sm_sl;
    out->state = (uint8_t)state;
    return true;
}
