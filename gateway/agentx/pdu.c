// SPDX-License-Identifier: BSD-2-Clause
#include "agentx/pdu.h"

#include "base/wire.h"

#include <string.h>

enum { VERSION = 1, FLAG_CONTEXT = 0x08, FLAG_NETWORK_ORDER = 0x10, PAYLOAD_AT = 16 };
enum { RESULT_AT = PDU_HEADER_SIZE + 4 }; // after the master's sysUpTime

// 1.3.6.1, the prefix of nearly all names; AgentX omits it.
static const uint32_t INTERNET[] = {1, 3, 6, 1};
enum { INTERNET_LENGTH = 4 };

// Reading.

static uint32_t pdu_number(const uint8_t *p, size_t octets, bool little_endian)
{
    uint32_t value = 0;
    for (size_t i = 0; i < octets; i++)
        value = value << 8 | p[little_endian ? octets - 1 - i : i];
    return value;
}

const char *pdu_type_word(uint8_t type)
{
    static const char *const WORDS[] = {
        [PDU_OPEN] = "Open",
        [PDU_CLOSE] = "Close",
        [PDU_REGISTER] = "Register",
        [PDU_UNREGISTER] = "Unregister",
        [PDU_GET] = "Get",
        [PDU_GET_NEXT] = "GetNext",
        [PDU_GET_BULK] = "GetBulk",
        [PDU_TEST_SET] = "TestSet",
        [PDU_COMMIT_SET] = "CommitSet",
        [PDU_UNDO_SET] = "UndoSet",
        [PDU_CLEANUP_SET] = "CleanupSet",
        [PDU_NOTIFY] = "Notify",
        [PDU_PING] = "Ping",
        [PDU_RESPONSE] = "Response",
    };
    const char *word = type < sizeof WORDS / sizeof *WORDS ? WORDS[type] : NULL;
    return word ? word : "PDU";
}

int pdu_parse(const uint8_t *octets, size_t size, struct pdu_header *out)
{
    if (size > 0 && octets[0] != VERSION)
        return -1;
    if (size < PDU_HEADER_SIZE)
        return 0;
    bool little = !(octets[2] & FLAG_NETWORK_ORDER);
    *out = (struct pdu_header){.type = octets[1],
                               .has_context = octets[2] & FLAG_CONTEXT,
                               .little_endian = little,
                               .session = pdu_number(octets + 4, 4, little),
                               .transaction = pdu_number(octets + 8, 4, little),
                               .packet = pdu_number(octets + 12, 4, little),
                               .payload = pdu_number(octets + PAYLOAD_AT, 4, little)};
    if (out->payload > PDU_PAYLOAD_MAX || out->payload % 4 != 0)
        return -1;
    return size - PDU_HEADER_SIZE >= out->payload;
}

static size_t pdu_left(const struct pdu_reader *r)
{
    return (size_t)(r->end - r->at);
}

// Advances by `size` octets and returns them. NULL: there are fewer.
static const uint8_t *pdu_consume(struct pdu_reader *r, size_t size)
{
    if (pdu_left(r) < size)
        return NULL;
    r->at += size;
    return r->at - size;
}

bool pdu_read16(struct pdu_reader *r, uint16_t *out)
{
    const uint8_t *p = pdu_consume(r, 2);
    if (p)
        *out = (uint16_t)pdu_number(p, 2, r->little_endian);
    return p;
}

bool pdu_read32(struct pdu_reader *r, uint32_t *out)
{
    const uint8_t *p = pdu_consume(r, 4);
    if (p)
        *out = pdu_number(p, 4, r->little_endian);
    return p;
}

static size_t pdu_padded(size_t size)
{
    return (size + 3) / 4 * 4;
}

bool pdu_read_octets(struct pdu_reader *r, const uint8_t **octets, uint32_t *size)
{
    if (!pdu_read32(r, size) || *size > pdu_left(r))
        return false;
    *octets = pdu_consume(r, pdu_padded(*size));
    return *octets;
}

