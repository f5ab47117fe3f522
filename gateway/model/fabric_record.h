// A snapshot of the fabric as octets, to be kept in the journal.
#ifndef IBTRAPD_MODEL_FABRIC_RECORD_H
#define IBTRAPD_MODEL_FABRIC_RECORD_H

#include "base/error.h"
#include "model/fabric.h"

// Octets of the caller's, made with malloc; NULL: out of memory. The same fabric gives the same
// octets, however it was found.
uint8_t *fabric_record_write(const struct fabric *fabric, size_t *size);

// A snapshot with one reference, the caller's. Checks everything: the octets may come from a
// damaged file. NULL with a sentence when they are not valid.
struct fabric *fabric_record_read(const uint8_t *record, size_t size, struct error *err);

// Tells the fabrics of two records apart without comparing them; time_us and complete do not count.
// `record` is one that was written.
uint64_t fabric_record_digest(const uint8_t *record, size_t size);

#endif
