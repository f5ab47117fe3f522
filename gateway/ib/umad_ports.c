// SPDX-License-Identifier: BSD-2-Clause
#include "ib/umad_ports.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATE_ACTIVE = 4 };

// Other ports that a search found.
struct umad_search_finds {
    struct mad_port_id down;      // the first inactive InfiniBand port
    struct mad_port_id other;     // the first port of another link layer
    char layer[UMAD_CA_NAME_LEN]; // its link layer
};

static bool umad_ports_is_infiniband(const umad_port_t *port)
{
    return strcmp(port->link_layer, "InfiniBand") == 0 || strcmp(port->link_layer, "IB") == 0;
}

static struct mad_port_id umad_ports_id(const char *device, const umad_port_t *port)
{
    struct mad_port_id id = {.port = (unsigned)port->portnum,
                             .guid = be64toh(port->port_guid),
                             .active = port->state == STATE_ACTIVE};
    snprintf(id.device, sizeof id.device, "%s", device);
    return id;
}

// Whether this is the wanted port; otherwise remembers what it is.
static bool umad_ports_take(const struct umad_choice *choice, const umad_port_t *port,
                            const struct mad_port_id *id, struct umad_search_finds *finds)
{
    if (choice->port != 0 && choice->port != id->port)
        return false;
    if (!umad_ports_is_infiniband(port)) {
        if (finds->other.device[0] == '\0') {
            finds->other = *id;
            snprintf(finds->layer, sizeof finds->layer, "%s", port->link_layer);
        }
        return false;
    }
    if (finds->down.device[0] == '\0')
        finds->down = *id;
    return id->active || choice->port != 0;
}

// Searches one device's ports.
static bool umad_ports_device(const struct umad_choice *choice, const char *device,
                              struct mad_port_id *id, struct umad_search_finds *finds)
{
    umad_ca_t ca;
    if (umad_get_ca(device, &ca) != 0)
        return false;
    bool found = false;
    for (int i = 0; i < UMAD_CA_MAX_PORTS && !found; i++) {
        if (!ca.ports[i])
            continue;
        *id = umad_ports_id(device, ca.ports[i]);
        found = umad_ports_take(choice, ca.ports[i], id, finds);
    }
    umad_release_ca(&ca);
    return found;
}

static bool umad_ports_is_wanted(const struct umad_choice *choice, const char *device)
{
    if (choice->device[0] != '\0')
        return strcmp(choice->device, device) == 0;
    return strncmp(device, "smi", 3) != 0 || device[3] < '0' || device[3] > '9';
}

static bool umad_ports_explain(const struct umad_choice *choice,
                               const struct umad_search_finds *finds, struct error *err)
{
    if (finds->other.device[0] != '\0')
        return error_set(err,
                         "no InfiniBand port found: %s port %u is %s, and ibtrapd needs one of an "
                         "InfiniBand fabric; check the items 'device' and 'port' of section "
                         "'fabric' against the output of ibstat",
                         finds->other.device, finds->other.port, finds->layer);
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

bool umad_search(const struct umad_choice *choice, struct mad_port_id *id, struct error *err)
{
    char devices[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
    int n = umad_get_cas_names(devices, UMAD_MAX_DEVICES);
    struct umad_search_finds finds = {.layer = ""};
    for (int i = 0; i < n; i++) {
        if (umad_ports_is_wanted(choice, devices[i]) &&
            umad_ports_device(choice, devices[i], id, &finds))
            return true;
    }
    *id = finds.down;
    return id->device[0] != '\0' || umad_ports_explain(choice, &finds, err);
}

static bool umad_ports_has_port(const char *device, uint64_t guid)
{
    umad_ca_t ca;
    if (umad_get_ca(device, &ca) != 0)
        return false;
    bool has = false;
    for (int i = 0; i < UMAD_CA_MAX_PORTS; i++)
        has = has || (ca.ports[i] && be64toh(ca.ports[i]->port_guid) == guid);
    umad_release_ca(&ca);
    return has;
}

bool umad_search_sibling(const struct mad_port_id *id, char out[64])
{
    char devices[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
    int n = umad_get_cas_names(devices, UMAD_MAX_DEVICES);
    for (int i = 0; i < n && id->guid != 0; i++) {
        if (strcmp(devices[i], id->device) == 0 || !umad_ports_has_port(devices[i], id->guid))
            continue;
        snprintf(out, 64, "%s", devices[i]);
        return true;
    }
    return false;
}

// Who has the port open.

// Adds "opensm (PID 812)" for every process that has the device file open.
static void umad_ports_add(struct text *t, const char *device_file)
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

void umad_search_holders(struct text *t, int fd)
{
    char link[64], device_file[128] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, device_file, sizeof device_file - 1);
    if (n <= 0)
        return;
    device_file[n] = '\0';
    umad_ports_add(t, device_file);
}

// The state of a port in sysfs.

enum { VALUE_SIZE = 64, GID_BLOCKS = 4 };

struct umad_sysfs {
    const char *root;
    const struct mad_port_id *id;
};

static bool umad_ports_sysfs_read(const struct umad_sysfs *port, const char *name,
                                  char out[VALUE_SIZE])
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

// Reads a number, decimal or hexadecimal. Words may follow, for instance "4: ACTIVE".
static bool umad_ports_sysfs_number(const struct umad_sysfs *port, const char *name, unsigned max,
                                    unsigned *out)
{
    char text[VALUE_SIZE], *end;
    if (!umad_ports_sysfs_read(port, name, text) || text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 0);
    *out = (unsigned)value;
    return errno == 0 && value <= max && strchr("\n: ", *end) != NULL;
}

// The first half of "fe80:0000:0000:0000:0002:c903:00a1:0001".
static bool umad_ports_sysfs_prefix(const struct umad_sysfs *port, uint64_t *out)
{
    char text[VALUE_SIZE];
    const char *at = text;
    *out = 0;
    if (!umad_ports_sysfs_read(port, "gids/0", text))
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
    if (!umad_ports_sysfs_number(&port, "lid", LID_MAX, &lid) ||
        !umad_ports_sysfs_number(&port, "lid_mask_count", LMC_MAX, &lmc) ||
        !umad_ports_sysfs_number(&port, "sm_lid", LID_MAX, &sm_lid) ||
        !umad_ports_sysfs_number(&port, "sm_sl", SL_MAX, &sm_sl) ||
        !umad_ports_sysfs_number(&port, "state", STATE_MAX, &state) ||
        !umad_ports_sysfs_prefix(&port, &out->subnet_prefix))
        return false;
    out->lid = (uint16_t)lid;
    out->lmc = (uint8_t)lmc;
    out->sm_lid = (uint16_t)sm_lid;
    out->sm_sl = (uint8_t)sm_sl;
    out->state = (uint8_t)state;
    return true;
}
