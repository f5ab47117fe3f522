// SPDX-License-Identifier: BSD-2-Clause
#include "topology/device_rules.h"

#include "model/board_pages.h"
#include "model/module_page.h"

#include <string.h>

// Modules.

static const double COOLER = 5;      // below its limit by this, a module is no longer too hot
static const double RISES_FAST = 10; // degrees from one reading to the next (NVIDIA's own limit)

static const uint8_t *device_rules_before(const struct device_case *c)
{
    return c->before ? c->before->reading.octets : NULL;
}

static bool device_rules_is_same_module(const struct device_case *c)
{
    char was[MODULE_TEXT_SIZE], is[MODULE_TEXT_SIZE];
    return c->before && strcmp(module_page_text(device_rules_before(c), MODULE_SERIAL, was),
                               module_page_text(c->now->reading.octets, MODULE_SERIAL, is)) == 0;
}

// An alarm about a module ends with the module.
static bool device_rules_is_out(const struct device_case *c, struct text *why)
{
    const bool out = !module_page_is_plugged(c->now->reading.octets);
    text_add(why, out ? "the module was taken out" : "");
    return out;
}

static enum device_verdict device_rules_module_hot(const struct device_case *c, struct text *why)
{
    const uint8_t *now = c->now->reading.octets;
    double is, was, limit;
    if (device_rules_is_out(c, why))
        return DEVICE_IS_GOOD;
    if (!module_page_celsius(now, MODULE_TEMPERATURE, &is))
        return DEVICE_SAYS_NOTHING;
    const bool has_limit = module_page_celsius(now, MODULE_TEMPERATURE_HIGH, &limit);
    const bool rose = device_rules_is_same_module(c) &&
                      module_page_celsius(device_rules_before(c), MODULE_TEMPERATURE, &was) &&
                      is - was >= RISES_FAST;
    text_addf(why, "it has %.1f degrees", is);
    if (rose)
        text_addf(why, ", %.1f more than at the last reading", is - was);
    if (has_limit)
        text_addf(why, "; its limit is %.1f", limit);
    const bool hot = has_limit && is >= limit - (c->raised ? COOLER : 0);
    return hot || rose ? DEVICE_IS_BAD : DEVICE_IS_GOOD;
}

// A lane of which the power was never good is not in use: 0 to 7 receive, 8 to 15 send.
static bool device_rules_lane_is_low(const struct device_case *c, bool sends, unsigned lane,
                                     struct text *why)
{
    const uint8_t *now = c->now->reading.octets;
    const unsigned limit = module_page_get(now, sends ? MODULE_TX_LOW : MODULE_RX_LOW);
    const unsigned power = module_page_lane(now, sends ? MODULE_TX : MODULE_RX, lane);
    const uint64_t bit = UINT64_C(1) << (lane + (sends ? MODULE_LANES : 0));
    const bool low = limit > 0 && power < limit;
    if (!low)
        c->now->good |= limit > 0 ? bit : 0;
    if (!low || !(c->now->good & bit))
        return false;
    text_addf(why, "%slane %u %s %.3f mW, less than the limit of %.3f mW", why->len > 0 ? "; " : "",
              lane + 1, sends ? "sends" : "receives", power / 1000.0, limit / 1000.0);
    return true;
}

// Without a link, the other end may be dark, or the port off.
static enum device_verdict device_rules_power_low(const struct device_case *c, struct text *why)
{
    const uint8_t *now = c->now->reading.octets;
    const uint32_t measures = module_page_get(now, MODULE_MEASURES);
    unsigned low = 0;
    if (device_rules_is_out(c, why))
        return DEVICE_IS_GOOD;
    if (!c->now->link_up || !module_page_get(now, MODULE_IN_MICROWATT))
        return DEVICE_SAYS_NOTHING;
    if (!device_rules_is_same_module(c))
        c->now->good = 0;
    for (unsigned i = 0; i < 2 * MODULE_LANES; i++) {
        const bool sends = i >= MODULE_LANES;
        if (measures & (sends ? MODULE_MEASURES_TX : MODULE_MEASURES_RX))
            low += device_rules_lane_is_low(c, sends, i % MODULE_LANES, why);
    }
    return low > 0 ? DEVICE_IS_BAD : DEVICE_IS_GOOD;
}

