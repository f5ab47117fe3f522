// SPDX-License-Identifier: BSD-2-Clause
#include "metrics/port_metrics.h"

#include "model/device_values.h"
#include "topology/describe.h"

enum { OCTETS_PER_DATA = 4, BITS_PER_OCTET = 8 }; // PortXmitData and PortRcvData count words

// The meaning of a family's samples.
enum family_kind {
    FAMILY_LINK_UP,
    FAMILY_STATE,
    FAMILY_RATE,
    FAMILY_COUNTER,
    FAMILY_PER_SECOND,
    FAMILY_PER_BIT,
    FAMILY_WAIT,
    FAMILY_VALUE, // of a device or module
    FAMILY_DOWN,  // why a link is down
};

struct family {
    enum family_kind kind;
    enum counter counter;
    const char *name, *help;
    enum device_value value; // of FAMILY_VALUE
};

#define ERRORS(counter, name, help)                                                                \
    {                                                                                              \
        FAMILY_COUNTER, counter, "ibtrapd_port_" name "_total", help, 0                            \
    }

#define VALUE(value, name, help)                                                                   \
    {                                                                                              \
        FAMILY_VALUE, 0, "ibtrapd_" name, help, value                                              \
    }

static const struct family FAMILIES[] = {
    {FAMILY_LINK_UP, 0, "ibtrapd_port_link_up", "1 if the port is at least initialized.", 0},
    {FAMILY_STATE, 0, "ibtrapd_port_state",
     "PortState: 1 down, 2 initialize, 3 armed, 4 active, 5 active-defer.", 0},
    {FAMILY_RATE, 0, "ibtrapd_port_rate_bytes_per_second",
     "Nominal data rate of a link that is up, in each direction; an eighth of its bits a second.",
     0},
    ERRORS(COUNTER_SYMBOL_ERROR, "symbol_errors", "SymbolErrorCounter."),
    ERRORS(COUNTER_LINK_ERROR_RECOVERY, "link_error_recoveries", "LinkErrorRecoveryCounter."),
    ERRORS(COUNTER_LINK_DOWNED, "link_downed", "LinkDownedCounter."),
    ERRORS(COUNTER_RCV_ERRORS, "receive_errors", "PortRcvErrors."),
    ERRORS(COUNTER_RCV_REMOTE_PHYSICAL_ERRORS, "receive_remote_physical_errors",
           "PortRcvRemotePhysicalErrors."),
    ERRORS(COUNTER_RCV_SWITCH_RELAY_ERRORS, "receive_switch_relay_errors",
           "PortRcvSwitchRelayErrors."),
    ERRORS(COUNTER_XMIT_DISCARDS, "transmit_discards", "PortXmitDiscards."),
    ERRORS(COUNTER_XMIT_CONSTRAINT_ERRORS, "transmit_constraint_errors",
           "PortXmitConstraintErrors."),
    ERRORS(COUNTER_RCV_CONSTRAINT_ERRORS, "receive_constraint_errors", "PortRcvConstraintErrors."),
    ERRORS(COUNTER_LOCAL_LINK_INTEGRITY_ERRORS, "local_link_integrity_errors",
           "LocalLinkIntegrityErrors."),
    ERRORS(COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS, "excessive_buffer_overrun_errors",
           "ExcessiveBufferOverrunErrors."),
    ERRORS(COUNTER_VL15_DROPPED, "vl15_dropped", "VL15Dropped."),
    ERRORS(COUNTER_XMIT_WAIT, "transmit_wait_ticks", "PortXmitWait, in ticks of the port's clock."),
    ERRORS(COUNTER_FEC_CORRECTED, "fec_corrected_blocks",
           "PortFECCorrectableBlockCtr, or the sum of its lanes'."),
    ERRORS(COUNTER_FEC_UNCORRECTABLE, "fec_uncorrectable_blocks",
           "PortFECUncorrectableBlockCtr, or the sum of its lanes'."),
    ERRORS(COUNTER_EFFECTIVE_ERRORS, "effective_errors",
           "Bit errors behind the error correction, of NVIDIA's registers."),
    ERRORS(COUNTER_FEC_NEAR_LIMIT, "fec_near_limit_blocks",
           "Blocks of which the error correction had to repair nearly all that it can."),
    ERRORS(COUNTER_RECOVERIES, "recoveries", "Successful recoveries of the link."),
    ERRORS(COUNTER_UNINTENDED_DOWNS, "unintended_downs", "Link downs that nobody intended."),
    {FAMILY_PER_SECOND, 0, "ibtrapd_port_errors_per_second",
     "Errors over the short and the long window of a counter that has a limit and had errors.", 0},
    {FAMILY_PER_BIT, 0, "ibtrapd_port_bit_error_ratio",
     "The same for each bit of the link, where its rate is known.", 0},
    {FAMILY_WAIT, 0, "ibtrapd_port_wait_ratio",
     "Share of the short and the long window in which the port had data and could not send it.", 0},
    VALUE(PORT_VALUE_RAW_BER, "link_raw_bit_error_ratio", "Bit errors of the wire, for each bit."),
    VALUE(PORT_VALUE_EFFECTIVE_BER, "link_effective_bit_error_ratio",
          "The same behind the error correction."),
    VALUE(PORT_VALUE_SYMBOL_BER, "link_symbol_error_ratio", "Symbol errors, for each bit."),
    {FAMILY_DOWN, 0, "ibtrapd_port_down_info",
     "Why the link of a port that is down went down, as its end tells; always 1.", 0},
    VALUE(MODULE_VALUE_TEMPERATURE, "module_temperature_celsius",
          "Temperature of the cable or module in the port."),
    VALUE(MODULE_VALUE_TEMPERATURE_HIGH, "module_temperature_limit_celsius",
          "The module's own limit of its temperature."),
    VALUE(MODULE_VALUE_VOLTAGE, "module_voltage_volts", "Supply voltage of the module."),
    VALUE(MODULE_VALUE_RX_POWER, "module_receive_power_milliwatts",
          "Light that a lane of the module receives."),
    VALUE(MODULE_VALUE_TX_POWER, "module_transmit_power_milliwatts",
          "Light that a lane of the module sends."),
    VALUE(MODULE_VALUE_BIAS, "module_bias_milliamperes", "Bias current of a lane's laser."),
    VALUE(DEVICE_VALUE_TEMPERATURE, "switch_temperature_celsius",
          "Temperature of the switch's ASIC."),
    VALUE(DEVICE_VALUE_TEMPERATURE_HIGH, "switch_temperature_limit_celsius",
          "The switch's own limit of this temperature."),
    VALUE(DEVICE_VALUE_AMBIENT, "switch_ambient_celsius", "Temperature of the air in the switch."),
    VALUE(DEVICE_VALUE_UPTIME, "switch_uptime_seconds", "How long the switch has been up."),
    VALUE(DEVICE_VALUE_FANS, "switch_fans", "Fans that the switch has."),
    VALUE(DEVICE_VALUE_FANS_OUT, "switch_fans_too_slow", "Fans below their range."),
    VALUE(DEVICE_VALUE_SUPPLIES, "switch_power_supplies", "Power supplies that give power."),
    VALUE(SUPPLY_VALUE_POWER, "switch_power_watts", "Power that a power supply gives."),
    ERRORS(COUNTER_XMIT_DATA, "transmit_bytes", "PortXmitData, in octets."),
    ERRORS(COUNTER_RCV_DATA, "receive_bytes", "PortRcvData, in octets."),
    ERRORS(COUNTER_XMIT_PKTS, "transmit_packets", "PortXmitPkts."),
    ERRORS(COUNTER_RCV_PKTS, "receive_packets", "PortRcvPkts."),
};

