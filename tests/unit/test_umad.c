// SPDX-License-Identifier: BSD-2-Clause
// The port over libibumad, from a fake libibumad: kernels and adapters that refuse some calls.
#include "scratch.h"
#include "support.h"

#include "base/wire.h"
#include "ib/umad.h"

#include <errno.h>
#include <infiniband/umad.h>
#include <sys/stat.h>

enum { PKEYS = 4, SENT_MAX = 8, QP0_CLASS = 0x81, LID_CLASS = 0x01 };
static const uint64_t PREFIX = UINT64_C(0xfe80000000000000);

// The machine. Tests change the machine before they open a port.
static struct {
    const char *devices[3];
    const char *layer[3];   // of each device's port
    unsigned state[3];      // of each device's port
    uint16_t pkeys[PKEYS];  // of each port
    bool no_qp0, no_qp1;    // the port lacks it
    int reports_refused;    // errno of the registration for Reports; 0: none
    int open_refused;       // errno
    bool needs_grh;         // refuses GMPs without
    bool no_smps;           // refuses SMPs
    uint64_t mkey;          // refuses SMPs without it
    bool same_port;         // the first and the last device have the same port
    ib_user_mad_t received; // header of the next MAD to be received
    unsigned returned;      // requests that timed out come before it
} machine;

static struct {
    ib_mad_addr_t to;
    uint8_t mad[MAD_SIZE];
} sent[SENT_MAX];
static size_t sent_count;
static unsigned reads_of_all; // of a port with its P_Key table
static uint8_t classes[MAD_AGENT_COUNT];
static int agents;

int umad_init(void)
{
    return 0;
}

int umad_get_cas_names(char cas[][UMAD_CA_NAME_LEN], int max)
{
    int n = 0;
    for (; n < max && n < (int)COUNT(machine.devices) && machine.devices[n]; n++)
        snprintf(cas[n], UMAD_CA_NAME_LEN, "%s", machine.devices[n]);
    return n;
}

int umad_get_port(const char *name, int number, umad_port_t *port)
{
    reads_of_all++;
    for (size_t i = 0; i < COUNT(machine.devices); i++) {
        if (!machine.devices[i] || strcmp(machine.devices[i], name) != 0 || number > 1)
            continue;
        *port = (umad_port_t){.portnum = 1,
                              .base_lid = 7,
                              .lmc = 2,
                              .sm_lid = 1,
                              .sm_sl = 3,
                              .state = machine.state[i],
                              .gid_prefix = htobe64(PREFIX),
                              .port_guid = htobe64(0x1000 + (machine.same_port ? i % 2 : i)),
                              .pkeys_size = PKEYS,
                              .pkeys = machine.pkeys};
        snprintf(port->link_layer, sizeof port->link_layer, "%s", machine.layer[i]);
        return 0;
    }
    return -ENODEV;
}

int umad_release_port(umad_port_t *port)
{
    (void)port;
    return 0;
}

int umad_get_ca(const char *name, umad_ca_t *ca)
{
    static umad_port_t port;
    memset(ca, 0, sizeof *ca);
    ca->ports[1] = &port;
    return umad_get_port(name, 1, &port);
}

int umad_release_ca(umad_ca_t *ca)
{
    (void)ca;
    return 0;
}

int umad_open_port(const char *name, int number)
{
    (void)name, (void)number;
    errno = machine.open_refused;
    return errno ? -errno : 3;
}

int umad_close_port(int fd)
{
    (void)fd;
    return 0;
}

int umad_get_fd(int fd)
{
    (void)fd;
    return -1;
}

int umad_register(int fd, int mgmt_class, int version, uint8_t rmpp,
                  long methods[16 / sizeof(long)])
{
    (void)fd, (void)version, (void)rmpp;
    const bool smp = mgmt_class == QP0_CLASS || mgmt_class == LID_CLASS;
    errno = (smp ? machine.no_qp0 : machine.no_qp1) ? EPROTONOSUPPORT : 0;
    if (methods && errno == 0)
        errno = machine.reports_refused;
    if (errno != 0)
        return -EPERM;
    classes[agents] = (uint8_t)mgmt_class;
    return agents++;
}

