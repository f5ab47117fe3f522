// SPDX-License-Identifier: BSD-2-Clause
// Each allocation fails in turn: an operation either gives its usual result or reports that it
// failed. Nothing crashes, leaks (under ASan) or is lost silently.
#include "golden.h"
#include "scarce_libraries.h"
#include "scarce_memory.h"
#include "support.h"

#include "generated.h"
#include "made_snapshot.h"

#include "agent/snapshot_events.h"
#include "agent/tables.h"
#include "agent/walk_cache.h"
#include "base/digest.h"
#include "conf/load.h"
#include "control/alarm_answers.h"
#include "control/answer.h"
#include "control/event_answers.h"
#include "control/explain.h"
#include "control/topology_answers.h"
#include "daemon/sinks.h"
#include "daemon/trap_recipients.h"
#include "event/test_event.h"
#include "journal/wal.h"
#include "model/event_record.h"
#include "model/fabric_record.h"
#include "pipeline/pipeline.h"
#include "sink/format.h"
#include "sink/snmp.h"

#include <arpa/inet.h>
#include <event2/buffer.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RESULT_SIZE = 1 << 20 };

static const int64_t S = CLOCK_US_PER_S;

// An operation during which allocations fail. `act` writes the result, or returns false: the
// operation reported a failure. Allocations do not fail in the other functions.
struct scenario {
    void (*prepare)(void);
    bool (*act)(struct text *result);
    bool (*check)(struct text *result); // adds to the result afterwards; NULL: nothing to add
    void (*clean)(void);                // NULL: nothing to do
};

static struct support_time now;
static struct clock clock_;
static struct support_chance counting;
static struct random chance;
static struct event_builder builder;
static struct log *log_;
static struct error err;

static void begin(void)
{
    now = (struct support_time){SUPPORT_UTC_US, 1000 * S};
    clock_ = support_clock(&now);
    counting = (struct support_chance){0};
    chance = support_random(&counting);
    builder =
        (struct event_builder){.clock = &clock_, .random = &chance, .subnet_prefix = GOLDEN_PREFIX};
}

static bool play(const struct scenario *s, unsigned nth, bool for_good, struct text *result)
{
    begin();
    if (s->prepare)
        s->prepare();
    scarce_memory_fail(nth, for_good);
    bool ok = s->act(result);
    bool failed = scarce_memory_failed();
    scarce_memory_fail(0, false);
    if (s->check)
        ok = s->check(result) && ok;
    if (s->clean)
        s->clean();
    assert_true(ok || failed);
    return ok;
}

// Runs the operation without failures. Returns its number of allocations.
static unsigned play_well(const struct scenario *s, char *out)
{
    struct text result = text_in(out, RESULT_SIZE);
    begin();
    if (s->prepare)
        s->prepare();
    scarce_memory_fail(0, false);
    assert_true(s->act(&result));
    unsigned n = scarce_memory_count();
    assert_true(!s->check || s->check(&result));
    if (s->clean)
        s->clean();
    assert_false(result.cut);
    return n;
}

// Shows the first difference.
static void assert_same(const char *got, const char *expected)
{
    size_t i = 0;
    while (got[i] && got[i] == expected[i])
        i++;
    if (got[i] != expected[i])
        fail_msg("after '%.40s' comes '%.40s' instead of '%.40s'", got + (i > 40 ? i - 40 : 0),
                 got + i, expected + i);
}

// Fails only some allocations of a long operation, unless IBTRAPD_FAULTS=all is set.
static unsigned step_of(unsigned n)
{
    enum { IN_PART = 150 };
    const char *how = getenv("IBTRAPD_FAULTS");
    return how && strcmp(how, "all") == 0 ? 1 : n / IN_PART + 1;
}

static void fail_each(const struct scenario *s)
{
    char *expected = malloc(RESULT_SIZE), *buffer = malloc(RESULT_SIZE);
    unsigned n = play_well(s, expected);
    assert_true(n > 0);
    assert_true(expected[0] != '\0');
    for (unsigned nth = 1; nth <= n; nth += step_of(n)) {
        for (int for_good = 0; for_good < 2; for_good++) {
            struct text result = text_in(buffer, RESULT_SIZE);
            if (play(s, nth, for_good, &result))
                assert_same(buffer, expected);
        }
    }
    print_message("    %u allocations\n", n);
    free(buffer);
    free(expected);
}