enum { FAMILY_COUNT = sizeof FAMILIES / sizeof *FAMILIES };

static const char *const WINDOW_NAMES[ERROR_WINDOWS] = {"short", "long"};

// Whether the family is written together with the traffic only.
static bool port_metrics_is_traffic(const struct family *family)
{
    return family->kind == FAMILY_WAIT ||
           (family->kind == FAMILY_COUNTER && family->counter >= COUNTER_ERRORS);
}

void port_metrics_begin(struct port_metrics *metrics, const struct port_metrics_source *source)
{
    *metrics = (struct port_metrics){.source = *source,
                                     .fabric = source->systems ? source->systems->fabric : NULL};
}

void port_metrics_end(struct port_metrics *metrics)
{
    systems_unref(metrics->source.systems);
    names_unref(metrics->source.names);
    accumulated_unref(metrics->source.accumulated);
    measured_errors_unref(metrics->source.errors);
}

// Samples.

// A port, and the indices of the node at the other end of its link and, unless that is a switch, of
// the node's port. FABRIC_NONE: none.
struct place {
    const struct fabric_node *node;
    const struct fabric_port *port;
    uint32_t peer_node, peer_port;
};

void port_metrics_add_label(struct text *out, const char *before, const char *value)
{
    size_t octets = strlen(value);
    text_add(out, before);
    if (octets > PORT_METRICS_LABEL_MAX) {
        octets = PORT_METRICS_LABEL_MAX;
        while (octets > 0 && ((unsigned char)value[octets] & 0xC0) == 0x80)
            octets--;
    }
    while (octets > 0) {
        const size_t plain = strcspn(value, "\n\"\\");
        const size_t n = plain < octets ? plain : octets;
        text_add_n(out, value, n);
        value += n;
        octets -= n;
        if (octets == 0)
            return;
        text_add(out, *value == '\n' ? "\\n" : *value == '"' ? "\\\"" : "\\\\");
        value++;
        octets--;
    }
}

