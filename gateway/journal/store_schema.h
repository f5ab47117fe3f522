// SPDX-License-Identifier: BSD-2-Clause
// The schema of the journal's file, and what upgrades an older one.
#ifndef IBTRAPD_JOURNAL_STORE_SCHEMA_H
#define IBTRAPD_JOURNAL_STORE_SCHEMA_H

#include "journal/store.h"

// Upgrades the schema from that version to STORE_SCHEMA_VERSION, in one transaction, and gives the
// file its number (store_identity). Returns a code of SQLite.
int store_upgrade(struct store *store, int version);

#endif
