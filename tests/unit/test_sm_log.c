// SPDX-License-Identifier: BSD-2-Clause
// The lines of OpenSM's log that are events, and the way along its file. OpenSM 3.3.23 on ibsim
// wrote the lines.
#include "support.h"

#include "smlog/log_tail.h"
#include "smlog/sm_log_rows.h"
#include "smlog/unhealthy_list.h"

#include <sys/stat.h>
#include <unistd.h>

enum { SM_LID = 1 };

#define PREFIX "Nov 28 12:21:22 549635 [C7C26C0] 0x01 -> "

static struct sm_log_memory memory;
static struct event_builder_occurrence found;

static bool read_line(const char *line)
{
    return sm_log_rows_read(&memory, line, SM_LID, &found);
}

static void check_event(const char *line, enum catalogue_event type, uint64_t guid, uint8_t port,
                        const char *reason)
{
    assert_true(read_line(line));
    assert_int_equal(found.type, type);
    assert_int_equal(found.place.guid, guid);
    assert_int_equal(found.place.port, port);
    assert_string_equal(found.reason, reason);
}

static void check_route(const uint8_t *route, uint8_t hops)
{
    assert_int_equal(found.place.lid, SM_LID);
    assert_int_equal(found.place.hops, hops);
    assert_memory_equal(found.place.route, route, hops);
}

TEST(lines_are_events_with_a_place_and_a_reason)
{
    check_event(PREFIX "ni_rcv_process_new: ERR 0D15: Duplicate Port GUID 0x2c90300b10001! Found "
                       "by the two directed routes:",
                CATALOGUE_SM_GUID_DUPLICATE, UINT64_C(0x2c90300b10001), 0,
                "it is the GUID of a port");
    check_event("Node 0x2c90300b10000 port 1 is reachable from remote node 0x2c90200c10000 port 3 "
                "and remote node 0x2c90200c20000 port 4.",
                CATALOGUE_SM_GUID_DUPLICATE, UINT64_C(0x2c90300b10000), 1,
                "the node is reachable from the node 0x2c90200c10000 port 3 and remote node "
                "0x2c90200c20000 port 4");
    check_event("Errors during initialization", CATALOGUE_SM_SWEEP_FAILED, 0, 0,
                "OpenSM met errors during initialization");
    check_event(PREFIX "ucast_mgr_route: ftree: cannot build lid matrices",
                CATALOGUE_SM_SWEEP_FAILED, 0, 0,
                "the routing engine ftree does not fit the fabric");
    check_event(PREFIX "osm_ucast_mgr_process: No routing engine able to successfully configure  "
                       "switch tables on current fabric",
                CATALOGUE_SM_NO_ROUTE, 0, 0, "no routing engine fits the fabric");
    check_event(PREFIX "parse_part_conf: PARSE ERROR: line 2: no partition definition found",
                CATALOGUE_SM_PARTITION_ERROR, 0, 0,
                "the partition configuration is wrong in line 2: no partition definition found");
    check_event(PREFIX "osm_prtn_make_partitions: Partition configuration in error; retrying with "
                       "default config",
                CATALOGUE_SM_PARTITION_ERROR, 0, 0, "OpenSM uses the default partition alone");
    check_event(PREFIX "pkey_mgr_update_port: ERR 0512: Failed to set PKey 0x8008 because Pkey "
                       "table is full for node 0x0002c90200c10000 port 0 (leaf1)",
                CATALOGUE_SM_PARTITION_ERROR, UINT64_C(0x0002c90200c10000), 0,
                "its table of P_Keys is full");
}

TEST(an_error_is_about_the_route_before_it)
{
    static const uint8_t ROUTE[] = {1, 11, 4};
    assert_false(read_line(PREFIX "log_send_error: ERR 5411: DR SMP Send completed with error "
                                  "(IB_TIMEOUT) -- dropping"));
    assert_false(read_line(PREFIX "Received SMP on a 3 hop path: Initial path = 0,1,11,4, Return "
                                  "path  = 0,0,0,0"));
    assert_false(read_line(PREFIX "sm_mad_ctrl_send_err_cb: ERR 3113: MAD completed in error "
                                  "(IB_TIMEOUT): SubnGet(NodeInfo), attr_mod 0x0, TID 0x12f7"));
    check_event(PREFIX "sm_mad_ctrl_send_err_cb: ERR 3120: Timeout while getting attribute 0x11 "
                       "(NodeInfo); Possible mis-set mkey?",
                CATALOGUE_SM_NO_ANSWER, 0, 0, "NodeInfo timed out; the M_Key may be wrong");
    check_route(ROUTE, 3);
    check_event(PREFIX "sm_mad_ctrl_send_err_cb: ERR 3119: Set method failed for attribute 0x19 "
                       "(LinearForwardingTable)",
                CATALOGUE_SM_SWEEP_FAILED, 0, 0, "LinearForwardingTable could not be set");
    assert_int_equal(found.place.lid, 0);
}