// The present layout; the real library turns to this layout after it has opened a port.
void *umad_get_mad(void *umad)
{
    return ((ib_user_mad_t *)umad)->data;
}

int umad_set_pkey(void *umad, int index)
{
    ((ib_user_mad_t *)umad)->addr.pkey_index = (uint16_t)index;
    return 0;
}

int umad_send(int fd, int agent, void *umad, int length, int timeout_ms, int retries)
{
    (void)fd, (void)timeout_ms, (void)retries;
    const uint8_t *mad = umad_get_mad(umad);
    const bool smp = classes[agent] == QP0_CLASS || classes[agent] == LID_CLASS;
    const bool refused = smp ? machine.no_smps || wire_get64(mad + 24) != machine.mkey
                             : machine.needs_grh && !umad_get_mad_addr(umad)->grh_present;
    errno = refused ? EINVAL : 0;
    if (errno != 0)
        return -EIO;
    assert_true(sent_count < SENT_MAX);
    assert_int_equal(length, MAD_SIZE);
    sent[sent_count].to = *umad_get_mad_addr(umad);
    memcpy(sent[sent_count++].mad, mad, MAD_SIZE);
    return 0;
}

int umad_recv(int fd, void *umad, int *length, int timeout_ms)
{
    (void)fd, (void)timeout_ms;
    memcpy(umad, &machine.received, sizeof machine.received);
    if (machine.returned > 0) {
        ((ib_user_mad_t *)umad)->status = ETIMEDOUT;
        machine.returned--;
    }
    *length = MAD_SIZE;
    return 0;
}

static struct umad_choice choice;
static struct mad_io io;
static struct mad_port_id id;
static struct error err;

static int begin(void **state)
{
    (void)state;
    memset(&machine, 0, sizeof machine);
    machine.devices[0] = "mlx5_0";
    machine.layer[0] = machine.layer[1] = machine.layer[2] = "InfiniBand";
    machine.state[0] = machine.state[1] = machine.state[2] = 4;
    machine.pkeys[0] = 0xFFFF;
    sent_count = 0;
    agents = 0;
    choice = (struct umad_choice){.device = ""};
    io = (struct mad_io){.self = NULL};
    return 0;
}

static int end(void **state)
{
    (void)state;
    if (io.self)
        io.close(io.self);
    return 0;
}

static bool try_to_open(void)
{
    const struct mad_opener opener = umad_opener(&choice);
    return opener.open(opener.ctx, &io, &id, &err);
}

static void open_port(void)
{
    assert_true(try_to_open());
}

static void check_refused(const char *why)
{
    assert_false(try_to_open());
    assert_string_equal(err.text, why);
    assert_int_equal(id.refused, machine.reports_refused || machine.no_qp1);
}

static bool send_to(enum mad_agent agent, const struct mad_address *to, uint8_t method,
                    uint64_t mkey)
{
    uint8_t mad[MAD_SIZE] = {1, 3, 2, method};
    wire_put(mad + 24, 8, mkey);
    return io.send(io.self, agent, to, mad, 100, &err);
}

// Requests the own port's PortInfo.
static bool ask_own_port(uint64_t mkey)
{
    return send_to(MAD_AGENT_SMP, &(struct mad_address){.lid = 0xFFFF}, 1, mkey);
}

static void ask_sa(void)
{
    assert_true(send_to(MAD_AGENT_SA, &(struct mad_address){.lid = 1, .qpn = 1, .sl = 3}, 1, 0));
}

// P_Keys.

