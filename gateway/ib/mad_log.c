// SPDX-License-Identifier: BSD-2-Clause
#include "ib/mad_log.h"

#include "base/text.h"
#include "ib/gmp_decode.h"
#include "ib/mad.h"
#include "ib/smp_decode.h"

#include <infiniband/mad.h>
#include <infiniband/umad_sa.h>
#include <inttypes.h>

enum { LINE_SIZE = 512, HALF = MAD_LOG_SENT_MAX / 2 };
enum { HOP_COUNT_OFFSET = 7, INITIAL_PATH_OFFSET = 128 }; // IBA 14.2.1.2

struct name {
    uint16_t number;
    const char *text;
};

static const struct name METHODS[] = {
    {IB_MAD_METHOD_GET, "Get"},
    {IB_MAD_METHOD_SET, "Set"},
    {IB_MAD_METHOD_GET_RESPONSE, "GetResp"},
    {MAD_METHOD_REPORT, "Report"},
    {MAD_METHOD_REPORT | MAD_METHOD_RESPONSE, "ReportResp"},
    {UMAD_SA_METHOD_GET_TABLE, "GetTable"},
    {UMAD_SA_METHOD_GET_TABLE | MAD_METHOD_RESPONSE, "GetTableResp"},
};

static const struct name SA_ATTRIBUTES[] = {
    {UMAD_ATTR_NOTICE, "Notice"},          {UMAD_ATTR_INFORM_INFO, "InformInfo"},
    {UMAD_SA_ATTR_NODE_REC, "NodeRecord"}, {UMAD_SA_ATTR_PORT_INFO_REC, "PortInfoRecord"},
    {UMAD_SA_ATTR_LINK_REC, "LinkRecord"}, {UMAD_SA_ATTR_INFORM_INFO_REC, "InformInfoRecord"},
};

static const struct name SM_ATTRIBUTES[] = {
    {SMP_NODE_DESCRIPTION, "NodeDescription"},
    {SMP_NODE_INFO, "NodeInfo"},
    {SMP_PORT_INFO, "PortInfo"},
    {SMP_SM_INFO, "SMInfo"},
};

static const struct name PERF_ATTRIBUTES[] = {
    {GMP_CLASS_PORT_INFO, "ClassPortInfo"},
    {GMP_PORT_COUNTERS, "PortCounters"},
    {GMP_PORT_COUNTERS_EXTENDED, "PortCountersExtended"},
};

static const struct name DM_ATTRIBUTES[] = {
    {GMP_CLASS_PORT_INFO, "ClassPortInfo"},
    {GMP_IO_UNIT_INFO, "IOUnitInfo"},
    {GMP_IO_CONTROLLER_PROFILE, "IOControllerProfile"},
};

static void add_name(struct text *t, const struct name *names, size_t n, uint16_t number)
{
    for (size_t i = 0; i < n; i++) {
        if (names[i].number == number) {
            text_add(t, names[i].text);
            return;
        }
    }
    text_addf(t, "0x%04x", (unsigned)number);
}

#define ADD_NAME(t, names, number) add_name(t, names, sizeof(names) / sizeof *(names), number)

static void add_attribute(struct text *t, const struct mad_header *h)
{
    switch (h->mgmt_class) {
    case MAD_CLASS_SA:
        ADD_NAME(t, SA_ATTRIBUTES, h->attribute);
        break;
    case MAD_CLASS_SMP_DIRECT:
    case MAD_CLASS_SMP_LID:
        ADD_NAME(t, SM_ATTRIBUTES, h->attribute);
        break;
    case MAD_CLASS_PERF:
        ADD_NAME(t, PERF_ATTRIBUTES, h->attribute);
        break;
    case MAD_CLASS_DM:
        ADD_NAME(t, DM_ATTRIBUTES, h->attribute);
        break;
    default:
        text_addf(t, "class 0x%02x, attribute 0x%04x", h->mgmt_class, (unsigned)h->attribute);
    }
}

