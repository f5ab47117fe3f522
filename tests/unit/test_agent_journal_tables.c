// SPDX-License-Identifier: BSD-2-Clause
// The tables made from the journal, compared with a plain list of the events written.
#include "support.h"

#include "looks.h"

#include "agent/snapshot.h"
#include "model/catalogue.h"
#include "tables/tables.h"

#include <sys/stat.h>

enum { EVENTS = 300, SWITCHES = 4, ROUTER = 2, IDS_MAX = 20, QUESTIONS = 20000 };

static const uint64_t GUIDS[SWITCHES] = {
    0x00000000000000ff, 0x0002c90300000001, [ROUTER] = 0x0002c903000000ff, UINT64_MAX};

static uint8_t type_of(uint64_t guid)
{
    return guid == GUIDS[ROUTER] ? FABRIC_ROUTER : FABRIC_SWITCH;
}

struct fixture {
    const char *directory;
    struct support_time time;
    struct clock clock;
    struct log *log;
    struct journal *journal;
    struct snapshot_source source;
    struct agent_snapshot snapshot, later; // the same events
    int64_t sequences[EVENTS];
    uint64_t guids[EVENTS]; // 0: 0: about no switch
    int64_t last;           // number of the latest event added later
    uint64_t chance;
};

static uint32_t below(struct fixture *f, uint32_t limit)
{
    f->chance = f->chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(f->chance >> 33) % limit;
}

static void ignore(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx;
    (void)change;
    (void)reason;
    (void)count;
}

static void open_journal(struct fixture *f)
{
    struct error err;
    const struct journal_options options = {.directory = f->directory,
                                            .rows_max = 1000000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = INT64_C(1) << 60,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = ignore,
                                            .clock = &f->clock,
                                            .random = &random_system,
                                            .log = f->log};
    f->journal = journal_open(&options, &err);
    assert_non_null(f->journal);
}

static struct event *make_event(const struct fixture *f, int i)
{
    struct event *e =
        event_make(catalogue_get(i % 3 ? CATALOGUE_BAD_MKEY : CATALOGUE_SM_UNREACHABLE));
    assert_non_null(e);
    snprintf(e->id, sizeof e->id, "00000000-0000-4000-8000-%012d", i);
    snprintf(e->text, sizeof e->text, "event %d", i);
    if (i % 3 == 0)
        snprintf(e->alarm_key, sizeof e->alarm_key, "key %d", i);
    e->time_us = f->time.utc + i;
    e->switch_guid = f->guids[i];
    e->subject = (struct endpoint){.node_guid = f->guids[i], .type = type_of(f->guids[i])};
    e->notice.generic = true;
    return e;
}

static void write_events(struct fixture *f)
{
    for (int i = 0; i < EVENTS; i++) {
        uint32_t which = below(f, SWITCHES + 1);
        f->guids[i] = which < SWITCHES ? GUIDS[which] : 0;
        struct event *event = make_event(f, i);
        f->sequences[i] = journal_append(f->journal, event, &(struct journal_report){0});
        event_unref(event);
    }
    journal_commit(f->journal);
}

static void look(struct fixture *f)
{
    struct journal_status status;
    journal_get_status(f->journal, &status);
    f->source = (struct snapshot_source){.journal = f->journal, .clock = &f->clock};
    f->snapshot = (struct agent_snapshot){.time_us = f->time.utc,
                                          .source = &f->source,
                                          .first_event = status.first,
                                          .last_event = journal_last(f->journal),
                                          .events = snapshot_events_new()};
    snapshot_events_update(f->snapshot.events, f->journal);
}

static int begin(void **state, bool disk_works)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->directory = scratch_make();
    f->time = (struct support_time){SUPPORT_UTC_US, 1};
    f->clock = support_clock(&f->time);
    f->log = support_log(NULL);
    if (!disk_works) {
        char path[96];
        snprintf(path, sizeof path, "%s/journal.db", f->directory);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    open_journal(f);
    write_events(f);
    look(f);
    *state = f;
    return 0;
}

static int setup(void **state)
{
    return begin(state, true);
}

static int setup_without_disk(void **state)
{
    return begin(state, false);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    snapshot_events_free(f->snapshot.events);
    snapshot_alarms_free(f->snapshot.alarms);
    journal_close(f->journal);
    log_close(f->log);
    scratch_remove(f->directory);
    free(f);
    return 0;
}