static void check_pkey_index(uint16_t wanted, const uint16_t table[PKEYS], uint16_t index)
{
    begin(NULL);
    memcpy(machine.pkeys, table, sizeof machine.pkeys);
    choice.pkey = wanted;
    open_port();
    ask_sa();
    assert_int_equal(sent[0].to.pkey_index, index);
    end(NULL);
    io.self = NULL;
}

TEST(a_request_has_the_index_of_its_partition)
{
    check_pkey_index(0, (const uint16_t[]){0xFFFF, 0x8005, 0, 0}, 0);
    check_pkey_index(0, (const uint16_t[]){0x8005, 0x8006, 0xFFFF, 0}, 2);
    check_pkey_index(0, (const uint16_t[]){0x8005, 0x7FFF, 0, 0}, 1);
    check_pkey_index(0, (const uint16_t[]){0x8005, 0x7FFF, 0xFFFF, 0}, 2);
    check_pkey_index(0x8005, (const uint16_t[]){0xFFFF, 0x0005, 0x8005, 0}, 2);
    check_pkey_index(0x0005, (const uint16_t[]){0xFFFF, 0x0005, 0, 0}, 1);
    check_pkey_index(0x8005, (const uint16_t[]){0xFFFF, 0, 0, 0}, 0); // not there
}

// Every node is a member of the default partition; nobody knows the members of the chosen
// partition. A limited member of the default partition reaches no other limited member.
static void check_node_index(uint16_t wanted, const uint16_t table[PKEYS], uint16_t index)
{
    static const enum mad_agent AGENTS[] = {MAD_AGENT_PERF, MAD_AGENT_DM};
    for (size_t i = 0; i < COUNT(AGENTS); i++) {
        begin(NULL);
        memcpy(machine.pkeys, table, sizeof machine.pkeys);
        choice.pkey = wanted;
        open_port();
        assert_true(send_to(AGENTS[i], &(struct mad_address){.lid = 9, .qpn = 1}, 1, 0));
        assert_int_equal(sent[0].to.pkey_index, index);
        end(NULL);
        io.self = NULL;
    }
}

TEST(a_request_to_a_node_has_the_index_of_the_default_partition)
{
    check_node_index(0, (const uint16_t[]){0x8005, 0xFFFF, 0, 0}, 1);
    check_node_index(0, (const uint16_t[]){0x8005, 0x7FFF, 0, 0}, 1);
    check_node_index(0x8005, (const uint16_t[]){0x8005, 0, 0xFFFF, 0}, 2);
    check_node_index(0x8005, (const uint16_t[]){0x7FFF, 0, 0x8005, 0xFFFF}, 3);
    check_node_index(0x8005, (const uint16_t[]){0x7FFF, 0, 0x8005, 0}, 2);
    check_node_index(0x8005, (const uint16_t[]){0x8006, 0x0005, 0, 0}, 1);
    check_node_index(0x8006, (const uint16_t[]){0x8005, 0x7FFF, 0, 0}, 0); // not there
}

TEST(an_answer_keeps_the_index_of_its_request)
{
    machine.pkeys[0] = 0x8005;
    machine.pkeys[1] = 0xFFFF;
    open_port();
    const struct mad_address to = {.lid = 1, .qpn = 1, .pkey_index = 3};
    assert_true(send_to(MAD_AGENT_SA, &to, 0x86, 0));
    assert_int_equal(sent[0].to.pkey_index, 3);
}

// An SA that redirects requests names its partition and its Q_Key.
TEST(a_request_may_have_a_pkey_and_a_qkey_of_its_own)
{
    struct mad_address to = {.lid = 9, .qpn = 5, .pkey = 0x0005, .qkey = 0x80010002};
    machine.pkeys[0] = 0xFFFF;
    machine.pkeys[2] = 0x8005;
    open_port();
    assert_true(send_to(MAD_AGENT_SA, &to, 1, 0));
    assert_int_equal(sent[0].to.pkey_index, 2);
    assert_int_equal(be32toh(sent[0].to.qkey), 0x80010002);
    to.pkey = 0x8006;
    assert_false(send_to(MAD_AGENT_SA, &to, 1, 0));
    machine.pkeys[3] = 0x0006;
    assert_null(io.refresh(io.self));
    assert_true(send_to(MAD_AGENT_SA, &to, 1, 0));
    assert_int_equal(sent[1].to.pkey_index, 3);
    to = (struct mad_address){.lid = 1, .qpn = 1};
    assert_true(send_to(MAD_AGENT_SA, &to, 1, 0));
    assert_int_equal(sent[2].to.pkey_index, 0);
    assert_int_equal(be32toh(sent[2].to.qkey), 0x80010000);
}

