// SPDX-License-Identifier: BSD-2-Clause
/* Preloaded before libumad2sim.so, enables an OpenSM on the simulator to raise traps, give long
 * answers and recognise its subscribers.
 *
 * OpenSM does not end a sweep before its traps are answered or time out. ibsim drops the answer
 * (TrapRepress) and umad2sim has no timeouts, so an OpenSM that requests mastership would wait for
 * ever. This library sends a trap but reports it as not sent, so that OpenSM does not wait.
 *
 * The simulator has no RMPP: it forwards only a part of the first MAD of an SA table. The whole
 * answer goes into a file (simtables.h), in the form in which the requester's kernel would have
 * assembled it.
 *
 * umad2sim leaves old memory in the P_Key index of a MAD. OpenSM treats a subscription request with
 * another index as another subscriber and then sends all Reports twice. This library sets the index
 * to 0.
 *
 * SIM_TWIN="A=B" gives the node of port GUID A the GUIDs of the node of port B: ibsim refuses such
 * nodes.
 *
 * A Report that arrives here is for a gateway at the same port, if there is one (simbeside.h).
 * OpenSM sees a failed read. */

#include "simbeside.h"
#include "simnext.h"
#include "simtables.h"

#include <dlfcn.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { METHOD = 3, TRAP = 0x05, REPORT = 0x06 };

static bool is_trap(const uint8_t *mad, size_t size)
{
    return size == MAD_SIZE && mad[METHOD] == TRAP;
}

/* A reader sees either the whole file or none. */
static void keep_table(const uint8_t *mad, size_t size)
{
    char path[PATH_SIZE], draft[PATH_SIZE + 8];
    uint8_t flags = mad[RMPP_FLAGS] | RMPP_FIRST | (size <= MAD_SIZE ? RMPP_LAST : 0);

    if (!table_path(path, mad))
        return;
    snprintf(draft, sizeof(draft), "%s.part", path);
    FILE *file = fopen(draft, "w");
    if (!file)
        return;
    bool ok = fwrite(mad, RMPP_FLAGS, 1, file) == 1 && fputc(flags, file) != EOF &&
              fwrite(mad + RMPP_FLAGS + 1, size - RMPP_FLAGS - 1, 1, file) == 1;
    if (fclose(file) == 0 && ok)
        rename(draft, path);
    else
        unlink(draft);
}

static bool is_report(const uint8_t *mad, size_t size)
{
    return size == MAD_SIZE && mad[MAD_CLASS] == CLASS_SA && mad[METHOD] == REPORT;
}

static bool hand_on(const void *umad, size_t size)
{
    struct sockaddr_un name;
    socklen_t length = beside_name(&name);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool sent =
        fd >= 0 && sendto(fd, umad, size, 0, (struct sockaddr *)&name, length) == (ssize_t)size;

    if (fd >= 0)
        close(fd);
    return sent;
}

enum { SMP_DATA = 64, NODE_INFO = 0x11, GET_RESP = 0x81 };

static void put_guid(uint8_t *at, uint64_t guid)
{
    for (size_t i = 8; i-- > 0; guid >>= 8)
        at[i] = (uint8_t)guid;
}

static void make_twin(uint8_t *mad)
{
    const char *const twin = getenv("SIM_TWIN");
    uint8_t *const data = mad + SMP_DATA, guid[8];
    unsigned long long from, to;

    if (!twin || (mad[MAD_CLASS] != 0x01 && mad[MAD_CLASS] != 0x81) || mad[METHOD] != GET_RESP ||
        mad[16] != 0 || mad[17] != NODE_INFO || sscanf(twin, "%llx=%llx", &from, &to) != 2)
        return;
    put_guid(guid, from);
    if (memcmp(data + 20, guid, sizeof(guid)) != 0)
        return;
    put_guid(data + 4, to - 1);
    put_guid(data + 12, to - 1);
    put_guid(data + 20, to);
}

ssize_t read(int fd, void *buffer, size_t size)
{
    ssize_t got = next_read()(fd, buffer, size);
    ib_user_mad_t *umad = buffer;

    if (fd < FIRST_SIM_FD || got < UMAD_HEADER_SIZE)
        return got;
    umad->addr.pkey_index = 0;
    if (got == UMAD_HEADER_SIZE + MAD_SIZE)
        make_twin(umad->data);
    if (!is_report(umad->data, (size_t)got - UMAD_HEADER_SIZE) || !hand_on(buffer, (size_t)got))
        return got;
    errno = EAGAIN;
    return -1;
}

ssize_t write(int fd, const void *buffer, size_t size)
{
    if (fd < FIRST_SIM_FD || size < UMAD_HEADER_SIZE)
        return next_write()(fd, buffer, size);

    const uint8_t *mad = (const uint8_t *)buffer + UMAD_HEADER_SIZE;
    size_t mad_size = size - UMAD_HEADER_SIZE;

    if (is_table(mad, mad_size))
        keep_table(mad, mad_size);
    ssize_t written = next_write()(fd, buffer, size);
    if (!is_trap(mad, mad_size))
        return written;
    errno = EIO;
    return -1;
}
