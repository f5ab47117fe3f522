// SPDX-License-Identifier: BSD-2-Clause
// IB-SM-MIB: ibSmPathReqTable, the questions of managers for PathRecords, and ibSmPathResultTable,
// the answers of the SA.
#include "agent/column.h"
#include "agent/paths.h"
#include "tables/sm.h"
#include "tables/tables.h"

// Fields of a PathRecord (IBA 15.2.5.16), numbered by model/attribute.h.
enum {
    PATH_DGID = ATTRIBUTE_FIELD(8, 0, 128),
    PATH_SGID = ATTRIBUTE_FIELD(24, 0, 128),
    PATH_DLID = ATTRIBUTE_FIELD(40, 0, 16),
    PATH_SLID = ATTRIBUTE_FIELD(42, 0, 16),
    PATH_RAW = ATTRIBUTE_FIELD(44, 0, 1),
    PATH_FLOW_LABEL = ATTRIBUTE_FIELD(44, 4, 20),
    PATH_HOP_LIMIT = ATTRIBUTE_FIELD(47, 0, 8),
    PATH_TCLASS = ATTRIBUTE_FIELD(48, 0, 8),
    PATH_COUNT = ATTRIBUTE_FIELD(49, 1, 7),
    PATH_PKEY = ATTRIBUTE_FIELD(50, 0, 16),
    PATH_SL = ATTRIBUTE_FIELD(53, 4, 4),
    PATH_MTU_SELECTOR = ATTRIBUTE_FIELD(54, 0, 2),
    PATH_MTU = ATTRIBUTE_FIELD(54, 2, 6),
    PATH_RATE_SELECTOR = ATTRIBUTE_FIELD(55, 0, 2),
    PATH_RATE = ATTRIBUTE_FIELD(55, 2, 6),
    PATH_LIFE_TIME_SELECTOR = ATTRIBUTE_FIELD(56, 0, 2),
    PATH_LIFE_TIME = ATTRIBUTE_FIELD(56, 2, 6),
    PATH_PREFERENCE = ATTRIBUTE_FIELD(57, 0, 8),
};

enum { REQUEST_LENGTH = 9, LID_MOST = 65535, SELECTOR_MOST = 2, MTU_LEAST = 1, MTU_MOST = 5 };

static const struct path_request *sm_paths_request(const struct look *look)
{
    return paths_at(look->snapshot->source->paths, look->at);
}

static void sm_paths_enter(struct look *look)
{
    sm_add_guid(&look->found, sm_paths_request(look)->prefix);
    agentx_oid_add(&look->found, sm_paths_request(look)->session);
}

// How many questions there are now, not at the snapshot's time.
static size_t sm_paths_count(struct look *look)
{
    struct paths *paths = look->snapshot->source->paths;
    if (!paths)
        return 0;
    paths_age(paths, clock_monotonic(look->snapshot->source->clock));
    return paths_count(paths);
}

static bool sm_paths_put(const uint8_t *record, const struct look *look, struct agentx_value *out)
{
    const uint32_t field = look->column->field.field, bits = attribute_bits(field);
    if (bits > 32)
        return put_octets(out, record + field / (8 << 8), bits / 8);
    return field_of_octets(record, look, out);
}

// The questions.

GETTER(sm_paths_status, put_number(out, paths_status(sm_paths_request(look))))
GETTER(sm_paths_created, put_time_stamp(out, look, sm_paths_request(look)->created))
GETTER(sm_paths_asked_field, sm_paths_put(sm_paths_request(look)->record, look, out))
GETTER(sm_paths_mask, put_guid(out, sm_paths_request(look)->mask))

#define FIELD_IS(which, how, first, last)                                                          \
    .field = {.field = (which), .form = (how), .least = (first), .most = (last)}
