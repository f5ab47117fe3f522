/* Preloaded before libumad2sim.so, lets an OpenSM of the simulator raise traps, give long answers
 * and know its subscribers again.
 *
 * OpenSM waits until its traps are answered or time out before it ends a sweep.
 * ibsim drops the answer (TrapRepress) and umad2sim knows no timeouts, so an
 * OpenSM that asks for mastership would wait for ever. A trap is sent, and
 * reported as not sent: then nobody waits.
 *
 * The simulator has no RMPP: of a table of the SA it passes on the first MAD,
 * and not all of that. The whole answer goes into a file (simtables.h), as the
 * kernel of the asking side would have put it together.
 *
 * umad2sim leaves whatever its memory held in the index of a MAD's P_Key. To
 * OpenSM, who asks for a subscription with another index is another subscriber,
 * and all Reports come twice then. Here it is always the first.
 *
 * A Report that comes here is for a gateway at the same port, if there is one
 * (simbeside.h); to OpenSM that looks like a read that failed. */

#include "simbeside.h"
#include "simnext.h"
#include "simtables.h"

#include <dlfcn.h>
#include <errno.h>
#include <infiniband/umad.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { METHOD = 3, TRAP = 0x05, REPORT = 0x06 };

static bool is_trap(const uint8_t *mad, size_t size)
{
    return size == MAD_SIZE && mad[METHOD] == TRAP;
}

/* Whoever reads it sees all or nothing of it. */
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

ssize_t read(int fd, void *buffer, size_t size)
{
    ssize_t got = next_read()(fd, buffer, size);
    ib_user_mad_t *umad = buffer;

    if (fd < FIRST_SIM_FD || got < UMAD_HEADER_SIZE)
        return got;
    umad->addr.pkey_index = 0;
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
