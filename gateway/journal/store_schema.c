// SPDX-License-Identifier: BSD-2-Clause
#include "journal/store_schema.h"

#include "journal/store_statements.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>

// The SQL that upgrades the schema from version N to N + 1. A row, once released, never changes.
static const char *const MIGRATIONS[STORE_SCHEMA_VERSION] = {
    "CREATE TABLE event ("
    " sequence INTEGER PRIMARY KEY,"
    " id TEXT NOT NULL,"
    " type TEXT NOT NULL,"
    " time_us INTEGER NOT NULL,"
    " severity INTEGER NOT NULL,"
    " node_guid INTEGER NOT NULL,"
    " report_lid INTEGER NOT NULL,"
    " report_tid INTEGER NOT NULL,"
    " report_digest INTEGER NOT NULL,"
    " record BLOB NOT NULL);"
    "CREATE INDEX event_time ON event (time_us);"
    "CREATE TABLE receiver (name TEXT PRIMARY KEY, cursor INTEGER NOT NULL) WITHOUT ROWID;",
    "CREATE TABLE snapshot ("
    " number INTEGER PRIMARY KEY,"
    " time_us INTEGER NOT NULL,"
    " digest INTEGER NOT NULL,"
    " nodes INTEGER NOT NULL,"
    " links INTEGER NOT NULL,"
    " record BLOB NOT NULL);"
    "CREATE TABLE alarm ("
    " key TEXT PRIMARY KEY,"
    " event_sequence INTEGER NOT NULL,"
    " event_id TEXT NOT NULL,"
    " type TEXT NOT NULL,"
    " severity INTEGER NOT NULL,"
    " raised_us INTEGER NOT NULL,"
    " last_us INTEGER NOT NULL,"
    " count INTEGER NOT NULL,"
    " node_guid INTEGER NOT NULL,"
    " text TEXT NOT NULL,"
    " acknowledged_us INTEGER NOT NULL,"
    " note TEXT NOT NULL,"
    " shelved_until_us INTEGER NOT NULL);",
    "ALTER TABLE alarm ADD COLUMN told_id TEXT NOT NULL DEFAULT '';"
    "UPDATE alarm SET told_id = event_id;" // before this version, receivers got every event
    "CREATE TABLE maintenance ("
    " name TEXT PRIMARY KEY,"
    " until_us INTEGER NOT NULL,"
    " nodes TEXT NOT NULL);", // one pattern per line
    "CREATE TABLE setting ("
    " kind INTEGER NOT NULL,"
    " guid INTEGER NOT NULL,"
    " number INTEGER NOT NULL,"
    " value BLOB NOT NULL,"
    " PRIMARY KEY (kind, guid, number)) WITHOUT ROWID;",
    "ALTER TABLE alarm ADD COLUMN category INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE alarm ADD COLUMN told INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE alarm ADD COLUMN cause_id TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE alarm ADD COLUMN over INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE alarm ADD COLUMN last_sequence INTEGER NOT NULL DEFAULT 0;"
    "UPDATE alarm SET told = told_id <> '', last_sequence = event_sequence;"
    "ALTER TABLE receiver ADD COLUMN gone_us INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE receiver ADD COLUMN section INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE receiver ADD COLUMN filter INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE receiver ADD COLUMN filter_since INTEGER NOT NULL DEFAULT 0;",
    "CREATE INDEX event_link ON event (sequence) WHERE " STORE_OF_LINKS ";",
    "CREATE TABLE node_number (number INTEGER PRIMARY KEY, guid INTEGER NOT NULL UNIQUE);",
};

// Gives the file a number by chance, not 0, that tells it from another one in its place.
static int store_schema_identify(struct store *store)
{
    uint32_t number;
    char pragma[64];
    sqlite3_randomness(sizeof number, &number);
    snprintf(pragma, sizeof pragma, "PRAGMA application_id = %" PRIu32,
             (number & (uint32_t)INT32_MAX) | 1);
    return store_run(store, pragma);
}

// Says how much there is to do: making an index reads every event. Their numbers tell how many at
// once, as nothing but retention removes any.
static void store_schema_tell(struct store *store, int version)
{
    int64_t events = 0;
    if (version > 0)
        store_read_number(store, "SELECT coalesce(max(sequence) - min(sequence) + 1, 0) FROM event",
                          &events);
    store_tell(store, "upgrading its schema from version %d to %d, %" PRId64 " events", version,
               (int)STORE_SCHEMA_VERSION, events);
}

int store_upgrade(struct store *store, int version)
{
    store_schema_tell(store, version);
    int code = store_run(store, "BEGIN IMMEDIATE");
    for (int v = version; v < STORE_SCHEMA_VERSION && code == SQLITE_OK; v++)
        code = store_run(store, MIGRATIONS[v]);
    if (code == SQLITE_OK)
        code = store_schema_identify(store);
    char pragma[64];
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d", (int)STORE_SCHEMA_VERSION);
    if (code == SQLITE_OK)
        code = store_run(store, pragma);
    if (code == SQLITE_OK)
        code = store_run(store, "COMMIT");
    if (code != SQLITE_OK && !sqlite3_get_autocommit(store->db))
        store_run(store, "ROLLBACK");
    return code;
}
