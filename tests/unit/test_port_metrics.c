// SPDX-License-Identifier: BSD-2-Clause
// The metrics of ports. Each test asks for a line, written out in the test; the test's own walk
// over the fabric counts the masses.
#include "generated.h"
#include "support.h"

#include "metrics/port_metrics.h"

#include <inttypes.h>

enum { LEAF = 0x10, SPINE = 0x20, HOST = 0x30, PIECE_SIZE = 2 * PORT_METRICS_ROOM };

static struct generated net;
static struct names *names;
static struct accumulated_counters *sums;
static struct counter_watch *rates;
static bool traffic;
static char *written; // NUL-terminated
static size_t size, pieces, longest_piece;

static int begin(void **state)
{
    (void)state;
    const uint32_t leaf = generated_add(&net, FABRIC_SWITCH, LEAF, "leaf1", 3);
    const uint32_t spine = generated_add(&net, FABRIC_SWITCH, SPINE, "spine1", 2);
    const uint32_t host = generated_add(&net, FABRIC_CA, HOST, "node1 HCA-1", 1);
    generated_link(&net, leaf, 1, host, 1);
    generated_link(&net, leaf, 2, spine, 1);
    for (uint8_t port = 1; port <= 2; port++) {
        generated_port(&net, leaf, port)->width_active = 2;
        generated_port(&net, leaf, port)->speed_active = FABRIC_EDR;
    }
    generated_port(&net, leaf, 3)->state = FABRIC_DOWN;
    traffic = false;
    return 0;
}

static int end(void **state)
{
    (void)state;
    generated_clear(&net);
    names_unref(names);
    accumulated_unref(sums);
    counter_watch_free(rates);
    free(written);
    names = NULL;
    sums = NULL;
    rates = NULL;
    written = NULL;
    return 0;
}

static void keep(const struct text *piece)
{
    written = realloc(written, size + piece->len + 1);
    assert_non_null(written);
    memcpy(written + size, piece->buf, piece->len + 1);
    size += piece->len;
    pieces++;
    longest_piece = piece->len > longest_piece ? piece->len : longest_piece;
}

static struct devices *devices;

static void write_all(void)
{
    static char buffer[PIECE_SIZE];
    struct port_metrics metrics;
    struct fabric *fabric = generated_look(&net, 0);
    struct systems *systems = systems_make(fabric, &(struct systems_names){0});
    fabric_unref(fabric);
    port_metrics_begin(
        &metrics, &(struct port_metrics_source){.systems = systems,
                                                .names = names_ref(names),
                                                .accumulated = sums ? accumulated_ref(sums) : NULL,
                                                .errors = rates ? measured_errors_of(rates) : NULL,
                                                .devices = devices,
                                                .traffic = traffic});
    size = pieces = longest_piece = 0;
    bool more = true;
    while (more) {
        struct text piece = text_in(buffer, sizeof buffer);
        more = port_metrics_write(&metrics, &piece);
        assert_false(piece.cut);
        keep(&piece);
    }
    port_metrics_end(&metrics);
}

static bool has(const char *line)
{
    const size_t length = strlen(line);
    for (const char *p = written; *p; p = strchr(p, '\n') + 1) {
        if (strncmp(p, line, length) == 0 && p[length] == '\n')
            return true;
    }
    return false;
}

static void expect(const char *line)
{
    write_all();
    if (!has(line))
        fail_msg("there is no line '%s' in\n%s", line, written);
}

static void expect_nothing_of(const char *words)
{
    write_all();
    if (strstr(written, words))
        fail_msg("'%s' is in\n%s", words, written);
}

static void read_counters(const struct counter_sample *samples, size_t count, int64_t time_us)
{
    struct counter_reading *reading = calloc(1, sizeof *reading + count * sizeof *samples);
    assert_non_null(reading);
    reading->time_us = time_us;
    reading->count = count;
    memcpy(reading->samples, samples, count * sizeof *samples);
    struct accumulated_counters *after = accumulated_with(sums, reading);
    assert_non_null(after);
    accumulated_unref(sums);
    sums = after;
    free(reading);
}

#define LEAF1                                                                                      \
    "{node=\"leaf1\",guid=\"0x0000000000000010\",port=\"1\",peer=\"node1 HCA-1\","                 \
    "peer_port=\"1\",host=\"node1\""
#define LEAF2                                                                                      \
    "{node=\"leaf1\",guid=\"0x0000000000000010\",port=\"2\",peer=\"spine1\",peer_port=\"1\""