// The configuration.

static const char CONFIGURATION[] =
    "fabric { verify_interval = 7 }\n"
    "policy \"one\" { events = {\"link-*\", \"node-*\"} enabled = true }\n"
    "snmp \"nms\" { address = \"127.0.0.1\" community = \"test\" }\n"
    "syslog \"siem\" { transport = \"relp\" address = \"127.0.0.1\" format = \"ecs\" }\n"
    "file \"file\" { path = \"/tmp/events.json\" events = {\"sm-*\"} }\n";

static bool read_configuration(struct text *result)
{
    struct conf conf;
    err.text[0] = '\0';
    if (!conf_load_text(CONFIGURATION, "test", &conf, &err)) {
        assert_true(err.text[0] != '\0');
        return false;
    }
    text_addf(result, "%u %zu", conf.fabric.verify_interval_s, conf.receiver_count);
    for (size_t i = 0; i < conf.receiver_count; i++)
        text_addf(result, " %s", conf.receivers[i].name);
    conf_free(&conf);
    return true;
}

TEST(reading_the_configuration)
{
    fail_each(&(struct scenario){.act = read_configuration});
}

static struct names *names_from_file(void)
{
    static const char MAP[] = "0x1 \"one\"\n0x2 \"two\"\n0x3 \"three\"\n0x2 \"second\"\n";
    return names_load(support_file("map", MAP, 0644), &err);
}

static bool read_names(struct text *result)
{
    struct names *names = names_from_file();
    if (!names)
        return false;
    text_addf(result, "%zu %s %s", names_count(names), names_find(names, 1), names_find(names, 3));
    names_unref(names);
    return true;
}

// Names set by SNMP have precedence over the map.
static bool set_names(struct text *result)
{
    static const struct setting ONE = {
        .kind = SETTING_SWITCH_NAME, .guid = 1, .size = 3, .value = "set"};
    struct names *map = names_from_file(), *names = NULL;
    struct settings *settings = settings_with(NULL, &ONE, 1);
    bool ok = map && settings && names_with(map, settings, &names);
    if (ok)
        text_addf(result, "%s %s", names_find(names, 1), names_find(names, 2));
    names_unref(names);
    names_unref(map);
    settings_unref(settings);
    return ok;
}

TEST(reading_names)
{
    fail_each(&(struct scenario){.act = read_names});
    fail_each(&(struct scenario){.act = set_names});
}

// Trap recipients. An incomplete list would end the recipients that it lacks.

static struct settings *settings_of_recipients;

static void prepare_recipients(void)
{
    static const struct setting ROWS[] = {
        {.kind = SETTING_COMMUNITY, .guid = 1, .number = 1, .size = 3, .value = "one"},
        {.kind = SETTING_TRAP_RECIPIENT,
         .guid = 1,
         .number = 1,
         .size = 4,
         .value = {192, 0, 2, 1}},
        {.kind = SETTING_COMMUNITY, .guid = 2, .number = 1, .size = 3, .value = "two"},
        {.kind = SETTING_TRAP_RECIPIENT,
         .guid = 2,
         .number = 1,
         .size = 4,
         .value = {192, 0, 2, 2}},
    };
    settings_of_recipients = settings_with(NULL, ROWS, COUNT(ROWS));
    assert_non_null(settings_of_recipients);
}

static void clean_recipients(void)
{
    settings_unref(settings_of_recipients);
}

static bool find_recipients(struct text *result)
{
    struct trap_recipients found;
    bool ok = trap_recipients_of(settings_of_recipients, 162, &found, &err);
    assert_int_equal(found.all != NULL, ok);
    for (size_t i = 0; i < found.count; i++)
        text_addf(result, "%s ", found.all[i].name);
    trap_recipients_clear(&found);
    return ok;
}