// Adds "LID 5", or the ports of a directed route from the own node on.
static void add_place(struct text *t, const struct mad_header *h, const uint8_t *mad, size_t size,
                      uint16_t lid)
{
    if (h->mgmt_class != MAD_CLASS_SMP_DIRECT || size < MAD_SIZE) {
        text_addf(t, "LID %u", lid);
        return;
    }
    unsigned hops = mad[HOP_COUNT_OFFSET];
    text_add(t, hops == 0 ? "the own port" : "route ");
    for (unsigned i = 1; i <= hops && i <= SMP_HOPS_MAX; i++)
        text_addf(t, "%s%u", i > 1 ? "," : "", mad[INITIAL_PATH_OFFSET + i]);
}

// Adds "Get(NodeInfo), TransactionID 0x80001200".
static void add_mad(struct text *t, const struct mad_header *h, const uint8_t *mad, size_t size)
{
    struct error err;
    struct mad_header report = *h;
    ADD_NAME(t, METHODS, h->method);
    text_add(t, "(");
    add_attribute(t, h);
    if (h->modifier != 0)
        text_addf(t, " %" PRIu32, h->modifier);
    text_addf(t, "), TransactionID 0x%08" PRIx32, (uint32_t)h->tid);
    report.method &= (uint8_t)~MAD_METHOD_RESPONSE;
    if (report.method != MAD_METHOD_REPORT)
        return;
    uint8_t copy[MAD_SIZE] = {0};
    memcpy(copy, mad, size < MAD_SIZE ? size : MAD_SIZE);
    copy[3] = report.method;
    if (!mad_check_report(copy, size, &err))
        text_addf(t, ", malformed: %s", err.text);
    else if (mad_reported_trap(copy) == MAD_TRAP_VENDOR)
        text_add(t, ", a vendor's trap");
    else
        text_addf(t, ", trap %" PRIu32, mad_reported_trap(copy));
}

// The upper half is for batches, with one place for each slot: the lowest bits of a batch's
// TransactionID are the slot's number.
static size_t place_of(uint32_t tid)
{
    return ((tid & MAD_TID_SWEEPER) ? HALF : 0) + tid % HALF;
}

static void note_sent(struct mad_log *m, uint32_t tid)
{
    atomic_store(&m->sent[place_of(tid)].at, clock_monotonic(m->clock));
    atomic_store(&m->sent[place_of(tid)].tid, tid);
}

static void add_duration(struct text *t, struct mad_log *m, uint32_t tid)
{
    int64_t at = atomic_load(&m->sent[place_of(tid)].at);
    if (at != 0 && atomic_load(&m->sent[place_of(tid)].tid) == tid)
        text_addf(t, ", after %lld us", (long long)(clock_monotonic(m->clock) - at));
}

void mad_log_init(struct mad_log *mad_log, struct log *log, const struct clock *clock)
{
    *mad_log = (struct mad_log){.log = log, .clock = clock};
}

void mad_log_sent(struct mad_log *mad_log, const struct mad_address *to, const uint8_t *mad,
                  const char *error)
{
    struct mad_header h;
    char line[LINE_SIZE];
    if (!log_is_debug(mad_log->log) || !mad_read_header(mad, MAD_SIZE, &h))
        return;
    struct text t = text_in(line, sizeof line);
    text_add(&t, "to ");
    add_place(&t, &h, mad, MAD_SIZE, to->lid);
    text_add(&t, ": ");
    add_mad(&t, &h, mad, MAD_SIZE);
    if (error)
        text_addf(&t, ", not sent: %s", error);
    note_sent(mad_log, (uint32_t)h.tid);
    log_debug(mad_log->log, "%s", line);
}

void mad_log_received(struct mad_log *mad_log, const struct mad_received *in)
{
    struct mad_header h;
    char line[LINE_SIZE];
    if (!log_is_debug(mad_log->log))
        return;
    if (!mad_read_header(in->octets, in->size, &h)) {
        log_debug(mad_log->log, "from LID %u: %zu octets without a header", in->from.lid, in->size);
        return;
    }
    struct text t = text_in(line, sizeof line);
    text_add(&t, "from ");
    add_place(&t, &h, in->octets, in->size, in->from.lid);
    text_add(&t, ": ");
    add_mad(&t, &h, in->octets, in->size);
    if (h.method & MAD_METHOD_RESPONSE) {
        uint16_t status = mad_status(&h);
        text_addf(&t, ", %s (0x%04x), %zu octets", mad_status_words(status), (unsigned)status,
                  in->size);
        add_duration(&t, mad_log, (uint32_t)h.tid);
    }
    log_debug(mad_log->log, "%s", line);
}
