// SPDX-License-Identifier: BSD-2-Clause
// The sweeper: one thread that, periodically and when triggered, sweeps the fabric, queries subnet
// managers and I/O units, and reads the counters, and the registers of NVIDIA's devices.
#pragma once

#include "base/log.h"
#include "base/random.h"
#include "ib/sa_client.h"
#include "ib/sweep_rules.h"
#include "model/choices.h"
#include "model/counter.h"
#include "model/device_reading.h"
#include "model/fabric.h"
#include "model/link_reason.h"

// The sweeper's thread calls these functions. They must not wait.
struct sweeper_listener {
    void (*fabric)(void *ctx, struct fabric *fabric);             // takes over a reference
    void (*counters)(void *ctx, struct counter_reading *reading); // free it with free(3)
    // Why links went down that the next fabric lacks, or a late answer to the same question; free
    // it with free(3).
    void (*reasons)(void *ctx, struct link_reasons *list);
    // What devices of NVIDIA tell of themselves and their modules; free it with free(3).
    void (*registers)(void *ctx, struct device_readings *readings);
    // The fabric as known so far: a reference, the sweeper's. NULL: it is not known. The function
    // may be NULL, too.
    struct fabric *(*known)(void *ctx);
    void *ctx;
};

struct sweeper_options {
    enum sweep_method method;
    int64_t interval_us; // between the begins of two sweeps
    // A triggered sweep begins when no further trigger came for this time, or after ten times this
    // time.
    int64_t settle_us;
    unsigned in_flight; // requests at a time
    unsigned attempts;  // of each request
    int64_t timeout_us; // of each attempt
    bool has_mkey;
    uint64_t mkey;
    struct mkeys *mkeys; // where a port has its own M_Key, read again by the sweeper; NULL: none
    bool pkeys;          // P_Key tables are read, too
    enum counter_ports counters; // whose counters are read
    int64_t counters_interval_us;
    bool link_reasons; // the ends of lost links are asked why; a fabric waits settle_us for that
    int64_t
        registers_interval_us; // between the begins of two rounds over NVIDIA's devices; 0: none
    uint64_t vskey;            // of NVIDIA's devices; 0: none
    struct sa_client *client;  // whose port the sweeper shares; outlives the sweeper
    unsigned nodes_max;        // that a sweep finds; 0: without limits
    int64_t part_us_max;       // that a part of a sweep takes
    bool was_over;             // an overflow was told, and not its end
    struct sweep_listener findings; // sweeper_start and sweeper_change may call it, too
    struct sweeper_listener listener;
    const struct clock *clock;
    const struct random *random;
    struct log *log;
};

// For `ibtrapctl status`. Times are UTC microseconds; 0: never.
struct sweeper_status {
    enum sweep_method method; // in use
    char no_smps[128];        // why SWEEP_SA is in use instead of SWEEP_SMP; else empty
    bool running;             // a sweep is under way
    uint32_t found; // nodes found so far by the sweep under way; by SWEEP_SA, none until its end
    int64_t last_begin_us, last_duration_us;
    bool last_complete;
    char locked[640]; // the nodes that have another M_Key, or may have; empty: there is none
    char pkeys[160];  // the P_Key tables for which there is no room; empty: there is none
    uint32_t pkey_tables_left_out; // how many
    char problem[512];             // why the last sweep failed or ended early; else empty
    uint64_t sweeps, failed;
    uint64_t overflowed;       // good sweeps that reached a limit, and kept the nodes found
    uint64_t mads, unanswered; // of the last sweep
    uint32_t nodes, switches, links, silent; // found by the last good sweep; `silent`: ports
    uint32_t inactive;                       // of these links; see fabric_is_inactive
    uint32_t hidden;                         // ports: `hidden` of struct sweep
    int64_t counters_last_us, counters_duration_us;
    uint64_t counters_ports, counters_silent;
};

struct sweeper;

// Copies the options. With SWEEP_OFF there is no thread, only a status. Returns NULL with a
// sentence if threads are short.
struct sweeper *sweeper_start(const struct sweeper_options *options, struct error *err);

// Stops the thread, and a sweep under way. Triggers have no effect from then on. NULL is allowed.
void sweeper_stop(struct sweeper *sweeper);
void sweeper_free(struct sweeper *sweeper); // a stopped one; NULL is allowed

// Stops a sweep under way and continues with other options. False with a sentence: threads are
// short, and the sweeper is stopped. Call sweeper_change only from the thread that starts and stops
// the sweeper.
bool sweeper_change(struct sweeper *sweeper, const struct sweeper_options *options,
                    struct error *err);

// Something may have changed: sweeps when it has settled. Any thread.
void sweeper_trigger(struct sweeper *sweeper);
void sweeper_sweep_now(struct sweeper *sweeper); // at once; any thread

enum { SWEEPER_SWITCHES_MAX = 64 }; // asked for at a time

// When no sweep is due, reads the counters of these switches, and passes on an early reading.
// Forgets those beyond SWEEPER_SWITCHES_MAX, and all where no counters are read. Any thread.
void sweeper_read_counters(struct sweeper *sweeper, const uint64_t *switches, size_t count);

// When no sweep is due, asks these ports why their links went down last, for the time of
// `settle_us` at most, and passes on what they say. Forgets ports beyond LINK_REASONS_MAX. Any
// thread.
void sweeper_ask_reasons(struct sweeper *sweeper, const struct link_reasons *ports);

void sweeper_get_status(struct sweeper *sweeper, struct sweeper_status *out); // any thread