#define LEAF3 "{node=\"leaf1\",guid=\"0x0000000000000010\",port=\"3\",peer=\"\",peer_port=\"\""
#define HOST1                                                                                      \
    "{node=\"node1 HCA-1\",guid=\"0x0000000000000030\",port=\"1\",peer=\"leaf1\","                 \
    "peer_port=\"1\",host=\"node1\""

TEST(both_ends_of_a_link_are_told)
{
    expect("# TYPE ibtrapd_port_link_up gauge");
    expect("ibtrapd_port_link_up" LEAF1 "} 1");
    expect("ibtrapd_port_link_up" HOST1 "} 1");
    expect("ibtrapd_port_state" LEAF2 "} 4");
    expect("ibtrapd_port_rate_bytes_per_second" LEAF1 "} 12500000000"); // 4X EDR: 100 Gb/s
}

TEST(a_port_that_is_down_has_no_rate)
{
    expect("ibtrapd_port_link_up" LEAF3 "} 0");
    expect("ibtrapd_port_state" LEAF3 "} 1");
    expect_nothing_of("rate_bytes_per_second" LEAF3);
}

TEST(the_port_of_a_switch_itself_is_none)
{
    expect_nothing_of("port=\"0\"");
}

TEST(what_no_sweep_could_read_has_no_series)
{
    generated_port(&net, 0, 2)->known = false;
    expect_nothing_of("ibtrapd_port_link_up" LEAF2);
    expect("ibtrapd_port_link_up" LEAF1 "} 1");
}

TEST(what_left_has_no_series)
{
    const struct counter_sample samples[] = {{.node_guid = LEAF, .port = 1},
                                             {.node_guid = HOST, .port = 1}};
    read_counters(samples, COUNT(samples), SUPPORT_UTC_US);
    expect("ibtrapd_port_link_downed_total" HOST1 "} 0");
    generated_remove(&net, 2);
    expect_nothing_of("node1");
    assert_non_null(strstr(written, "ibtrapd_port_link_downed_total{"));
}

TEST(counters_are_sums_over_resets)
{
    struct counter_sample samples[] = {
        {.node_guid = LEAF, .port = 2, .values = {[COUNTER_SYMBOL_ERROR] = 7}}};
    read_counters(samples, 1, SUPPORT_UTC_US);
    samples[0].values[COUNTER_SYMBOL_ERROR] = 2;
    read_counters(samples, 1, SUPPORT_UTC_US + 1);
    expect("# TYPE ibtrapd_port_symbol_errors_total counter");
    expect("ibtrapd_port_symbol_errors_total" LEAF2 "} 9");
    expect("ibtrapd_port_vl15_dropped_total" LEAF2 "} 0");
    expect_nothing_of("ibtrapd_port_symbol_errors_total" LEAF1); // it was never read
}

TEST(traffic_is_told_if_asked_for)
{
    struct counter_sample samples[] = {
        {.node_guid = LEAF,
         .port = 1,
         .wide = true,
         .values = {[COUNTER_XMIT_DATA] = 1000000000000003, [COUNTER_RCV_PKTS] = UINT64_MAX}}};
    read_counters(samples, 1, SUPPORT_UTC_US);
    expect_nothing_of("_bytes_total");
    expect_nothing_of("_packets_total");
    traffic = true;
    expect("ibtrapd_port_transmit_bytes_total" LEAF1 "} 4000000000000012");
    expect("ibtrapd_port_receive_packets_total" LEAF1 "} 18446744073709551615");
    expect("ibtrapd_port_receive_bytes_total" LEAF1 "} 0");
}

// Octets of a page, by the test's own places.
static void tell(uint64_t guid, uint8_t port, enum register_page page, size_t at, unsigned value)
{
    struct device_record record = {
        .reading = {.node_guid = guid, .port = port, .page = (uint8_t)page}};
    if (!devices_find(devices, guid, port, page, &record))
        record.reading.octets[7] = record.reading.octets[4] = 0;
    record.reading.octets[4] |= 0x20; // light in uW
    record.reading.octets[at] = (uint8_t)(value >> 8);
    record.reading.octets[at + 1] = (uint8_t)value;
    devices_put(devices, &record);
}

