// SPDX-License-Identifier: BSD-2-Clause
// The questions for PathRecords that managers put by Sets: the rows of ibSmPathReqTable, made and
// destroyed by their RowStatus (RFC 2579). The rows are in memory only. A row is dropped
// PATHS_KEEP_US after its last Set. For one thread.
//
// A Set works on a copy of the rows. The commit puts the copy in force.
#pragma once

#include "agent/table.h"
#include "agentx/options.h"

#define PATHS_KEEP_US (300 * CLOCK_US_PER_S)

enum {
    PATHS_MAX = 96,            // rows; more are refused
    PATHS_OF_CONTEXT_MAX = 64, // of one context: AgentX does not name the manager
};

enum {
    PATHS_STATUS = 3, // columns without a field of the PathRecord
    PATHS_COMPONENT_MASK = 5,
};

struct path_request {
    uint64_t prefix; // of the subnet
    uint32_t session;
    bool active;
    bool asked;                        // since it is active
    char context[AGENTX_CONTEXT_SIZE]; // in which it was made
    int64_t created, changed;          // monotonic
    uint64_t mask;                     // ComponentMask
    uint8_t record[DEMAND_RECORD_SIZE];
    // Within a Set.
    bool exists;    // before it
    uint8_t wanted; // RowStatus; 0: none
    size_t varbind; // the varbind with the RowStatus
    bool is_set;
};

struct paths;
struct paths *paths_new(void);
void paths_free(struct paths *paths); // NULL is allowed

// The rows ascend by prefix and session. A pointer is valid until the next call of a function that
// is not const.
size_t paths_count(const struct paths *paths);
const struct path_request *paths_at(const struct paths *paths, size_t at);
void paths_age(struct paths *paths, int64_t now); // drops old rows

// RowStatus: active(1), notInService(2), notReady(3). A row is ready once its mask names a source
// and a destination: the answer to less could be the paths between all ports.
int64_t paths_status(const struct path_request *request);

// The query to the SA: without the SA's key, like the query of a stranger.
struct demand_key paths_query(const struct path_request *request);

// The phases of a Set, of a manager in that context: begin, stage for each varbind, check. Then
// commit, and undo if another subagent refuses. `prefix`: that of new rows.
void paths_begin(struct paths *paths, const char *context, uint64_t prefix, int64_t now);
enum agentx_error paths_stage(struct paths *paths, const struct table_column *column,
                              const struct agentx_oid *index, const struct agentx_value *value,
                              size_t varbind);
enum agentx_error paths_check(struct paths *paths, size_t *failed);
void paths_commit(struct paths *paths);
void paths_undo(struct paths *paths);

// Asks the questions of new active rows: answers should come before a manager reads them.
void paths_ask(struct paths *paths, const struct snapshot_demand *demand);