TEST(of_two_memberships_the_full_one_is_used)
{
    const struct mad_address to = {.lid = 9, .qpn = 5, .pkey = 0x0005, .qkey = 0x80010002};
    machine.pkeys[0] = 0xFFFF;
    machine.pkeys[1] = 0x0005;
    machine.pkeys[2] = 0x8005;
    open_port();
    assert_true(send_to(MAD_AGENT_SA, &to, 1, 0));
    assert_int_equal(sent[0].to.pkey_index, 2);
}

TEST(smps_have_no_partition)
{
    machine.pkeys[0] = 0x8005;
    machine.pkeys[1] = 0xFFFF;
    open_port();
    assert_true(ask_own_port(0));
    assert_int_equal(sent[0].to.pkey_index, 0);
}

TEST(a_table_that_changes_is_read_again)
{
    open_port();
    ask_sa();
    machine.pkeys[0] = 0x8005;
    machine.pkeys[3] = 0xFFFF;
    assert_null(io.refresh(io.self));
    ask_sa();
    assert_int_equal(sent[0].to.pkey_index, 0);
    assert_int_equal(sent[1].to.pkey_index, 3);
    machine.pkeys[3] = 0;
    assert_string_equal(io.refresh(io.self),
                        "mlx5_0 port 1 is not in the partition with P_Key 0xffff, the default one "
                        "(see item 'pkey'): no subnet manager will answer");
}

// GRHs.

static void check_gid(const ib_mad_addr_t *to, uint64_t guid)
{
    assert_true(to->grh_present);
    assert_int_equal(wire_get64(to->gid), PREFIX);
    assert_int_equal(wire_get64(to->gid + 8), guid);
}

TEST(a_port_that_requires_a_grh_gets_one)
{
    machine.needs_grh = true;
    open_port();
    ask_sa();
    ask_sa();
    const struct mad_address switch_ = {.lid = 9, .qpn = 1, .guid = 0x4711};
    assert_true(send_to(MAD_AGENT_PERF, &switch_, 1, 0));
    assert_int_equal(sent_count, 3);
    check_gid(&sent[0].to, UINT64_C(0x0200000000000002));
    check_gid(&sent[1].to, UINT64_C(0x0200000000000002));
    check_gid(&sent[2].to, 0x4711);
    assert_int_equal(be16toh(sent[2].to.lid), 9);
}

TEST(other_ports_get_none)
{
    open_port();
    ask_sa();
    assert_false(sent[0].to.grh_present);
}

TEST(a_received_grh_is_answered_with_one)
{
    struct mad_received in;
    machine.received = (ib_user_mad_t){.addr = {.lid = htobe16(1),
                                                .qpn = htobe32(1),
                                                .sl = 3,
                                                .grh_present = 1,
                                                .gid_index = 2,
                                                .hop_limit = 64,
                                                .traffic_class = 5,
                                                .flow_label = htobe32(0x12345),
                                                .pkey_index = 1}};
    wire_put(machine.received.addr.gid, 8, PREFIX);
    wire_put(machine.received.addr.gid + 8, 8, 0x99);
    open_port();
    assert_int_equal(io.receive(io.self, &in, 0, &err), 1);
    assert_true(send_to(MAD_AGENT_SA, &in.from, 0x86, 0));
    check_gid(&sent[0].to, 0x99);
    assert_int_equal(sent[0].to.gid_index, 2);
    assert_int_equal(sent[0].to.hop_limit, 64);
    assert_int_equal(sent[0].to.traffic_class, 5);
    assert_int_equal(be32toh(sent[0].to.flow_label), 0x12345);
    assert_int_equal(sent[0].to.pkey_index, 1);
    machine.received.addr.grh_present = 0;
    assert_int_equal(io.receive(io.self, &in, 0, &err), 1);
    assert_null(in.from.grh);
}

