// SPDX-License-Identifier: BSD-2-Clause
// Encodes a snapshot of the fabric for the journal, and decodes it.
#ifndef IBTRAPD_MODEL_FABRIC_RECORD_H
#define IBTRAPD_MODEL_FABRIC_RECORD_H

#include "base/error.h"
#include "model/fabric.h"

// The record, which the caller frees; NULL: out of memory. Equal fabrics have equal records, in
// whatever order a sweep found them.
uint8_t *fabric_record_write(const struct fabric *fabric, size_t *size);

// Decodes a record into a snapshot with one reference, the caller's. Checks all of it, since the
// file may be damaged. NULL with a sentence: it is not valid.
struct fabric *fabric_record_read(const uint8_t *record, size_t size, struct error *err);

// A digest of the fabric, without time_us and complete, by which two snapshots are compared.
// `record` is one that fabric_record_write returned.
uint64_t fabric_record_digest(const uint8_t *record, size_t size);

#endif
