// SPDX-License-Identifier: BSD-2-Clause
// What operators read from their own switches (an MSB7790 with a fan in error, an MQM8790), put
// into registers by the test's own code, and strange values of other devices.
#include "support.h"

#include "base/wire.h"
#include "model/device_values.h"

struct real {
    const char *part, *serial, *product, *psid, *firmware;
    unsigned version[3];
    uint32_t uptime;
    int celsius;
    unsigned supplies, fans; // with power; that are there
    unsigned watts;          // of a supply
};

static const struct real SWITCHES[] = {
    {"MSB7790-ES2F",
     "MT1943X00498",
     "Scorpion IB EDR Unmanaged",
     "MT_1880110032",
     "11.2008.2102",
     {11, 2008, 2102},
     160 * 86400 + 10 * 3600 + 38 * 60 + 53,
     45,
     2,
     8,
     72},
    {"MQM8790-HS2F",
     "MT2152T10239",
     "Jaguar Unmng IB 200",
     "MT_0000000063",
     "27.2010.3118",
     {27, 2010, 3118},
     96 * 86400 + 3600 + 55 * 60 + 47,
     53,
     2,
     9,
     154},
};

static uint8_t octets[DEVICE_READING_OCTETS];
static struct device_value_read value;

static void put_text(size_t at, const char *text)
{
    memcpy(octets + at, text, strlen(text));
}

static const char *text_of(enum device_value which)
{
    return device_value_read(which, octets, 0, &value) ? value.text : NULL;
}

static double number_of(enum device_value which)
{
    return device_value_read(which, octets, 0, &value) ? value.number : -1;
}

static void check_firmware(const struct real *real)
{
    memset(octets, 0, sizeof octets);
    wire_put(octets + 0x1C, 4, real->uptime);
    put_text(0x30, real->psid);
    for (unsigned i = 0; i < 3; i++)
        wire_put(octets + 0x44 + 4 * i, 4, real->version[i]);
    assert_string_equal(text_of(DEVICE_VALUE_FIRMWARE), real->firmware);
    assert_string_equal(text_of(DEVICE_VALUE_PSID), real->psid);
    assert_int_equal(number_of(DEVICE_VALUE_UPTIME), real->uptime);
}

static void check_board(const struct real *real)
{
    memset(octets, 0, sizeof octets);
    put_text(0x00, real->serial);
    put_text(0x20, real->part);
    put_text(0x40, real->product);
    assert_string_equal(text_of(DEVICE_VALUE_SERIAL), real->serial);
    assert_string_equal(text_of(DEVICE_VALUE_PART), real->part);
    assert_string_equal(text_of(DEVICE_VALUE_PRODUCT), real->product);
}

static void check_hardware(const struct real *real)
{
    memset(octets, 0, sizeof octets);
    wire_put(octets + 4, 4, (uint64_t)real->celsius * 8);
    assert_int_equal(number_of(DEVICE_VALUE_TEMPERATURE), real->celsius);
    assert_null(text_of(DEVICE_VALUE_TEMPERATURE_HIGH)); // nobody read it
    memset(octets, 0, sizeof octets);
    wire_put(octets + 4, 4, ((UINT64_C(1) << real->fans) - 1) << 16);
    assert_int_equal(number_of(DEVICE_VALUE_FANS), real->fans);
    memset(octets, 0, sizeof octets);
    for (unsigned i = 0; i < 2; i++) {
        wire_put(octets + 80 * i, 4, i < real->supplies ? 0x50000010 : 0x50000000);
        wire_put(octets + 80 * i + 4, 4, 2);
        wire_put(octets + 80 * i + 8, 4, 0x80000000 | real->watts);
        put_text(80 * i + 16, "MT1944X09210");
        put_text(80 * i + 48, "MTEF-PSF-AC-C");
    }
    assert_int_equal(number_of(DEVICE_VALUE_SUPPLIES), real->supplies);
    assert_int_equal(number_of(SUPPLY_VALUE_POWER), real->watts);
    assert_string_equal(text_of(SUPPLY_VALUE_SERIAL), "MT1944X09210");
    assert_true(device_value_read(SUPPLY_VALUE_PART, octets, 1, &value));
    assert_string_equal(value.text, "MTEF-PSF-AC-C");
}

TEST(what_operators_read_is_what_the_gateway_reads)
{
    for (size_t i = 0; i < COUNT(SWITCHES); i++) {
        check_firmware(&SWITCHES[i]);
        check_board(&SWITCHES[i]);
        check_hardware(&SWITCHES[i]);
    }
    struct real failed = SWITCHES[0]; // a supply without power, and a fan that is not there
    failed.supplies--;
    failed.fans--;
    check_hardware(&failed);
}

// Temperatures of 0 and 0x8000 are none, and neither is an empty text.
TEST(what_no_sensor_measures_is_not_there)
{
    memset(octets, 0, sizeof octets);
    for (int i = 0; i < DEVICE_VALUES; i++) {
        const bool counts = i == DEVICE_VALUE_FANS || i == DEVICE_VALUE_FANS_OUT ||
                            i == DEVICE_VALUE_SUPPLIES || i == MODULE_VALUE_KIND;
        assert_int_equal(device_value_read((enum device_value)i, octets, 0, &value), counts);
    }
    wire_put(octets + 4, 4, 0x8000);
    wire_put(octets + 8 + 0x4C, 2, 0x8000);
    assert_false(device_value_read(DEVICE_VALUE_TEMPERATURE, octets, 0, &value));
    assert_false(device_value_read(MODULE_VALUE_TEMPERATURE, octets, 0, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_operators_read_is_what_the_gateway_reads),
        cmocka_unit_test(what_no_sensor_measures_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
