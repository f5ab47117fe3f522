// SPDX-License-Identifier: BSD-2-Clause
/* Preloaded before libumad2sim.so, enables a simulated port to receive Reports.
 *
 * ibsim delivers an unsolicited MAD only to a client that declared itself a subnet manager when it
 * connected. umad2sim's option for that (SIM_SET_ISSM) would also set IsSM on the port, so this
 * library changes the connect message instead.
 *
 * umad2sim loses the last 32 octets of each MAD and leaves old memory in their place, so that no
 * two copies of one MAD are equal. This library zeroes them.
 *
 * A table of the SA arrives complete, from a file (simtables.h). As with the kernel, a read with
 * too small a buffer gets the beginning, ENOSPC and the required size, and the next read gets the
 * table.
 *
 * If SIM_BESIDE_SM is set, the port is a subnet manager's, and Reports arrive through a socket
 * (simbeside.h).
 *
 * If SIM_LEDS is set, nodes have LEDs (simleds.h).
 *
 * If SIM_REGISTERS is set, nodes tell their registers (simregisters.h).
 *
 * If SIM_MKEY is set, that M_Key protects the own node at protection level 2: as with the kernel,
 * sending it a directed-route SMP with another M_Key fails. ibsim has no M_Keys.
 *
 * If SIM_HARDENED_SM is set, some requests to the SA do not arrive (simhardened.h). */

#include "simbeside.h"
#include "simhardened.h"
#include "simleds.h"
#include "simnext.h"
#include "simregisters.h"
#include "simtables.h"

#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { SIM_MAGIC = 0xdeadbeef, SIM_CTL_CONNECT = 1 };
enum { LOST_SIZE = 32, UMAD_LENGTH = 16, LOOK_MS = 5 };
enum { SMP_HOPS = 7, SMP_MKEY = 24, CLASS_DIRECTED = 0x81 };

struct connect_message {
    uint32_t magic;
    uint32_t client;
    uint32_t type;
    uint32_t length;
    struct {
        uint32_t id;
        uint32_t qp;
        uint32_t issm;
        char node[32];
        char unused[20];
    } data;
};

_Static_assert(sizeof(struct connect_message) == 80, "a control message has 16 + 64 octets");

typedef int poll_function(struct pollfd *fds, nfds_t count, int timeout);

/* A table that did not fit into the reader's buffer; only one thread reads. */
static struct {
    int fd; /* 0: none */
    uint8_t *umad;
    size_t size;
} waiting;

static int beside = -1; /* the socket's descriptor */

__attribute__((constructor)) static void begin(void)
{
    struct sockaddr_un name;
    socklen_t length = beside_name(&name);

    if (!getenv("SIM_BESIDE_SM"))
        return;
    beside = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (beside < 0 || bind(beside, (struct sockaddr *)&name, length) != 0) {
        perror("the socket for Reports");
        _exit(1);
    }
}

static poll_function *next_poll(void)
{
    poll_function *function;
    void *symbol = dlsym(RTLD_NEXT, "poll");

    memcpy(&function, &symbol, sizeof(function));
    return function;
}

/* The table that begins with `umad`, after room for its header; NULL: none. */
static uint8_t *fetch_table(const uint8_t *umad, size_t *size)
{
    char path[PATH_SIZE];
    FILE *file = table_path(path, umad + UMAD_HEADER_SIZE) ? fopen(path, "r") : NULL;
    uint8_t *table = NULL;

    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    if (length >= SA_HEADER_SIZE)
        table = malloc(UMAD_HEADER_SIZE + (size_t)length);
    bool ok = table && fread(table + UMAD_HEADER_SIZE, (size_t)length, 1, file) == 1 &&
              memcmp(table + UMAD_HEADER_SIZE + MAD_TID, umad + UMAD_HEADER_SIZE + MAD_TID, 8) == 0;
    fclose(file);
    if (!ok) {
        free(table);
        return NULL;
    }
    unlink(path);
    memcpy(table, umad, UMAD_HEADER_SIZE);
    *size = UMAD_HEADER_SIZE + (size_t)length;
    uint32_t whole = (uint32_t)*size;
    memcpy(table + UMAD_LENGTH, &whole, sizeof(whole));
    return table;
}