bool pdu_read_oid(struct pdu_reader *r, struct agentx_oid *out, bool *include)
{
    const uint8_t *head = pdu_consume(r, 4);
    size_t before = head && head[1] != 0 ? INTERNET_LENGTH + 1 : 0;
    if (!head || before + head[0] > AGENTX_OID_MAX)
        return false;
    *include = head[2] != 0;
    out->length = (uint8_t)(before + head[0]);
    if (before > 0) {
        memcpy(out->ids, INTERNET, sizeof INTERNET);
        out->ids[INTERNET_LENGTH] = head[1];
    }
    bool ok = true;
    for (size_t i = before; ok && i < out->length; i++)
        ok = pdu_read32(r, &out->ids[i]);
    return ok;
}

bool pdu_read_range(struct pdu_reader *r, struct agentx_oid *name, bool *include,
                    struct agentx_oid *end)
{
    bool unused;
    return pdu_read_oid(r, name, include) && pdu_read_oid(r, end, &unused);
}

static bool pdu_read_octets_value(struct pdu_reader *r, struct agentx_value *out)
{
    const uint8_t *octets;
    uint32_t size;
    if (!pdu_read_octets(r, &octets, &size))
        return false;
    agentx_value_set_octets(out, octets, size);
    if (size > AGENTX_OCTETS_MAX)
        out->size = AGENTX_OCTETS_MAX + 1;
    return out->type != AGENTX_IP_ADDRESS || size == 4;
}

static bool pdu_read_counter64(struct pdu_reader *r, struct agentx_value *out)
{
    uint32_t first, second;
    if (!pdu_read32(r, &first) || !pdu_read32(r, &second))
        return false;
    uint64_t high = r->little_endian ? second : first, low = r->little_endian ? first : second;
    out->number = (int64_t)(high << 32 | low);
    return true;
}

static bool pdu_read_number(struct pdu_reader *r, struct agentx_value *out)
{
    uint32_t value;
    if (!pdu_read32(r, &value))
        return false;
    out->number = out->type == AGENTX_INTEGER ? (int32_t)value : (int64_t)value;
    return true;
}

static bool pdu_read_value(struct pdu_reader *r, struct agentx_value *out)
{
    bool unused;
    switch (out->type) {
    case AGENTX_INTEGER:
    case AGENTX_COUNTER32:
    case AGENTX_GAUGE32:
    case AGENTX_TIME_TICKS:
        return pdu_read_number(r, out);
    case AGENTX_COUNTER64:
        return pdu_read_counter64(r, out);
    case AGENTX_OCTETS:
    case AGENTX_IP_ADDRESS:
    case AGENTX_OPAQUE:
        return pdu_read_octets_value(r, out);
    case AGENTX_OID:
        return pdu_read_oid(r, &out->oid, &unused);
    case AGENTX_NULL:
    case AGENTX_NO_SUCH_OBJECT:
    case AGENTX_NO_SUCH_INSTANCE:
    case AGENTX_END_OF_MIB_VIEW:
        return true;
    default:
        return false;
    }
}

bool pdu_read_varbind(struct pdu_reader *r, struct agentx_varbind *out)
{
    uint16_t type, reserved;
    bool unused;
    if (!pdu_read16(r, &type) || !pdu_read16(r, &reserved) || !pdu_read_oid(r, &out->name, &unused))
        return false;
    out->value.type = (enum agentx_type)type;
    return pdu_read_value(r, &out->value);
}

bool pdu_read(const uint8_t *octets, const struct pdu_header *header, struct pdu_reader *out)
{
    const uint8_t *context;
    uint32_t size;
    *out = (struct pdu_reader){.at = octets + PDU_HEADER_SIZE,
                               .end = octets + PDU_HEADER_SIZE + header->payload,
                               .little_endian = header->little_endian};
    return !header->has_context || pdu_read_octets(out, &context, &size);
}

bool pdu_read_context(const uint8_t *octets, const struct pdu_header *header,
                      char out[AGENTX_CONTEXT_SIZE])
{
    struct pdu_reader r = {.at = octets + PDU_HEADER_SIZE,
                           .end = octets + PDU_HEADER_SIZE + header->payload,
                           .little_endian = header->little_endian};
    const uint8_t *context;
    uint32_t size;
    out[0] = '\0';
    if (!header->has_context)
        return true;
    if (!pdu_read_octets(&r, &context, &size) || size >= AGENTX_CONTEXT_SIZE ||
        memchr(context, '\0', size))
        return false;
    memcpy(out, context, size);
    out[size] = '\0';
    return true;
}

// Writing.