TEST(another_subnet_manager_is_found_by_route_or_lid)
{
    static const uint8_t ROUTE[] = {1, 11, 1};
    const char *const reason = "its SM_Key is another";
    check_event(PREFIX "smi_rcv_process_get_response: ERR 2F18: Got SM (0,1,11,1) with sm_key "
                       "0x0000000000001111 that doesn't match our local sm_key. Ignoring SMInfo",
                CATALOGUE_SM_CONFLICT, 0, 0, reason);
    check_route(ROUTE, 3);
    check_event("Found remote SM (0,1,11,1) with non-matching sm_key", CATALOGUE_SM_CONFLICT, 0, 0,
                reason);
    check_route(ROUTE, 3);
    check_event(PREFIX "log_trap_info: Received Generic Notice type:2 num:256 (Bad M_Key) "
                       "Producer:1 (Channel Adapter) from LID:7 TID:0x0000000000000001",
                CATALOGUE_SM_BAD_MKEY, 0, 0, "its trap 256 is in the log");
    check_event("Found remote SM (LID 7) with non-matching sm_key", CATALOGUE_SM_CONFLICT, 0, 0,
                reason);
    assert_int_equal(found.place.lid, 7);
    assert_int_equal(found.place.hops, 0);
}

// A NodeDescription stands behind the begin of a message.
TEST(a_node_makes_no_event_by_its_name)
{
    static const char *const LINES[] = {
        PREFIX "drop_mgr_remove_port: Removed port of ERR 0D15: Duplicate Port GUID 0x1!",
        PREFIX "drop_mgr_remove_port: Removed port of -> ERR 0D15: Duplicate Port GUID 0x1!",
        PREFIX "x: ERR 1: (node y: No routing engine able to successfully configure)",
        "Node y: PARSE ERROR: line 1",
    };
    for (size_t i = 0; i < COUNT(LINES); i++)
        assert_false(read_line(LINES[i]));
}

TEST(other_lines_are_no_events)
{
    static const char *const LINES[] = {
        "",
        "OpenSM 3.3.23",
        PREFIX "Entering MASTER state",
        PREFIX "ERR 0D15: Duplicate Port GUID",
        PREFIX "ERR 0D15: Duplicate Port GUID none!",
        "Node 0x1 port 999 is reachable from remote node 2.",
        "Found remote SM (LID 70000) with non-matching sm_key",
        "Initial path = 1,2, Return",
        PREFIX "Received SMP on a 1 hop path: Initial path = 0,1,",
        "ERR 2F18: Got SM (",
        "ERR 3120: Timeout while getting attribute (",
    };
    for (size_t i = 0; i < COUNT(LINES); i++)
        assert_false(read_line(LINES[i]));
}

// The file.

static const char *path;
static struct log_tail *tail;
static struct log *log_of_tail;
static char lines[4096];
static size_t line_count, line_max;

static bool take(void *ctx, const char *line)
{
    (void)ctx;
    if (line_count == line_max)
        return false;
    line_count++;
    snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%.20s|", line);
    return true;
}

static void check_lines(const char *expected)
{
    lines[0] = '\0';
    line_count = 0;
    while (log_tail_round(tail, take, NULL))
        ;
    assert_string_equal(lines, expected);
}

static void append(const char *text)
{
    FILE *f = fopen(path, "a");
    REQUIRE(f);
    REQUIRE(fputs(text, f) >= 0 && fclose(f) == 0);
}

static void append_many(char c, size_t n)
{
    FILE *f = fopen(path, "a");
    REQUIRE(f);
    for (size_t i = 0; i < n; i++)
        fputc(c, f);
    REQUIRE(fclose(f) == 0);
}

static void open_tail(const char *place)
{
    log_of_tail = support_log(NULL);
    tail = log_tail_new(path, place, log_of_tail);
    line_max = 1000;
}

static void close_tail(void)
{
    log_tail_free(tail);
    log_close(log_of_tail);
}

static void restart(void)
{
    char place[LOG_TAIL_PLACE_SIZE];
    log_tail_place(tail, place);
    close_tail();
    open_tail(place);
}

static void rotate(const char *suffix)
{
    char former[256];
    snprintf(former, sizeof former, "%s%s", path, suffix);
    REQUIRE(rename(path, former) == 0);
}

static int begin(void **state)
{
    static char text[128];
    (void)state;
    snprintf(text, sizeof text, "%s/opensm.log", scratch_make());
    path = text;
    append("old 1\nold 2\n");
    open_tail("");
    check_lines("");
    return 0;
}

static int end(void **state)
{
    (void)state;
    close_tail();
    return 0;
}

TEST(it_begins_at_the_end_and_takes_whole_lines)
{
    append("new 1\nne");
    check_lines("new 1|");
    append("w 2\n");
    check_lines("new 2|");
    check_lines("");
}

TEST(a_restart_tells_nothing_twice_and_leaves_nothing_out)
{
    append("new 1\n");
    check_lines("new 1|");
    append("new 2\n");
    restart();
    check_lines("new 2|");
    restart();
    check_lines("");
}

TEST(a_line_that_is_not_taken_comes_again)
{
    append("1\n2\n3\n");
    line_max = 2;
    check_lines("1|2|");
    restart();
    check_lines("3|");
}

