// SPDX-License-Identifier: BSD-2-Clause
// Encodes AgentX PDUs in network byte order and decodes them in either order (RFC 2741 5 and 6.1).
#pragma once

#include "agentx/options.h"
#include "agentx/value.h"

enum {
    PDU_HEADER_SIZE = 20,
    PDU_PAYLOAD_MAX = 1 << 20, // a longer payload counts as malformed
    PDU_SIZE_MAX = PDU_HEADER_SIZE + PDU_PAYLOAD_MAX,
};

enum pdu_type {
    PDU_OPEN = 1,
    PDU_CLOSE,
    PDU_REGISTER,
    PDU_UNREGISTER,
    PDU_GET,
    PDU_GET_NEXT,
    PDU_GET_BULK,
    PDU_TEST_SET,
    PDU_COMMIT_SET,
    PDU_UNDO_SET,
    PDU_CLEANUP_SET,
    PDU_NOTIFY,
    PDU_PING,
    PDU_RESPONSE = 18,
};

// Why a session is closed.
enum pdu_reason {
    PDU_REASON_OTHER = 1,
    PDU_REASON_PARSE_ERROR,
    PDU_REASON_PROTOCOL_ERROR,
    PDU_REASON_TIMEOUTS,
    PDU_REASON_SHUTDOWN,
    PDU_REASON_BY_MANAGER,
};

struct pdu_header {
    uint8_t type; // enum pdu_type, or any other
    bool has_context, little_endian;
    uint32_t session, transaction, packet;
    uint32_t payload; // octets after the header; a multiple of 4
};

// "GetNext" and the like; "PDU" for any other.
const char *pdu_type_word(uint8_t type);

// Reading.

// 1: the octets begin with a whole PDU; 0: a part of it is missing; -1: the octets are not AgentX,
// or longer than PDU_PAYLOAD_MAX.
int pdu_parse(const uint8_t *octets, size_t size, struct pdu_header *out);

// The rest of a payload. The functions to read a payload return false if the payload is too short
// or malformed; their results are then not valid.
struct pdu_reader {
    const uint8_t *at, *end;
    bool little_endian;
};
// Begins to read the payload of a whole PDU, after its context. False: malformed.
bool pdu_read(const uint8_t *octets, const struct pdu_header *header, struct pdu_reader *out);

// Copies the context of a whole PDU that pdu_read has accepted; empty: the default context. False,
// with an empty one: the context is longer than VACM allows, or has a NUL.
bool pdu_read_context(const uint8_t *octets, const struct pdu_header *header,
                      char out[AGENTX_CONTEXT_SIZE]);

bool pdu_read16(struct pdu_reader *r, uint16_t *out);
bool pdu_read32(struct pdu_reader *r, uint32_t *out);
bool pdu_read_octets(struct pdu_reader *r, const uint8_t **octets, uint32_t *size); // not copied
bool pdu_read_oid(struct pdu_reader *r, struct agentx_oid *out, bool *include);
bool pdu_read_range(struct pdu_reader *r, struct agentx_oid *name, bool *include,
                    struct agentx_oid *end);
// Truncates octets beyond AGENTX_OCTETS_MAX; the size is then AGENTX_OCTETS_MAX + 1.
bool pdu_read_varbind(struct pdu_reader *r, struct agentx_varbind *out);

// Writing.

// Builds a PDU in a buffer. When the PDU does not fit, the writer becomes `full` and ignores the
// rest.
struct pdu_writer {
    uint8_t *octets; // the caller's
    size_t size, used;
    bool full;
};

// `context` may be empty.
void pdu_begin(struct pdu_writer *w, uint8_t type, uint32_t session, uint32_t transaction,
               uint32_t packet, const char *context);
void pdu_add32(struct pdu_writer *w, uint32_t value);
void pdu_add_four(struct pdu_writer *w, uint8_t a, uint8_t b, uint8_t c, uint8_t d);
void pdu_add_octets(struct pdu_writer *w, const void *octets, size_t size);
void pdu_add_oid(struct pdu_writer *w, const uint32_t *ids, size_t length, bool include);
void pdu_add_varbind(struct pdu_writer *w, const struct agentx_oid *name,
                     const struct agentx_value *value);
// Adds error and index to a response, right after pdu_begin. `index` is the number of the varbind
// that caused the error, counted from 1. pdu_set_result can change both later.
void pdu_add_result(struct pdu_writer *w, unsigned error, size_t index);
void pdu_set_result(struct pdu_writer *w, unsigned error, size_t index);
// Writes the payload's size to the header. False: the writer is full.
bool pdu_end(struct pdu_writer *w);
