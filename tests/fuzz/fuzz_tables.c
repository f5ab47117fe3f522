// SPDX-License-Identifier: BSD-2-Clause
// Requests for names of any length and content, to all tables over a made-up fabric, and to those
// of one of its switches as a device. The successor of a name is greater than the name and answers
// to a Get, and a walk ends.
#include "fuzz.h"

#include "base/wire.h"
#include "made_snapshot.h"
#include "tables/tables.h"

#include <string.h>

enum { INSTANCES_MAX = 100000, STEPS_MAX = 8 };

static const struct table_list *tables = &TABLES; // of the request
static uint32_t device;                           // of DEVICE_TABLES

struct input {
    const uint8_t *at, *end;
};

static struct look look_at_device(struct agent_snapshot *snapshot)
{
    struct look look = look_at(snapshot);
    look.device = device;
    return look;
}

static void check_found(struct agent_snapshot *snapshot, const struct agentx_oid *found,
                        const struct agentx_value *value)
{
    static struct agentx_value same;
    struct look look = look_at_device(snapshot);
    table_get(tables, &look, found, &same);
    REQUIRE(same.type == value->type && same.type < AGENTX_NO_SUCH_OBJECT);
    REQUIRE(same.number == value->number && same.size == value->size);
    REQUIRE(memcmp(same.octets, value->octets, same.size) == 0);
    REQUIRE(agentx_oid_compare(same.oid.ids, same.oid.length, value->oid.ids, value->oid.length) ==
            0);
}

// Walks at most that many steps. Returns their number.
static size_t walk(struct agent_snapshot *snapshot, struct agentx_oid *name, bool include,
                   const struct agentx_oid *end, size_t steps)
{
    struct agentx_oid found;
    struct agentx_value value;
    size_t n = 0;
    struct look look = look_at_device(snapshot);
    while (n < steps && table_get_next(tables, &look, name, include, end, &found, &value)) {
        int order = agentx_oid_compare(found.ids, found.length, name->ids, name->length);
        REQUIRE(order > 0 || (include && order == 0));
        REQUIRE(end->length == 0 ||
                agentx_oid_compare(found.ids, found.length, end->ids, end->length) < 0);
        check_found(snapshot, &found, &value);
        *name = found;
        include = false;
        n++;
    }
    return n;
}

static struct agent_snapshot *make_view(void)
{
    struct agent_snapshot *snapshot = made_view();
    struct agentx_oid name = {.length = 0};
    size_t all = walk(snapshot, &name, false, &(struct agentx_oid){.length = 0}, INSTANCES_MAX);
    REQUIRE(all > 0 && all < INSTANCES_MAX);
    device = snapshot->fabric->nodes[snapshot->switches[0]].first_port;
    tables = &DEVICE_TABLES;
    name.length = 0;
    all = walk(snapshot, &name, false, &(struct agentx_oid){.length = 0}, INSTANCES_MAX);
    REQUIRE(all > 0 && all < INSTANCES_MAX);
    return snapshot;
}

static uint8_t take(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static uint32_t take_id(struct input *in)
{
    uint32_t id = take(in);
    if (id == 0xFF && in->end - in->at >= 4) {
        id = (uint32_t)wire_get(in->at, 4);
        in->at += 4;
    }
    return id;
}

// Makes a name from nothing, from a table's OID, or from another name; truncated, and with octets
// appended.
static void take_name(struct input *in, struct agentx_oid *name)
{
    enum { FROM_NOTHING, FROM_TABLE };
    uint8_t from = take(in) % 4, which = take(in);
    const struct table *table = tables->tables[which % tables->count];
    if (from == FROM_NOTHING || from == FROM_TABLE)
        name->length = 0;
    for (size_t i = 0; from == FROM_TABLE && i < table->entry_length; i++)
        agentx_oid_add(name, table->entry[i]);
    size_t cut = take(in) % 8;
    name->length = (uint8_t)(cut < name->length ? name->length - cut : 0);
    for (size_t n = take(in) % (AGENTX_OID_MAX + 1u); n > 0; n--)
        agentx_oid_add(name, take_id(in));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct agent_snapshot *snapshot;
    if (!snapshot)
        snapshot = make_view();
    struct input in = {data, data + size};
    struct agentx_oid name = {.length = 0}, end = {.length = 0};
    while (in.at < in.end) {
        uint8_t how = take(&in);
        tables = how & 4 ? &DEVICE_TABLES : &TABLES;
        take_name(&in, &name);
        end.length = 0;
        if (how & 2)
            take_name(&in, &end);
        walk(snapshot, &name, how & 1, &end, STEPS_MAX);
    }
    return 0;
}