TEST(finding_recipients)
{
    fail_each(&(struct scenario){prepare_recipients, find_recipients, NULL, clean_recipients});
}

// Events.

static struct event *made[GOLDEN_COUNT];

static void add_event(struct text *result, const struct event *event)
{
    text_addf(result, "%s %s %s\n", event->id, event->type->name, event->text);
}

static bool make_from_notices(struct text *result)
{
    bool all = true;
    for (int i = 0; i < GOLDEN_COUNT; i++) {
        uint8_t wire[NOTICE_SIZE];
        golden_wire((enum golden)i, wire);
        struct event *event = event_builder_from_notice(&builder, wire);
        all &= event != NULL;
        if (event)
            add_event(result, event);
        event_unref(event);
    }
    return all;
}

static bool make_others(struct text *result)
{
    static const uint8_t MAD[40] = {1, 2, 3};
    struct test_event test = {.type = CATALOGUE_LINK_DOWN};
    test_event_make_up(&test);
    struct event *events[] = {
        event_builder_from_malformed(&builder, 7, "it is short", MAD, sizeof MAD),
        event_builder_from_occurrence(
            &builder, &(struct event_builder_occurrence){.type = CATALOGUE_SM_BACK}),
        test_event_make(&builder, &test)};
    bool all = true;
    for (size_t i = 0; i < COUNT(events); i++) {
        all &= events[i] != NULL;
        if (events[i])
            add_event(result, events[i]);
        event_unref(events[i]);
    }
    return all;
}

TEST(making_events)
{
    fail_each(&(struct scenario){.act = make_from_notices});
    fail_each(&(struct scenario){.act = make_others});
}

static void make_events(void)
{
    for (int i = 0; i < GOLDEN_COUNT; i++) {
        uint8_t wire[NOTICE_SIZE];
        golden_wire((enum golden)i, wire);
        made[i] = event_builder_from_notice(&builder, wire);
        assert_non_null(made[i]);
    }
}

static void release_events(void)
{
    for (int i = 0; i < GOLDEN_COUNT; i++)
        event_unref(made[i]);
}

static bool read_record(struct text *result)
{
    uint8_t record[EVENT_RECORD_MAX];
    size_t size = event_record_write(made[GOLDEN_257], record);
    struct event *event = event_record_read(record, size, &err);
    if (event)
        add_event(result, event);
    event_unref(event);
    return event != NULL;
}

TEST(reading_a_record)
{
    fail_each(&(struct scenario){make_events, read_record, NULL, release_events});
}

// The output of receivers.

static bool write_line(struct text *result, bool whole, enum format format,
                       const struct event *event)
{
    static const struct format_origin ORIGIN = {
        .facility = 3, .hostname = "host", .process_id = "1"};
    char buffer[FORMAT_SIZE];
    struct text t = text_in(buffer, sizeof buffer);
    (whole ? format_message : format_line)(&t, format, &ORIGIN, event);
    text_addf(result, "%s\n", buffer);
    return t.len > 0;
}

static bool write_lines(struct text *result)
{
    bool all = true;
    for (int format = 0; format < FORMAT_COUNT; format++) {
        for (int i = 0; i < GOLDEN_COUNT; i += 5) {
            all &= write_line(result, false, (enum format)format, made[i]);
            all &= write_line(result, true, (enum format)format, made[i]);
        }
    }
    return all;
}

TEST(writing_lines_takes_no_memory)
{
    tzset(); // reads the time zone
    char *lines = malloc(RESULT_SIZE);
    assert_int_equal(
        play_well(&(struct scenario){make_events, write_lines, NULL, release_events}, lines), 0);
    assert_non_null(strstr(lines, "specversion"));
    free(lines);
}

// Policy: whatever is suppressed or added, each event is passed on once.

static struct policy *policy;
static struct text *passed;

static void stamp(void *ctx, struct event *event)
{
    (void)ctx;
    snprintf(event->id, sizeof event->id, "made");
}

static void take_passed(void *ctx, struct event *event)
{
    (void)ctx;
    if (strcmp(event->id, "made") != 0)
        text_addf(passed, "%s ", event->id);
}

