// Repeated Reports: the SM sends one up to four times, 200 ms apart, until it is answered (OpenSM,
// osm_vendor_ibumad_sa). The repeats have the same sender, TransactionID and content.
#ifndef IBTRAPD_IB_REPEATS_H
#define IBTRAPD_IB_REPEATS_H

#include "base/hash.h"

enum { REPEATS_MAX = 65536, REPEATS_MEMORY_US = 5000000 };

// Remembers the last REPEATS_MAX Reports. Nothing new ever counts as a repeat: a restarted SM
// begins its TransactionIDs anew, so age and content count too.
struct repeats {
    struct repeats_report {
        struct hash_node node; // its digest stands for the content
        uint64_t tid;
        int64_t at; // monotonic microseconds
        uint16_t lid;
    } ring[REPEATS_MAX]; // by number
    uint64_t count;      // remembered so far; the next one's number
    struct hash reports;
};

// Of zeros, or cleared. False: out of memory.
bool repeats_init(struct repeats *r, const struct random *random);
void repeats_clear(struct repeats *r); // one of zeros is allowed

// What tells one Report from another beside sender and TransactionID.
uint64_t repeats_digest(uint16_t lid, uint64_t tid, const uint8_t *content, size_t size);

// True when a Report was remembered less than five seconds before `now`.
bool repeats_seen(const struct repeats *r, uint16_t lid, uint64_t tid, uint64_t digest,
                  int64_t now);

void repeats_remember(struct repeats *r, uint16_t lid, uint64_t tid, uint64_t digest, int64_t now);

#endif