static void port_metrics_add_name(const struct port_metrics *m, const char *before, uint32_t node,
                                  uint32_t port, struct text *out)
{
    char label[NAMES_NAME_SIZE];
    port_metrics_add_label(out, before,
                           describe_label(m->fabric, node, port, m->source.names, label));
}

// The host at either end of the link, with all its adapters; empty: there is none.
static const char *port_metrics_host(const struct port_metrics *m, const struct place *place)
{
    const uint32_t ends[] = {(uint32_t)(place->node - m->fabric->nodes), place->peer_node};
    for (size_t i = 0; i < 2 && ends[i] != FABRIC_NONE; i++) {
        const struct system *system = systems_of(m->source.systems, ends[i]);
        if (!system->is_box && m->fabric->nodes[ends[i]].type == FABRIC_CA)
            return system->name;
    }
    return "";
}

static void port_metrics_add_port_labels(const struct port_metrics *m, const struct place *place,
                                         struct text *out)
{
    const struct fabric *fabric = m->fabric;
    const bool has_peer = place->peer_node != FABRIC_NONE;
    const char *host = port_metrics_host(m, place);
    port_metrics_add_name(m, "{node=\"", (uint32_t)(place->node - fabric->nodes),
                          (uint32_t)(place->port - fabric->ports), out);
    text_add(out, "\",guid=\"0x");
    text_add_hex_number(out, place->node->guid, 16);
    text_add(out, "\",port=\"");
    text_add_number(out, place->port->number);
    if (has_peer)
        port_metrics_add_name(m, "\",peer=\"", place->peer_node, place->peer_port, out);
    else
        text_add(out, "\",peer=\"");
    text_add(out, "\",peer_port=\"");
    if (has_peer)
        text_add_number(out, place->port->peer_port);
    if (host[0] != '\0')
        port_metrics_add_label(out, "\",host=\"", host);
    text_add(out, "\"");
}

static void port_metrics_begin_sample(struct port_metrics *m, const struct place *place,
                                      struct text *out)
{
    const struct family *family = &FAMILIES[m->family];
    if (!m->begun) {
        text_addf(out, "# HELP %s %s\n# TYPE %s %s\n", family->name, family->help, family->name,
                  family->kind == FAMILY_COUNTER ? "counter" : "gauge");
        m->begun = true;
    }
    text_add(out, family->name);
    port_metrics_add_port_labels(m, place, out);
}

static void port_metrics_add_count(struct port_metrics *m, const struct place *place,
                                   uint64_t count, struct text *out)
{
    port_metrics_begin_sample(m, place, out);
    text_add(out, "} ");
    text_add_number(out, count);
    text_add(out, "\n");
}

static void port_metrics_add_double(struct text *out, double value)
{
    text_addf(out, "} %.17g\n", value);
}

static void port_metrics_add_window(struct text *out, int window, double value)
{
    text_addf(out, ",window=\"%s\"} %.17g\n", WINDOW_NAMES[window], value);
}

// Moves the walk over the sums on to the port. False: its counters were never read.
static bool port_metrics_find_sums(struct port_metrics *m, const struct place *place)
{
    const struct counter_sample *sums = &m->sums;
    int order = 1;
    while (m->has_sums &&
           (order = counter_compare_ports(sums->node_guid, sums->port, place->node->guid,
                                          place->port->number)) < 0)
        m->has_sums = accumulated_next_sums(&m->walk, &m->sums);
    return m->has_sums && order == 0;
}