static bool decide(struct text *result)
{
    struct policy_options options;
    policy_options_init(&options);
    options.storm_rate = 5;
    passed = result;
    policy =
        policy_new(&options, &(struct policy_sink){.stamp = stamp, .pass = take_passed}, &chance);
    if (!policy)
        return false;
    for (int i = 0; i < 3 * GOLDEN_COUNT; i++) {
        struct event *event = made[i % GOLDEN_COUNT];
        event->suppressed[0] = '\0';
        snprintf(event->alarm_key, sizeof event->alarm_key, "key %d", i % 4);
        policy_process(policy, event, now.monotonic + i * 100 * CLOCK_US_PER_MS);
        policy_tick(policy, now.monotonic + i * 100 * CLOCK_US_PER_MS);
    }
    policy_free(policy);
    return true;
}

TEST(deciding)
{
    fail_each(&(struct scenario){make_events, decide, NULL, release_events});
}

// The fabric.

static struct fabric *before, *after;
static struct topology *topology;
static struct changes changes;

static void make_fabrics(void)
{
    struct generated g = {0};
    generated_fat_tree(&g, 16, 2);
    before = generated_look(&g, 0);
    generated_remove(&g, 3);
    generated_rename(&g, 5, "another");
    generated_unlink(&g, 9, 1);
    after = generated_look(&g, 0);
    generated_clear(&g);
    assert_true(before && after);
}

static void release_fabrics(void)
{
    fabric_unref(before);
    fabric_unref(after);
}

static void make_topology(void)
{
    bool late;
    make_fabrics();
    topology = topology_new(NULL, NULL);
    assert_non_null(topology);
    topology_update(topology, fabric_ref(before), &changes, &late);
    assert_int_equal(changes.count, 0);
}

static void free_topology(void)
{
    changes_clear(&changes);
    topology_free(topology);
    release_fabrics();
}

static void add_changes(struct text *result)
{
    for (uint32_t i = 0; i < changes.count; i++)
        text_addf(result, "%d %s %s\n", (int)changes.all[i].type, changes.all[i].subject.name,
                  changes.all[i].reason);
}

static bool update(struct text *result)
{
    bool late;
    topology_update(topology, fabric_ref(after), &changes, &late);
    (void)result;
    return !changes.cut;
}

// The next sweep replaces one that failed.
static bool update_again(struct text *result)
{
    bool late;
    topology_update(topology, fabric_ref(after), &changes, &late);
    add_changes(result);
    return true;
}

TEST(finding_changes)
{
    fail_each(&(struct scenario){make_topology, update, update_again, free_topology});
}

static bool keep_fabric(struct text *result)
{
    size_t size;
    uint8_t *record = fabric_record_write(after, &size);
    struct fabric *fabric = record ? fabric_record_read(record, size, &err) : NULL;
    if (fabric)
        text_addf(result, "%u nodes, %016llx", fabric->node_count,
                  (unsigned long long)fabric_record_digest(record, size));
    fabric_unref(fabric);
    free(record);
    return fabric != NULL;
}

TEST(keeping_a_snapshot)
{
    fail_each(&(struct scenario){make_fabrics, keep_fabric, NULL, release_fabrics});
}

// The journal.

static const char *directory;
static struct journal *journal;
static unsigned told[JOURNAL_CHANGES];

static void take_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)reason, (void)count;
    told[change]++;
}

static bool open_journal(void)
{
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 1000000,
                                            .bytes_max = INT64_C(1) << 30,
                                            .age_us = 86400 * S,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = take_change,
                                            .clock = &clock_,
                                            .random = &chance,
                                            .log = log_};
    journal = journal_open(&options, &err);
    return journal != NULL;
}

static void make_directory(void)
{
    directory = scratch_make_in_memory();
    memset(told, 0, sizeof told);
}

static void remove_directory(void)
{
    journal_close(journal);
    journal = NULL;
    scratch_remove(directory);
}

static void prepare_journal(void)
{
    make_events();
    make_directory();
}

static void clean_journal(void)
{
    release_events();
    remove_directory();
}