#define OCTETS(which)   AGENTX_OCTETS, FIELD_IS(which, FIELD_OCTETS, 0, 0)
#define NUMBER(which)   AGENTX_INTEGER, FIELD_IS(which, FIELD_NUMBER, 0, 0)
#define LID(which)      AGENTX_INTEGER, FIELD_IS(which, FIELD_NUMBER, 1, LID_MOST)
#define SELECTOR(which) AGENTX_INTEGER, FIELD_IS(which, FIELD_NUMBER, 0, SELECTOR_MOST)
#define MTU(which)      AGENTX_INTEGER, FIELD_IS(which, FIELD_FROM_ZERO, MTU_LEAST, MTU_MOST)
#define ASKED           .get = sm_paths_asked_field, .creates = true

static const struct table_column SM_PATH_REQUESTS_COLUMNS[] = {
    {"ibSmPathReqRowStatus", PATHS_STATUS, AGENTX_INTEGER, .get = sm_paths_status, .creates = true},
    {"ibSmPathReqCreationTime", 4, AGENTX_TIME_TICKS, .get = sm_paths_created},
    {"ibSmPathReqRowCompMask", PATHS_COMPONENT_MASK, AGENTX_OCTETS, .get = sm_paths_mask,
     .creates = true},
    {"ibSmPathReqDstGID", 6, OCTETS(PATH_DGID), ASKED},
    {"ibSmPathReqSrcGID", 7, OCTETS(PATH_SGID), ASKED},
    {"ibSmPathReqNumbPath", 8, NUMBER(PATH_COUNT), ASKED},
    {"ibSmPathReqDstLID", 9, LID(PATH_DLID), ASKED},
    {"ibSmPathReqSrcLID", 10, LID(PATH_SLID), ASKED},
    {"ibSmPathReqRawTraffic", 11, NUMBER(PATH_RAW), ASKED},
    {"ibSmPathReqFlowLabel", 12, OCTETS(PATH_FLOW_LABEL), ASKED},
    {"ibSmPathReqHopLimit", 13, NUMBER(PATH_HOP_LIMIT), ASKED},
    {"ibSmPathReqTClass", 14, NUMBER(PATH_TCLASS), ASKED},
    {"ibSmPathReqPKey", 15, OCTETS(PATH_PKEY), ASKED},
    {"ibSmPathReqSL", 16, NUMBER(PATH_SL), ASKED},
    {"ibSmPathReqMTUSel", 17, SELECTOR(PATH_MTU_SELECTOR), ASKED},
    {"ibSmPathReqMTU", 18, MTU(PATH_MTU), ASKED},
    {"ibSmPathReqRateSel", 19, SELECTOR(PATH_RATE_SELECTOR), ASKED},
    {"ibSmPathReqRate", 20, NUMBER(PATH_RATE), ASKED},
    {"ibSmPathReqPktLifeTimeSel", 21, SELECTOR(PATH_LIFE_TIME_SELECTOR), ASKED},
    {"ibSmPathReqPktLifeTime", 22, NUMBER(PATH_LIFE_TIME), ASKED},
    {"ibSmPathReqPreference", 23, NUMBER(PATH_PREFERENCE), ASKED},
};

const struct table SM_PATH_REQUESTS = {"ibSmPathReqTable", TABLE_OID(TABLES_SM_IDS, 1, 10, 1, 1),
                                       TABLE_COLUMNS(SM_PATH_REQUESTS_COLUMNS),
                                       TABLE_SORTED(sm_paths_count, sm_paths_enter)};

// The answers.

// Returns NULL if there is no answer, or it comes later. A request that is `within` the rows of the
// question waits for the answer; a request about other rows passes the question over.
static const struct demand_answer *sm_paths_answer(struct look *look, bool within)
{
    const struct path_request *request = sm_paths_request(look);
    const struct demand_key key = paths_query(request);
    if (!request->active)
        return NULL;
    const struct demand_answer *answer = within ? look_ask(look, &key) : look_ask_now(look, &key);
    return answer && answer->size == DEMAND_RECORD_SIZE ? answer : NULL;
}

