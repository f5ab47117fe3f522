// SPDX-License-Identifier: BSD-2-Clause
#include "ib/umad.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/wire.h"
#include "ib/mad.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include <infiniband/umad_sa.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The search for a port.

enum { STATE_ACTIVE = 4 };

// A port of this host.
struct umad_found {
    struct mad_port_id id;
    char layer[UMAD_CA_NAME_LEN]; // its link layer
};

enum { UMAD_FOUND_MAX = UMAD_MAX_DEVICES * UMAD_CA_MAX_PORTS };

// Lists the ports of all devices: UMAD_FOUND_MAX at most. Free `out` with free(3).
static size_t umad_ports_list(struct umad_found **out)
{
    char devices[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
    const int n = umad_get_cas_names(devices, UMAD_MAX_DEVICES);
    umad_ca_t ca;
    size_t count = 0;
    *out = memory_zeroed(UMAD_FOUND_MAX, sizeof **out);
    for (int i = 0; i < n; i++) {
        if (umad_get_ca(devices[i], &ca) != 0)
            continue;
        for (int k = 0; k < UMAD_CA_MAX_PORTS; k++) {
            const umad_port_t *port = ca.ports[k];
            struct umad_found *found = &(*out)[count];
            if (!port)
                continue;
            found->id = (struct mad_port_id){.port = (unsigned)port->portnum,
                                             .guid = be64toh(port->port_guid),
                                             .active = port->state == STATE_ACTIVE};
            snprintf(found->id.device, sizeof found->id.device, "%s", devices[i]);
            snprintf(found->layer, sizeof found->layer, "%s", port->link_layer);
            count++;
        }
        umad_release_ca(&ca);
    }
    return count;
}

static bool umad_ports_is_infiniband(const struct umad_found *found)
{
    return strcmp(found->layer, "InfiniBand") == 0 || strcmp(found->layer, "IB") == 0;
}

static bool umad_ports_is_wanted(const struct umad_choice *choice, const struct mad_port_id *id)
{
    const char *device = id->device;
    if (choice->port != 0 && choice->port != id->port)
        return false;
    if (choice->device[0] != '\0')
        return strcmp(choice->device, device) == 0;
    return strncmp(device, "smi", 3) != 0 || device[3] < '0' || device[3] > '9';
}

static bool umad_ports_explain(const struct umad_choice *choice, const struct umad_found *other,
                               struct error *err)
{
    if (other)
        return error_set(err,
                         "no InfiniBand port found: %s port %u is %s, and ibtrapd needs one of an "
                         "InfiniBand fabric; check the items 'device' and 'port' of section "
                         "'fabric' against the output of ibstat",
                         other->id.device, other->id.port, other->layer);
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

// The port of that choice. Returns false with a sentence about the remedy.
static bool umad_search(const struct umad_choice *choice, struct mad_port_id *id, struct error *err)
{
    const struct umad_found *chosen = NULL, *other = NULL;
    struct umad_found *all;
    const size_t count = umad_ports_list(&all);
    for (size_t i = 0; i < count; i++) {
        if (!umad_ports_is_wanted(choice, &all[i].id))
            continue;
        if (!umad_ports_is_infiniband(&all[i]))
            other = other ? other : &all[i];
        else if (!chosen || (all[i].id.active && !chosen->id.active && choice->port == 0))
            chosen = &all[i];
    }
    *id = chosen ? chosen->id : (struct mad_port_id){0};
    const bool found = chosen || umad_ports_explain(choice, other, err);
    free(all);
    return found;
}

// Writes the name of another device with the same port: of a multi-plane adapter, smiN and mlx5_N
// have the same port GUID. False: there is none.
static bool umad_search_sibling(const struct mad_port_id *id, char out[64])
{
    struct umad_found *all;
    const size_t count = umad_ports_list(&all);
    bool found = false;
    for (size_t i = 0; i < count && id->guid != 0 && !found; i++) {
        found = all[i].id.guid == id->guid && strcmp(all[i].id.device, id->device) != 0;
        if (found)
            snprintf(out, 64, "%s", all[i].id.device);
    }
    free(all);
    return found;
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

// Adds "opensm (PID 812), srp_daemon (PID 900)": the other processes that have the descriptor's
// device file open. Adds nothing if there is none that this process may see.
static void umad_search_holders(struct text *t, int fd)
{
    char link[64], device_file[128] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, device_file, sizeof device_file - 1);
    if (n <= 0)
        return;
    device_file[n] = '\0';
    umad_ports_add(t, device_file);
}

// The state of a port in sysfs. libibumad reads the whole P_Key table with the state each time, a
// file for each of up to 128 entries; umad_sysfs_read_port reads six files.

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

// `root` is /sys/class/infiniband. False: a file is missing, or has another format.
static bool umad_sysfs_read_port(const char *root, const struct mad_port_id *id,
                                 struct mad_port *out)
{
    enum { LID, LMC, SM_LID, SM_SL, STATE, FILES };
    static const struct {
        const char *name;
        unsigned max;
    } OF[FILES] = {[LID] = {"lid", 0xFFFF},
                   [LMC] = {"lid_mask_count", 7},
                   [SM_LID] = {"sm_lid", 0xFFFF},
                   [SM_SL] = {"sm_sl", 15},
                   [STATE] = {"state", 5}};
    const struct umad_sysfs port = {root, id};
    unsigned values[FILES];
    uint64_t prefix;
    for (size_t i = 0; i < FILES; i++) {
        if (!umad_ports_sysfs_number(&port, OF[i].name, OF[i].max, &values[i]))
            return false;
    }
    if (!umad_ports_sysfs_prefix(&port, &prefix))
        return false;
    *out = (struct mad_port){.lid = (uint16_t)values[LID],
                             .lmc = (uint8_t)values[LMC],
                             .sm_lid = (uint16_t)values[SM_LID],
                             .sm_sl = (uint8_t)values[SM_SL],
                             .state = values[STATE],
                             .subnet_prefix = prefix};
    return true;
}

// The open port.

// RECEIVE_MAX: octets. An answer of the SA, reassembled from its segments, can be the table of a
// whole fabric.
enum { RECEIVE_MAX = 64 << 20, SMP_MKEY_OFFSET = 24 };
enum { PKEYS_MAX = 1024 }; // more are not looked up
enum { RETURNED = 2, RETURNED_MAX = 64 };
enum { PKEY_DEFAULT = 0x7FFF, PKEY_FULL = 0x8000, SMP_RETRY_REFRESHES = 30 };

// The SA's own GUID, to which any port's SA answers (IBA 4.1.1).
#define SA_GUID UINT64_C(0x0200000000000002)

// If the kernel refuses an agent without `needed`, only sending through this agent fails.
static const struct {
    uint8_t mgmt_class, version;
    bool needed, qp0;
    const char *name;
} AGENTS[MAD_AGENT_COUNT] = {
    [MAD_AGENT_SA] = {MAD_CLASS_SA, UMAD_SA_CLASS_VERSION, true, false, "SA Reports"},
    [MAD_AGENT_SMP] = {MAD_CLASS_SMP_DIRECT, 1, false, true, "directed-route SMPs"},
    [MAD_AGENT_SMP_LID] = {MAD_CLASS_SMP_LID, 1, false, true, "LID-routed SMPs"},
    [MAD_AGENT_PERF] = {MAD_CLASS_PERF, 1, false, false, "performance management"},
    [MAD_AGENT_DM] = {MAD_CLASS_DM, 1, false, false, "device management"},
    [MAD_AGENT_VENDOR] = {MAD_CLASS_VENDOR, 1, false, false, "registers of NVIDIA's devices"},
};

struct port {
    int fd;                      // libibumad's number of the port
    int agents[MAD_AGENT_COUNT]; // negative: could not be registered
    struct mad_port_id id;
    const char *sysfs; // as in struct umad_choice
    uint16_t pkey;     // wanted; 0: the default one
    uint8_t *buffer;
    size_t capacity;    // of `buffer`, in octets of the MAD, after libibumad's header
    struct mad_grh grh; // of the MAD received last
    char missing[160];  // the sentence about a P_Key that is not in the table
    unsigned refreshes;

    // What requests need; any thread reads them.
    atomic_ushort pkey_index;
    atomic_ushort node_pkey_index;  // of requests to nodes, except to the SA
    atomic_ushort pkeys[PKEYS_MAX]; // the port's table; 0: none
    _Atomic uint64_t prefix;        // of the port's GID
    atomic_bool needs_grh;          // the kernel refuses requests without
    // Why the host may send no SMPs: any, or those without an M_Key. NULL: it may, or has not
    // tried.
    _Atomic(const char *) no_smps, no_smps_without_mkey;
    _Atomic uint64_t refused_mkey; // the M_Key of an SMP that the kernel refused; 0: none
};

// Registering.

static bool umad_explain_reports(const struct port *port, int why, struct error *err)
{
    if (why == EPROTONOSUPPORT) {
        char other[64] = "";
        const bool known = umad_search_sibling(&port->id, other);
        return error_set(err,
                         "%s port %u only sends SMPs: name the adapter's other device%s%s%s in the "
                         "item 'device' of section 'fabric' (the kernel says: %s)",
                         port->id.device, port->id.port, known ? ", " : "", other, known ? "," : "",
                         strerror(why));
    }
    if (why == EPERM || why == EACCES)
        return error_set(err,
                         "cannot register for SA Reports on %s port %u: %s. Where network "
                         "namespaces are exclusive ('rdma system'), the adapter has to be in "
                         "ibtrapd's; SELinux has to allow it manage_subnet",
                         port->id.device, port->id.port, strerror(why));
    if (why != EINVAL && why != EBUSY)
        return error_set(err, "cannot register for SA Reports on %s port %u: %s", port->id.device,
                         port->id.port, strerror(why));
    char who[300];
    struct text t = text_in(who, sizeof who);
    umad_search_holders(&t, umad_get_fd(port->fd));
    return error_set(err,
                     "cannot register for SA Reports on %s port %u: another program has, and only "
                     "one can; %s%s (the kernel says: %s)",
                     port->id.device, port->id.port,
                     t.len ? "these hold the device: " : "is a second ibtrapd running?", who,
                     strerror(why));
}

static bool umad_register_agents(struct port *port, struct error *err)
{
    long methods[16 / sizeof(long)] = {0};
    methods[0] = 1L << MAD_METHOD_REPORT;
    for (int i = 0; i < MAD_AGENT_COUNT; i++) {
        bool sa = i == MAD_AGENT_SA; // only the SA sends requests to us, and answers in segments
        errno = 0;
        port->agents[i] = umad_register(port->fd, AGENTS[i].mgmt_class, AGENTS[i].version, sa,
                                        sa ? methods : NULL);
        const int why = errno ? errno : EINVAL;
        if (port->agents[i] >= 0)
            continue;
        if (AGENTS[i].needed)
            return umad_explain_reports(port, why, err);
        if (i == MAD_AGENT_SMP)
            atomic_store(&port->no_smps, why == EPROTONOSUPPORT
                                             ? "the port has no QP0, as of a multi-plane adapter"
                                         : why == EACCES || why == EPERM
                                             ? "the kernel does not let ibtrapd register for them "
                                               "(SELinux has to allow it manage_subnet)"
                                             : "the kernel does not let ibtrapd register for them");
    }
    return true;
}

// The kernel's knowledge of the own port.

// The index of a P_Key, of either membership, as the table was when it was read last: a full
// member's rather than a limited one's; -1: none.
static int umad_index_of(const struct port *port, uint16_t wanted)
{
    int found = -1;
    for (int i = 0; i < PKEYS_MAX; i++) {
        const unsigned pkey = atomic_load(&port->pkeys[i]);
        if (pkey == 0 || (pkey & ~(unsigned)PKEY_FULL) != (wanted & ~(unsigned)PKEY_FULL))
            continue;
        if (pkey & PKEY_FULL)
            return i;
        found = found < 0 ? i : found;
    }
    return found;
}

static void umad_forget_refusal(struct port *port)
{
    atomic_store(&port->no_smps_without_mkey, NULL);
    atomic_store(&port->refused_mkey, 0);
}

static const char *umad_refresh(void *self)
{
    struct port *port = self;
    umad_port_t p;
    if (++port->refreshes % SMP_RETRY_REFRESHES == 0) // it may have refused for once
        umad_forget_refusal(port);
    const uint16_t wanted = port->pkey ? port->pkey : PKEY_DEFAULT;
    if (umad_get_port(port->id.device, (int)port->id.port, &p) != 0)
        return NULL;
    const bool known = p.pkeys_size > 0 && p.state == STATE_ACTIVE;
    for (unsigned i = 0; i < PKEYS_MAX; i++)
        atomic_store(&port->pkeys[i], i < p.pkeys_size ? p.pkeys[i] : 0);
    atomic_store(&port->prefix, be64toh(p.gid_prefix));
    umad_release_port(&p);
    const int index = umad_index_of(port, wanted), common = umad_index_of(port, PKEY_DEFAULT);
    const bool is_full = common >= 0 && atomic_load(&port->pkeys[common]) & PKEY_FULL;
    atomic_store(&port->pkey_index, (unsigned short)(index > 0 ? index : 0));
    // Every node is at least a limited member of the default partition.
    const int node_index = is_full ? common : index;
    atomic_store(&port->node_pkey_index, (unsigned short)(node_index > 0 ? node_index : 0));
    if (index >= 0 || !known)
        return NULL;
    snprintf(
        port->missing, sizeof port->missing,
        "%s port %u is not in the partition with P_Key 0x%04x%s: no subnet manager will answer",
        port->id.device, port->id.port, wanted | PKEY_FULL,
        port->pkey ? " (item 'pkey')" : ", the default one (see item 'pkey')");
    return port->missing;
}

static bool umad_read_port(void *self, struct mad_port *out, struct error *err)
{
    const struct port *port = self;
    umad_port_t p;
    if (umad_sysfs_read_port(port->sysfs, &port->id, out))
        return true;
    if (umad_get_port(port->id.device, (int)port->id.port, &p) != 0)
        return error_set(err, "the kernel does not say how %s port %u is", port->id.device,
                         port->id.port);
    *out = (struct mad_port){.lid = (uint16_t)p.base_lid,
                             .lmc = (uint8_t)p.lmc,
                             .sm_lid = (uint16_t)p.sm_lid,
                             .sm_sl = (uint8_t)p.sm_sl,
                             .state = p.state,
                             .subnet_prefix = be64toh(p.gid_prefix)};
    umad_release_port(&p);
    return true;
}

static const char *umad_smp_refusal(void *self, uint64_t mkey)
{
    struct port *port = self;
    const char *why = atomic_load(&port->no_smps);
    if (why || mkey == 0)
        return why ? why : atomic_load(&port->no_smps_without_mkey);
    return atomic_load(&port->refused_mkey) == mkey
               ? "the kernel refuses them with this M_Key, as of a virtual function or of a port "
                 "that wants another (item 'mkey_file')"
               : NULL;
}

// Keeps why the kernel refused an SMP. It gives the same reason if the own port refuses its M_Key.
static void umad_note_refusal(struct port *port, const uint8_t *mad)
{
    char link[160];
    const uint64_t mkey = wire_get64(mad + SMP_MKEY_OFFSET);
    snprintf(link, sizeof link, "/sys/class/infiniband/%s/device/physfn", port->id.device);
    if (access(link, F_OK) == 0)
        atomic_store(&port->no_smps, "the adapter is a virtual function");
    else if (mkey != 0)
        atomic_store(&port->refused_mkey, mkey);
    else
        atomic_store(&port->no_smps_without_mkey,
                     "the kernel refuses them, as of a virtual function or of a port that wants an "
                     "M_Key (item 'mkey_file')");
}

static bool umad_grow(struct port *port, size_t wanted)
{
    if (wanted > RECEIVE_MAX)
        return false;
    // Not umad_size(), which is too small before the first port is open.
    port->buffer = memory_resize(port->buffer, sizeof(ib_user_mad_t) + wanted, 1);
    port->capacity = wanted;
    return true;
}

static void umad_close(void *self)
{
    struct port *port = self;
    umad_close_port(port->fd);
    free(port->buffer);
    free(port);
}

// As umad_receive; RETURNED: the kernel returned a request that timed out.
static int umad_read(struct port *port, struct mad_received *out, int timeout_ms, struct error *err)
{
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
        return RETURNED;
    const ib_mad_addr_t *from = umad_get_mad_addr(port->buffer);
    *out = (struct mad_received){
        .from = {.lid = be16toh(from->lid),
                 .qpn = be32toh(from->qpn),
                 .sl = from->sl,
                 .pkey_index = from->pkey_index,
                 .grh = from->grh_present ? &port->grh : NULL},
        .octets = umad_get_mad(port->buffer),
        .size = (size_t)length,
    };
    port->grh = (struct mad_grh){.flow_label = be32toh(from->flow_label),
                                 .traffic_class = from->traffic_class,
                                 .hop_limit = from->hop_limit,
                                 .gid_index = from->gid_index};
    memcpy(port->grh.gid, from->gid, sizeof port->grh.gid);
    return 1;
}

// Behind a request that the kernel returned, MADs may wait: 0 says that none did.
static int umad_receive(void *self, struct mad_received *out, int timeout_ms, struct error *err)
{
    struct port *port = self;
    int rc = umad_read(port, out, timeout_ms, err);
    for (int i = 0; rc == RETURNED && i < RETURNED_MAX; i++)
        rc = umad_read(port, out, 1, err);
    return rc == RETURNED ? 0 : rc;
}

// The GRH of a request: to the port's GID or, of the SA, to its own one.
static struct mad_grh umad_make_grh(const struct port *port, enum mad_agent agent, uint64_t guid)
{
    struct mad_grh grh = {.hop_limit = 0}; // within the subnet
    wire_put(grh.gid, 8, atomic_load(&port->prefix));
    wire_put(grh.gid + 8, 8, guid == 0 && agent == MAD_AGENT_SA ? SA_GUID : guid);
    return grh;
}

// The P_Key's index of a MAD: an answer has the index of its request, a request the index of its
// destination's partition, an SMP has none.
static int umad_pkey_index(const struct port *port, enum mad_agent agent,
                           const struct mad_address *to, bool answer)
{
    if (answer)
        return to->pkey_index;
    if (AGENTS[agent].qp0)
        return 0;
    const int found = to->pkey ? umad_index_of(port, to->pkey) : -1;
    if (found >= 0)
        return found;
    return atomic_load(agent == MAD_AGENT_SA ? &port->pkey_index : &port->node_pkey_index);
}

static int umad_transmit(const struct port *port, enum mad_agent agent,
                         const struct mad_address *to, const struct mad_grh *grh,
                         const uint8_t *octets, int response_timeout_ms)
{
    uint8_t buffer[sizeof(ib_user_mad_t) + MAD_SIZE] __attribute__((aligned(8))) = {0};
    const bool answer = octets[3] & MAD_METHOD_RESPONSE;
    umad_set_addr(buffer, to->lid, (int)to->qpn, to->sl,
                  AGENTS[agent].qp0 ? 0 : (int)(to->qkey ? to->qkey : IB_DEFAULT_QP1_QKEY));
    umad_set_pkey(buffer, umad_pkey_index(port, agent, to, answer));
    if (grh) {
        ib_mad_addr_t *address = umad_get_mad_addr(buffer);
        address->grh_present = 1;
        address->gid_index = grh->gid_index;
        address->hop_limit = grh->hop_limit;
        address->traffic_class = grh->traffic_class;
        address->flow_label = htobe32(grh->flow_label);
        memcpy(address->gid, grh->gid, sizeof address->gid);
    }
    memcpy(umad_get_mad(buffer), octets, MAD_SIZE);
    errno = 0;
    return umad_send(port->fd, port->agents[agent], buffer, MAD_SIZE, response_timeout_ms, 0);
}

static bool umad_send_mad(void *self, enum mad_agent agent, const struct mad_address *to,
                          const uint8_t *octets, int response_timeout_ms, struct error *err)
{
    struct port *port = self;
    const bool request = !(octets[3] & MAD_METHOD_RESPONSE), gmp = !AGENTS[agent].qp0;
    if (port->agents[agent] < 0)
        return error_set(err, "cannot send: the kernel did not register ibtrapd for %s",
                         AGENTS[agent].name);
    if (request && to->pkey != 0 && umad_index_of(port, to->pkey) < 0)
        return error_set(err,
                         "cannot send: %s port %u is not in the partition with P_Key 0x%04x, in "
                         "which LID %u is",
                         port->id.device, port->id.port, to->pkey, to->lid);
    const struct mad_grh made = umad_make_grh(port, agent, to->guid);
    const struct mad_grh *grh = request && gmp && atomic_load(&port->needs_grh) ? &made : to->grh;
    int rc = umad_transmit(port, agent, to, grh, octets, response_timeout_ms);
    const int why = errno;
    if (rc != 0 && why == EINVAL && request && gmp && !grh) {
        rc = umad_transmit(port, agent, to, &made, octets, response_timeout_ms);
        if (rc == 0)
            atomic_store(&port->needs_grh, true);
    }
    if (rc != 0 && why == EINVAL && agent == MAD_AGENT_SMP && to->lid == 0xFFFF)
        umad_note_refusal(port, octets);
    return rc == 0 || error_set(err, "cannot send to LID %u: %s", to->lid, strerror(why));
}

static bool umad_explain_open(const struct mad_port_id *id, int why, struct error *err)
{
    return error_set(err,
                     "cannot open %s port %u: %s; ibtrapd needs access to /dev/infiniband/umad*%s",
                     id->device, id->port, strerror(why),
                     why == EPERM ? ", and where network namespaces are exclusive ('rdma system'), "
                                    "the adapter in its own"
                                  : "");
}

static bool umad_open(void *ctx, struct mad_io *io, struct mad_port_id *id, struct error *err)
{
    const struct umad_choice *choice = ctx;
    if (umad_init() < 0)
        return error_set(err, "libibumad does not start: is the kernel module ib_umad loaded "
                              "(modprobe ib_umad)?");
    if (!umad_search(choice, id, err))
        return false;
    struct port *port = memory_zeroed(1, sizeof *port);
    umad_grow(port, 4096);
    port->id = *id;
    port->pkey = choice->pkey;
    port->sysfs = choice->sysfs ? choice->sysfs : "/sys/class/infiniband";
    errno = 0;
    port->fd = umad_open_port(id->device, (int)id->port);
    if (port->fd < 0) {
        umad_explain_open(id, errno ? errno : -port->fd, err);
        free(port->buffer);
        free(port);
        return false;
    }
    id->refused = !umad_register_agents(port, err);
    if (id->refused) {
        umad_close(port);
        return false;
    }
    umad_refresh(port);
    *io = (struct mad_io){.receive = umad_receive,
                          .send = umad_send_mad,
                          .close = umad_close,
                          .self = port,
                          .smp_refusal = umad_smp_refusal,
                          .read_port = umad_read_port,
                          .refresh = umad_refresh};
    return true;
}

static bool umad_another_is_better(void *ctx, const struct mad_port_id *id)
{
    const struct umad_choice *choice = ctx;
    struct mad_port_id now = {.active = false};
    struct error ignored;
    if (choice->device[0] != '\0' && choice->port != 0)
        return false;
    return umad_search(choice, &now, &ignored) && now.active &&
           (strcmp(now.device, id->device) != 0 || now.port != id->port);
}

struct mad_opener umad_opener(struct umad_choice *choice)
{
    return (struct mad_opener){umad_open, umad_another_is_better, choice};
}