static void pass(int64_t us)
{
    now.utc += us;
    now.monotonic += us;
}

static bool write_journal(struct text *result)
{
    (void)result;
    if (!open_journal())
        return false;
    for (int i = 0; i < GOLDEN_COUNT; i++) {
        snprintf(made[i]->alarm_key, sizeof made[i]->alarm_key, "key %d", i % 4);
        journal_append(journal, made[i], &(struct journal_report){1, 2, 3});
        if (i % 4 == 3)
            journal_commit(journal);
        pass(S);
    }
    return true;
}

// The journal has all events after another commit and another start.
static bool read_journal(struct text *result)
{
    struct journal_item items[2 * GOLDEN_COUNT];
    if (!journal)
        return false;
    pass(2 * S);
    journal_commit(journal);
    assert_int_equal(told[JOURNAL_DEGRADED] - told[JOURNAL_HEALED], 0);
    int64_t last = journal_last(journal);
    journal_close(journal);
    assert_true(open_journal());
    size_t n = journal_read(journal, last - GOLDEN_COUNT, items, COUNT(items));
    for (size_t i = 0; i < n; i++) {
        assert_non_null(items[i].event);
        text_addf(result, "%s ", items[i].event->id);
        event_unref(items[i].event);
    }
    return true;
}

TEST(writing_the_journal)
{
    fail_each(&(struct scenario){prepare_journal, write_journal, read_journal, clean_journal});
}

static void fill_journal(void)
{
    prepare_journal();
    assert_true(open_journal());
    for (int i = 0; i < GOLDEN_COUNT; i++) {
        snprintf(made[i]->alarm_key, sizeof made[i]->alarm_key, "key %d", i);
        journal_append(journal, made[i], &(struct journal_report){1, 2, 3});
    }
    journal_commit(journal);
}

// So that no event is in memory.
static void fill_file(void)
{
    fill_journal();
    journal_close(journal);
    assert_true(open_journal());
}

static int64_t place;

static void read_some(struct text *result)
{
    struct journal_item items[8];
    for (size_t n; (n = journal_read(journal, place, items, COUNT(items))) > 0;) {
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(items[i].sequence, place + 1);
            assert_non_null(items[i].event); // otherwise a receiver would skip the event
            place = items[i].sequence;
            text_addf(result, "%s ", items[i].event->id);
            event_unref(items[i].event);
        }
    }
}

static bool read_file(struct text *result)
{
    place = 0;
    read_some(result);
    return true;
}

// Reads the events whose reading failed before.
static bool read_on(struct text *result)
{
    read_some(result);
    return true;
}

TEST(reading_the_journal)
{
    fail_each(&(struct scenario){fill_file, read_file, read_on, clean_journal});
}

// The pipeline: a Report is answered only after its event is in the journal.

enum { TIDS_MAX = 64 };
static struct pipeline *pipeline;
static bool answered[TIDS_MAX];

static void acknowledge(void *ctx, const struct sa_report *report)
{
    (void)ctx;
    struct mad_header header = {0};
    mad_read_header(report->mad, report->size, &header);
    answered[header.tid % TIDS_MAX] = true;
}

static void prepare_pipeline(void)
{
    memset(answered, 0, sizeof answered);
    prepare_journal();
    assert_true(open_journal());
}

static void put_report(int number)
{
    struct sa_report *report = malloc(sizeof *report);
    if (!report)
        return; // as in the SA client: the Report is not answered
    *report = (struct sa_report){.from.lid = 1, .size = MAD_SIZE};
    support_hex(report->mad, 24, "01 03 02 06 0000 0000 0000000000000000 0002 0000 00000000");
    report->mad[15] = (uint8_t)number;
    golden_wire((enum golden)number, report->mad + 56);
    if (!pipeline_put_report(pipeline, report))
        free(report);
}

static bool run_pipeline(struct text *result)
{
    (void)result;
    struct pipeline_options options = {
        .builder = builder, .journal = journal, .acknowledge = acknowledge, .log = log_};
    policy_options_init(&options.policy);
    pipeline = pipeline_start(&options, &err);
    if (!pipeline)
        return false;
    for (int i = 0; i < GOLDEN_COUNT; i++)
        put_report(i);
    pipeline_stop(pipeline);
    pipeline_free(pipeline);
    return true;
}

