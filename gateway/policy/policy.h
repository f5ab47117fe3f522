// What receivers get to hear of: every event goes on to the journal, and policy says which of them
// are suppressed from the receivers and why, and adds events that sum up what was suppressed.
//
// Alarms are told by difference. For each alarm key policy knows how things are and what receivers
// were told. While there is a reason not to tell (a hold-down, a flapping link, a storm,
// maintenance,
// ...) the two may differ; when the reason is gone and they still do, the event that was suppressed
// goes out as a new one, with related_id naming the old. So receivers may hear late, never wrong.
//
// Pure: time is an argument, microseconds that never go back, and nothing here waits. One thread.
#ifndef IBTRAPD_POLICY_POLICY_H
#define IBTRAPD_POLICY_POLICY_H

#include "model/event.h"
#include "model/filter.h"

enum {
    POLICY_RULES_MAX = 64,
    POLICY_MAINTENANCE_MAX = 32, // windows at a time
    POLICY_FLAP_CHANGES_MAX = 16,
    POLICY_ALARMS_MAX = 65536, // alarm keys that are followed; events of others pass as they are
    POLICY_PENDING_MAX =
        16384, // of them with an event that may go out later; others are told at once
};

// Why receivers do not get an event.
enum policy_reason {
    POLICY_PASSES,
    POLICY_DISABLED,       // a rule says so
    POLICY_MAINTENANCE,    // of the node
    POLICY_SHELVED,        // the alarm was put aside
    POLICY_CONSEQUENCE,    // of an alarm that stands; held for as long as that does
    POLICY_DUPLICATE,      // receivers know already; counted in a later event
    POLICY_NEVER_NOTIFIED, // clears an alarm that receivers were never told of
    POLICY_FLAPPING,       // counted in flapping and settled
    POLICY_HOLD_DOWN,      // may pass yet
    POLICY_STORM,          // counted in storm-summary
    POLICY_REASON_COUNT,
};

const char *
policy_reason_word(enum policy_reason reason); // as in event->held; "" for POLICY_PASSES

enum policy_choice { POLICY_UNSET, POLICY_YES, POLICY_NO };
enum { POLICY_SAME = -1 }; // in a rule: says nothing of this

// The rules are read in order, and of all that fit an event the last one that says something of an
// item decides that item: the general ones come first. Before all of them stands a built-in one
// that disables mcast-group-*.
struct policy_rule {
    char name[EVENT_RULE_SIZE];
    struct filter_list events; // identifiers; none: all
    struct filter_list nodes;  // names or GUIDs of subject, peer, source or destination; none: all
    enum policy_choice enabled;
    int severity; // enum severity or POLICY_SAME
    int category; // enum category or POLICY_SAME
    int64_t
        hold_down_us; // an alarm must last that long before receivers hear of it; or POLICY_SAME
};

struct policy_options {
    const struct policy_rule *rules; // copied
    size_t rule_count;               // at most POLICY_RULES_MAX
    int64_t repeat_window_us;        // identical events within it are one; 0: all pass
    // An alarm that changed that often within that time flaps, until it is quiet for so long.
    uint32_t flap_changes; // 2 to POLICY_FLAP_CHANGES_MAX; 0: never
    int64_t flap_within_us, flap_quiet_us;
    // More events of one kind in a second are a storm: summed up at its begin, and every period.
    uint32_t storm_rate; // 0: never
    int64_t storm_period_us;
    bool suppress_consequences;
};

// 60 s; 6 changes in 5 min, 5 min quiet; 50 events/s, 60 s; consequences held; no rules.
void policy_options_init(struct policy_options *options);

// Where events go. Neither may call policy again.
struct policy_sink {
    // Gives an event that policy made its identity: identifier, text, and time and subnet prefix
    // where they are 0.
    void (*stamp)(void *ctx, struct event *event);
    // To the journal; to the receivers unless `held` says why not. The event stays policy's or the
    // giver's: whoever wants it longer keeps a reference.
    void (*pass)(void *ctx, struct event *event);
    void *ctx;
};

struct policy_counters {
    uint64_t reasons[POLICY_REASON_COUNT]; // events taken, by what became of them
    uint64_t made;                         // by policy
    uint64_t overflowed; // passed as they were, as a table was full or memory short
};

struct policy;

// NULL: out of memory.
struct policy *policy_new(const struct policy_options *options, const struct policy_sink *sink);
void policy_free(struct policy *policy); // NULL is allowed

// The state stays. What is suppressed is judged anew with the next tick. False, and all is as
// before: out of memory.
bool policy_change_options(struct policy *policy, const struct policy_options *options,
                           int64_t now_us);

// An alarm that stood when the gateway ended, before the first event is taken.
struct policy_restored_alarm {
    const char *key;
    const char *event_id;    // of the event that raised it
    const char *notified_id; // of the event by which receivers know of it; empty: they do not
    enum severity severity;
    int64_t shelved_until_us; // on policy's clock; 0: not shelved
    struct event *event;      // that raised it, or NULL; without it the alarm counts as told
};
// False: the table is full.
bool policy_restore_alarm(struct policy *policy, const struct policy_restored_alarm *alarm,
                          int64_t now_us);

// Decides about one event, which nobody else has yet, and passes it on: always, and once. Sets its
// severity, category, held, rule, clears_id and repeat_count. Of one that is held already (standby)
// only the alarm is noted, as told. A test passes: rules may set its severity and category, and
// else it is as if it had not been.
void policy_process(struct policy *policy, struct event *event, int64_t now_us);

// Does what is due. To be called at policy_due or soon after; INT64_MAX: nothing is.
void policy_tick(struct policy *policy, int64_t now_us);
int64_t policy_due(const struct policy *policy);

// The gateway ends. Tells what nobody would know of after the next start: the counts of storms and
// repeats, as if these were over, and of alarms that were told those ends and worsenings that a
// storm or flapping held, at whatever rate. Alarms that were not told are for policy_restore_alarm.
void policy_end(struct policy *policy, int64_t now_us);

// Receivers hear nothing of that alarm until then, but for its end if they know of it; in the past:
// not shelved any more. False: no room.
bool policy_shelve(struct policy *policy, const char *key, int64_t until_us, int64_t now_us);

// Events about these nodes are held until the end; what still stands then is told. The gateway's
// own events are not about nodes.
struct policy_maintenance {
    char name[64];
    struct filter_list nodes; // names or GUIDs; none: all
    int64_t until_us;
};
// Replaces the window of the same name. False: too many.
bool policy_start_maintenance(struct policy *policy, const struct policy_maintenance *window,
                              int64_t now_us);
bool policy_stop_maintenance(struct policy *policy, const char *name,
                             int64_t now_us); // false: none such
size_t policy_each_maintenance(const struct policy *policy, int64_t now_us,
                               void (*each)(void *ctx, const struct policy_maintenance *window),
                               void *ctx); // how many

void policy_get_counters(const struct policy *policy, struct policy_counters *out);

#endif
