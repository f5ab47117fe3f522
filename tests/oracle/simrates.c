// SPDX-License-Identifier: BSD-2-Clause
/* Preloaded into ibtrapd, makes links run below their rate. In ibsim a link always has the best
 * rate that both of its ends are set to.
 *
 * The file that SIM_RATES names has a line "GUID PORT" for each end of a slow link: a node's GUID
 * in hexadecimal, and a port. LinkWidthActive of these ports is 1X, in every answer to a
 * directed-route query of PortInfo. An answer says by which path it came, not from whom; the node
 * at the end of each path is known from the answers to queries of NodeInfo, which come first. */

#include "../lab/simnext.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SIM_FD = 1024,
    UMAD_HEADER_SIZE = 64,
    MAD_SIZE = 256,
    PATHS_MAX = 1024,
    PATH_SIZE = 64
};
enum {
    CLASS = 1,
    METHOD = 3,
    HOPS = 7,
    ATTRIBUTE = 17,
    MODIFIER = 23,
    DATA = 64,
    INITIAL_PATH = 128
};
enum { CLASS_DIRECTED = 0x81, GET_RESPONSE = 0x81, NODE_INFO = 0x11, PORT_INFO = 0x15 };
enum {
    NODE_TYPE = DATA + 2,
    NODE_GUID = DATA + 12,
    LOCAL_PORT = DATA + 28,
    WIDTH_ACTIVE = DATA + 31
};
enum { SWITCH = 2, WIDTH_1X = 1 };

struct path {
    uint8_t hops[PATH_SIZE]; /* their number, and then the port of each */
    uint64_t guid;
    bool is_switch;
};

static struct path paths[PATHS_MAX];
static size_t path_count;

/* The entry of the answer's path; NULL: there is none, and none is to be added. When there are too
 * many, all are forgotten; the next sweep brings them again. */
static struct path *find_path(const uint8_t *mad, bool add)
{
    uint8_t hops[PATH_SIZE] = {0};
    size_t count = mad[HOPS] < PATH_SIZE ? mad[HOPS] : PATH_SIZE - 1;

    hops[0] = (uint8_t)count;
    memcpy(hops + 1, mad + INITIAL_PATH + 1, count < PATH_SIZE - 1 ? count : PATH_SIZE - 1);
    for (size_t i = 0; i < path_count; i++)
        if (memcmp(paths[i].hops, hops, PATH_SIZE) == 0)
            return &paths[i];
    if (!add)
        return NULL;
    if (path_count == PATHS_MAX)
        path_count = 0;
    memcpy(paths[path_count].hops, hops, PATH_SIZE);
    return &paths[path_count++];
}

static void note_node(const uint8_t *mad)
{
    struct path *path = find_path(mad, true);

    path->guid = 0;
    for (size_t i = 0; i < 8; i++)
        path->guid = path->guid << 8 | mad[NODE_GUID + i];
    path->is_switch = mad[NODE_TYPE] == SWITCH;
}

static bool is_slow(uint64_t guid, unsigned port)
{
    const char *name = getenv("SIM_RATES");
    FILE *file = name ? fopen(name, "r") : NULL;
    uint64_t slow_guid;
    unsigned slow_port;
    bool found = false;

    if (!file)
        return false;
    while (!found && fscanf(file, "%" SCNx64 " %u", &slow_guid, &slow_port) == 2)
        found = slow_guid == guid && slow_port == port;
    fclose(file);
    return found;
}

static void slow_down(uint8_t *mad)
{
    const struct path *path = find_path(mad, false);

    if (!path)
        return;
    unsigned port = path->is_switch || mad[MODIFIER] != 0 ? mad[MODIFIER] : mad[LOCAL_PORT];
    if (is_slow(path->guid, port))
        mad[WIDTH_ACTIVE] = WIDTH_1X;
}

ssize_t read(int fd, void *buffer, size_t size)
{
    ssize_t got = next_read()(fd, buffer, size);
    uint8_t *mad = (uint8_t *)buffer + UMAD_HEADER_SIZE;

    if (fd < FIRST_SIM_FD || got < UMAD_HEADER_SIZE + MAD_SIZE || mad[CLASS] != CLASS_DIRECTED ||
        mad[METHOD] != GET_RESPONSE)
        return got;
    if (mad[ATTRIBUTE] == NODE_INFO)
        note_node(mad);
    else if (mad[ATTRIBUTE] == PORT_INFO)
        slow_down(mad);
    return got;
}