// The events of all answered Reports are in the file.
static bool count_answered(struct text *result)
{
    struct journal_item items[256];
    bool found[TIDS_MAX] = {false};
    unsigned missing = 0;
    pass(2 * S);
    journal_commit(journal);
    journal_close(journal);
    assert_true(open_journal());
    size_t n = journal_read(journal, 0, items, COUNT(items));
    for (size_t i = 0; i < n; i++) {
        uint8_t wire[NOTICE_SIZE];
        for (int k = 0; k < GOLDEN_COUNT; k++) {
            golden_wire((enum golden)k, wire);
            found[k] |= items[i].event->raw_size == NOTICE_SIZE &&
                        memcmp(items[i].event->raw, wire, NOTICE_SIZE) == 0;
        }
        event_unref(items[i].event);
    }
    for (int k = 0; k < GOLDEN_COUNT; k++) {
        assert_true(found[k] || !answered[k]);
        missing += !answered[k];
    }
    text_addf(result, "done");
    return missing == 0;
}

TEST(taking_reports)
{
    fail_each(&(struct scenario){prepare_pipeline, run_pipeline, count_answered, clean_journal});
}

// The tables: a walk either is complete or ends with the error that something cannot be read now.

static struct agent_snapshot *made_once;

static void prepare_tables(void)
{
    if (!made_once)
        made_once = made_view();
}

// False: it ended with that error.
static bool walk_on(struct walk_cache *cache, struct text *result)
{
    static const struct agentx_oid NO_END = {.length = 0};
    struct agentx_oid name = {.length = 0}, found;
    struct agentx_value value;
    uint64_t digest = 0;
    size_t n = 0;
    for (const struct agent_snapshot *snapshot = walk_cache_follow(cache, &name);
         table_get_next(&TABLES, snapshot, &name, false, &NO_END, &found, &value);
         snapshot = walk_cache_follow(cache, &name)) {
        if (value.type == AGENTX_NOT_NOW)
            return false;
        walk_cache_remember(cache, snapshot, &found);
        digest = digest_add(digest, found.ids, found.length * sizeof *found.ids);
        name = found;
        n++;
    }
    text_addf(result, "%zu instances, %016llx", n, (unsigned long long)digest);
    return true;
}

static bool walk_tables(struct text *result)
{
    struct snapshot_events *events = snapshot_events_new();
    struct walk_cache *cache = events ? walk_cache_new(made_once->source, events, &chance) : NULL;
    bool ok = cache && walk_on(cache, result);
    walk_cache_free(cache);
    snapshot_events_free(events);
    return ok;
}

TEST(walking_the_tables)
{
    fail_each(&(struct scenario){.prepare = prepare_tables, .act = walk_tables});
}

// Receivers: one is created and sends an event, or reports why not. libsnmp's allocations do not
// fail.

enum { WAIT_MS = 1000 };

static struct conf targets;
static int drain_socket;

static void use_password(struct conf_receiver *receiver)
{
    struct conf_snmp *snmp = &receiver->snmp;
    snmp->version = 3;
    snprintf(snmp->user, sizeof snmp->user, "user");
    snmp->auth = CONF_AUTH_SHA_256;
    snmp->privacy = CONF_PRIVACY_AES;
    snprintf(snmp->auth_password, sizeof snmp->auth_password, "correct horse");
    snprintf(snmp->privacy_password, sizeof snmp->privacy_password, "battery staple");
}

static void prepare_targets(void)
{
    char text[1000];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    make_events();
    drain_socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(drain_socket, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(drain_socket, (struct sockaddr *)&address, &size), 0);
    unsigned port = ntohs(address.sin_port);
    snprintf(text, sizeof text,
             "snmp \"v2c\" { address = \"127.0.0.1:%u\" extra_varbinds = true }\n"
             "snmp \"v3\" { address = \"127.0.0.1:%u\" }\n"
             "syslog \"udp\" { transport = \"udp\" address = \"127.0.0.1:%u\" format = \"cef\" }\n"
             "file \"file\" { path = \"/dev/null\" }\n",
             port, port, port);
    assert_true(conf_load_text(text, "test", &targets, &err));
    use_password(&targets.receivers[1]);
}