TEST(a_rotated_file_is_read_to_its_end)
{
    append("new 1\n");
    rotate(".1");
    check_lines("new 1|");
    append("new 2\n");
    check_lines("new 2|");
    append("new 3\n");
    rotate("-20261128");
    append("new 4\n");
    restart();
    check_lines("new 3|new 4|");
}

TEST(a_copied_and_truncated_file_is_read_to_its_end)
{
    char command[512];
    append("new 1\n");
    check_lines("new 1|");
    append("new 2\n");
    snprintf(command, sizeof command, "cp %s %s.1 && : > %s", path, path, path);
    REQUIRE(system(command) == 0); // NOLINT(cert-env33-c): as logrotate does
    append("new 3\n");
    check_lines("new 2|new 3|");
}

TEST(after_a_gap_it_begins_at_the_first_line)
{
    append("new 1\n");
    check_lines("new 1|");
    REQUIRE(truncate(path, 0) == 0);
    append("another line 1\nanother line 2\nanother line 3\n");
    check_lines("another line 1|another line 2|another line 3|");
    restart();
    REQUIRE(unlink(path) == 0);
    check_lines("");
    append("later\n");
    check_lines("later|");
}

TEST(a_long_line_is_read_once_by_its_begin)
{
    append("begin ");
    append_many('x', 1 << 20);
    check_lines("begin xxxxxxxxxxxxxx|");
    restart();
    append_many('y', 1 << 20);
    check_lines("");
    append(" ERR\nnext\n");
    restart();
    check_lines("next|");
}

TEST(a_log_that_comes_later_is_new)
{
    close_tail();
    REQUIRE(unlink(path) == 0);
    open_tail("");
    check_lines("");
    append("1\n");
    check_lines("1|");
}

// The list of unhealthy ports, in the form that facebookresearch/gcm reads.
TEST(the_list_of_unhealthy_ports_has_each_port_once)
{
    struct unhealthy_list list = unhealthy_list_read(
        "# NodeGUID, PortNum, NodeDesc, PeerNodeGUID, PeerPortNum, PeerNodeDesc, {Conditions}, "
        "TimeStamp\n"
        "0x0002c90200c20000, 4, \"leaf2\", 0x0002c90300b10000, 1, \"node1\", {FLAPPING, REBOOT}, "
        "Fri Mar 20 01:13:40 2026\n"
        "0x0002c90200c10000, 12, \"leaf \"1\", {MANUAL}, x\", 0x0, 0, \"\", {UNRESPONSIVE}, Sat "
        "Mar "
        "21 02:00:00 2026\n"
        "0x0002c90200c20000, 4, \"leaf2\", 0x0002c90300b10000, 1, \"node1\", {NOISY}, Fri\n"
        "\n0x0002c90200c20000, 300, \"leaf2\", 0x0, 0, \"\", {NOISY}, Fri\n"
        "0x0002c90200c20000, 5\nfrom here on another form\n0x0002c90200c20000,\n"
        "0x0002c90200c20000, 6, \"leaf2\", 0x0, 0, \"no end, {NOISY\n"
        "0x0002c90200c20000, 7, \"leaf2\", 0x0, 0, \"\", {NOISY}");
    assert_int_equal(list.count, 3);
    assert_int_equal(list.strange, 5);
    assert_int_equal(list.ports[0].guid, UINT64_C(0x0002c90200c10000));
    assert_string_equal(list.ports[0].why, "UNRESPONSIVE, Sat Mar 21 02:00:00 2026");
    assert_int_equal(list.ports[1].port, 4);
    assert_true(unhealthy_list_has(&list, UINT64_C(0x0002c90200c20000), 7));
    assert_false(unhealthy_list_has(&list, UINT64_C(0x0002c90200c20000), 6));
    free(list.ports);
    list = unhealthy_list_read("");
    assert_int_equal(list.count, 0);
    assert_false(unhealthy_list_has(&list, 1, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_events_with_a_place_and_a_reason),
        cmocka_unit_test(an_error_is_about_the_route_before_it),
        cmocka_unit_test(another_subnet_manager_is_found_by_route_or_lid),
        cmocka_unit_test(a_node_makes_no_event_by_its_name),
        cmocka_unit_test(other_lines_are_no_events),
        cmocka_unit_test(the_list_of_unhealthy_ports_has_each_port_once),
        cmocka_unit_test_setup_teardown(it_begins_at_the_end_and_takes_whole_lines, begin, end),
        cmocka_unit_test_setup_teardown(a_restart_tells_nothing_twice_and_leaves_nothing_out, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_line_that_is_not_taken_comes_again, begin, end),
        cmocka_unit_test_setup_teardown(a_rotated_file_is_read_to_its_end, begin, end),
        cmocka_unit_test_setup_teardown(a_copied_and_truncated_file_is_read_to_its_end, begin, end),
        cmocka_unit_test_setup_teardown(after_a_gap_it_begins_at_the_first_line, begin, end),
        cmocka_unit_test_setup_teardown(a_long_line_is_read_once_by_its_begin, begin, end),
        cmocka_unit_test_setup_teardown(a_log_that_comes_later_is_new, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