static enum device_verdict device_rules_module_fault(const struct device_case *c, struct text *why)
{
    const uint8_t *now = c->now->reading.octets;
    if (device_rules_is_out(c, why))
        return DEVICE_IS_GOOD;
    module_page_describe(why, now);
    return module_page_get(now, MODULE_STATE) == MODULE_HAS_FAULT ? DEVICE_IS_BAD : DEVICE_IS_GOOD;
}

// A link that goes down with the module is told by link-down.
static enum device_verdict device_rules_removed(const struct device_case *c, struct text *why)
{
    const uint8_t *was = device_rules_before(c);
    if (!was || c->before->link_up || c->now->link_up || !module_page_is_plugged(was) ||
        module_page_is_plugged(c->now->reading.octets))
        return DEVICE_SAYS_NOTHING;
    module_page_describe(why, was);
    return DEVICE_IS_BAD;
}

// The port may have been empty in between.
static enum device_verdict device_rules_replaced(const struct device_case *c, struct text *why)
{
    const uint8_t *was = device_rules_before(c), *now = c->now->reading.octets;
    char serial[MODULE_TEXT_SIZE];
    if (c->serial[0] == '\0' || module_page_text(now, MODULE_SERIAL, serial)[0] == '\0' ||
        strcmp(c->serial, serial) == 0)
        return DEVICE_SAYS_NOTHING;
    module_page_describe(why, now);
    text_add(why, " instead of ");
    if (was && strcmp(module_page_text(was, MODULE_SERIAL, serial), c->serial) == 0)
        module_page_describe(why, was);
    else
        text_addf(why, "serial number %s", c->serial);
    return DEVICE_IS_BAD;
}

// Switches.

// The other page of the device as read last; false: the device did not tell.
static bool device_rules_other(const struct device_case *c, enum register_page page,
                               struct device_record *out)
{
    const struct device_reading *now = &c->now->reading;
    if (now->page == page)
        *out = *c->now;
    return now->page == page || devices_find(c->devices, now->node_guid, 0, page, out);
}

// The switch has two thresholds: the temperature that raises the alarm, and the end of the alarm.
static bool device_rules_asic_is_hot(const struct device_case *c, struct text *why)
{
    struct device_record record;
    double is, high, low;
    if (!device_rules_other(c, REGISTER_TEMPERATURE, &record) ||
        !board_celsius(record.reading.octets, SENSOR_TEMPERATURE, &is))
        return false;
    const bool has_limit = board_celsius(record.reading.octets, SENSOR_HIGH, &high);
    const bool has_end = board_celsius(record.reading.octets, SENSOR_LOW, &low);
    text_addf(why, "its ASIC has %.1f degrees", is);
    if (!has_limit)
        return false;
    text_addf(why, "; its limit is %.1f", high);
    return is >= (!c->raised ? high : has_end && low < high ? low : high - COOLER);
}

// Adds "fans 3 7 are out of their range": the numbers of bits.
static void device_rules_add_bits(struct text *t, const char *noun, uint64_t bits)
{
    const bool many = (bits & (bits - 1)) != 0;
    text_addf(t, "%s%s%s", t->len > 0 ? "; " : "", noun, many ? "s" : "");
    for (unsigned i = 0; i < 64; i++) {
        if (bits >> i & 1)
            text_addf(t, " %u", i);
    }
    text_addf(t, " %s out of %s range", many ? "are" : "is", many ? "their" : "its");
}

// The sensors that are above their thresholds now, and were not in some reading.
static bool device_rules_sensors_are_hot(const struct device_case *c, struct text *why)
{
    enum { ASIC = 1 };
    struct device_record record;
    if (!device_rules_other(c, REGISTER_WARM_SENSORS, &record))
        return false;
    const uint64_t warm = board_warm_sensors(record.reading.octets);
    if (c->now->reading.page == REGISTER_WARM_SENSORS)
        c->now->good |= ~warm;
    const uint64_t good =
        c->now->reading.page == REGISTER_WARM_SENSORS ? c->now->good : record.good;
    const uint64_t hot = warm & good & ~(uint64_t)ASIC;
    if (hot != 0)
        device_rules_add_bits(why, "sensor", hot);
    return hot != 0;
}

