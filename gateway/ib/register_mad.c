// SPDX-License-Identifier: BSD-2-Clause
#include "ib/register_mad.h"

#include "base/text.h"
#include "base/wire.h"
#include "model/module_page.h"

#include <infiniband/umad_types.h>
#include <string.h>

// Places in the MAD.
enum { VSKEY = 24, DATA = 32, OCTETS = 36, BLOCK_SHIFT = 16 };

// A field of `bits` bits from bit `low` (0: the lowest) of the 32-bit word at an octet.
#define REGISTER_FIELD(octet, low, bits) ATTRIBUTE_FIELD(octet, 32 - (low) - (bits), bits)

// The index in the first two words of a register about a port. IS_IB_PORT: the number is that of
// InfiniBand.
enum {
    INDEX_PORT_SHIFT = 16,
    INDEX_PORT = 0xFF3000, // the bits of the number
    INDEX_IS_IB_PORT = 1 << 14,
    INDEX_PAGE = 0xFF, // of PDDR, in the second word
};

enum { PDDR = 0x5031, PPCNT = 0x5008, PPHCR = 0x503E };
enum { MTMP = 0x900A, PPCNT_GROUP = 0x3F, MTMP_SENSOR = 0xFFF };
#define MFSM_FAN       UINT32_C(0xFF000000)
#define MFSM_FAN_SHIFT 24

// `first` and `second`: the words of the index, `first` without the port. An answer has the bits
// `checked` of the first one. `of_fan`: the highest octet of the first one is a tachometer's
// number.
static const struct register_mad_page {
    uint16_t id;
    bool of_port, of_fan;
    uint32_t first, second, checked;
} PAGES[REGISTER_PAGES] = {
    [REGISTER_LINK_DOWN] = {.id = PDDR, .of_port = true, .second = 6},
    [REGISTER_TROUBLESHOOTING] = {.id = PDDR, .of_port = true, .second = 1},
    [REGISTER_MODULE] = {.id = PDDR, .of_port = true, .second = 3 | 1 << 29}, // light in uW
    [REGISTER_PHYSICAL] = {.id = PPCNT, .of_port = true, .first = 0x16, .checked = PPCNT_GROUP},
    [REGISTER_HISTOGRAM_BINS] = {.id = PPHCR, .of_port = true},
    [REGISTER_HISTOGRAM] = {.id = PPCNT, .of_port = true, .first = 0x23, .checked = PPCNT_GROUP},
    [REGISTER_RECOVERY] = {.id = PPCNT, .of_port = true, .first = 0x1A, .checked = PPCNT_GROUP},
    [REGISTER_FIRMWARE] = {.id = 0x9020},
    [REGISTER_BOARD] = {.id = 0x9021},
    [REGISTER_TEMPERATURE] = {.id = MTMP, .checked = MTMP_SENSOR},
    [REGISTER_AMBIENT] = {.id = MTMP, .first = 1, .checked = MTMP_SENSOR},
    [REGISTER_WARM_SENSORS] = {.id = 0x900B},
    [REGISTER_FANS] = {.id = 0x9001},
    [REGISTER_FANS_OUT] = {.id = 0x9007},
    [REGISTER_FAN_SPEED] = {.id = 0x9003, .of_fan = true, .checked = MFSM_FAN},
    [REGISTER_SUPPLIES] = {.id = 0x900D},
};

enum { GENERAL_INFO_CAPABILITIES = DATA + 0x80, HAS_ACCESS = 1 << 20 };

static uint64_t register_mad_index(enum register_page page, uint8_t port)
{
    const struct register_mad_page *row = &PAGES[page];
    const uint32_t number = row->of_port  ? (uint32_t)port << INDEX_PORT_SHIFT | INDEX_IS_IB_PORT
                            : row->of_fan ? (uint32_t)port << MFSM_FAN_SHIFT
                                          : 0;
    const uint32_t first = number | row->first;
    return (uint64_t)first << 32 | row->second;
}

void register_mad_make(uint8_t *out, enum register_page page, uint8_t port, uint64_t vskey)
{
    mad_make_request(out, MAD_CLASS_VENDOR, UMAD_METHOD_GET, REGISTER_MAD_ACCESS, PAGES[page].id);
    wire_put(out + VSKEY, 8, vskey);
    wire_put(out + OCTETS, 8, register_mad_index(page, port));
}

void register_mad_make_general_info(uint8_t *out, uint64_t vskey)
{
    mad_make_request(out, MAD_CLASS_VENDOR, UMAD_METHOD_GET, REGISTER_MAD_GENERAL_INFO, 0);
    wire_put(out + VSKEY, 8, vskey);
}

// Whether the answer is to a Get of that attribute, and good.
static bool register_mad_fits(const uint8_t *mad, size_t size, uint16_t attribute,
                              uint32_t modifier)
{
    struct mad_header h;
    return mad && size >= MAD_SIZE && mad_read_header(mad, size, &h) &&
           h.mgmt_class == MAD_CLASS_VENDOR && h.attribute == attribute && h.modifier == modifier &&
           h.method == (UMAD_METHOD_GET | MAD_METHOD_RESPONSE) && mad_status(&h) == 0;
}