// The index of an event in gswEventTable; false: it is not in the table. IBSWITCH-MIB, 3.2 and 3.8
// of the document: the table is indexed by the global id of the element, which is its GUID and its
// type, and a switch (2) and a router (3) have different types.
static bool index_of(const struct fixture *f, int i, struct agentx_oid *out)
{
    out->length = 0;
    if (f->guids[i] == 0)
        return false;
    for (int shift = 56; shift >= 0; shift -= 8)
        agentx_oid_add(out, (uint8_t)(f->guids[i] >> shift));
    for (int zeros = 0; zeros < 7; zeros++)
        agentx_oid_add(out, 0);
    agentx_oid_add(out, type_of(f->guids[i]));
    return agentx_oid_add(out, event_number(f->sequences[i]));
}

// The event with the least index greater than `ids`, or with exactly `ids`; -1: none.
static int expected(const struct fixture *f, const struct agentx_oid *ids, bool after)
{
    int best = -1;
    struct agentx_oid index, least = {.length = 0};
    for (int i = 0; i < EVENTS; i++) {
        if (!index_of(f, i, &index))
            continue;
        int order = agentx_oid_compare(index.ids, index.length, ids->ids, ids->length);
        bool fits = after ? order > 0 : order == 0;
        if (fits && (best < 0 ||
                     agentx_oid_compare(index.ids, index.length, least.ids, least.length) < 0)) {
            best = i;
            least = index;
        }
    }
    return best;
}

// Most names are near an existing index; some are random.
static void make_question(struct fixture *f, struct agentx_oid *ids)
{
    static const uint32_t ODD[] = {0, 1, 2, 3, 255, 256, 0x7fffffff, 0x80000000, UINT32_MAX};
    if (!index_of(f, (int)below(f, EVENTS), ids)) {
        for (uint32_t n = below(f, IDS_MAX); n > 0; n--)
            agentx_oid_add(ids, ODD[below(f, COUNT(ODD))]);
    }
    if (below(f, 2))
        ids->length = (uint8_t)below(f, ids->length + 1U);
    for (uint32_t n = below(f, 3); n > 0 && ids->length > 0; n--)
        ids->ids[below(f, ids->length)] = ODD[below(f, COUNT(ODD))];
    if (below(f, 4) == 0)
        agentx_oid_add(ids, ODD[below(f, COUNT(ODD))]);
}

// gswEventSwitchId is what the row's index begins with.
static void check_id(struct look *look, const struct agentx_oid *index)
{
    struct agentx_value id = {.type = AGENTX_OCTETS};
    assert_true(GSW_EVENTS.columns[0].get(look, &id));
    assert_int_equal(id.size, 16);
    for (size_t i = 0; i < id.size; i++)
        assert_int_equal(id.octets[i], index->ids[i]);
}

static void check_question(struct fixture *f, const struct agentx_oid *ids, bool after)
{
    struct look look;
    struct agentx_oid index;
    bool any =
        looks_seek(&GSW_EVENTS, &f->snapshot, FABRIC_NONE, ids->ids, ids->length, after, &look);
    int wanted = expected(f, ids, after);
    assert_int_equal(any, wanted >= 0);
    if (!any)
        return;
    index_of(f, wanted, &index);
    assert_int_equal(look.found.length, index.length);
    assert_memory_equal(look.found.ids, index.ids, index.length * sizeof *index.ids);
    assert_int_equal(look.event->time_us, f->time.utc + wanted);
    check_id(&look, &index);
    event_unref(look.event);
}

static void event_table_finds_what_a_plain_search_finds(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < QUESTIONS; i++) {
        struct agentx_oid ids = {.length = 0};
        make_question(f, &ids);
        check_question(f, &ids, below(f, 2));
    }
}

static uint32_t shown_of(const struct agent_snapshot *snapshot, uint64_t guid)
{
    return snapshot_events_count(snapshot->events, snapshot->source->journal,
                                 snapshot_range(snapshot), guid);
}

// Of a walk.
static uint32_t rows_of(struct agent_snapshot *snapshot, uint64_t guid)
{
    struct look look;
    struct agentx_oid index = {.length = 0};
    uint32_t rows = 0;
    while (looks_seek(&GSW_EVENTS, snapshot, FABRIC_NONE, index.ids, index.length, true, &look)) {
        rows += look.event->switch_guid == guid;
        event_unref(look.event);
        index = look.found;
    }
    return rows;
}

static void check_counts(struct agent_snapshot *snapshot)
{
    for (int s = 0; s < SWITCHES; s++)
        assert_int_equal(shown_of(snapshot, GUIDS[s]), rows_of(snapshot, GUIDS[s]));
}