// Reserves `size` octets. NULL: there is no room.
static uint8_t *pdu_room(struct pdu_writer *w, size_t size)
{
    w->full = w->full || w->size - w->used < size;
    if (w->full)
        return NULL;
    w->used += size;
    return w->octets + w->used - size;
}

void pdu_add32(struct pdu_writer *w, uint32_t value)
{
    uint8_t *p = pdu_room(w, 4);
    if (p)
        wire_put(p, 4, value);
}

void pdu_add_four(struct pdu_writer *w, uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
    pdu_add32(w, (uint32_t)a << 24 | (uint32_t)b << 16 | (uint32_t)c << 8 | d);
}

void pdu_add_octets(struct pdu_writer *w, const void *octets, size_t size)
{
    pdu_add32(w, (uint32_t)size);
    uint8_t *p = pdu_room(w, pdu_padded(size));
    if (!p)
        return;
    memcpy(p, octets, size);
    memset(p + size, 0, pdu_padded(size) - size);
}

static bool pdu_is_internet(const uint32_t *ids, size_t length)
{
    return length > INTERNET_LENGTH && memcmp(ids, INTERNET, sizeof INTERNET) == 0 &&
           ids[INTERNET_LENGTH] >= 1 && ids[INTERNET_LENGTH] <= UINT8_MAX;
}

void pdu_add_oid(struct pdu_writer *w, const uint32_t *ids, size_t length, bool include)
{
    size_t before = pdu_is_internet(ids, length) ? INTERNET_LENGTH + 1 : 0;
    uint8_t prefix = before > 0 ? (uint8_t)ids[INTERNET_LENGTH] : 0;
    pdu_add_four(w, (uint8_t)(length - before), prefix, include, 0);
    for (size_t i = before; i < length; i++)
        pdu_add32(w, ids[i]);
}

static void pdu_add_value(struct pdu_writer *w, const struct agentx_value *value)
{
    switch (value->type) {
    case AGENTX_COUNTER64:
        pdu_add32(w, (uint32_t)((uint64_t)value->number >> 32));
        pdu_add32(w, (uint32_t)value->number);
        break;
    case AGENTX_OCTETS:
    case AGENTX_IP_ADDRESS:
    case AGENTX_OPAQUE:
        pdu_add_octets(w, value->octets, value->size);
        break;
    case AGENTX_OID:
        pdu_add_oid(w, value->oid.ids, value->oid.length, false);
        break;
    case AGENTX_INTEGER:
    case AGENTX_COUNTER32:
    case AGENTX_GAUGE32:
    case AGENTX_TIME_TICKS:
        pdu_add32(w, (uint32_t)value->number);
        break;
    default: // without a value
        break;
    }
}

void pdu_add_varbind(struct pdu_writer *w, const struct agentx_oid *name,
                     const struct agentx_value *value)
{
    pdu_add32(w, (uint32_t)value->type << 16);
    pdu_add_oid(w, name->ids, name->length, false);
    pdu_add_value(w, value);
}

void pdu_begin(struct pdu_writer *w, uint8_t type, uint32_t session, uint32_t transaction,
               uint32_t packet, const char *context)
{
    bool has_context = context[0] != '\0';
    w->used = 0;
    w->full = false;
    pdu_add_four(w, VERSION, type, FLAG_NETWORK_ORDER | (has_context ? FLAG_CONTEXT : 0), 0);
    pdu_add32(w, session);
    pdu_add32(w, transaction);
    pdu_add32(w, packet);
    pdu_add32(w, 0);
    if (has_context)
        pdu_add_octets(w, context, strlen(context));
}

void pdu_add_result(struct pdu_writer *w, unsigned error, size_t index)
{
    pdu_add32(w, 0); // sysUpTime, which only a master sets
    pdu_add32(w, 0);
    pdu_set_result(w, error, index);
}

void pdu_set_result(struct pdu_writer *w, unsigned error, size_t index)
{
    if (w->used < RESULT_AT + 4)
        return;
    wire_put(w->octets + RESULT_AT, 2, error);
    wire_put(w->octets + RESULT_AT + 2, 2, index < UINT16_MAX ? index : UINT16_MAX);
}

bool pdu_end(struct pdu_writer *w)
{
    if (!w->full)
        wire_put(w->octets + PAYLOAD_AT, 4, w->used - PDU_HEADER_SIZE);
    return !w->full;
}