const uint8_t *register_mad_read(const uint8_t *mad, size_t size, enum register_page page,
                                 uint8_t port)
{
    const struct register_mad_page *row = &PAGES[page];
    if (!register_mad_fits(mad, size, REGISTER_MAD_ACCESS, row->id))
        return NULL;
    const uint64_t mask = (uint64_t)(row->checked | (row->of_port ? INDEX_PORT : 0)) << 32 |
                          (row->of_port ? INDEX_PAGE : 0);
    const uint64_t index = register_mad_index(page, port), got = wire_get64(mad + OCTETS);
    const bool first_block = wire_get32(mad + DATA) >> BLOCK_SHIFT == 0;
    return first_block && (index & mask) == (got & mask) ? mad + OCTETS : NULL;
}

bool register_mad_has_access(const uint8_t *mad, size_t size)
{
    return register_mad_fits(mad, size, REGISTER_MAD_GENERAL_INFO, 0) &&
           wire_get32(mad + GENERAL_INFO_CAPABILITIES) & HAS_ACCESS;
}

bool register_mad_is_refusal(const uint8_t *mad, size_t size)
{
    enum { NO_CLASS = 0x04, NO_METHOD = 0x0C, NO_REGISTER = 0x14 };
    struct mad_header h;
    if (!mad || !mad_read_header(mad, size, &h))
        return false;
    const uint16_t status = mad_status(&h);
    return status == NO_CLASS || status == NO_METHOD || status == NO_REGISTER;
}

void register_mad_read_link_down(const uint8_t octets[REGISTER_MAD_SIZE], struct link_reason *out)
{
    const uint32_t blame = attribute_get(octets, 0, LINK_DOWN_BLAME);
    out->known = true;
    out->blame = blame <= LINK_END_OTHER ? (uint8_t)blame : LINK_END_UNKNOWN;
    out->local = (uint8_t)attribute_get(octets, 0, LINK_DOWN_LOCAL_REASON);
    out->remote = (uint8_t)attribute_get(octets, 0, LINK_DOWN_REMOTE_REASON);
}

void register_mad_read_trouble(const uint8_t octets[REGISTER_MAD_SIZE], struct link_reason *out)
{
    const char *message = (const char *)octets + TROUBLE_MESSAGE;
    out->known = true;
    out->status = (uint16_t)attribute_get(octets, 0, TROUBLE_STATUS);
    size_t length = strnlen(message, REGISTER_MAD_SIZE - TROUBLE_MESSAGE);
    while (length > 0 && (message[length - 1] == '.' || (uint8_t)message[length - 1] <= ' '))
        length--;
    text_clean(message, length, out->message, sizeof out->message);
}

// The counters of a port.

enum { PPCNT_DATA = 8, BINS_MAX = 16, BIN = 4, BIN_SIZE = 8 };

enum bin_field {
    BINS_COUNT = REGISTER_FIELD(0x04, 16, 8),
    BIN_MOST = REGISTER_FIELD(0x00, 16, 6), // corrected symbols of the codewords that it counts
    BIN_LEAST = REGISTER_FIELD(0x00, 0, 6),
};

void register_mad_read_bins(const uint8_t octets[REGISTER_MAD_SIZE], struct register_bins *out)
{
    enum { FIRST_BIN = 0x10, WARNING = 3, OF = 4 };
    const uint32_t count = attribute_get(octets, 0, BINS_COUNT);
    *out = (struct register_bins){0};
    if (count == 0 || count > BINS_MAX)
        return;
    const uint8_t *last = octets + FIRST_BIN + (size_t)BIN * (count - 1);
    const uint32_t most = attribute_get(last, 0, BIN_MOST);
    out->end = out->first = (uint8_t)count;
    while (out->first > 0 &&
           OF * attribute_get(octets + FIRST_BIN + (size_t)BIN * (out->first - 1U), 0, BIN_LEAST) >
               WARNING * most)
        out->first--;
}

static void register_mad_read_histogram(const uint8_t *data, const struct register_bins *bins,
                                        struct counter_sample *out)
{
    uint64_t near = 0;
    for (unsigned i = bins->first; i < bins->end; i++)
        near += wire_get64(data + (size_t)BIN_SIZE * i);
    out->values[COUNTER_FEC_NEAR_LIMIT] = near;
    out->sources |= bins->first < bins->end ? COUNTER_OF_HISTOGRAM : 0;
}

void register_mad_read_counters(const uint8_t octets[REGISTER_MAD_SIZE], enum register_page page,
                                const struct register_bins *bins, struct counter_sample *out)
{
    enum { EFFECTIVE = 0x7C, RECOVERIES = 0x00, UNINTENDED = 0x04 };
    const uint8_t *data = octets + PPCNT_DATA;
    if (page == REGISTER_HISTOGRAM) {
        register_mad_read_histogram(data, bins, out);
    } else if (page == REGISTER_PHYSICAL) {
        out->values[COUNTER_EFFECTIVE_ERRORS] = wire_get64(data + EFFECTIVE);
        out->sources |= COUNTER_OF_PHYSICAL;
    } else if (page == REGISTER_RECOVERY) {
        out->values[COUNTER_RECOVERIES] = wire_get32(data + RECOVERIES);
        out->values[COUNTER_UNINTENDED_DOWNS] = wire_get32(data + UNINTENDED);
        out->sources |= COUNTER_OF_RECOVERY;
    }
}