static void clean_targets(void)
{
    conf_free(&targets);
    close(drain_socket);
    release_events();
}

static bool send_one(struct sink *sink)
{
    if (!sink->open(sink->self, &err))
        return false;
    enum sink_result sent = sink->send(sink->self, made[GOLDEN_128], &err);
    bool confirmed = sent == SINK_PENDING && sink->wait(sink->self, WAIT_MS, &err) == 1;
    sink->close(sink->self);
    return sent == SINK_DONE || confirmed;
}

static bool send_to_all(struct text *result)
{
    bool all = true;
    for (size_t i = 0; i < targets.receiver_count; i++) {
        struct sink sink = {0};
        err.text[0] = '\0';
        bool ok = sinks_make(&sink, &targets.receivers[i], &clock_, 0, NULL, NULL, &err);
        if (ok) {
            text_addf(result, "%s %s ", sink.kind, sink.name);
            ok = send_one(&sink);
            sink.free(sink.self);
        }
        assert_true(ok || err.text[0] != '\0');
        all &= ok;
    }
    return all;
}

TEST(sending)
{
    begin();
    make_directory();
    snmp_begin(directory, &chance, log_);
    fail_each(&(struct scenario){prepare_targets, send_to_all, NULL, clean_targets});
    snmp_end();
    remove_directory();
}

// Answers of the control socket: without memory they may lack items, but must not be wrong.

static json_t *request;
static struct evbuffer *lines;
static struct control control;
static struct control_pages pages;

static void prepare_answers(void)
{
    fill_journal();
    make_fabrics();
    control =
        (struct control){.journal = journal, .fabric = before, .builder = builder, .pages = &pages};
    request = json_pack("{s:i, s:i}", "number", 3, "limit", 50);
    lines = evbuffer_new();
    assert_true(request && lines);
}

static bool answer_all(struct text *result)
{
    (void)result;
    static json_t *(*const COMMANDS[])(struct control * control, const json_t *request) = {
        event_answers_list, explain_answer, topology_answers_show, topology_answers_list,
        alarm_answers_list};
    bool failed = false;
    for (size_t i = 0; i < COUNT(COMMANDS); i++) {
        json_t *answer = COMMANDS[i](&control, request);
        event_unref(control.found);
        control.found = NULL;
        failed |= scarce_memory_failed();
        failed |= answer && !answer_write(answer, lines);
        json_decref(answer);
    }
    return !failed;
}

static bool take_answers(struct text *result)
{
    const char *all = (const char *)evbuffer_pullup(lines, -1); // NULL: it is empty
    if (all)
        text_add_n(result, all, evbuffer_get_length(lines));
    return true;
}

static void clean_answers(void)
{
    evbuffer_free(lines);
    json_decref(request);
    topology_answers_clear(&pages);
    release_fabrics();
    clean_journal();
}

TEST(answering)
{
    fail_each(&(struct scenario){prepare_answers, answer_all, take_answers, clean_answers});
}

int main(void)
{
    scarce_libraries_begin();
    support_limit_files(WAL_BYTES / 2);
    log_ = support_log(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_the_configuration),
        cmocka_unit_test(reading_names),
        cmocka_unit_test(finding_recipients),
        cmocka_unit_test(making_events),
        cmocka_unit_test(reading_a_record),
        cmocka_unit_test(writing_lines_takes_no_memory),
        cmocka_unit_test(deciding),
        cmocka_unit_test(finding_changes),
        cmocka_unit_test(keeping_a_snapshot),
        cmocka_unit_test(writing_the_journal),
        cmocka_unit_test(reading_the_journal),
        cmocka_unit_test(taking_reports),
        cmocka_unit_test(walking_the_tables),
        cmocka_unit_test(sending),
        cmocka_unit_test(answering),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    log_close(log_);
    return failed;
}