static void port_metrics_add_counter(struct port_metrics *m, const struct place *place,
                                     struct text *out)
{
    const enum counter counter = FAMILIES[m->family].counter;
    if (!port_metrics_find_sums(m, place))
        return;
    if (!counter_was_read(&m->sums, counter))
        return; // the port has none
    if (counter != COUNTER_XMIT_DATA && counter != COUNTER_RCV_DATA) {
        port_metrics_add_count(m, place, m->sums.values[counter], out);
        return;
    }
    port_metrics_begin_sample(m, place, out);
    port_metrics_add_double(out, (double)m->sums.values[counter] * OCTETS_PER_DATA);
}

static void port_metrics_add_errors(struct port_metrics *m, const struct place *place,
                                    struct text *out)
{
    const struct measured_errors *errors = m->source.errors;
    const bool per_bit = FAMILIES[m->family].kind == FAMILY_PER_BIT;
    const uint64_t guid = place->node->guid;
    const uint8_t number = place->port->number;
    size_t *at = &m->error;
    for (; errors && *at < errors->count; ++*at) {
        const struct counter_measure *one = &errors->all[*at];
        const int order = counter_compare_ports(one->node_guid, one->port, guid, number);
        if (order > 0)
            return;
        for (int w = 0; order == 0 && w < ERROR_WINDOWS; w++) {
            const double value = per_bit ? one->per_bit[w] : one->per_second[w];
            if (per_bit && one->per_bit[ERROR_WINDOW_LONG] == 0 && value == 0)
                continue;
            port_metrics_begin_sample(m, place, out);
            text_addf(out, ",counter=\"%s\"", counter_name(one->counter));
            port_metrics_add_window(out, w, value);
        }
    }
}

// Adds the samples if the port's counters were read, unless the counter of waiting is full.
static void port_metrics_add_wait(struct port_metrics *m, const struct place *place,
                                  struct text *out)
{
    const struct measured_errors *errors = m->source.errors;
    double share;
    if (!errors || !port_metrics_find_sums(m, place))
        return;
    for (int w = 0; w < ERROR_WINDOWS; w++) {
        if (!measured_errors_find_wait(errors, place->node->guid, place->port->number,
                                       (enum error_window)w, &share))
            return;
        port_metrics_begin_sample(m, place, out);
        port_metrics_add_window(out, w, share);
    }
}

static void port_metrics_add_rate(struct port_metrics *m, const struct place *place,
                                  struct text *out)
{
    const double bits =
        fabric_bits_per_second(place->port->width_active, place->port->speed_active);
    if (place->port->state <= FABRIC_DOWN || bits == 0)
        return;
    port_metrics_begin_sample(m, place, out);
    port_metrics_add_double(out, bits / BITS_PER_OCTET);
}

static void port_metrics_add_value(struct port_metrics *m, const struct place *place,
                                   struct text *out)
{
    const enum device_value value = FAMILIES[m->family].value;
    const unsigned lanes = device_value_lanes(value);
    struct device_record record;
    if (!devices_find(m->source.devices, place->node->guid, place->port->number,
                      device_value_page(value), &record))
        return;
    for (unsigned lane = 0; lane < lanes; lane++) {
        struct device_value_read read;
        if (!device_value_read(value, record.reading.octets, lane, &read))
            continue;
        port_metrics_begin_sample(m, place, out);
        if (lanes > 1)
            text_addf(out, ",%s=\"%u\"", device_value_lane_word(value), lane + 1);
        port_metrics_add_double(out, read.number);
    }
}

static void port_metrics_add_down(struct port_metrics *m, const struct place *place,
                                  struct text *out)
{
    static const struct {
        enum device_value value;
        const char *label;
    } LABELS[] = {{PORT_VALUE_DOWN_BLAME, "\",blame=\""},
                  {PORT_VALUE_DOWN_REASON, "\",reason=\""},
                  {PORT_VALUE_DOWN_REMOTE_REASON, "\",remote_reason=\""},
                  {PORT_VALUE_DEVICE_TEXT, "\",device_text=\""}};
    enum { COUNT = sizeof LABELS / sizeof *LABELS };
    struct device_value_read read[COUNT];
    struct device_record record;
    bool known = false;
    if (place->port->state > FABRIC_DOWN)
        return;
    for (size_t i = 0; i < COUNT; i++) {
        read[i].text[0] = '\0';
        known |= devices_find(m->source.devices, place->node->guid, place->port->number,
                              device_value_page(LABELS[i].value), &record) &&
                 device_value_read(LABELS[i].value, record.reading.octets, 0, &read[i]);
    }
    if (!known)
        return;
    port_metrics_begin_sample(m, place, out);
    out->len--; // the quotation mark, which begins each label
    for (size_t i = 0; i < COUNT; i++)
        port_metrics_add_label(out, LABELS[i].label, read[i].text);
    text_add(out, "\"} 1\n");
}

