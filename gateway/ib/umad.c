// SPDX-License-Identifier: BSD-2-Clause
#include "ib/umad.h"

#include "base/text.h"
#include "ib/mad.h"

#include <dirent.h>
#include <errno.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include <infiniband/umad_sa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// RECEIVE_MAX: octets. An answer of the SA, reassembled from its segments, can be the table of a
// whole fabric.
enum { RECEIVE_MAX = 64 << 20, STATE_ACTIVE = 4 };

// If an agent that is not needed cannot be registered, only sending through it fails.
static const struct {
    uint8_t mgmt_class, version;
    bool needed, qp0;
    const char *name;
} AGENTS[MAD_AGENT_COUNT] = {
    [MAD_AGENT_SA] = {MAD_CLASS_SA, UMAD_SA_CLASS_VERSION, true, false, "SA Reports"},
    [MAD_AGENT_SMP] = {MAD_CLASS_SMP_DIRECT, 1, true, true, "directed-route SMPs"},
    [MAD_AGENT_SMP_LID] = {MAD_CLASS_SMP_LID, 1, false, true, "LID-routed SMPs"},
    [MAD_AGENT_PERF] = {MAD_CLASS_PERF, 1, false, false, "performance management"},
    [MAD_AGENT_DM] = {MAD_CLASS_DM, 1, false, false, "device management"},
};

struct port {
    int fd;                      // libibumad's number of the port
    int agents[MAD_AGENT_COUNT]; // negative: could not be registered
    uint8_t *buffer;
    size_t capacity; // of `buffer`, in octets of the MAD, after libibumad's header
};

// Finding the port.

static bool is_infiniband(const umad_port_t *port)
{
    return strcmp(port->link_layer, "InfiniBand") == 0 || strcmp(port->link_layer, "IB") == 0;
}

// Searches one device's ports. True: `id` is the wanted port. Otherwise, `fallback` becomes its
// first InfiniBand port that is not active, unless it was set before.
static bool search_device(const char *device, unsigned wanted, struct mad_port_id *id,
                          struct mad_port_id *fallback)
{
    umad_ca_t ca;
    if (umad_get_ca(device, &ca) != 0)
        return false;
    bool found = false;
    for (int i = 0; i < UMAD_CA_MAX_PORTS && !found; i++) {
        const umad_port_t *port = ca.ports[i];
        if (!port || !is_infiniband(port) || (wanted != 0 && port->portnum != (int)wanted))
            continue;
        struct mad_port_id this = {.port = (unsigned)port->portnum,
                                   .guid = be64toh(port->port_guid),
                                   .active = port->state == STATE_ACTIVE};
        snprintf(this.device, sizeof this.device, "%s", device);
        if (this.active || wanted != 0) {
            *id = this;
            found = true;
        } else if (fallback->device[0] == '\0') {
            *fallback = this;
        }
    }
    umad_release_ca(&ca);
    return found;
}

