// Makes events: a notice, a malformed MAD or something of the gateway's own becomes one identified,
// named and explained event.
#ifndef IBTRAPD_EVENT_MAKER_H
#define IBTRAPD_EVENT_MAKER_H

#include "base/clock.h"
#include "base/random.h"
#include "model/catalogue.h"
#include "model/names.h"

// What every event of one gateway shares. The pointers stay the caller's and outlive the maker.
struct maker {
    const struct clock *clock;
    const struct random *random;
    const struct names *names; // may be NULL
    uint64_t subnet_prefix;    // of the subnet as known so far
};

// Each returns a new event, the caller's, or NULL when memory is short. The time is now.

// From the `NOTICE_SIZE` octets of a Report's Notice.
struct event *maker_from_notice(const struct maker *maker, const uint8_t wire[NOTICE_SIZE]);

// From a MAD that is no proper Report: the sender's LID, what is wrong, the octets as they came
// (at most EVENT_RAW_MAX are kept).
struct event *maker_from_malformed(const struct maker *maker, uint16_t sender_lid,
                                   const char *reason, const uint8_t *mad, size_t size);

// Something of the gateway itself.
struct maker_occurrence {
    enum catalogue_event type;
    char alarm_key[EVENT_KEY_SIZE]; // names the alarm that the event raises or clears, or is empty
    char receiver[65];              // whose failing or recovery it tells, or empty
    uint64_t lost;                  // events lost, where it tells of that
    char reason[EVENT_REASON_SIZE]; // part of a sentence, without a full stop
};
struct event *maker_from_occurrence(const struct maker *maker,
                                    const struct maker_occurrence *occurrence);

#endif