static enum device_verdict device_rules_switch_hot(const struct device_case *c, struct text *why)
{
    const bool asic = device_rules_asic_is_hot(c, why);
    if (device_rules_sensors_are_hot(c, why) || asic)
        return DEVICE_IS_BAD;
    // After a restart, the first reading does not know the other page.
    return c->before ? DEVICE_IS_GOOD : DEVICE_SAYS_NOTHING;
}

static enum device_verdict device_rules_fans(const struct device_case *c, struct text *why)
{
    const uint8_t *now = c->now->reading.octets;
    const uint64_t out = attribute_get(now, 0, FANS_UNDER) | attribute_get(now, 0, FANS_OVER);
    c->now->good |= ~out;
    const uint64_t failed = out & c->now->good;
    if (failed != 0)
        device_rules_add_bits(why, "fan", failed);
    return failed != 0 ? DEVICE_IS_BAD : DEVICE_IS_GOOD;
}

// What a power supply that was good lacks now; NULL: nothing. Bits of `good`: 2 * i, it had power;
// 2 * i + 1, its fan ran.
static const char *device_rules_supply(const struct device_case *c, unsigned i)
{
    const struct board_supply supply = board_supply(c->now->reading.octets, i);
    const bool power = supply.present && supply.has_power, fan = supply.present && supply.fan_runs;
    uint64_t *good = &c->now->good;
    *good |= (uint64_t)power << (2 * i) | (uint64_t)fan << (2 * i + 1);
    if (*good >> (2 * i) & 1 && !power)
        return supply.present ? "gives no power" : "is not there any more";
    return *good >> (2 * i + 1) & 1 && !fan ? "has a fan that does not run" : NULL;
}

static enum device_verdict device_rules_supplies(const struct device_case *c, struct text *why)
{
    for (unsigned i = 0; i < BOARD_SUPPLIES; i++) {
        const char *lack = device_rules_supply(c, i);
        if (lack)
            text_addf(why, "%spower supply %u %s", why->len > 0 ? "; " : "", i + 1, lack);
    }
    return why->len > 0 ? DEVICE_IS_BAD : DEVICE_IS_GOOD;
}

static enum device_verdict device_rules_restarted(const struct device_case *c, struct text *why)
{
    const uint8_t *was = device_rules_before(c);
    const uint32_t now = attribute_get(c->now->reading.octets, 0, FIRMWARE_UPTIME);
    const uint32_t before = was ? attribute_get(was, 0, FIRMWARE_UPTIME) : 0;
    text_addf(why, "it has been up for %u seconds, at the last reading for %u", (unsigned)now,
              (unsigned)before);
    return now < before && now > 0 ? DEVICE_IS_BAD : DEVICE_SAYS_NOTHING;
}

// The table.

static const struct device_rule RULES[] = {
    {CATALOGUE_MODULE_HOT, REGISTER_MODULE, device_rules_module_hot},
    {CATALOGUE_MODULE_POWER_LOW, REGISTER_MODULE, device_rules_power_low},
    {CATALOGUE_MODULE_FAULT, REGISTER_MODULE, device_rules_module_fault},
    {CATALOGUE_MODULE_REMOVED, REGISTER_MODULE, device_rules_removed},
    {CATALOGUE_CABLE_REPLACED, REGISTER_MODULE, device_rules_replaced},
    {CATALOGUE_TEMPERATURE_HIGH, REGISTER_TEMPERATURE, device_rules_switch_hot},
    {CATALOGUE_TEMPERATURE_HIGH, REGISTER_WARM_SENSORS, device_rules_switch_hot},
    {CATALOGUE_FAN_FAILED, REGISTER_FANS_OUT, device_rules_fans},
    {CATALOGUE_POWER_SUPPLY_FAILED, REGISTER_SUPPLIES, device_rules_supplies},
    {CATALOGUE_SWITCH_RESTARTED, REGISTER_FIRMWARE, device_rules_restarted},
};

const struct device_rule *device_rules_at(size_t number)
{
    return number < sizeof RULES / sizeof *RULES ? &RULES[number] : NULL;
}