static void add_events(struct fixture *f, uint64_t guid, int count)
{
    for (int i = 0; i < count; i++) {
        struct event *event = make_event(f, 0);
        snprintf(event->id, sizeof event->id, "later %lld", (long long)f->last + i);
        event->switch_guid = event->subject.node_guid = guid;
        event->subject.type = type_of(guid);
        f->last = journal_append(f->journal, event, &(struct journal_report){0});
        event_unref(event);
    }
    journal_commit(f->journal);
}

static struct agent_snapshot *look_later(struct fixture *f)
{
    f->later = f->snapshot;
    f->later.last_event = journal_last(f->journal);
    assert_true(snapshot_events_update(f->later.events, f->journal));
    return &f->later;
}

static void a_view_counts_no_later_events(void **state)
{
    struct fixture *f = *state;
    uint32_t count = shown_of(&f->snapshot, GUIDS[1]);
    assert_true(count > 0);
    add_events(f, GUIDS[1], SNAPSHOT_EVENTS_PER_SWITCH_MAX);
    struct agent_snapshot *later = look_later(f);
    assert_int_equal(shown_of(later, GUIDS[1]), SNAPSHOT_EVENTS_PER_SWITCH_MAX);
    assert_int_equal(shown_of(&f->snapshot, GUIDS[1]), count);
    check_counts(later);
    check_counts(&f->snapshot);
}

// All events on disk that are older than the events in memory.
static void prune(struct fixture *f)
{
    struct journal_item item;
    f->time.utc += 2 * JOURNAL_YOUNG_US;
    f->time.monotonic += 2 * JOURNAL_YOUNG_US;
    add_events(f, 0, JOURNAL_MEMORY_KEPT);
    journal_request_prune(f->journal, JOURNAL_YOUNG_US);
    journal_commit(f->journal);
    assert_int_equal(journal_read(f->journal, 0, &item, 1), 1);
    event_unref(item.event);
    assert_int_equal(item.sequence, journal_first_in_memory(f->journal));
}

static void what_the_journal_dropped_is_not_counted(void **state)
{
    struct fixture *f = *state;
    add_events(f, GUIDS[1], JOURNAL_MEMORY_KEPT);
    add_events(f, GUIDS[2], 10);
    check_counts(look_later(f));
    assert_int_equal(shown_of(&f->later, GUIDS[1]), SNAPSHOT_EVENTS_PER_SWITCH_MAX);
    prune(f);
    f->snapshot = f->later;
    check_counts(&f->snapshot);
    check_counts(look_later(f));
    assert_int_equal(shown_of(&f->snapshot, GUIDS[1]), 0);
    add_events(f, GUIDS[1], 7);
    check_counts(look_later(f));
    assert_int_equal(shown_of(&f->later, GUIDS[1]), 7);
    assert_int_equal(shown_of(&f->snapshot, GUIDS[1]), 0);
}

// The lost events lie between those on disk from before and those written after the disk healed.
static void what_was_lost_while_the_disk_failed_is_not_counted(void **state)
{
    struct fixture *f = *state;
    struct journal_status status;
    uint32_t before = shown_of(&f->snapshot, GUIDS[1]);
    assert_true(before > 0);
    support_limit_files(1);
    add_events(f, GUIDS[1], 20);
    check_counts(look_later(f));
    assert_int_equal(shown_of(&f->later, GUIDS[1]), before + 20);
    add_events(f, 0, JOURNAL_MEMORY_MAX - 5);
    support_limit_files(SUPPORT_NO_LIMIT);
    f->time.monotonic += 2 * CLOCK_US_PER_S;
    journal_commit(f->journal);
    journal_get_status(f->journal, &status);
    assert_true(status.durable && status.dropped > 0);
    check_counts(look_later(f));
    check_counts(&f->snapshot);
    assert_int_equal(shown_of(&f->later, GUIDS[1]), before + 5);
}

static void counts_are_those_of_each_switch(void **state)
{
    struct fixture *f = *state;
    for (int s = 0; s < SWITCHES; s++) {
        uint32_t count = 0;
        for (int i = 0; i < EVENTS; i++) {
            count += f->guids[i] == GUIDS[s];
        }
        assert_int_equal(shown_of(&f->snapshot, GUIDS[s]), count);
    }
    assert_int_equal(shown_of(&f->snapshot, 1), 0);
}

