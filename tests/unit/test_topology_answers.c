// SPDX-License-Identifier: BSD-2-Clause
// `ibtrapctl topology`: from the snapshot through the control socket to the printed lines.
#include "server_thread.h"
#include "support.h"

#include "control/commands.h"
#include "control/handlers.h"
#include "ctl/client.h"
#include "ctl/commands.h"
#include "model/fabric_builder.h"
#include "model/fabric_record.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static struct journal *journal;
static struct names *names;
static struct fabric *current;
static struct conf conf;
static struct parts parts;
static struct control control;
static struct support_time now_;
static struct clock clock_;
static struct support_chance chance;
static struct random random_;
static struct log *log_;
static const char *socket_path;
static struct error err;
static unsigned requests;
static const char *other;          // the answer of another daemon; NULL: this one answers
static struct fabric *after_first; // replaces the fabric after the first request was answered

// Protects the data that the server's thread and the test share.
static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;

static const struct control_command *find(const char *name)
{
    size_t count;
    const struct control_command *commands = control_commands(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    fail_msg("there is no command %s", name);
    return NULL;
}

static json_t *handle(void *ctx, const struct peer_credentials *client, const char *command,
                      const json_t *request)
{
    (void)ctx, (void)client;
    pthread_mutex_lock(&shared);
    control.fabric = current;
    control.settings = control_settings_of(control.parts->conf);
    json_t *answer = other ? json_loads(other, 0, NULL) : find(command)->answer(&control, request);
    requests++;
    if (after_first) {
        fabric_unref(current);
        current = after_first;
        after_first = NULL;
    }
    pthread_mutex_unlock(&shared);
    return answer;
}

// All answers of the test were sent.
static void settle(void)
{
    pthread_mutex_lock(&shared);
    pthread_mutex_unlock(&shared);
}

static void ignore_change(void *ctx, enum journal_change change, const char *reason, uint64_t count)
{
    (void)ctx, (void)change, (void)reason, (void)count;
}

static int begin(void **state)
{
    (void)state;
    static const char MAP[] = "0x2c90200000001 \"leaf1\"\n0x2c90300000010 \"sm1\"\n";
    static char directory[200];
    static unsigned journals;
    snprintf(directory, sizeof directory, "%s-%u", support_path("journal"), journals++);
    now_ = (struct support_time){.utc = SUPPORT_UTC_US};
    clock_ = support_clock(&now_);
    random_ = support_random(&chance);
    log_ = support_log(NULL);
    names = names_parse("map", MAP, sizeof MAP - 1, &err);
    const struct journal_options options = {.directory = directory,
                                            .rows_max = 1000,
                                            .bytes_max = 64 << 20,
                                            .age_us = CLOCK_US_PER_S,
                                            .patience_us = SUPPORT_PATIENCE_US,
                                            .notify = ignore_change,
                                            .clock = &clock_,
                                            .random = &random_,
                                            .log = log_};
    journal = journal_open(&options, &err);
    assert_non_null(journal);
    parts = (struct parts){.journal = journal, .conf = &conf};
    control = (struct control){.parts = &parts,
                               .names = names,
                               .builder = {.clock = &clock_, .random = &random_, .names = names}};
    requests = 0;
    socket_path = support_path("control");
    server_thread_start(&(struct server_options){.path = socket_path,
                                                 .group = SERVER_OWN_GROUP,
                                                 .handler = handle,
                                                 .reads_only = control_reads_only,
                                                 .log = log_});
    return 0;
}

static int end(void **state)
{
    (void)state;
    server_thread_stop();
    fabric_unref(current);
    current = NULL;
    journal_close(journal);
    log_close(log_);
    names_unref(names);
    return 0;
}

// Fabrics.

static uint32_t add_node(struct fabric_builder *b, uint64_t guid, uint8_t type, uint8_t ports,
                         const char *description)
{
    struct fabric_node node = {.guid = guid,
                               .system_guid = guid + 3,
                               .type = type,
                               .port_count = ports,
                               .vendor = 0x2c9,
                               .device = 0xb924,
                               .revision = 0xa0};
    snprintf(node.description, sizeof node.description, "%s", description);
    uint32_t n = fabric_builder_node(b, &node);
    assert_int_not_equal(n, FABRIC_NONE);
    return n;
}

static void add_port(struct fabric_builder *b, uint32_t node, uint8_t number, uint64_t guid,
                     uint16_t lid, uint16_t speed)
{
    const struct fabric_port port = {.number = number,
                                     .known = true,
                                     .guid = guid,
                                     .lid = lid,
                                     .state = FABRIC_ACTIVE,
                                     .physical = 5,
                                     .width_active = 2,
                                     .width_enabled = 3,
                                     .width_supported = 3,
                                     .speed_active = speed,
                                     .speed_enabled = FABRIC_SDR | FABRIC_EDR,
                                     .speed_supported = FABRIC_SDR | FABRIC_EDR,
                                     .peer_node = FABRIC_NONE};
    assert_true(fabric_builder_port(b, node, &port));
}

static struct fabric_builder *small_builder(void)
{
    struct fabric_builder *b = fabric_builder_new();
    uint32_t leaf = add_node(b, 0x2c90200000001, FABRIC_SWITCH, 36, "SwitchX - Mellanox");
    uint32_t spine = add_node(b, 0x2c90200000002, FABRIC_SWITCH, 36, "spine1");
    uint32_t sm = add_node(b, 0x2c90300000010, FABRIC_CA, 2, "mgmt HCA-1");
    uint32_t host = add_node(b, 0x2c90300000020, FABRIC_CA, 1, "node2 HCA-1");
    uint32_t router = add_node(b, 0x2c90400000030, FABRIC_ROUTER, 2, "");
    add_port(b, leaf, 0, 0x2c90200000001, 1, FABRIC_EDR);
    add_port(b, spine, 0, 0x2c90200000002, 2, FABRIC_EDR);
    for (uint8_t p = 1; p <= 5; p++)
        add_port(b, leaf, p, 0, 0, FABRIC_EDR);
    add_port(b, spine, 1, 0, 0, FABRIC_EDR);
    add_port(b, sm, 1, 0x2c90300000011, 3, FABRIC_EDR);
    add_port(b, host, 1, 0x2c90300000021, 4, FABRIC_SDR);
    add_port(b, router, 2, 0x2c90400000032, 5, 0);
    fabric_builder_link(b, leaf, 1, sm, 1);
    fabric_builder_link(b, leaf, 2, host, 1);
    fabric_builder_link(b, leaf, 3, spine, 1);
    fabric_builder_link(b, leaf, 4, router, 2);
    assert_true(fabric_builder_sm(
        b,
        &(struct fabric_sm){
            .guid = 0x2c90300000011, .node = sm, .port = 1, .lid = 3, .priority = 14, .state = 3}));
    return b;
}

static struct fabric *finish(struct fabric_builder *b)
{
    struct fabric *fabric = fabric_builder_finish(b, now_.utc, UINT64_C(0xFE80000000000000), true);
    assert_non_null(fabric);
    return fabric;
}

// That many hosts, in pairs.
static struct fabric *large_fabric(uint64_t hosts)
{
    struct fabric_builder *b = fabric_builder_new();
    for (uint64_t i = 0; i < hosts; i++) {
        uint32_t n = add_node(b, 0x1000 + 16 * i, FABRIC_CA, 1, "host");
        add_port(b, n, 1, 0x1001 + 16 * i, (uint16_t)(i % 40000 + 1), FABRIC_EDR);
        if (i % 2 == 1)
            fabric_builder_link(b, n - 1, 1, n, 1);
    }
    return finish(b);
}

static void save(const struct fabric *fabric)
{
    size_t size;
    uint8_t *record = fabric_record_write(fabric, &size);
    const struct journal_snapshot meta = {.time_us = fabric->time_us,
                                          .digest = fabric_record_digest(record, size),
                                          .nodes = fabric->node_count,
                                          .links = fabric_count_links(fabric)};
    journal_save_snapshot(journal, &meta, record, size);
    journal_commit(journal);
    free(record);
}

// The output of `ibtrapctl topology ...`; the caller frees it. NULL: it failed.
enum topology_command { SHOW, LIST, DIFF };

static char *run(enum topology_command command, int64_t a, int64_t b, bool json)
{
    static char *const NAMES[] = {
        [SHOW] = "topology", [LIST] = "topology list", [DIFF] = "topology diff"};
    size_t count, size, row = 0;
    const struct command *commands = commands_get(&count);
    while (row < count && strcmp(commands[row].name, NAMES[command]) != 0)
        row++;
    assert_in_range(row, 0, count - 1);
    char from[24], to[24], *text = NULL;
    snprintf(from, sizeof from, a ? "%lld" : "now", (long long)a);
    snprintf(to, sizeof to, b ? "%lld" : "now", (long long)b);
    const struct arguments arguments = {.out = open_memstream(&text, &size),
                                        .command = &commands[row],
                                        .socket = socket_path,
                                        .json = json,
                                        .count = commands[row].max,
                                        .words = (char *[]){from, to}};
    enum command_outcome outcome = commands[row].run(&arguments, &err);
    fclose(arguments.out);
    if (outcome == COMMAND_DONE)
        return text;
    free(text);
    return NULL;
}

static void check(enum topology_command command, int64_t a, int64_t b, const char *expected)
{
    char *text = run(command, a, b, false);
    if (!text)
        fail_msg("%s", err.text);
    assert_string_equal(text, expected);
    free(text);
}

static void check_failure(enum topology_command command, int64_t a, int64_t b, const char *sentence)
{
    assert_null(run(command, a, b, false));
    assert_string_equal(err.text, sentence);
}

static json_t *run_json(enum topology_command command, int64_t a, int64_t b)
{
    json_error_t why;
    char *text = run(command, a, b, true);
    if (!text)
        fail_msg("%s", err.text);
    json_t *value = json_loads(text, 0, &why);
    if (!value)
        fail_msg("%s at line %d", why.text, why.line);
    free(text);
    return value;
}

TEST(a_fabric_is_shown_as_ibnetdiscover_does)
{
    current = finish(small_builder());
    check(
        SHOW, 0, 0,
        "#\n"
        "# Topology file: generated on 2026-11-21T03:19:03.123456Z\n"
        "#\n"
        "# 5 nodes, 4 links; now (2026-11-21T03:19:03.123456Z)\n"
        "\n"
        "vendid=0x2c9\n"
        "devid=0xb924\n"
        "sysimgguid=0x2c90200000004\n"
        "switchguid=0x2c90200000001(2c90200000001)\n"
        "Switch\t36 \"S-0002c90200000001\"\t\t# \"leaf1\" base port 0 lid 1 lmc 0\n"
        "[1]\t\"H-0002c90300000010\"[1](2c90300000011) \t\t# \"sm1\" lid 3 4xEDR\n"
        "[2]\t\"H-0002c90300000020\"[1](2c90300000021) \t\t# \"node2 HCA-1\" lid 4 4xEDR\n"
        "[3]\t\"S-0002c90200000002\"[1]\t\t# \"spine1\" lid 2 4xEDR\n"
        "[4]\t\"R-0002c90400000030\"[2](2c90400000032) \t\t# \"\" lid 5 4xEDR\n"
        "\n"
        "vendid=0x2c9\n"
        "devid=0xb924\n"
        "sysimgguid=0x2c90200000005\n"
        "switchguid=0x2c90200000002(2c90200000002)\n"
        "Switch\t36 \"S-0002c90200000002\"\t\t# \"spine1\" base port 0 lid 2 lmc 0\n"
        "[1]\t\"S-0002c90200000001\"[3]\t\t# \"leaf1\" lid 1 4xEDR\n"
        "\n"
        "vendid=0x2c9\n"
        "devid=0xb924\n"
        "sysimgguid=0x2c90300000013\n"
        "caguid=0x2c90300000010\n"
        "Ca\t2 \"H-0002c90300000010\"\t\t# \"sm1\"\n"
        "[1](2c90300000011) \t\"S-0002c90200000001\"[1]\t\t# lid 3 lmc 0 \"leaf1\" lid 1 4xEDR\n"
        "\n"
        "vendid=0x2c9\n"
        "devid=0xb924\n"
        "sysimgguid=0x2c90300000023\n"
        "caguid=0x2c90300000020\n"
        "Ca\t1 \"H-0002c90300000020\"\t\t# \"node2 HCA-1\"\n"
        "[1](2c90300000021) \t\"S-0002c90200000001\"[2]\t\t# lid 4 lmc 0 \"leaf1\" lid 1 4xSDR\n"
        "\n"
        "vendid=0x2c9\n"
        "devid=0xb924\n"
        "sysimgguid=0x2c90400000033\n"
        "rtguid=0x2c90400000030\n"
        "Rt\t2 \"R-0002c90400000030\"\t\t# \"\"\n"
        "[2](2c90400000032) \t\"S-0002c90200000001\"[4]\t\t# lid 5 lmc 0 \"leaf1\" lid 1 4x???\n");
}

TEST(json_has_more)
{
    current = finish(small_builder());
    json_t *all = run_json(SHOW, 0, 0);
    const char *how, *name, *speed;
    int width, fast, priority, lanes;
    assert_int_equal(json_integer_value(json_object_get(all, "link_count")), 4);
    assert_int_equal(json_array_size(json_object_get(all, "nodes")), 5);
    assert_null(json_object_get(all, "more"));
    assert_int_equal(json_unpack(all, "{s:[{s:s, s:s, s:i}]}", "sms", "state", &how, "name", &name,
                                 "priority", &priority),
                     0);
    assert_string_equal(how, "master");
    assert_string_equal(name, "sm1");
    assert_int_equal(priority, 14);
    const json_t *host = json_array_get(json_object_get(all, "nodes"), 3);
    assert_string_equal(json_string_value(json_object_get(host, "type")), "host");
    const json_t *port = json_array_get(json_object_get(host, "ports"), 0);
    assert_int_equal(json_unpack((json_t *)port, "{s:s, s:i, s:s, s:[i,i], s:{s:s}}", "state", &how,
                                 "width", &width, "speed", &speed, "widths_supported", &lanes,
                                 &fast, "peer", "name", &name),
                     0);
    assert_string_equal(how, "active");
    assert_int_equal(width, 4);
    assert_string_equal(speed, "SDR");
    assert_int_equal(fast, 4);
    assert_string_equal(name, "leaf1");
    json_decref(all);
}

// The patterns of the daemon's configuration decide which adapters are one host.
TEST(json_has_the_systems)
{
    struct fabric_builder *b = fabric_builder_new();
    add_node(b, 0x100, FABRIC_CA, 1, "a-gpu17");
    add_node(b, 0x200, FABRIC_CA, 1, "b-gpu17");
    add_node(b, 0x300, FABRIC_CA, 1, "b-gpu18");
    current = finish(b);
    conf.fabric.host_names = (struct filter_list){.patterns = {"a-%h", "b-%h"}, .count = 2};
    json_t *all = run_json(SHOW, 0, 0);
    conf.fabric.host_names.count = 0;
    const json_t *systems = json_object_get(all, "systems");
    assert_int_equal(json_array_size(systems), 2);
    const char *name, *type, *first, *second, *of_node;
    assert_int_equal(json_unpack(json_array_get(systems, 0), "{s:s, s:s, s:[s, s]}", "name", &name,
                                 "type", &type, "parts", &first, &second),
                     0);
    assert_string_equal(name, "gpu17");
    assert_string_equal(type, "host");
    assert_string_equal(first, "0x0000000000000100");
    assert_string_equal(second, "0x0000000000000200");
    assert_int_equal(json_unpack(all, "{s:[{}, {}, {s:s}]}", "nodes", "system", &of_node), 0);
    assert_string_equal(of_node, "gpu18");
    json_decref(all);
}

TEST(a_node_that_did_not_answer_is_marked)
{
    struct fabric_builder *b = fabric_builder_new();
    add_node(b, 0x2c90300000020, FABRIC_CA, 1, "node2 HCA-1");
    fabric_builder_get(b, 0)->silent = true;
    current = fabric_builder_finish(b, now_.utc, 0, false);
    check(SHOW, 0, 0,
          "#\n"
          "# Topology file: generated on 2026-11-21T03:19:03.123456Z\n"
          "#\n"
          "# 1 nodes, 0 links; now (2026-11-21T03:19:03.123456Z); some nodes did not answer\n"
          "\n"
          "# It did not answer; this is what was known of it.\n"
          "vendid=0x2c9\n"
          "devid=0xb924\n"
          "sysimgguid=0x2c90300000023\n"
          "caguid=0x2c90300000020\n"
          "Ca\t1 \"H-0002c90300000020\"\t\t# \"node2 HCA-1\"\n");
}

TEST(nothing_seen_yet_is_told)
{
    check_failure(SHOW, 0, 0, "ibtrapd: no sweep of the fabric has ended yet");
    check_failure(SHOW, 3, 0, "ibtrapd: there is no snapshot 3 of the fabric");
    check_failure(DIFF, 3, 0, "ibtrapd: there is no snapshot 3 of the fabric");
    check(LIST, 0, 0, "SNAPSHOT  TIME                    NODES    LINKS\n");
}

static size_t count_nodes(const json_t *all)
{
    const json_t *nodes = json_object_get(all, "nodes"), *node;
    size_t i;
    const char *last = "";
    json_array_foreach(nodes, i, node)
    {
        const char *guid = json_string_value(json_object_get(node, "guid"));
        assert_true(strcmp(guid, last) > 0); // each once, in order
        last = guid;
    }
    return i;
}

TEST(a_large_fabric_is_whole)
{
    current = large_fabric(5000);
    json_t *all = run_json(SHOW, 0, 0);
    assert_int_equal(count_nodes(all), 5000);
    settle();
    json_decref(all);
    char *text = run(SHOW, 0, 0, false);
    size_t links = 0;
    for (const char *p = text; (p = strstr(p, "\n[1](")) != NULL; p++)
        links++;
    assert_int_equal(links, 5000);
    free(text);
    settle();
}

// Enough hosts for two pages.
enum { MANY_HOSTS = 40000 };

TEST(all_pages_are_of_one_snapshot)
{
    current = large_fabric(MANY_HOSTS);
    now_.utc++;
    after_first = large_fabric(10);
    json_t *all = run_json(SHOW, 0, 0);
    assert_int_equal(count_nodes(all), 10);
    json_decref(all);
    settle();
    assert_int_equal(requests, 2);
    save(current);
    now_.utc++;
    struct fabric *large = large_fabric(MANY_HOSTS);
    save(large);
    fabric_unref(large);
    all = run_json(SHOW, 2, 0);
    assert_int_equal(count_nodes(all), MANY_HOSTS);
    assert_int_equal(json_integer_value(json_object_get(all, "snapshot")), 2);
    json_decref(all);
    settle();
    assert_int_equal(requests, 4);
}

TEST(a_page_of_what_is_gone_is_the_first_page)
{
    static const char *const ITEMS[] = {"{\"first\":3}", "{\"first\":3,\"digest\":\"4711\"}",
                                        "{\"first\":4294967295}"};
    json_error_t why;
    current = large_fabric(10);
    for (size_t i = 0; i < COUNT(ITEMS); i++) {
        json_t *page = client_request(socket_path, "topology", json_loads(ITEMS[i], 0, &why), &err);
        assert_int_equal(json_integer_value(json_object_get(page, "first")), 0);
        assert_null(json_object_get(page, "more"));
        json_decref(page);
    }
}

TEST(requests_out_of_range_are_refused)
{
    static const char *const ITEMS[] = {"{\"snapshot\":-1}", "{\"snapshot\":\"1\"}",
                                        "{\"first\":1.5}", "{\"first\":4294967296}",
                                        "{\"digest\":[]}"};
    json_error_t why;
    current = large_fabric(10);
    for (size_t i = 0; i < COUNT(ITEMS); i++) {
        assert_null(client_request(socket_path, "topology", json_loads(ITEMS[i], 0, &why), &err));
        assert_string_equal(err.text,
                            "ibtrapd: 'snapshot' and 'first' must be numbers, and 'digest' a text");
    }
}

TEST(an_answer_of_another_shape_is_refused)
{
    static const char *const ANSWERS[] = {
        "{\"version\":1,\"nodes\":[]}",
        "{\"version\":1,\"octets\":\"01zz\",\"record\":2}",
        "{\"version\":1,\"octets\":\"0101\",\"record\":3}",
        "{\"version\":1,\"octets\":\"0101\",\"record\":-1}",
        "{\"version\":1,\"octets\":\"0101\",\"record\":2,\"first\":1}",
    };
    for (size_t i = 0; i < COUNT(ANSWERS); i++) {
        other = ANSWERS[i];
        check_failure(SHOW, 0, 0,
                      "the answer has another shape than expected: are ibtrapctl and ibtrapd of "
                      "one version?");
    }
    other = "{\"version\":1,\"octets\":\"0101\",\"record\":2}";
    check_failure(SHOW, 0, 0, "cannot read the snapshot of the fabric: it is cut short");
    other = NULL;
}

TEST(kept_snapshots_are_listed)
{
    current = large_fabric(10);
    save(current);
    now_.utc += CLOCK_US_PER_S;
    struct fabric *more = large_fabric(12);
    save(more);
    fabric_unref(more);
    check(LIST, 0, 0,
          "SNAPSHOT  TIME                    NODES    LINKS\n"
          "       1  2026-11-21T03:19:03Z       10        5\n"
          "       2  2026-11-21T03:19:04Z       12        6\n");
    json_t *list = run_json(LIST, 0, 0);
    assert_int_equal(json_array_size(json_object_get(list, "snapshots")), 2);
    json_decref(list);
}

// Whether the changes include this event about that node.
static bool tells(const json_t *diff, const char *event, const char *name)
{
    size_t i;
    const json_t *change;
    json_array_foreach(json_object_get(diff, "changes"), i, change)
    {
        const json_t *subject = json_object_get(change, "subject");
        if (strcmp(json_string_value(json_object_get(change, "event")), event) == 0 &&
            strcmp(json_string_value(json_object_get(subject, "name")), name) == 0)
            return true;
    }
    return false;
}

TEST(what_changed_is_told)
{
    static const char HEAD[] = "From snapshot 1 (2026-11-21T03:19:03.123456Z) to now "
                               "(2026-11-21T03:19:04.123456Z): ";
    struct fabric *before = finish(small_builder());
    save(before);
    fabric_unref(before);
    now_.utc += CLOCK_US_PER_S;
    struct fabric_builder *b = small_builder();
    uint32_t added = add_node(b, 0x2c90300000040, FABRIC_CA, 1, "node3 HCA-1");
    add_port(b, added, 1, 0x2c90300000041, 6, FABRIC_EDR);
    fabric_builder_link(b, 0, 2, added, 1); // node2's cable
    current = finish(b);

    json_t *diff = run_json(DIFF, 1, 0);
    assert_true(tells(diff, "host-added", "node3 HCA-1"));
    assert_false(tells(diff, "host-removed", "node3 HCA-1"));
    assert_int_equal(json_array_size(json_object_get(diff, "changes")),
                     json_integer_value(json_object_get(diff, "change_count")));
    char *text = run(DIFF, 1, 0, false);
    assert_memory_equal(text, HEAD, strlen(HEAD));
    size_t i;
    const json_t *change;
    json_array_foreach(json_object_get(diff, "changes"), i, change)
        assert_non_null(strstr(text, json_string_value(json_object_get(change, "text"))));
    free(text);
    json_decref(diff);

    diff = run_json(DIFF, 0, 1);
    assert_true(tells(diff, "host-removed", "node3 HCA-1"));
    json_decref(diff);
    check(DIFF, 1, 1,
          "From snapshot 1 (2026-11-21T03:19:03.123456Z) to snapshot 1 "
          "(2026-11-21T03:19:03.123456Z): 0 changes\n");
}

TEST(many_changes_are_told)
{
    struct fabric *before = large_fabric(2000);
    save(before);
    fabric_unref(before);
    now_.utc++;
    current = large_fabric(10);
    now_.utc++;
    json_t *diff = run_json(DIFF, 1, 0);
    assert_true(json_integer_value(json_object_get(diff, "change_count")) >= 1990);
    assert_int_equal(json_array_size(json_object_get(diff, "changes")),
                     json_integer_value(json_object_get(diff, "change_count")));
    json_decref(diff);
}

// Patterns of nodes.

TEST(patterns_fit_names_of_nodes_and_systems)
{
    struct fabric_builder *b = fabric_builder_new();
    add_node(b, 0x2c90200000001, FABRIC_SWITCH, 8, "Quantum Mellanox Technologies");
    add_node(b, 0x100, FABRIC_SWITCH, 8, "Quantum Mellanox Technologies");
    add_node(b, 0x200, FABRIC_CA, 1, "gpu17 mlx5_3");
    current = control.fabric = fabric_builder_finish(b, 1, 1, true);
    struct systems *systems = systems_make(current, &(struct systems_names){0});
    control.systems = systems;
    assert_int_equal(known_nodes_fit(control.systems, control.names, "leaf1"), KNOWN_NODES_FIT);
    assert_int_equal(known_nodes_fit(control.systems, control.names, "gpu17"), KNOWN_NODES_FIT);
    assert_int_equal(known_nodes_fit(control.systems, control.names, "gpu17 mlx*"),
                     KNOWN_NODES_FIT);
    assert_int_equal(known_nodes_fit(control.systems, control.names, "Quantum*"),
                     KNOWN_NODES_NAMELESS);
    assert_int_equal(known_nodes_fit(control.systems, control.names, "*"), KNOWN_NODES_FIT);
    assert_int_equal(known_nodes_fit(control.systems, control.names, "gpu18"), KNOWN_NODES_NONE);
    assert_int_equal(known_nodes_fit(control.systems, control.names, "0x0000000000000100"),
                     KNOWN_NODES_FIT);
    assert_int_equal(known_nodes_fit(control.systems, control.names, "0x0000000000000101"),
                     KNOWN_NODES_NONE);
    control.systems = NULL;
    systems_unref(systems);
}

#define ANSWERS_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ANSWERS_TEST(patterns_fit_names_of_nodes_and_systems),
        ANSWERS_TEST(a_fabric_is_shown_as_ibnetdiscover_does),
        ANSWERS_TEST(json_has_more),
        ANSWERS_TEST(json_has_the_systems),
        ANSWERS_TEST(a_node_that_did_not_answer_is_marked),
        ANSWERS_TEST(nothing_seen_yet_is_told),
        ANSWERS_TEST(a_large_fabric_is_whole),
        ANSWERS_TEST(all_pages_are_of_one_snapshot),
        ANSWERS_TEST(a_page_of_what_is_gone_is_the_first_page),
        ANSWERS_TEST(requests_out_of_range_are_refused),
        ANSWERS_TEST(an_answer_of_another_shape_is_refused),
        ANSWERS_TEST(kept_snapshots_are_listed),
        ANSWERS_TEST(what_changed_is_told),
        ANSWERS_TEST(many_changes_are_told),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