static ssize_t hand_out(void *buffer, size_t size)
{
    size_t piece = size < waiting.size ? size : waiting.size;

    memcpy(buffer, waiting.umad, piece);
    if (piece < waiting.size) {
        errno = ENOSPC;
        return -1;
    }
    free(waiting.umad);
    waiting.fd = 0;
    return (ssize_t)piece;
}

static ssize_t read_mad(int fd, uint8_t *buffer, size_t size)
{
    if (waiting.fd == fd)
        return hand_out(buffer, size);
    ssize_t report = beside >= 0 ? recv(beside, buffer, size, 0) : -1;
    if (report > 0)
        return report;

    ssize_t got = next_read()(fd, buffer, size);
    if (got == UMAD_HEADER_SIZE + MAD_SIZE) {
        memset(buffer + got - LOST_SIZE, 0, LOST_SIZE);
        sim_led_answer(buffer + UMAD_HEADER_SIZE);
        sim_register_answer(buffer + UMAD_HEADER_SIZE);
    }
    if (got < UMAD_HEADER_SIZE ||
        !is_table(buffer + UMAD_HEADER_SIZE, (size_t)got - UMAD_HEADER_SIZE))
        return got;
    waiting.umad = fetch_table(buffer, &waiting.size);
    if (!waiting.umad)
        return got;
    waiting.fd = fd;
    return hand_out(buffer, size);
}

ssize_t read(int fd, void *buffer, size_t size)
{
    return fd < FIRST_SIM_FD ? next_read()(fd, buffer, size) : read_mad(fd, buffer, size);
}

/* Waits for either descriptor. The simulator can poll its descriptors only one at a time. */
static int poll_both(struct pollfd *fds, int timeout)
{
    int waited = 0, ready = 0;

    while (ready == 0) {
        struct pollfd report = {.fd = beside, .events = POLLIN};
        if (next_poll()(&report, 1, 0) == 1) {
            fds->revents = POLLIN;
            return 1;
        }
        if (timeout >= 0 && waited >= timeout)
            return 0;
        ready = next_poll()(fds, 1, LOOK_MS);
        waited += LOOK_MS;
    }
    return ready;
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
    if (count != 1 || fds->fd < FIRST_SIM_FD)
        return next_poll()(fds, count, timeout);
    if (waiting.fd != fds->fd)
        return beside >= 0 ? poll_both(fds, timeout) : next_poll()(fds, count, timeout);
    fds->revents = POLLIN;
    return 1;
}

/* Whether the MAD is a request to the own node with a wrong M_Key. */
static bool lacks_mkey(const uint8_t *mad)
{
    const char *mkey = getenv("SIM_MKEY");
    uint64_t key;

    memcpy(&key, mad + SMP_MKEY, sizeof(key));
    return mkey && mad[MAD_CLASS] == CLASS_DIRECTED && mad[SMP_HOPS] == 0 &&
           be64toh(key) != strtoull(mkey, NULL, 0);
}

ssize_t write(int fd, const void *buffer, size_t size)
{
    struct connect_message message;

    if (fd >= FIRST_SIM_FD && size == UMAD_HEADER_SIZE + MAD_SIZE &&
        lacks_mkey((const uint8_t *)buffer + UMAD_HEADER_SIZE)) {
        errno = EINVAL;
        return -1;
    }
    if (fd >= FIRST_SIM_FD && size == UMAD_HEADER_SIZE + MAD_SIZE) {
        uint8_t umad[UMAD_HEADER_SIZE + MAD_SIZE];
        memcpy(umad, buffer, sizeof(umad));
        if (is_dropped(umad + UMAD_HEADER_SIZE))
            return (ssize_t)size;
        sim_led_ask(umad);
        sim_register_ask(fd, umad);
        return next_write()(fd, umad, sizeof(umad));
    }
    if (size != sizeof(message))
        return next_write()(fd, buffer, size);
    memcpy(&message, buffer, sizeof(message));
    if (message.magic == SIM_MAGIC && message.type == SIM_CTL_CONNECT && beside < 0)
        message.data.issm = 1;
    return next_write()(fd, &message, sizeof(message));
}