static void log_walks_all_events_in_order(void **state)
{
    struct fixture *f = *state;
    const struct table *const tables[] = {&OWN_EVENT_LOG};
    const struct table_list list = {.tables = tables, .count = 1};
    struct agentx_oid name = {.length = 0}, end = {.length = 0}, found;
    struct agentx_value *value = calloc(1, sizeof *value);
    assert_non_null(value);
    for (int i = 0; i < EVENTS; i++) {
        char id[EVENT_ID_SIZE];
        assert_true(looks_next(&list, &f->snapshot, &name, false, &end, &found, value));
        assert_int_equal(found.ids[found.length - 2], 2); // ibtrapdLogEventId
        assert_int_equal(found.ids[found.length - 1], event_number(f->sequences[i]));
        snprintf(id, sizeof id, "00000000-0000-4000-8000-%012d", i);
        assert_int_equal(value->size, strlen(id));
        assert_memory_equal(value->octets, id, value->size);
        name = found;
    }
    assert_true(looks_next(&list, &f->snapshot, &name, false, &end, &found, value));
    assert_int_equal(found.ids[found.length - 2], 3); // the next column
    int rest = 1;
    for (name = found; looks_next(&list, &f->snapshot, &name, false, &end, &found, value);
         name = found)
        rest++;
    assert_int_equal(rest, (OWN_EVENT_LOG.column_count - 1) * EVENTS);
    free(value);
}

static void alarms_are_numbered_by_what_raised_them(void **state)
{
    struct fixture *f = *state;
    const struct snapshot_alarms *alarms = snapshot_alarms_of(&f->snapshot);
    assert_int_equal(alarms->count, EVENTS / 3);
    for (int i = 0; i < EVENTS / 3; i++) {
        struct alarm alarm;
        char key[32];
        snprintf(key, sizeof key, "key %d", 3 * i);
        compact_alarm_unpack(&alarms->all[i], &alarm);
        assert_int_equal(alarm.event_sequence, f->sequences[3 * i]);
        assert_string_equal(alarm.key, key);
        assert_string_equal(alarm.type, "sm-unreachable");
        assert_int_equal(alarm.count, 1);
        assert_int_equal(alarm.shelved_until_us, 0);
    }
}

// The journal without a disk keeps the alarms of dropped events.
static void of_too_many_alarms_the_first_are_shown(void **state)
{
    struct fixture *f = *state;
    struct event *event = make_event(f, 0);
    for (int i = 0; i < SNAPSHOT_ALARMS_MAX; i++) {
        snprintf(event->alarm_key, sizeof event->alarm_key, "further key %d", i);
        journal_append(f->journal, event, &(struct journal_report){0});
    }
    event_unref(event);
    const struct snapshot_alarms *alarms = snapshot_alarms_of(&f->snapshot);
    assert_int_equal(alarms->count, SNAPSHOT_ALARMS_MAX);
    assert_string_equal(compact_alarm_key(&alarms->all[0]), "key 0");
    char last[32];
    snprintf(last, sizeof last, "further key %d", SNAPSHOT_ALARMS_MAX - EVENTS / 3 - 1);
    assert_string_equal(compact_alarm_key(&alarms->all[SNAPSHOT_ALARMS_MAX - 1]), last);
}

// Event numbers made from the clock are far beyond the 31 bits of an index.
static void numbers_from_the_clock_fit_an_index(void **state)
{
    const struct fixture *f = *state;
    assert_true(f->sequences[0] > UINT32_MAX);
    assert_int_equal(event_number(f->sequences[0]), f->sequences[0] % (INT64_C(1) << 31));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define ON_DISK(test)   cmocka_unit_test_setup_teardown(test, setup, teardown)
#define IN_MEMORY(test) cmocka_unit_test_setup_teardown(test, setup_without_disk, teardown)
        ON_DISK(event_table_finds_what_a_plain_search_finds),
        IN_MEMORY(event_table_finds_what_a_plain_search_finds),
        ON_DISK(counts_are_those_of_each_switch),
        ON_DISK(a_view_counts_no_later_events),
        IN_MEMORY(a_view_counts_no_later_events),
        ON_DISK(what_the_journal_dropped_is_not_counted),
        ON_DISK(what_was_lost_while_the_disk_failed_is_not_counted),
        ON_DISK(log_walks_all_events_in_order),
        IN_MEMORY(log_walks_all_events_in_order),
        ON_DISK(alarms_are_numbered_by_what_raised_them),
        IN_MEMORY(alarms_are_numbered_by_what_raised_them),
        IN_MEMORY(of_too_many_alarms_the_first_are_shown),
        IN_MEMORY(numbers_from_the_clock_fit_an_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