TEST(what_devices_tell_of_modules_and_of_themselves)
{
    devices = devices_new();
    tell(LEAF, 1, REGISTER_MODULE, 8 + 0x4C, 41 << 8 | 128);
    tell(LEAF, 1, REGISTER_MODULE, 8 + 0x52, 1250); // of lane 2
    tell(LEAF, 2, REGISTER_MODULE, 8 + 0x4C, 0x8000);
    tell(LEAF, 0, REGISTER_FANS, 4, 0x00FF);
    tell(LEAF, 0, REGISTER_AMBIENT, 6, 26 * 8);
    expect("ibtrapd_module_temperature_celsius" LEAF1 "} 41.5");
    expect("ibtrapd_module_receive_power_milliwatts" LEAF1 ",lane=\"2\"} 1.25");
    expect("ibtrapd_switch_fans{node=\"leaf1\",guid=\"0x0000000000000010\",port=\"0\","
           "peer=\"\",peer_port=\"\"} 8");
    expect("ibtrapd_switch_ambient_celsius{node=\"leaf1\",guid=\"0x0000000000000010\","
           "port=\"0\",peer=\"\",peer_port=\"\"} 26");
    expect_nothing_of("ibtrapd_module_temperature_celsius" LEAF2);
    expect_nothing_of("ibtrapd_port_state{node=\"leaf1\",guid=\"0x0000000000000010\",port=\"0\"");
    expect_nothing_of("ibtrapd_switch_temperature_celsius");
    devices_free(devices);
    devices = NULL;
}

static void watch(const struct counter_reading *reading, const struct fabric *fabric,
                  int64_t now_us)
{
    const struct counter_watch_reading one = {sums, reading, fabric, now_us};
    size_t count;
    counter_watch_update(rates, &one, &count);
}

// A port of EDR that waits a third of each minute.
TEST(waiting_is_told_with_the_traffic_and_blocks_where_they_are_counted)
{
    const int64_t minute = 60 * INT64_C(1000000);
    const struct counter_watch_limits limits = {.window_us = {12 * minute, 120 * minute}};
    struct fabric *fabric = generated_look(&net, 0);
    struct counter_sample samples[] = {
        {.node_guid = LEAF, .port = 1, .extended = true, .sources = COUNTER_OF_FEC, .tick = 50},
        {.node_guid = LEAF, .port = 2, .extended = true}};
    struct counter_reading *reading = calloc(1, sizeof *reading + sizeof reading->samples[0]);
    rates = counter_watch_new(&limits);
    assert_non_null(reading);
    reading->count = 1;
    samples[0].values[COUNTER_FEC_CORRECTED] = 4711;
    for (int i = 0; i < 40; i++) {
        samples[0].values[COUNTER_XMIT_WAIT] += 1000000000; // of 50 times 0.4 ns: 20 s
        reading->samples[0] = samples[0];
        watch(reading, fabric, (1000 + i) * minute);
        read_counters(samples, 2, SUPPORT_UTC_US + i * minute);
    }
    expect("ibtrapd_port_fec_corrected_blocks_total" LEAF1 "} 4711");
    expect_nothing_of("fec_corrected_blocks_total" LEAF2);
    expect_nothing_of("wait_ratio");
    traffic = true;
    expect("ibtrapd_port_wait_ratio" LEAF2 ",window=\"long\"} 0");
    write_all();
    const char *line = strstr(written, "ibtrapd_port_wait_ratio" LEAF1 ",window=\"short\"} ");
    assert_non_null(line);
    const double share = strtod(strchr(line, '}') + 1, NULL);
    assert_true(share > 0.33 && share < 0.34);
    free(reading);
    fabric_unref(fabric);
}

