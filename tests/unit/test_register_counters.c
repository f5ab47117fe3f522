// SPDX-License-Identifier: BSD-2-Clause
// Counters of NVIDIA's registers in a counter reading, and the alarms that they raise.
#include "firmware.h"
#include "support.h"

#include "base/wire.h"
#include "ib/node_mad.h"
#include "model/fabric_builder.h"
#include "topology/counter_watch.h"

#define MINUTE (INT64_C(60) * 1000000)

enum { DATA = 64, ATTRIBUTE = 16, HAS_FEC = 1 << 14 };
enum { LEAF_LID = 11, MELLANOX = 0x2c9, PPCNT = 0x5008, PPHCR = 0x503E, PORT = 1 };
enum { PHYSICAL, BINS, HISTOGRAM, RECOVERY, ROWS_COUNT };
static const uint64_t LEAF = 0x100, LEAF_PORT = 0xA00B;

#define PAGE(number, group) .lid = LEAF_LID, .id = (number), .first = PORT << 16 | 1 << 14 | (group)
#define BIN(at, least, most)                                                                       \
    {0x10 + 4 * (at), 16, 6, (most)},                                                              \
    {                                                                                              \
        0x10 + 4 * (at), 0, 6, (least)                                                             \
    }

// Four bins, of 0 to 15 corrections; the last one has the blocks that needed 12 or more.
static struct firmware_row rows[ROWS_COUNT];
static struct firmware firmware;
static struct fake_port f;
static struct fabric *fabric;
static struct sweep_devices devices;
static struct sweep_ticks ticks;
static struct counter_reading *reading;
static struct accumulated_counters *sums;
static struct counter_watch *watch;
static int64_t now_us;
static bool keeps_registers;
static uint32_t shares = 1, share;
static bool has_fec;
static struct error err;

static bool answer(void *ctx, const struct fake_request *asked, struct fake_answer *out)
{
    (void)ctx;
    uint8_t *data = out->octets + DATA;
    if (asked->agent == MAD_AGENT_VENDOR)
        return firmware_answer(&firmware, asked, out);
    if (asked->agent == MAD_AGENT_SMP_LID) {
        data[2] = FABRIC_SWITCH;
        data[3] = 2;
        wire_put(data + 12, 8, LEAF);
        wire_put(data + 20, 8, LEAF_PORT);
        return true;
    }
    data[1] = asked->octets[DATA + 1]; // PortCounters without errors
    if (has_fec && wire_get16(asked->octets + ATTRIBUTE) == GMP_CLASS_PORT_INFO)
        wire_put(data + 2, 2, HAS_FEC);
    return true;
}

static void make_rows(void)
{
    static const struct firmware_row MADE[ROWS_COUNT] = {
        [PHYSICAL] = {PAGE(PPCNT, 0x16), .fields = {{8 + 0x80, 0, 32, 0}}},
        [BINS] =
            {PAGE(PPHCR, 0),
             .fields = {{4, 16, 8, 4}, BIN(0, 0, 3), BIN(1, 4, 7), BIN(2, 8, 11), BIN(3, 12, 15)}},
        [HISTOGRAM] = {PAGE(PPCNT, 0x23),
                       .fields = {{8 + 2 * 8 + 4, 0, 32, 5000}, {8 + 3 * 8 + 4, 0, 32, 7}}},
        [RECOVERY] = {PAGE(PPCNT, 0x1A), .fields = {{8, 0, 32, 3}, {12, 0, 32, 2}}},
    };
    memcpy(rows, MADE, sizeof rows);
    firmware = (struct firmware){.rows = rows, .count = ROWS_COUNT};
}

static struct fabric *make_fabric(void)
{
    struct fabric_builder *b = fabric_builder_new();
    const struct fabric_node leaf = {
        .guid = LEAF, .type = FABRIC_SWITCH, .port_count = 2, .vendor = MELLANOX};
    const uint32_t node = fabric_builder_node(b, &leaf);
    for (uint8_t i = 0; i <= PORT; i++) {
        const struct fabric_port port = {.number = i,
                                         .known = true,
                                         .guid = i == 0 ? LEAF_PORT : 0,
                                         .lid = i == 0 ? LEAF_LID : 0,
                                         .width_active = 2,
                                         .speed_active = FABRIC_NDR,
                                         .state = FABRIC_ACTIVE};
        assert_true(fabric_builder_port(b, node, &port));
    }
    return fabric_builder_finish(b, SUPPORT_UTC_US, 0, true);
}

