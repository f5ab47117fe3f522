// SPDX-License-Identifier: BSD-2-Clause
#include "agent/paths.h"

#include "agent/column.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/wire.h"

#include <stdlib.h>
#include <string.h>

enum row_status {
    ACTIVE = 1,
    NOT_IN_SERVICE,
    NOT_READY,
    CREATE_AND_GO,
    CREATE_AND_WAIT,
    DESTROY,
};

// Bits of the ComponentMask (IBA 15.2.5.16): the ends of a path, and the components with a column.
static const uint64_t TO = 1 << 2 | 1 << 4, FROM = 1 << 3 | 1 << 5;
static const uint64_t HAVE_COLUMNS = 0x7FFFFF & ~(uint64_t)(3 | 1 << 7 | 1 << 11 | 1 << 14);

struct path_list {
    struct path_request rows[PATHS_MAX];
    size_t count;
};

struct paths {
    struct path_list now, next, before;
    char context[AGENTX_CONTEXT_SIZE]; // of the Set under way; the rest, too
    uint64_t prefix;
    int64_t time;
};

struct paths *paths_new(void)
{
    return memory_zeroed(1, sizeof(struct paths));
}

void paths_free(struct paths *paths)
{
    free(paths);
}

size_t paths_count(const struct paths *paths)
{
    return paths->now.count;
}

const struct path_request *paths_at(const struct paths *paths, size_t at)
{
    return &paths->now.rows[at];
}

static void paths_remove(struct path_list *list, size_t at)
{
    list->count--;
    memmove(&list->rows[at], &list->rows[at + 1], (list->count - at) * sizeof *list->rows);
}

void paths_age(struct paths *paths, int64_t now)
{
    for (size_t i = paths->now.count; i-- > 0;) {
        if (now - paths->now.rows[i].changed >= PATHS_KEEP_US)
            paths_remove(&paths->now, i);
    }
}

static bool paths_is_ready(const struct path_request *request)
{
    return (request->mask & FROM) != 0 && (request->mask & TO) != 0;
}

int64_t paths_status(const struct path_request *request)
{
    return request->active ? ACTIVE : paths_is_ready(request) ? NOT_IN_SERVICE : NOT_READY;
}

struct demand_key paths_query(const struct path_request *request)
{
    struct demand_key key = {
        .class = DEMAND_SA, .attribute = DEMAND_PATH_RECORD, .mask = request->mask, .keyless = 1};
    memcpy(key.record, request->record, sizeof key.record);
    return key;
}

void paths_ask(struct paths *paths, const struct snapshot_demand *demand)
{
    for (size_t i = 0; demand->ask && i < paths->now.count; i++) {
        struct path_request *request = &paths->now.rows[i];
        const struct demand_key key = paths_query(request);
        struct demand_answer *answer = NULL;
        int64_t ticket;
        if (!request->active || request->asked)
            continue;
        demand->ask(demand->reads, &key, &answer, &ticket);
        demand_answer_unref(answer);
        request->asked = true;
    }
}

// The rows of a Set.

static int paths_compare(const struct path_request *request, uint64_t prefix, uint32_t session)
{
    if (request->prefix != prefix)
        return request->prefix < prefix ? -1 : 1;
    return request->session < session ? -1 : request->session > session;
}

// Returns the row, and makes the row if it is missing. Returns NULL and the reason if the row
// cannot be made.
static struct path_request *paths_claim(struct paths *paths, uint64_t prefix, uint32_t session,
                                        enum agentx_error *error)
{
    struct path_list *list = &paths->next;
    size_t at;
    SEARCH_FIRST(at, 0, list->count, paths_compare(&list->rows[at], prefix, session) < 0);
    struct path_request *request = &list->rows[at];
    if (at < list->count && paths_compare(request, prefix, session) == 0)
        return request;
    *error = prefix != paths->prefix ? AGENTX_NO_CREATION : AGENTX_RESOURCE_UNAVAILABLE;
    if (prefix != paths->prefix || list->count == PATHS_MAX)
        return NULL;
    memmove(request + 1, request, (list->count++ - at) * sizeof *request);
    *request = (struct path_request){.prefix = prefix, .session = session, .created = paths->time};
    memcpy(request->context, paths->context, sizeof request->context);
    return request;
}

static enum agentx_error paths_stage_octets(struct path_request *request,
                                            const struct table_column *column,
                                            const struct agentx_value *value)
{
    const unsigned bits = attribute_bits(column->field.field);
    const size_t size = (bits + 7) / 8;
    if (value->size != size)
        return AGENTX_WRONG_LENGTH;
    if (bits > 32) {
        memcpy(request->record + column->field.field / (8 << 8), value->octets, size);
        return AGENTX_NO_ERROR;
    }
    const uint64_t number = wire_get(value->octets, size);
    if (number >> bits != 0)
        return AGENTX_WRONG_VALUE;
    attribute_set(request->record, 0, column->field.field, (uint32_t)number);
    return AGENTX_NO_ERROR;
}

