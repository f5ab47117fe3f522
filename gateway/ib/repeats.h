// Repeated Reports: the SM sends one up to four times, 200 ms apart, until it is answered (OpenSM,
// osm_vendor_ibumad_sa). The repeats have the same sender, TransactionID and content.
#ifndef IBTRAPD_IB_REPEATS_H
#define IBTRAPD_IB_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPEATS_SLOTS = 8192, REPEATS_MEMORY_US = 5000000 };

// Remembers what was seen lately, in fixed space: two Reports on one slot make the older forgotten,
// and then a repeat of it passes as new. Nothing new ever counts as a repeat: a restarted SM begins
// its TransactionIDs anew, so age and content count too.
struct repeats {
    struct {
        uint64_t tid, digest;
        int64_t at; // monotonic microseconds
        uint16_t lid;
        bool used;
    } slots[REPEATS_SLOTS];
};

// What tells one Report from another beside sender and TransactionID.
uint64_t repeats_digest(uint16_t lid, uint64_t tid, const uint8_t *content, size_t size);

// True when a Report was remembered less than five seconds before `now`.
bool repeats_seen(const struct repeats *r, uint16_t lid, uint64_t tid, uint64_t digest, int64_t now);

void repeats_remember(struct repeats *r, uint16_t lid, uint64_t tid, uint64_t digest, int64_t now);

#endif