static int begin(void **state)
{
    (void)state;
    make_rows();
    fabric = make_fabric();
    fake_port_init(&f, answer, NULL);
    struct counter_watch_limits limits = {
        .window_us = {12 * MINUTE, 125 * MINUTE}, .errors_min = 5, .clear_percent = 50};
    limits.per_hour[COUNTER_FEC_NEAR_LIMIT][ERROR_WINDOW_SHORT] = 120;
    limits.per_hour[COUNTER_UNINTENDED_DOWNS][ERROR_WINDOW_LONG] = 2;
    limits.fec_per_bit[COUNTER_EFFECTIVE_ERRORS][ERROR_WINDOW_LONG] = 5e-12;
    watch = counter_watch_new(&limits);
    now_us = MINUTE;
    keeps_registers = has_fec = false;
    return 0;
}

static int end(void **state)
{
    (void)state;
    fabric_unref(fabric);
    sweep_devices_clear(&devices);
    free(ticks.all);
    free(reading);
    accumulated_unref(sums);
    counter_watch_free(watch);
    ticks = (struct sweep_ticks){0};
    reading = NULL;
    sums = NULL;
    return 0;
}

// A round, which learns that the device tells its registers.
static void meet(void)
{
    struct sweep sweep = fake_port_sweep(&f);
    uint64_t after = 0;
    struct device_readings *list = sweep_list_registers(fabric, &after);
    assert_true(sweep_registers(&sweep, fabric, &devices, list, &err));
    free(list);
}

static const struct counter_sample *read_counters(void)
{
    struct sweep sweep = fake_port_sweep(&f);
    sweep.register_shares = keeps_registers ? 0 : shares;
    sweep.register_share = share;
    free(reading);
    sweep.ticks = &ticks;
    sweep.devices = &devices;
    assert_true(sweep_counters(&sweep, fabric, &(struct sweep_choice){0}, &reading, &err));
    assert_int_equal(reading->count, 1);
    return &reading->samples[0];
}

TEST(a_reading_has_the_counters_of_registers)
{
    meet();
    const struct counter_sample *sample = read_counters();
    assert_int_equal(sample->sources,
                     COUNTER_OF_PHYSICAL | COUNTER_OF_HISTOGRAM | COUNTER_OF_RECOVERY);
    assert_int_equal(sample->values[COUNTER_FEC_NEAR_LIMIT], 7); // not the 5000 of the bin before
    assert_int_equal(sample->values[COUNTER_RECOVERIES], 3);
    assert_int_equal(sample->values[COUNTER_UNINTENDED_DOWNS], 2);
    assert_true(counter_was_read(sample, COUNTER_EFFECTIVE_ERRORS));
}

TEST(who_has_told_nothing_yet_is_not_asked)
{
    assert_int_equal(read_counters()->sources, 0);
    assert_int_equal(firmware.reads + firmware.infos, 0);
}

// The load on a device does not follow the interval of the counters.
TEST(readings_in_between_have_the_values_of_the_last_one)
{
    meet();
    read_counters();
    const unsigned reads = firmware.reads;
    keeps_registers = true;
    rows[HISTOGRAM].fields[1].value = 8;
    assert_int_equal(read_counters()->values[COUNTER_FEC_NEAR_LIMIT], 7);
    assert_int_equal(read_counters()->sources, 7);
    assert_int_equal(firmware.reads, reads);
    keeps_registers = false;
    assert_int_equal(read_counters()->values[COUNTER_FEC_NEAR_LIMIT], 8);
}

// The error correction is read by each reading, whether or not it keeps what the registers had.
TEST(a_reading_in_between_reads_the_error_correction)
{
    const enum counter fec = COUNTER_FEC_CORRECTED, near = COUNTER_FEC_NEAR_LIMIT;
    meet();
    assert_false(counter_was_read(read_counters(), fec));
    keeps_registers = has_fec = true;
    assert_true(counter_was_read(read_counters(), fec) &&
                counter_was_read(&reading->samples[0], near));
    has_fec = false;
    assert_false(counter_was_read(read_counters(), fec));
    assert_true(counter_was_read(&reading->samples[0], near));
}

// A reading asks one device of three: four packets for each port of all devices at once are too
// many.
TEST(devices_take_turns)
{
    meet();
    shares = 3;
    unsigned asked = 0;
    for (share = 0; share < shares; share++) {
        const unsigned reads = firmware.reads;
        read_counters();
        asked += firmware.reads > reads;
    }
    assert_int_equal(asked, 1);
    assert_int_equal(read_counters()->sources & COUNTER_OF_REGISTERS, COUNTER_OF_REGISTERS);
    shares = 1;
    share = 0;
}

