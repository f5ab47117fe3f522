// SPDX-License-Identifier: BSD-2-Clause
// Encodes snapshots of the fabric for the journal, and decodes their records.
#pragma once

#include "base/error.h"
#include "model/fabric.h"

// Returns the record, for the caller to free. Equal fabrics have equal records, and the order of
// the sweep does not matter.
uint8_t *fabric_record_write(const struct fabric *fabric, size_t *size);

// Decodes a record into a snapshot with one reference, the caller's. Checks all octets, since the
// file may be damaged. NULL with a sentence: the record is not valid.
struct fabric *fabric_record_read(const uint8_t *record, size_t size, struct error *err);

// A digest of the fabric, without time_us and complete, to compare two snapshots. `record` is a
// result of fabric_record_write.
uint64_t fabric_record_digest(const uint8_t *record, size_t size);