static enum agentx_error paths_stage_mask(struct path_request *request,
                                          const struct agentx_value *value)
{
    if (value->size != sizeof request->mask)
        return AGENTX_WRONG_LENGTH;
    if (wire_get64(value->octets) & ~HAVE_COLUMNS)
        return AGENTX_WRONG_VALUE;
    request->mask = wire_get64(value->octets);
    return AGENTX_NO_ERROR;
}

static enum agentx_error paths_stage_number(struct path_request *request,
                                            const struct table_column *column,
                                            const struct agentx_value *value)
{
    const struct table_field *how = &column->field;
    const int64_t number = value->number + (how->form == FIELD_FROM_ZERO);
    const int64_t most =
        how->most != 0 ? how->most : (INT64_C(1) << attribute_bits(how->field)) - 1;
    if (number < how->least || number > most)
        return AGENTX_WRONG_VALUE;
    attribute_set(request->record, 0, how->field, (uint32_t)number);
    return AGENTX_NO_ERROR;
}

static enum agentx_error paths_stage_status(struct path_request *request,
                                            const struct agentx_value *value, size_t varbind)
{
    if (value->number < ACTIVE || value->number > DESTROY || value->number == NOT_READY)
        return AGENTX_WRONG_VALUE;
    if (request->wanted != 0)
        return AGENTX_INCONSISTENT_VALUE;
    request->wanted = (uint8_t)value->number;
    request->varbind = varbind;
    return AGENTX_NO_ERROR;
}

// Reads the row's index. False: no row can have it.
static bool paths_read_index(const struct agentx_oid *index, uint64_t *prefix, uint32_t *session)
{
    enum { PREFIX_LENGTH = 8 };
    *prefix = 0;
    if (index->length != PREFIX_LENGTH + 1)
        return false;
    for (size_t i = 0; i < PREFIX_LENGTH; i++) {
        if (index->ids[i] > UINT8_MAX)
            return false;
        *prefix = *prefix << 8 | index->ids[i];
    }
    *session = index->ids[PREFIX_LENGTH];
    return *session <= INT32_MAX;
}

enum agentx_error paths_stage(struct paths *paths, const struct table_column *column,
                              const struct agentx_oid *index, const struct agentx_value *value,
                              size_t varbind)
{
    uint64_t prefix;
    uint32_t session;
    enum agentx_error error;
    if (value->type != column->type)
        return AGENTX_WRONG_TYPE;
    if (!paths_read_index(index, &prefix, &session))
        return AGENTX_NO_CREATION;
    struct path_request *request = paths_claim(paths, prefix, session, &error);
    if (!request)
        return error;
    if (!request->is_set)
        request->varbind = varbind;
    request->is_set = true;
    if (column->number == PATHS_STATUS)
        return paths_stage_status(request, value, varbind);
    if (request->active)
        return AGENTX_INCONSISTENT_VALUE; // it was asked with other values
    if (column->number == PATHS_COMPONENT_MASK)
        return paths_stage_mask(request, value);
    return value->type == AGENTX_OCTETS ? paths_stage_octets(request, column, value)
                                        : paths_stage_number(request, column, value);
}

void paths_begin(struct paths *paths, const char *context, uint64_t prefix, int64_t now)
{
    paths_age(paths, now);
    paths->next = paths->now;
    paths->prefix = prefix;
    paths->time = now;
    snprintf(paths->context, sizeof paths->context, "%s", context);
}

// Carries out the RowStatus that is wanted (RFC 2579), but for destroy(6).
static enum agentx_error paths_enter(struct path_request *request)
{
    const bool ready = paths_is_ready(request);
    const bool creates = request->wanted == CREATE_AND_GO || request->wanted == CREATE_AND_WAIT;
    if (request->wanted == 0)
        return request->exists ? AGENTX_NO_ERROR : AGENTX_INCONSISTENT_NAME;
    if (request->exists == creates || (!ready && request->wanted != CREATE_AND_WAIT))
        return AGENTX_INCONSISTENT_VALUE;
    request->active = request->wanted == ACTIVE || request->wanted == CREATE_AND_GO;
    request->asked = request->asked && request->active;
    return AGENTX_NO_ERROR;
}

static size_t paths_count_context(const struct path_list *list, const char *context)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += strcmp(list->rows[i].context, context) == 0;
    return count;
}

enum agentx_error paths_check(struct paths *paths, size_t *failed)
{
    struct path_list *list = &paths->next;
    for (size_t i = list->count; i-- > 0;) {
        struct path_request *request = &list->rows[i];
        if (!request->is_set)
            continue;
        *failed = request->varbind;
        if (request->wanted == DESTROY) {
            paths_remove(list, i);
            continue;
        }
        const enum agentx_error error = paths_enter(request);
        if (error != AGENTX_NO_ERROR)
            return error;
        if (!request->exists && paths_count_context(list, request->context) > PATHS_OF_CONTEXT_MAX)
            return AGENTX_RESOURCE_UNAVAILABLE;
        request->exists = true;
        request->is_set = false;
        request->wanted = 0;
        request->changed = paths->time;
    }
    *failed = 0;
    return AGENTX_NO_ERROR;
}

void paths_commit(struct paths *paths)
{
    paths->before = paths->now;
    paths->now = paths->next;
}

void paths_undo(struct paths *paths)
{
    paths->now = paths->before;
}