static void port_metrics_add_samples(struct port_metrics *m, const struct place *place,
                                     struct text *out)
{
    switch (FAMILIES[m->family].kind) {
    case FAMILY_LINK_UP:
        port_metrics_add_count(m, place, place->port->state > FABRIC_DOWN, out);
        break;
    case FAMILY_STATE:
        port_metrics_add_count(m, place, place->port->state, out);
        break;
    case FAMILY_RATE:
        port_metrics_add_rate(m, place, out);
        break;
    case FAMILY_COUNTER:
        port_metrics_add_counter(m, place, out);
        break;
    case FAMILY_PER_SECOND:
    case FAMILY_PER_BIT:
        port_metrics_add_errors(m, place, out);
        break;
    case FAMILY_WAIT:
        port_metrics_add_wait(m, place, out);
        break;
    case FAMILY_VALUE:
        port_metrics_add_value(m, place, out);
        break;
    case FAMILY_DOWN:
        port_metrics_add_down(m, place, out);
        break;
    }
}

// The order of the samples: family, node, port.

static void port_metrics_begin_family(struct port_metrics *m)
{
    m->begun = false;
    m->node = m->port = 0;
    m->error = 0;
    m->walk = (struct accumulated_walk){.accumulated = m->source.accumulated};
    const enum family_kind kind = FAMILIES[m->family].kind;
    m->has_sums = (kind == FAMILY_COUNTER || kind == FAMILY_WAIT) &&
                  accumulated_next_sums(&m->walk, &m->sums);
}

// Moves on to the next family that the source asks for. False: there is none.
static bool port_metrics_next_family(struct port_metrics *m)
{
    do
        m->family++;
    while (m->family < FAMILY_COUNT && port_metrics_is_traffic(&FAMILIES[m->family]) &&
           !m->source.traffic);
    if (m->family < FAMILY_COUNT)
        port_metrics_begin_family(m);
    return m->family < FAMILY_COUNT;
}

// The next port of the family. False: there are no more.
static bool port_metrics_next_port(struct port_metrics *m, struct place *out)
{
    const struct fabric *fabric = m->fabric;
    for (; m->node < fabric->node_count; m->node++, m->port = 0) {
        const struct fabric_node *node = &fabric->nodes[m->node];
        if (m->port >= node->ports)
            continue;
        const struct fabric_port *port = &fabric->ports[node->first_port + m->port++];
        *out = (struct place){node, port, port->peer_node, FABRIC_NONE};
        if (port->peer_node != FABRIC_NONE && fabric->nodes[port->peer_node].type != FABRIC_SWITCH)
            out->peer_port = fabric_find_port(fabric, port->peer_node, port->peer_port);
        return true;
    }
    return false;
}

static bool port_metrics_has_samples(const struct port_metrics *m, const struct place *place)
{
    const struct family *family = &FAMILIES[m->family];
    const bool is_whole = place->node->type == FABRIC_SWITCH && place->port->number == 0;
    return place->port->known &&
           (!is_whole || (family->kind == FAMILY_VALUE && !device_value_is_of_port(family->value)));
}

bool port_metrics_write(struct port_metrics *metrics, struct text *out)
{
    struct place place;
    if (!metrics->fabric)
        return false;
    if (metrics->family == 0 && metrics->node == 0 && metrics->port == 0)
        port_metrics_begin_family(metrics);
    for (unsigned looked = 0; looked < PORT_METRICS_PORTS_MAX; looked++) {
        if (out->size - out->len <= PORT_METRICS_ROOM)
            return true;
        if (port_metrics_next_port(metrics, &place)) {
            if (port_metrics_has_samples(metrics, &place))
                port_metrics_add_samples(metrics, &place, out);
        } else if (!port_metrics_next_family(metrics)) {
            return false;
        }
    }
    return true;
}