// Who gets nothing knows that nothing waits.
TEST(behind_requests_that_timed_out_the_next_mad_is_found)
{
    struct mad_received in;
    machine.received = (ib_user_mad_t){.addr = {.lid = htobe16(1), .qpn = htobe32(1)}};
    machine.returned = 3;
    open_port();
    assert_int_equal(io.receive(io.self, &in, 0, &err), 1);
    assert_int_equal(in.from.lid, 1);
    machine.returned = 1000; // a bounded number at once
    assert_int_equal(io.receive(io.self, &in, 0, &err), 0);
    assert_in_range(machine.returned, 900, 999);
}

// Ports whose host may send no SMPs.

static void check_read_port(void)
{
    struct mad_port port;
    assert_true(io.read_port(io.self, &port, &err));
    assert_int_equal(port.lid, 7);
    assert_int_equal(port.lmc, 2);
    assert_int_equal(port.sm_lid, 1);
    assert_int_equal(port.sm_sl, 3);
    assert_int_equal(port.state, 4);
    assert_int_equal(port.subnet_prefix, PREFIX);
    assert_false(port.client_reregister);
}

static void write_value(const char *root, const char *name, const char *value)
{
    char path[200];
    snprintf(path, sizeof path, "%s/mlx5_0/ports/1/%s", root, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(value, f);
    fclose(f);
}

static void make_directory(const char *root, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

// As Linux 6.1 writes them.
static const char *make_sysfs(void)
{
    const char *root = scratch_make();
    make_directory(root, "mlx5_0");
    make_directory(root, "mlx5_0/ports");
    make_directory(root, "mlx5_0/ports/1");
    make_directory(root, "mlx5_0/ports/1/gids");
    write_value(root, "lid", "0x7\n");
    write_value(root, "lid_mask_count", "2\n");
    write_value(root, "sm_lid", "0x1\n");
    write_value(root, "sm_sl", "3\n");
    write_value(root, "state", "4: ACTIVE\n");
    write_value(root, "gids/0", "fe80:0000:0000:0000:0002:c903:00a1:0001\n");
    return root;
}

// libibumad opens a file for each of 128 P_Keys; the port is read each second.
TEST(reading_the_port_reads_no_pkeys)
{
    const char *root = make_sysfs();
    choice.sysfs = root;
    open_port();
    reads_of_all = 0;
    check_read_port();
    check_read_port();
    assert_int_equal(reads_of_all, 0);
    write_value(root, "state", "1: DOWN\n");
    struct mad_port port;
    assert_true(io.read_port(io.self, &port, &err));
    assert_int_equal(port.state, 1);
    assert_null(io.refresh(io.self));
    assert_int_equal(reads_of_all, 1);
    scratch_remove(root);
}

TEST(files_that_are_not_understood_are_left_to_libibumad)
{
    static const struct {
        const char *name, *value;
    } WRONG[] = {
        {"lid", ""},
        {"lid", "x\n"},
        {"lid", "0x10000\n"},
        {"lid", "-1\n"},
        {"sm_sl", "16\n"},
        {"state", "6: NEW\n"},
        {"lid_mask_count", "8"},
        {"gids/0", "fe80::1\n"},
        {"gids/0", "fe80\n"},
        {"sm_lid", "1x\n"},
    };
    for (size_t i = 0; i < COUNT(WRONG); i++) {
        const char *root = make_sysfs();
        begin(NULL);
        choice.sysfs = root;
        open_port();
        write_value(root, WRONG[i].name, WRONG[i].value);
        reads_of_all = 0;
        check_read_port();
        assert_int_equal(reads_of_all, 1);
        end(NULL);
        io.self = NULL;
        scratch_remove(root);
    }
}

TEST(a_port_without_qp0_can_be_opened)
{
    machine.no_qp0 = true;
    open_port();
    assert_string_equal(io.smp_refusal(io.self, 0),
                        "the port has no QP0, as of a multi-plane adapter");
    assert_string_equal(io.smp_refusal(io.self, 5),
                        "the port has no QP0, as of a multi-plane adapter");
    assert_false(ask_own_port(0));
    check_read_port();
    ask_sa();
}

TEST(a_port_that_refuses_every_smp_is_read_by_the_kernel)
{
    machine.no_smps = true;
    open_port();
    assert_null(io.smp_refusal(io.self, 0));
    assert_false(ask_own_port(0));
    assert_string_equal(err.text, "cannot send to LID 65535: Invalid argument");
    assert_string_equal(io.smp_refusal(io.self, 0),
                        "the kernel refuses them, as of a virtual function or of a port that wants "
                        "an M_Key (item 'mkey_file')");
    check_read_port();
    ask_sa();
}

TEST(a_refusal_is_put_to_the_test_again)
{
    machine.no_smps = true;
    open_port();
    assert_false(ask_own_port(0));
    assert_non_null(io.smp_refusal(io.self, 0));
    machine.no_smps = false;
    for (int i = 0; i < 30; i++)
        assert_null(io.refresh(io.self));
    assert_null(io.smp_refusal(io.self, 0));
    assert_true(ask_own_port(0));
}

TEST(an_mkey_that_is_wrong_is_no_refusal_of_all)
{
    machine.mkey = 5;
    open_port();
    assert_false(ask_own_port(6));
    assert_true(ask_own_port(5));
    assert_null(io.smp_refusal(io.self, 5));
}

// A virtual function in a guest, where nothing says what it is, refuses SMPs with any M_Key.
TEST(a_port_that_refuses_an_mkey_is_read_by_the_kernel)
{
    machine.no_smps = true;
    open_port();
    assert_null(io.smp_refusal(io.self, 6));
    assert_false(ask_own_port(6));
    assert_string_equal(io.smp_refusal(io.self, 6),
                        "the kernel refuses them with this M_Key, as of a virtual function or of a "
                        "port that wants another (item 'mkey_file')");
    assert_null(io.smp_refusal(io.self, 7)); // which was not tried
    check_read_port();
    for (int i = 0; i < 30; i++)
        assert_null(io.refresh(io.self));
    assert_null(io.smp_refusal(io.self, 6));
}

// What the kernel refuses is named.

TEST(another_user_of_reports_is_named)
{
    machine.reports_refused = EINVAL;
    check_refused("cannot register for SA Reports on mlx5_0 port 1: another program has, and only "
                  "one can; is a second ibtrapd running? (the kernel says: Invalid argument)");
}

TEST(a_lack_of_rights_is_named)
{
    machine.reports_refused = EACCES;
    check_refused("cannot register for SA Reports on mlx5_0 port 1: Permission denied. Where "
                  "network namespaces are exclusive ('rdma system'), the adapter has to be in "
                  "ibtrapd's; SELinux has to allow it manage_subnet");
    machine.reports_refused = 0;
    machine.open_refused = EPERM;
    check_refused("cannot open mlx5_0 port 1: Operation not permitted; ibtrapd needs access to "
                  "/dev/infiniband/umad*, and where network namespaces are exclusive ('rdma "
                  "system'), the adapter in its own");
}

TEST(other_reasons_are_the_kernels_words)
{
    machine.reports_refused = ENOMEM;
    check_refused("cannot register for SA Reports on mlx5_0 port 1: Cannot allocate memory");
}

TEST(an_ethernet_port_is_named)
{
    machine.devices[0] = "rxe0";
    machine.layer[0] = "Ethernet";
    check_refused("no InfiniBand port found: rxe0 port 1 is Ethernet, and ibtrapd needs one of an "
                  "InfiniBand fabric; check the items 'device' and 'port' of section 'fabric' "
                  "against the output of ibstat");
    machine.devices[1] = "mlx5_0"; // is found beside it
    open_port();
    assert_string_equal(id.device, "mlx5_0");
}

TEST(no_port_at_all_is_said)
{
    machine.devices[0] = NULL;
    check_refused("no InfiniBand port found: check that the adapter is there (ibstat) and that the "
                  "kernel module ib_umad is loaded (modprobe ib_umad)");
    choice.device = "mlx5_1";
    check_refused("no InfiniBand port mlx5_1 found: check the items 'device' and 'port' of section "
                  "'fabric' against the output of ibstat");
}

// A multi-plane adapter has two devices: one for GMPs, one for SMPs.
TEST(a_device_for_smps_only_is_passed_over)
{
    machine.devices[0] = "smi1";
    machine.devices[1] = "mlx5_1";
    machine.state[1] = 1; // even if its port is down
    open_port();
    assert_string_equal(id.device, "mlx5_1");
}

TEST(a_device_for_smps_only_is_named_if_it_is_chosen)
{
    machine.devices[0] = "smi1";
    machine.no_qp1 = true;
    choice.device = "smi1";
    check_refused("smi1 port 1 only sends SMPs: name the adapter's other device in the item "
                  "'device' of section 'fabric' (the kernel says: Protocol not supported)");
    machine.devices[1] = "mlx5_4";
    machine.devices[2] = "mlx5_5";
    machine.same_port = true; // smi1's port is the port of mlx5_5, the last adapter
    check_refused(
        "smi1 port 1 only sends SMPs: name the adapter's other device, mlx5_5, in the item "
        "'device' of section 'fabric' (the kernel says: Protocol not supported)");
}

#define UMAD_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_has_the_index_of_its_partition),
        cmocka_unit_test(a_request_to_a_node_has_the_index_of_the_default_partition),
        UMAD_TEST(of_two_memberships_the_full_one_is_used),
        UMAD_TEST(an_answer_keeps_the_index_of_its_request),
        UMAD_TEST(a_request_may_have_a_pkey_and_a_qkey_of_its_own),
        UMAD_TEST(smps_have_no_partition),
        UMAD_TEST(a_table_that_changes_is_read_again),
        UMAD_TEST(a_port_that_requires_a_grh_gets_one),
        UMAD_TEST(other_ports_get_none),
        UMAD_TEST(a_received_grh_is_answered_with_one),
        UMAD_TEST(behind_requests_that_timed_out_the_next_mad_is_found),
        UMAD_TEST(reading_the_port_reads_no_pkeys),
        UMAD_TEST(files_that_are_not_understood_are_left_to_libibumad),
        UMAD_TEST(a_port_without_qp0_can_be_opened),
        UMAD_TEST(a_port_that_refuses_every_smp_is_read_by_the_kernel),
        UMAD_TEST(a_refusal_is_put_to_the_test_again),
        UMAD_TEST(an_mkey_that_is_wrong_is_no_refusal_of_all),
        UMAD_TEST(a_port_that_refuses_an_mkey_is_read_by_the_kernel),
        UMAD_TEST(another_user_of_reports_is_named),
        UMAD_TEST(a_lack_of_rights_is_named),
        UMAD_TEST(other_reasons_are_the_kernels_words),
        UMAD_TEST(an_ethernet_port_is_named),
        UMAD_TEST(no_port_at_all_is_said),
        UMAD_TEST(a_device_for_smps_only_is_passed_over),
        UMAD_TEST(a_device_for_smps_only_is_named_if_it_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