// The number of the first row that is wanted of a question, if the request is within its rows.
static uint64_t sm_paths_first(const struct look *look)
{
    if (look->length <= REQUEST_LENGTH)
        return 1;
    return (uint64_t)look->ids[REQUEST_LENGTH] + (look->after ? 1 : 0);
}

static bool sm_paths_seek_result(struct look *look)
{
    const size_t count = sm_paths_count(look);
    const size_t used = look->length < REQUEST_LENGTH ? look->length : REQUEST_LENGTH;
    if (!look->after && look->length != REQUEST_LENGTH + 1)
        return false;
    for (size_t at = table_search(look, count, sm_paths_enter, used); at < count; at++) {
        table_enter(look, at, sm_paths_enter);
        const bool within =
            look->length >= REQUEST_LENGTH &&
            agentx_oid_compare(look->found.ids, look->found.length, look->ids, used) == 0;
        if (!within && !look->after)
            return false;
        const uint64_t first = within ? sm_paths_first(look) : 1;
        const struct demand_answer *answer = sm_paths_answer(look, within);
        if (answer && first >= 1 && first <= answer->count) {
            look->tail[0] = (uint32_t)first;
            return agentx_oid_add(&look->found, look->tail[0]);
        }
        if (!look->after || look->ticket != 0)
            return false;
    }
    return false;
}

static bool sm_paths_field(struct look *look, struct agentx_value *out)
{
    const struct demand_answer *answer = sm_paths_answer(look, true);
    return answer && look->tail[0] <= answer->count &&
           sm_paths_put(demand_answer_at(answer, look->tail[0] - 1), look, out);
}

#define TOLD .get = sm_paths_field

static const struct table_column SM_PATHS_COLUMNS[] = {
    {"ibSmPathResultDstGID", 4, OCTETS(PATH_DGID), TOLD},
    {"ibSmPathResultSrcGID", 5, OCTETS(PATH_SGID), TOLD},
    {"ibSmPathResultNumbPath", 6, NUMBER(PATH_COUNT), TOLD},
    {"ibSmPathResultDstLID", 7, LID(PATH_DLID), TOLD},
    {"ibSmPathResultSrcLID", 8, LID(PATH_SLID), TOLD},
    {"ibSmPathResultRawTraffic", 9, NUMBER(PATH_RAW), TOLD},
    {"ibSmPathResultFlowLabel", 10, OCTETS(PATH_FLOW_LABEL), TOLD},
    {"ibSmPathResultHopLimit", 11, NUMBER(PATH_HOP_LIMIT), TOLD},
    {"ibSmPathResultTClass", 12, NUMBER(PATH_TCLASS), TOLD},
    {"ibSmPathResultPKey", 13, OCTETS(PATH_PKEY), TOLD},
    {"ibSmPathResultSL", 14, NUMBER(PATH_SL), TOLD},
    {"ibSmPathResultMTUSel", 15, SELECTOR(PATH_MTU_SELECTOR), TOLD},
    {"ibSmPathResultMTU", 16, MTU(PATH_MTU), TOLD},
    {"ibSmPathResultRateSel", 17, SELECTOR(PATH_RATE_SELECTOR), TOLD},
    {"ibSmPathResultRate", 18, NUMBER(PATH_RATE), TOLD},
    {"ibSmPathResultPktLifeTimeSel", 19, SELECTOR(PATH_LIFE_TIME_SELECTOR), TOLD},
    {"ibSmPathResultPktLifeTime", 20, NUMBER(PATH_LIFE_TIME), TOLD},
    {"ibSmPathResultPreference", 21, NUMBER(PATH_PREFERENCE), TOLD},
};

const struct table SM_PATHS = {"ibSmPathResultTable", TABLE_OID(TABLES_SM_IDS, 1, 10, 2, 1),
                               TABLE_COLUMNS(SM_PATHS_COLUMNS), .seek = sm_paths_seek_result};