TEST(names_are_escaped_and_have_an_end)
{
    char many[FABRIC_DESCRIPTION_SIZE], expected[1000] = "ibtrapd_port_link_up{node=\"";
    memset(many, '"', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    generated_rename(&net, 0, many);
    generated_rename(&net, 1, "a\\b\"} 5\nibtrapd_up 1\xC3\xA9");
    for (size_t i = 0; i < sizeof many - 1; i++)
        strcat(expected, "\\\"");
    strcat(expected, "\",guid=\"0x0000000000000010\",port=\"2\","
                     "peer=\"a\\\\b\\\"} 5\\nibtrapd_up 1\xC3\xA9\",peer_port=\"1\"} 1");
    expect(expected);
}

TEST(a_name_from_the_map_is_the_name)
{
    static const char MAP[] = "0x10 \"the leaf\"\n0x31 \"a host by its port\"\n";
    struct error err;
    names = names_parse("map", MAP, sizeof MAP - 1, &err);
    assert_non_null(names);
    expect("ibtrapd_port_link_up{node=\"the leaf\",guid=\"0x0000000000000010\",port=\"1\","
           "peer=\"a host by its port\",peer_port=\"1\",host=\"node1\"} 1");
}

// 60 symbol errors in an hour, at 4X EDR, and as many packets received with errors.
static void make_errors(void)
{
    const int64_t hour = 3600 * INT64_C(1000000);
    const struct counter_watch_limits limits = {
        .window_us = {hour / 5, 2 * hour},
        .per_bit[COUNTER_SYMBOL_ERROR] = {1, 1},
        .per_hour[COUNTER_RCV_ERRORS] = {1e6, 1e6},
    };
    struct counter_reading *reading = calloc(1, sizeof *reading + sizeof reading->samples[0]);
    struct fabric *fabric = generated_look(&net, 0);
    rates = counter_watch_new(&limits);
    assert_true(reading && rates);
    reading->count = 1;
    reading->samples[0] = (struct counter_sample){.node_guid = LEAF, .port = 2};
    for (int i = 0; i <= 12; i++) {
        struct counter_sample *sample = &reading->samples[0];
        sample->values[COUNTER_SYMBOL_ERROR] = (uint64_t)i * 10;
        sample->values[COUNTER_RCV_ERRORS] = (uint64_t)i * 20;
        watch(reading, fabric, 100 * hour + i * hour / 6);
        read_counters(sample, 1, SUPPORT_UTC_US + i * hour / 6);
    }
    fabric_unref(fabric);
    free(reading);
}

TEST(error_rates_are_told_where_there_are_errors)
{
    make_errors();
    char expected[300];
    expect("# TYPE ibtrapd_port_errors_per_second gauge");
    snprintf(expected, sizeof expected, "%s,counter=\"SymbolErrorCounter\",window=\"long\"} %.17g",
             "ibtrapd_port_errors_per_second" LEAF2, 120 * 1e6 / (2 * 3600e6));
    expect(expected);
    snprintf(expected, sizeof expected, "%s,counter=\"SymbolErrorCounter\",window=\"long\"} %.17g",
             "ibtrapd_port_bit_error_ratio" LEAF2, 120 * 1e6 / (2 * 3600e6) / 100e9);
    expect(expected);
    expect_nothing_of("errors_per_second" LEAF1);
    expect_nothing_of("errors_per_second" LEAF3);
}

// The number of lines that begin with `words`.
static size_t count_lines(const char *words)
{
    size_t count = 0;
    for (const char *p = written; *p; p = strchr(p, '\n') + 1)
        count += strncmp(p, words, strlen(words)) == 0;
    return count;
}

TEST(a_large_fabric_comes_in_pieces)
{
    size_t ports = 0;
    generated_clear(&net);
    generated_fat_tree(&net, 2000, 8);
    struct fabric *fabric = generated_look(&net, 0);
    for (uint32_t i = 0; i < fabric->port_count; i++) {
        const bool is_switch = fabric->nodes[fabric_node_of_port(fabric, i)].type == FABRIC_SWITCH;
        ports += fabric->ports[i].known && !(is_switch && fabric->ports[i].number == 0);
    }
    fabric_unref(fabric);
    write_all();
    assert_true(ports > 4000 && pieces > 10);
    assert_true(longest_piece < PIECE_SIZE);
    assert_int_equal(count_lines("ibtrapd_port_link_up{"), ports);
    assert_int_equal(count_lines("ibtrapd_port_state{"), ports);
    assert_int_equal(count_lines("# TYPE ibtrapd_port_state "), 1);
    assert_true(strstr(written, "ibtrapd_port_state{") >
                strstr(written, "# TYPE ibtrapd_port_state"));
}

TEST(without_a_fabric_there_is_nothing)
{
    static char buffer[PIECE_SIZE];
    struct port_metrics metrics;
    struct text piece = text_in(buffer, sizeof buffer);
    port_metrics_begin(&metrics, &(struct port_metrics_source){.systems = NULL});
    assert_false(port_metrics_write(&metrics, &piece));
    assert_int_equal(piece.len, 0);
    port_metrics_end(&metrics);
}

#define PORT_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PORT_TEST(waiting_is_told_with_the_traffic_and_blocks_where_they_are_counted),
        PORT_TEST(both_ends_of_a_link_are_told),
        PORT_TEST(a_port_that_is_down_has_no_rate),
        PORT_TEST(the_port_of_a_switch_itself_is_none),
        PORT_TEST(what_no_sweep_could_read_has_no_series),
        PORT_TEST(what_left_has_no_series),
        PORT_TEST(counters_are_sums_over_resets),
        PORT_TEST(traffic_is_told_if_asked_for),
        PORT_TEST(what_devices_tell_of_modules_and_of_themselves),
        PORT_TEST(names_are_escaped_and_have_an_end),
        PORT_TEST(a_name_from_the_map_is_the_name),
        PORT_TEST(error_rates_are_told_where_there_are_errors),
        PORT_TEST(a_large_fabric_comes_in_pieces),
        PORT_TEST(without_a_fabric_there_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
