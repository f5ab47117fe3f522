// The counters of a port: PortCounters and PortCountersExtended (IBA 16.1.3.5, 16.1.4.11).
#ifndef IBTRAPD_MODEL_COUNTER_H
#define IBTRAPD_MODEL_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum counter {
    COUNTER_SYMBOL_ERROR,
    COUNTER_LINK_ERROR_RECOVERY,
    COUNTER_LINK_DOWNED,
    COUNTER_RCV_ERRORS,
    COUNTER_RCV_REMOTE_PHYSICAL_ERRORS,
    COUNTER_RCV_SWITCH_RELAY_ERRORS,
    COUNTER_XMIT_DISCARDS,
    COUNTER_XMIT_CONSTRAINT_ERRORS,
    COUNTER_RCV_CONSTRAINT_ERRORS,
    COUNTER_LOCAL_LINK_INTEGRITY_ERRORS,
    COUNTER_EXCESSIVE_BUFFER_OVERRUN_ERRORS,
    COUNTER_VL15_DROPPED,
    COUNTER_XMIT_WAIT,
    // From here on traffic: it is summed up. What grows with use is no reason to tell anybody, so
    // there are neither thresholds nor events for it.
    COUNTER_XMIT_DATA, // in units of four octets; so is COUNTER_RCV_DATA
    COUNTER_RCV_DATA,
    COUNTER_XMIT_PKTS,
    COUNTER_RCV_PKTS,
    COUNTER_COUNT,
    COUNTER_ERRORS = COUNTER_XMIT_DATA, // how many are no traffic
};

// "SymbolErrorCounter" and so on, as IBA and perfquery have them.
const char *counter_name(enum counter counter);
// One that is no traffic; COUNTER_ERRORS when there is none of that name. "Port" at the begin and
// "Counter" at the end may be left out.
enum counter counter_find(const char *name);
// The value at which the native counter of PortCounters sticks.
uint64_t counter_limit(enum counter counter);

// What one port had at one time.
struct counter_sample {
    uint64_t node_guid;
    uint8_t port;
    bool extended; // all is of 64 bits (PortCountersExtended with the error counters)
    bool wide;     // so is the traffic, at least
    uint64_t values[COUNTER_COUNT];
};

// What one round of reading found, ascending by node and port. Ports that did not answer are
// missing.
struct counter_reading {
    int64_t time_us;      // UTC, of the round's begin
    size_t count, silent; // samples; ports that did not answer
    struct counter_sample samples[];
};

#endif
