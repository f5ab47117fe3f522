// SPDX-License-Identifier: BSD-2-Clause
// SQL that makes an earlier schema of a journal's present one, step by step. SQLite drops columns
// from 3.35.0 on.
#pragma once

#define OLD_SCHEMA(version) OLD_SCHEMA_##version "PRAGMA user_version = " #version ";"

#define OLD_SCHEMA_14 "DROP TABLE device;"
#define OLD_SCHEMA_13                                                                              \
    OLD_SCHEMA_14                                                                                  \
    "ALTER TABLE receiver DROP COLUMN lost; ALTER TABLE receiver DROP COLUMN told_again;"
#define OLD_SCHEMA_11                                                                              \
    OLD_SCHEMA_13 "ALTER TABLE maintenance DROP COLUMN who;"                                       \
                  "ALTER TABLE maintenance DROP COLUMN comment;"
#define OLD_SCHEMA_10                                                                              \
    OLD_SCHEMA_11 "DROP TABLE kept;"                                                               \
                  "ALTER TABLE alarm DROP COLUMN told_sequence;"                                   \
                  "ALTER TABLE receiver DROP COLUMN began;"
#define OLD_SCHEMA_9                                                                               \
    OLD_SCHEMA_10 "ALTER TABLE alarm DROP COLUMN shelved_for_us;"                                  \
                  "ALTER TABLE maintenance DROP COLUMN length_us;"
#define OLD_SCHEMA_8 OLD_SCHEMA_9 // with another index of the same name
#define OLD_SCHEMA_7                                                                               \
    OLD_SCHEMA_8 "ALTER TABLE alarm DROP COLUMN suppressed;"                                       \
                 "ALTER TABLE alarm DROP COLUMN acknowledged_by;"                                  \
                 "ALTER TABLE alarm DROP COLUMN shelved_by;"
#define OLD_SCHEMA_6 OLD_SCHEMA_7 "DROP TABLE node_number;"
#define OLD_SCHEMA_5 OLD_SCHEMA_6 "DROP INDEX event_link;"
#define OLD_SCHEMA_4                                                                               \
    OLD_SCHEMA_5 "ALTER TABLE alarm DROP COLUMN category;"                                         \
                 "ALTER TABLE alarm DROP COLUMN told;"                                             \
                 "ALTER TABLE alarm DROP COLUMN cause_id;"                                         \
                 "ALTER TABLE alarm DROP COLUMN over;"                                             \
                 "ALTER TABLE alarm DROP COLUMN last_sequence;"                                    \
                 "ALTER TABLE receiver DROP COLUMN gone_us;"                                       \
                 "ALTER TABLE receiver DROP COLUMN section;"                                       \
                 "ALTER TABLE receiver DROP COLUMN filter;"                                        \
                 "ALTER TABLE receiver DROP COLUMN filter_since;"
#define OLD_SCHEMA_3 OLD_SCHEMA_4 "DROP TABLE setting;"
