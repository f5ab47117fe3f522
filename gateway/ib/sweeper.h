// Looks at the fabric, periodically and when something happened: one thread that sweeps, asks
// subnet managers and I/O units about themselves, and reads the error counters.
#ifndef IBTRAPD_IB_SWEEPER_H
#define IBTRAPD_IB_SWEEPER_H

#include "base/log.h"
#include "base/random.h"
#include "ib/sa_client.h"
#include "model/counter.h"
#include "model/fabric.h"

enum sweeper_method {
    SWEEPER_OFF,
    SWEEPER_SMP, // asks every node itself, by directed route
    SWEEPER_SA,  // asks the subnet manager for its tables
};

enum sweeper_ports { SWEEPER_NO_PORTS, SWEEPER_SWITCH_PORTS, SWEEPER_ALL_PORTS };

// Called in the sweeper's thread; must not wait. Both hand over what they bring.
struct sweeper_listener {
    void (*fabric)(void *ctx, struct fabric *fabric);             // a reference
    void (*counters)(void *ctx, struct counter_reading *reading); // made with malloc
    void *ctx;
};

struct sweeper_options {
    enum sweeper_method method;
    int64_t interval_us; // between the begins of two sweeps
    int64_t settle_us;   // a trap's sweep begins when nothing more came for so long (at most ten
                         // times that)
    unsigned in_flight;  // MADs at a time
    unsigned attempts;
    int64_t timeout_us; // of each attempt
    bool has_mkey;
    uint64_t mkey;
    enum sweeper_ports counters; // whose counters are read
    int64_t counters_interval_us;
    struct sa_client *client; // whose port is used; outlives the sweeper
    struct sweeper_listener listener;
    const struct clock *clock;
    const struct random *random;
    struct log *log;
};

// What `ibtrapctl status` shows. Times are UTC microseconds, 0: never.
struct sweeper_status {
    enum sweeper_method method;
    bool running; // a sweep is
    int64_t last_begin_us, last_duration_us;
    bool last_complete;
    char problem[512]; // why the last one failed; empty: it did not
    uint64_t sweeps, failed;
    uint64_t mads, unanswered;               // of the last sweep
    uint32_t nodes, switches, links, silent; // that the last one found; ports that did not answer
    int64_t counters_last_us, counters_duration_us;
    uint64_t counters_ports, counters_silent;
};

struct sweeper;

// The options are copied. With the method off there is no thread, only a status.
struct sweeper *sweeper_start(const struct sweeper_options *options, struct error *err);
void sweeper_stop(
    struct sweeper *sweeper); // ends a sweep under way, too; poking it is harmless from then on
void sweeper_free(struct sweeper *sweeper); // a stopped one
// NULL is allowed for both.

// Ends a sweep under way and goes on with other options. False with a sentence, and nothing is
// swept any more, when threads are short. The thread that starts and stops it.
bool sweeper_change(struct sweeper *sweeper, const struct sweeper_options *options,
                    struct error *err);

// Something may have changed: sweep when it has settled. Any thread.
void sweeper_trigger(struct sweeper *sweeper);
void sweeper_sweep_now(struct sweeper *sweeper);                              // without settling
void sweeper_get_status(struct sweeper *sweeper, struct sweeper_status *out); // any thread

#endif
