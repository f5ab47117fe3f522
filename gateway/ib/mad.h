// SPDX-License-Identifier: BSD-2-Clause
// Encodes and decodes the MADs that ibtrapd sends and receives. IBA volume 1: 13.4 (MADs), 13.4.8.2
// and 13.4.8.3 (Notice, InformInfo), 15.2 (SA MADs). Pure functions.
#pragma once

#include "base/error.h"
#include "model/address.h"
#include "model/notice.h"

#include <stddef.h>
#include <stdint.h>

enum {
    MAD_SIZE = 256,
    MAD_CLASS_SMP_LID = 0x01,
    MAD_CLASS_SA = 0x03,
    MAD_CLASS_PERF = 0x04,
    MAD_CLASS_DM = 0x06,
    MAD_CLASS_VENDOR = 0x0A, // of NVIDIA
    MAD_CLASS_SMP_DIRECT = 0x81,
    MAD_METHOD_REPORT = 0x06,
    MAD_METHOD_RESPONSE = 0x80,   // set in responses
    MAD_STATUS_REDIRECT = 0x0002, // a bit
    MAD_STATUS_INVALID_FIELD = 0x001C,
};

// All vendor-specific traps, in place of a generic trap's number.
enum { MAD_TRAP_VENDOR = 0x10000 };

// All generic traps, in an InformInfo.
enum { MAD_TRAP_ALL = 0xFFFF };

struct mad_header {
    uint8_t base_version, mgmt_class, class_version, method;
    uint16_t status;
    uint64_t tid;
    uint16_t attribute;
    uint32_t modifier;
};

// Reads the 24 octets of the common header. False: there are fewer.
bool mad_read_header(const uint8_t *mad, size_t size, struct mad_header *out);

uint8_t mad_class(const uint8_t *mad); // the management class, of a MAD with a header

// The status. In a directed-route SMP its top bit is the direction, and left out.
uint16_t mad_status(const struct mad_header *header);

// Whether the status of an answer is that the port was busy: the port has discarded the request
// (IBA 13.4.7). `mad` may be NULL.
bool mad_is_busy(const uint8_t *mad, size_t size);

// Writes the common header, except octets 6, 7, 18 and 19, which are reserved or belong to the
// class.
void mad_write_header(uint8_t *mad, const struct mad_header *header);

// Makes a request of MAD_SIZE octets: a header with base version 1, and zeros.
void mad_make_request(uint8_t *out, uint8_t mgmt_class, uint8_t method, uint16_t attribute,
                      uint32_t modifier);

// Sets the lower half of the TransactionID. The kernel replaces the upper half with a number of its
// own for the sending agent.
void mad_set_tid(uint8_t *mad, uint32_t tid);

// Puts the SA key into a request to the SA that has none.
void mad_add_sa_key(uint8_t *mad, uint64_t sa_key);

// Requests. Each function writes MAD_SIZE octets to `out`.

// Set(InformInfo) for one generic trap number, MAD_TRAP_ALL or MAD_TRAP_VENDOR, from all LIDs of
// the subnet.
void mad_subscribe(uint8_t *out, uint32_t tid, uint64_t sa_key, uint32_t trap, bool subscribe);

// GetTable(InformInfoRecord): the subscriptions of the port with GID `gid`.
void mad_query_subscriptions(uint8_t *out, uint32_t tid, const uint8_t gid[ADDRESS_GID_SIZE]);

// Get(NodeRecord) of the port with LID `lid`.
void mad_query_node(uint8_t *out, uint32_t tid, uint16_t lid);

// GetTable of all records of an attribute, with TransactionID zero.
void mad_query_table(uint8_t *out, uint16_t attribute);

// Makes the ReportResp to a Report that has at least a header: the octets of the Report, made a
// response with `status`.
void mad_answer_report(uint8_t *out, const uint8_t *report, size_t size, uint16_t status);

// Answers.

// Whether a MAD is a Report with a Notice that can be decoded. Returns false with part of a
// sentence, for instance "its base version is 2, not 1".
bool mad_check_report(const uint8_t *mad, size_t size, struct error *err);

// The Notice within a checked Report: NOTICE_SIZE octets.
const uint8_t *mad_notice(const uint8_t *report);
uint32_t mad_reported_trap(const uint8_t *report); // its trap number, or MAD_TRAP_VENDOR

// The answer to mad_query_subscriptions.
struct mad_subscriptions {
    size_t records; // records read
    bool cut;       // there may be more records than arrived (without RMPP)
};
// Calls `each` for every record. An answer without records is valid. False: it is malformed.
bool mad_read_subscriptions(const uint8_t *mad, size_t size, struct mad_subscriptions *out,
                            void (*each)(void *ctx, uint32_t trap), void *ctx);

// Calls `each` for every record of an answer to mad_query_table, with at least `record_size`
// octets. A record of zeros is padding and ends the table. False with a sentence: the SA refused,
// or the answer is malformed or truncated; `each` may have been called before.
bool mad_read_table(const uint8_t *mad, size_t size, size_t record_size,
                    void (*each)(void *ctx, const uint8_t *record, size_t size), void *ctx,
                    struct error *err);

struct mad_node {
    uint64_t port_guid;
    char description[65]; // as the node sent it: any octets but NUL
};

// False: the answer has no node, or its port has no GUID.
bool mad_read_node(const uint8_t *mad, size_t size, struct mad_node *out);

struct mad_port {
    uint16_t lid, sm_lid;
    uint8_t lmc, sm_sl;
    unsigned state; // IBA 14.2.5.6 PortState: 1 down, 2 initialize, 3 armed, 4 active
    uint64_t subnet_prefix;
    bool client_reregister;
};
// Whether the port is active and has a LID and a subnet manager.
bool mad_port_is_up(const struct mad_port *port);

// Reads the answer to Get(PortInfo). False: it is too short.
bool mad_read_own_port(const uint8_t *mad, size_t size, struct mad_port *out);

// The status of an SA MAD in words, such as "request invalid" (IBA 13.4.7, 15.2.2).
const char *mad_status_words(uint16_t status);