static bool search(const struct umad_choice *choice, struct mad_port_id *id, struct error *err)
{
    char devices[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
    int n = umad_get_cas_names(devices, UMAD_MAX_DEVICES);
    struct mad_port_id fallback = {0};
    for (int i = 0; i < n; i++) {
        if (choice->device[0] != '\0' && strcmp(choice->device, devices[i]) != 0)
            continue;
        if (search_device(devices[i], choice->port, id, &fallback))
            return true;
    }
    if (fallback.device[0] != '\0') {
        *id = fallback;
        return true;
    }
    if (choice->device[0] != '\0')
        return error_set(
            err,
            "no InfiniBand port %s%s%.0u found: check the items 'device' and 'port' of "
            "section 'fabric' against the output of ibstat",
            choice->device, choice->port ? " " : "", choice->port);
    return error_set(err,
                     "no InfiniBand port found: check that the adapter is there (ibstat) and that "
                     "the kernel module ib_umad is loaded (modprobe ib_umad)");
}

// Opening it.

// Adds "opensm (PID 812)" for every process that has the device file open.
static void add_holders(struct text *t, const char *device_file)
{
    DIR *proc = opendir("/proc");
    if (!proc)
        return;
    const char *separator = "";
    for (struct dirent *p; (p = readdir(proc));) {
        char path[300], target[300], name[32] = "?";
        snprintf(path, sizeof path, "/proc/%s/fd", p->d_name);
        DIR *fds = p->d_name[0] >= '1' && p->d_name[0] <= '9' ? opendir(path) : NULL;
        if (!fds)
            continue;
        bool holds = false;
        for (struct dirent *f; !holds && (f = readdir(fds));) {
            ssize_t n = readlinkat(dirfd(fds), f->d_name, target, sizeof target - 1);
            holds = n > 0 && (size_t)n == strlen(device_file) &&
                    memcmp(target, device_file, (size_t)n) == 0;
        }
        closedir(fds);
        if (!holds || strtol(p->d_name, NULL, 10) == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/%s/comm", p->d_name);
        FILE *comm = fopen(path, "re");
        if (comm) {
            if (!fgets(name, sizeof name, comm))
                name[0] = '\0';
            fclose(comm);
            name[strcspn(name, "\n")] = '\0';
        }
        text_addf(t, "%s%s (PID %s)", separator, name, p->d_name);
        separator = ", ";
    }
    closedir(proc);
}

static bool report_who_holds(const struct port *port, const struct mad_port_id *id,
                             struct error *err)
{
    char link[64], device_file[128] = "", who[300];
    snprintf(link, sizeof link, "/proc/self/fd/%d", umad_get_fd(port->fd));
    ssize_t n = readlink(link, device_file, sizeof device_file - 1);
    device_file[n > 0 ? n : 0] = '\0';
    struct text t = text_in(who, sizeof who);
    if (n > 0)
        add_holders(&t, device_file);
    return error_set(
        err,
        "cannot register for SA Reports on %s port %u: another program has, and only one "
        "can; %s%s",
        id->device, id->port, t.len ? "these hold the device: " : "is a second ibtrapd running?",
        who);
}

static bool register_agents(struct port *port, const struct mad_port_id *id, struct error *err)
{
    long methods[16 / sizeof(long)] = {0};
    methods[0] = 1L << MAD_METHOD_REPORT;
    for (int i = 0; i < MAD_AGENT_COUNT; i++) {
        bool sa = i == MAD_AGENT_SA; // only the SA sends requests to us, and answers in segments
        port->agents[i] = umad_register(port->fd, AGENTS[i].mgmt_class, AGENTS[i].version, sa,
                                        sa ? methods : NULL);
        if (port->agents[i] >= 0 || !AGENTS[i].needed)
            continue;
        return sa ? report_who_holds(port, id, err)
                  : error_set(err, "cannot register for %s on %s port %u", AGENTS[i].name,
                              id->device, id->port);
    }
    return true;
}

static bool umad_grow(struct port *port, size_t wanted)
{
    if (wanted > RECEIVE_MAX)
        return false;
    // Not umad_size(), which is too small before the first port is open.
    uint8_t *buffer = realloc(port->buffer, sizeof(ib_user_mad_t) + wanted);
    if (!buffer)
        return false;
    port->buffer = buffer;
    port->capacity = wanted;
    return true;
}

static void port_close(void *self)
{
    struct port *port = self;
    umad_close_port(port->fd);
    free(port->buffer);
    free(port);
}

static int port_receive(void *self, struct mad_received *out, int timeout_ms, struct error *err)
{
    struct port *port = self;
    int length = (int)port->capacity;
    errno = 0;
    int agent = umad_recv(port->fd, port->buffer, &length, timeout_ms);
    if (agent < 0) {
        int why = errno ? errno : -agent;
        if (why == ETIMEDOUT || why == EWOULDBLOCK || why == EINTR)
            return 0;
        if (why == ENOSPC && length > 0 && umad_grow(port, (size_t)length))
            return 0; // the MAD still waits in the kernel; the next call gets it
        error_set(err, "cannot receive: %s", strerror(why));
        return -1;
    }
    if (umad_status(port->buffer) != 0)
        return 0; // the kernel returns a request that timed out
    const ib_mad_addr_t *from = umad_get_mad_addr(port->buffer);
    *out = (struct mad_received){
        .from = {.lid = be16toh(from->lid),
                 .qpn = be32toh(from->qpn),
                 .sl = from->sl,
                 .pkey_index = from->pkey_index},
        .octets = umad_get_mad(port->buffer),
        .size = (size_t)length,
    };
    return 1;
}

static bool port_send(void *self, enum mad_agent agent, const struct mad_address *to,
                      const uint8_t *octets, int response_timeout_ms, struct error *err)
{
    const struct port *port = self;
    uint8_t buffer[sizeof(ib_user_mad_t) + MAD_SIZE] __attribute__((aligned(8))) = {0};
    if (port->agents[agent] < 0)
        return error_set(err, "cannot send: the kernel did not register ibtrapd for %s",
                         AGENTS[agent].name);
    umad_set_addr(buffer, to->lid, (int)to->qpn, to->sl,
                  AGENTS[agent].qp0 ? 0 : (int)IB_DEFAULT_QP1_QKEY);
    umad_set_pkey(buffer, to->pkey_index);
    memcpy(umad_get_mad(buffer), octets, MAD_SIZE);
    int rc = umad_send(port->fd, port->agents[agent], buffer, MAD_SIZE, response_timeout_ms, 0);
    return rc == 0 || error_set(err, "cannot send to LID %u: %s", to->lid, strerror(errno));
}

static bool umad_open(void *ctx, struct mad_io *io, struct mad_port_id *id, struct error *err)
{
    if (umad_init() < 0)
        return error_set(err, "libibumad does not start: is the kernel module ib_umad loaded "
                              "(modprobe ib_umad)?");
    if (!search(ctx, id, err))
        return false;
    struct port *port = calloc(1, sizeof *port);
    if (!port || !umad_grow(port, 4096)) {
        free(port);
        return error_set(err, "out of memory");
    }
    errno = 0;
    port->fd = umad_open_port(id->device, (int)id->port);
    if (port->fd < 0) {
        error_set(err, "cannot open %s port %u: %s; ibtrapd needs access to /dev/infiniband/umad*",
                  id->device, id->port, strerror(errno ? errno : -port->fd));
        free(port->buffer);
        free(port);
        return false;
    }
    if (!register_agents(port, id, err)) {
        port_close(port);
        return false;
    }
    *io = (struct mad_io){port_receive, NULL, port_send, port_close, port};
    return true;
}

static bool another_is_better(void *ctx, const struct mad_port_id *id)
{
    const struct umad_choice *choice = ctx;
    struct mad_port_id now = {.active = false};
    struct error ignored;
    if (choice->device[0] != '\0' && choice->port != 0)
        return false;
    return search(choice, &now, &ignored) && now.active &&
           (strcmp(now.device, id->device) != 0 || now.port != id->port);
}

struct mad_opener umad_opener(struct umad_choice *choice)
{
    return (struct mad_opener){umad_open, another_is_better, choice};
}
