// SPDX-License-Identifier: BSD-2-Clause
// An event's record of arbitrary octets, as in a damaged journal: a record that can be read can be
// written again and then gives the same event.
#include "fuzz.h"

#include "base/error.h"
#include "model/catalogue.h"
#include "model/counter.h"
#include "model/event_record.h"

#include <string.h>

static void check_endpoint(const struct endpoint *a, const struct endpoint *b)
{
    REQUIRE(memchr(a->name, '\0', sizeof a->name));
    REQUIRE(a->guid == b->guid && a->lid == b->lid && strcmp(a->name, b->name) == 0);
    REQUIRE(memcmp(a->gid, b->gid, sizeof a->gid) == 0);
    REQUIRE(a->node_guid == b->node_guid && a->type == b->type && a->port == b->port);
}

static void check_same(const struct event *a, const struct event *b)
{
    REQUIRE(a->type && a->type == catalogue_find(a->type->name) && a->type == b->type);
    REQUIRE(a->id[0] != '\0' && strcmp(a->id, b->id) == 0);
    REQUIRE(a->time_us == b->time_us && a->subnet_prefix == b->subnet_prefix);
    REQUIRE(a->switch_guid == b->switch_guid && a->lost == b->lost);
    check_endpoint(&a->issuer, &b->issuer);
    check_endpoint(&a->subject, &b->subject);
    check_endpoint(&a->source, &b->source);
    check_endpoint(&a->destination, &b->destination);
    check_endpoint(&a->peer, &b->peer);
    REQUIRE(a->affected == b->affected && a->sm_guid == b->sm_guid);
    REQUIRE(a->counter < COUNTER_ERRORS && a->counter == b->counter);
    REQUIRE(a->counter_old == b->counter_old && a->counter_new == b->counter_new);
    REQUIRE(a->found_late == b->found_late && a->derived == b->derived);
    REQUIRE(strcmp(a->related_id, b->related_id) == 0 && strcmp(a->cause_id, b->cause_id) == 0);
    REQUIRE(strcmp(a->suppressed, b->suppressed) == 0);
    REQUIRE(a->raw_size <= EVENT_RAW_MAX && a->raw_size == b->raw_size);
    REQUIRE(memcmp(a->raw, b->raw, a->raw_size) == 0);
    REQUIRE(memcmp(&a->notice, &b->notice, sizeof a->notice) == 0);
    REQUIRE(strcmp(a->reason, b->reason) == 0 && strcmp(a->receiver, b->receiver) == 0);
    REQUIRE(strcmp(a->alarm_key, b->alarm_key) == 0 && strcmp(a->text, b->text) == 0);
    REQUIRE(a->severity <= SEVERITY_DEBUG && a->severity == b->severity);
    REQUIRE(a->category >= CATEGORY_FABRIC && a->category <= CATEGORY_VENDOR);
    REQUIRE(a->category == b->category && a->summarised == b->summarised);
    REQUIRE(strcmp(a->clears_id, b->clears_id) == 0 && strcmp(a->rule, b->rule) == 0);
    REQUIRE(a->repeat_count == b->repeat_count && a->since_us == b->since_us);
    REQUIRE(a->cleared == b->cleared && a->cleared_number == b->cleared_number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = {""};
    struct event *event = event_record_read(data, size, &err);
    if (!event) {
        REQUIRE(err.text[0] != '\0');
        return 0;
    }
    uint8_t record[EVENT_RECORD_MAX];
    size_t written = event_record_write(event, record);
    REQUIRE(written <= sizeof record);
    struct event *again = event_record_read(record, written, &err);
    REQUIRE(again);
    check_same(event, again);
    event_unref(again);
    event_unref(event);
    return 0;
}