// Without its bins, nobody knows how many corrections are nearly too many.
TEST(a_histogram_without_bins_is_not_read)
{
    rows[BINS].status = 0x14;
    meet();
    const unsigned reads = firmware.reads;
    assert_int_equal(read_counters()->sources, COUNTER_OF_PHYSICAL | COUNTER_OF_RECOVERY);
    assert_int_equal(firmware.reads - reads, 3); // and the refusal
    read_counters();
    assert_int_equal(firmware.reads - reads, 5); // the refused page is left alone
}

TEST(bins_that_no_device_has_count_nothing)
{
    static const uint32_t COUNTS[] = {0, 17, 255};
    meet();
    for (size_t i = 0; i < COUNT(COUNTS); i++) {
        rows[BINS].fields[0].value = COUNTS[i];
        assert_false(counter_was_read(read_counters(), COUNTER_FEC_NEAR_LIMIT));
    }
    make_rows();
    memset(&rows[BINS].fields[1], 0, sizeof rows[BINS].fields - sizeof rows[BINS].fields[0]);
    assert_false(counter_was_read(read_counters(), COUNTER_FEC_NEAR_LIMIT));
}

// A device that falls silent costs one query, and its other counters count.
TEST(who_falls_silent_is_asked_once)
{
    meet();
    firmware.deaf = 1 << LEAF_LID;
    const uint64_t sent = f.sent;
    assert_int_equal(read_counters()->sources, 0);
    assert_int_equal(f.sent - sent, 1 + 1 + 3 + 1); // three attempts
}

TEST(an_answer_about_another_port_counts_nothing)
{
    meet();
    firmware.other_port = 1 << LEAF_LID;
    assert_int_equal(read_counters()->sources, 0);
}

// What a register counted before the gateway read it, and while it was not read, is no growth.
static const char *update(void)
{
    static char told[200];
    size_t count;
    told[0] = '\0';
    now_us += MINUTE;
    reading->time_us = now_us;
    struct accumulated_counters *before = sums;
    const struct counter_statement *all = counter_watch_update(
        watch,
        &(struct counter_watch_reading){
            .before = before, .reading = reading, .fabric = fabric, .now_us = now_us},
        &count);
    for (size_t i = 0; i < count; i++)
        snprintf(told, sizeof told, "%s %s", all[i].raised ? "raised" : "cleared",
                 counter_name(all[i].key.counter));
    sums = accumulated_with(before, reading);
    accumulated_unref(before);
    return told;
}

TEST(blocks_near_the_limit_raise_the_alarm_about_errors)
{
    meet();
    read_counters();
    assert_string_equal(update(), "");
    rows[HISTOGRAM].fields[1].value += 30; // of 24 in twelve minutes
    read_counters();
    assert_string_equal(update(), "raised PhyBlocksNearFECLimit");
}

TEST(a_register_that_comes_and_goes_is_no_growth)
{
    uint64_t values[COUNTER_COUNT];
    rows[HISTOGRAM].fields[1].value = 1000;
    read_counters();
    assert_string_equal(update(), "");
    meet();
    read_counters();
    assert_string_equal(update(), "");
    devices.count = 0;
    sweep_devices_clear(&devices);
    read_counters();
    assert_string_equal(update(), "");
    meet();
    rows[HISTOGRAM].fields[1].value = 2000;
    read_counters();
    assert_string_equal(update(), "");
    assert_true(accumulated_find(sums, LEAF, PORT, values));
    assert_int_equal(values[COUNTER_FEC_NEAR_LIMIT], 0);
}

TEST(errors_behind_the_correction_and_unintended_downs_raise_it_too)
{
    meet();
    read_counters();
    assert_string_equal(update(), "");
    rows[PHYSICAL].fields[0].value = 20000; // of 15000 in 125 minutes at 400 Gb/s
    read_counters();
    assert_string_equal(update(), "raised PhyEffectiveErrors");
    rows[RECOVERY].fields[1].value += 6;
    read_counters();
    assert_string_equal(update(), "raised UnintentionalLinkDownEvents");
}

#define HERE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HERE(a_reading_has_the_counters_of_registers),
        HERE(who_has_told_nothing_yet_is_not_asked),
        HERE(readings_in_between_have_the_values_of_the_last_one),
        HERE(devices_take_turns),
        HERE(a_reading_in_between_reads_the_error_correction),
        HERE(a_histogram_without_bins_is_not_read),
        HERE(bins_that_no_device_has_count_nothing),
        HERE(who_falls_silent_is_asked_once),
        HERE(an_answer_about_another_port_counts_nothing),
        HERE(blocks_near_the_limit_raise_the_alarm_about_errors),
        HERE(a_register_that_comes_and_goes_is_no_growth),
        HERE(errors_behind_the_correction_and_unintended_downs_raise_it_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
