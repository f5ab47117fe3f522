// SPDX-License-Identifier: BSD-2-Clause
#include "sink_defaults.h"
#include "support.h"

#include "golden.h"

#include "event/event_builder.h"
#include "install.h"
#include "mib_root.h"
#include "model/fabric.h"
#include "sink/format.h"
#include "sink/syslog.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BOM   "\xEF\xBB\xBF"
#define SD_ID "[ibtrapd@" MIB_ROOT_ENTERPRISE

// The short elements of an event with an incomplete origin.
#define REST                                                                                       \
    "[origin enterpriseId=\"" MIB_ROOT_ENTERPRISE                                                  \
    "\" software=\"ibtrapd\" swVersion=\"" INSTALL_VERSION "\"][meta language=\"en\"]"

static struct support_time now;
static struct support_chance counting;
static struct clock clock_;
static struct random chance;
static struct event_builder builder;
static const struct format_origin ORIGIN = {
    .facility = 3,
    .severity_map = {SEVERITY_EMERGENCY, SEVERITY_ALERT, SEVERITY_CRITICAL, SEVERITY_ERROR,
                     SEVERITY_WARNING, SEVERITY_NOTICE, SEVERITY_INFORMATIONAL, SEVERITY_DEBUG},
    .hostname = "sm-node.example.org",
    .process_id = "42",
};
static char message[FORMAT_SIZE_MIN];

static int begin(void **state)
{
    (void)state;
    now = (struct support_time){.utc = SUPPORT_UTC_US};
    counting = (struct support_chance){0};
    clock_ = support_clock(&now);
    chance = support_random(&counting);
    builder =
        (struct event_builder){.clock = &clock_, .random = &chance, .subnet_prefix = GOLDEN_PREFIX};
    return 0;
}

static struct event *make_golden(enum golden golden)
{
    uint8_t wire[NOTICE_SIZE];
    golden_wire(golden, wire);
    struct event *event = event_builder_from_notice(&builder, wire);
    assert_non_null(event);
    return event;
}

static const char *format(const struct event *event)
{
    struct text t = text_in(message, sizeof message);
    format_rfc5424(&t, &ORIGIN, event);
    assert_int_equal(t.len, strlen(message));
    return message;
}

// Parses a message like the strictest receiver that RFC 5424 allows.

static const char *expect(const char *p, const char *literal)
{
    assert_memory_equal(p, literal, strlen(literal));
    return p + strlen(literal);
}

static const char *read_param(const char *p)
{
    size_t name = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    assert_in_range(name, 1, 32);
    p = expect(p + name, "=\"");
    for (; *p != '"'; p++) {
        assert_true(*p != '\0' && *p != ']');
        if (*p == '\\') {
            p++;
            assert_true(*p == '"' || *p == '\\' || *p == ']');
        }
    }
    return p + 1;
}

static const char *read_element(const char *p)
{
    for (p += strcspn(p, " ]"); *p == ' ';)
        p = read_param(p + 1);
    return p;
}

static void check_well_formed(const char *s, size_t *params)
{
    char clean[FORMAT_SIZE_MIN];
    assert_in_range(strlen(s), 1, 2048);
    text_clean(s, strlen(s), clean, sizeof clean);
    assert_string_equal(clean, s); // one line of valid UTF-8
    const char *p = strchr(s, '[');
    assert_non_null(p);
    p = expect(p, SD_ID);
    for (*params = 0; *p == ' '; ++*params)
        p = read_param(p + 1);
    while (*(p = expect(p, "]")) == '[')
        p = read_element(p + 1);
    p = expect(p, " ");
    bool ascii = true, marked = strncmp(p, BOM, 3) == 0;
    for (const char *q = p + (marked ? 3 : 0); *q; q++)
        ascii = ascii && (unsigned char)*q < 0x80;
    assert_int_equal(marked, !ascii);
}

TEST(a_whole_message)
{
    char expected[1400];
    struct event *event = make_golden(GOLDEN_129);
    snprintf(expected, sizeof expected,
             "<28>1 2026-11-21T03:19:03.123456Z sm-node.example.org ibtrapd 42 "
             "link-integrity-threshold " SD_ID " id=\"%s\" event=\"link-integrity-threshold\" "
             "severity=\"warning\" category=\"link\" subnetPrefix=\"0xfe80000000000000\" "
             "trap=\"129\" subjectLid=\"3\" subjectGuid=\"0x0002c90300001234\" subjectPort=\"17\" "
             "issuerLid=\"3\" "
             "issuerGuid=\"0x0002c90300001234\" issuerGid=\"fe80::2:c903:0:1234\" lid=\"3\" "
             "port=\"17\" raw=\"8100000200810003a5a5a5a5000311%s"
             "fe800000000000000002c90300001234\"]" REST
             "[snmp v1=\"1.3.6.1.2.1.1.3.0\" t1=\"0\" v2=\"1.3.6.1.6.3.1.1.4.1.0\" "
             "o2=\"1.3.6.1.3.117.3.2.0.2\" v3=\"1.3.6.1.3.117.3.1.1.14.0\" u3=\"3\" "
             "v4=\"1.3.6.1.3.117.3.1.1.15.0\" u4=\"17\"] Port 17 of port GUID 0x0002c90300001234 "
             "(LID 3) "
             "reached its threshold of local link integrity errors; check the cable and its "
             "connectors.",
             event->id,
             "a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5"
             "a5a5a5a5a5a5a5");
    assert_string_equal(format(event), expected);
    event_unref(event);
}

TEST(an_alarm_has_its_key)
{
    char expected[1000];
    const struct event_builder_occurrence what = {.type = CATALOGUE_SUBSCRIPTION_LOST,
                                                  .alarm_key = "subscriptions",
                                                  .reason = "the port is down"};
    struct event *event = event_builder_from_occurrence(&builder, &what);
    snprintf(
        expected, sizeof expected,
        "<27>1 2026-11-21T03:19:03.123456Z sm-node.example.org ibtrapd 42 subscription-lost " SD_ID
        " id=\"%s\" event=\"subscription-lost\" severity=\"error\" category=\"gateway\" "
        "subnetPrefix=\"0xfe80000000000000\" alarmState=\"raised\" "
        "alarmKey=\"subscriptions\" reason=\"the port is down\"]" REST
        "[alarm resource=\"subscriptions\" probableCause=\"other\" "
        "perceivedSeverity=\"minor\" eventType=\"processingErrorAlarm\" "
        "trendIndication=\"moreSevere\"][snmp v1=",
        event->id);
    assert_memory_equal(format(event), expected, strlen(expected));
    assert_non_null(strstr(message,
                           "\"] The subscriptions to the fabric's traps were lost, and traps "
                           "may be missed until they are back: the port is down."));
    event_unref(event);
}

TEST(the_priority_is_facility_and_severity)
{
    static const struct {
        unsigned facility;
        enum golden golden;
        const char *pri;
    } ROWS[] = {{0, GOLDEN_128, "<5>1 "},
                {3, GOLDEN_64, "<30>1 "},
                {23, GOLDEN_144, "<190>1 "},
                {16, GOLDEN_68, "<133>1 "}};
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        struct text t = text_in(message, sizeof message);
        struct format_origin origin = ORIGIN;
        origin.facility = ROWS[i].facility;
        origin.hostname = "-";
        origin.process_id = "1";
        struct event *event = make_golden(ROWS[i].golden);
        format_rfc5424(&t, &origin, event);
        assert_memory_equal(message, ROWS[i].pri, strlen(ROWS[i].pri));
        assert_non_null(strstr(message, "Z - ibtrapd 1 "));
        event_unref(event);
    }
}

TEST(values_are_escaped)
{
    struct event *event = make_golden(GOLDEN_128);
    size_t params;
    strcpy(event->subject.name, "a\"b\\c]d[e\xC3\xA4");
    assert_non_null(strstr(format(event), " subjectName=\"a\\\"b\\\\c\\]d[e\xC3\xA4\" "));
    check_well_formed(message, &params);
    event_unref(event);
}

TEST(only_what_is_not_ascii_is_marked)
{
    struct event *event = make_golden(GOLDEN_128);
    strcpy(event->text, "plain.");
    assert_non_null(strstr(format(event), "] plain."));
    strcpy(event->text, "n\xC3\xB6rdlich.");
    assert_non_null(strstr(format(event), "] " BOM "n\xC3\xB6rdlich."));
    // The structured data does not count.
    strcpy(event->subject.name, "s\xC3\xBC"
                                "d");
    strcpy(event->text, "plain.");
    assert_non_null(strstr(format(event), "] plain."));
    event_unref(event);
}

TEST(every_kind_of_event_is_well_formed)
{
    for (int g = 0; g < GOLDEN_COUNT; g++) {
        size_t params;
        struct event *event = make_golden((enum golden)g);
        check_well_formed(format(event), &params);
        assert_in_range(params, 9, 40);
        assert_non_null(strstr(message, " raw=\""));
        assert_ptr_equal(strstr(message, event->text) + strlen(event->text),
                         message + strlen(message)); // whole
        event_unref(event);
    }
}

TEST(every_change_is_well_formed)
{
    for (int type = CATALOGUE_SWITCH_ADDED; type < CATALOGUE_COUNT; type++) {
        size_t params;
        const struct change change = {
            .type = (enum catalogue_event)type,
            .subject = {.guid = 1, .node_guid = 1, .lid = 3, .type = FABRIC_SWITCH, .port = 17},
            .peer = {.guid = 2, .node_guid = 2, .lid = 4, .type = FABRIC_SWITCH, .name = "]\"\\"},
            .switch_guid = 1,
            .reason = "why",
            .alarm_key = "key"};
        struct event *event =
            event_builder_from_change(&builder, &change, true, "cause", "related");
        check_well_formed(format(event), &params);
        assert_in_range(params, 15, 40);
        assert_non_null(
            strstr(message, " foundLate=\"true\" relatedId=\"related\" causeId=\"cause\" "));
        assert_non_null(strstr(message, " peerName=\"\\]\\\"\\\\\" "));
        event_unref(event);
    }
}

static void fill(char *out, size_t size, const char *pattern)
{
    struct text t = text_in(out, size);
    while (!t.cut)
        text_add(&t, pattern);
}

TEST(the_worst_event_fits)
{
    static const char *const PATTERNS[] = {"x", "\"",           "\\",
                                           "]", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    for (int g = 0; g < GOLDEN_COUNT; g++) {
        for (size_t i = 0; i < COUNT(PATTERNS); i++) {
            size_t params;
            struct event *event = make_golden((enum golden)g);
            fill(event->subject.name, sizeof event->subject.name, PATTERNS[i]);
            fill(event->issuer.name, sizeof event->issuer.name, PATTERNS[i]);
            fill(event->text, sizeof event->text, PATTERNS[i]);
            memset(event->raw, 0xFF, sizeof event->raw);
            event->raw_size = sizeof event->raw;
            check_well_formed(format(event), &params);
            assert_in_range(params, 6, 40);
            // However long the structured data, the text keeps its room.
            assert_in_range(strlen(strstr(message, "\"] ") + 3), 620, 1023 + 3);
            event_unref(event);
        }
    }
}

TEST(the_worst_reason_fits)
{
    size_t params;
    uint8_t mad[EVENT_RAW_MAX];
    memset(mad, 0xFF, sizeof mad);
    struct event *event = event_builder_from_malformed(&builder, 0xBFFF, "", mad, sizeof mad);
    fill(event->reason, sizeof event->reason, "]");
    check_well_formed(format(event), &params);
    assert_non_null(strstr(message, " reason=\"\\]\\]"));
    assert_non_null(strstr(message, " raw=\"ffff"));
    event_unref(event);
}

// The sinks that send the messages.

static int bind_udp(uint16_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

static int bind_local(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

TEST(udp_receivers_get_it_as_a_datagram)
{
    char got[4096], host[] = "127.0.0.1";
    struct sink sink;
    struct error err;
    struct conf_receiver options = SYSLOG_DEFAULTS;
    options.transport = TRANSPORT_UDP;
    snprintf(options.host, sizeof options.host, "%s", host);
    int fd = bind_udp(&options.port);
    options.syslog.facility = 19;
    syslog_sink(&sink, &options, 0, NULL);
    assert_string_equal(sink.kind, "syslog");
    assert_true(sink.open(sink.self, NULL, &err));
    struct event *event = make_golden(GOLDEN_128);
    assert_int_equal(sink.send(sink.self, event, &err), SINK_DONE);
    ssize_t n = recv(fd, got, sizeof got - 1, 0);
    assert_in_range(n, 100, 2048);
    got[n] = '\0';
    assert_memory_equal(got, "<157>1 2026-11-21T03:19:03.123456Z ", 35);
    assert_non_null(strstr(got, event->text));
    event_unref(event);
    sink.close(sink.self);
    sink.free(sink.self);
    close(fd);
}

TEST(the_local_socket_gets_it_as_a_datagram)
{
    char got[4096];
    struct sink sink;
    struct error err;
    const char *path = support_path("log");
    struct conf_receiver options = SYSLOG_DEFAULTS;
    snprintf(options.syslog.path, sizeof options.syslog.path, "%s", path);
    syslog_sink(&sink, &options, 0, NULL);
    assert_false(sink.open(sink.self, NULL, &err));
    assert_non_null(strstr(err.text, "No such file or directory; is a syslog daemon running?"));

    int fd = bind_local(path);
    assert_true(sink.open(sink.self, NULL, &err));
    struct event *event = make_golden(GOLDEN_128);
    assert_int_equal(sink.send(sink.self, event, &err), SINK_DONE);
    ssize_t n = recv(fd, got, sizeof got - 1, 0);
    assert_in_range(n, 100, 2048);
    assert_memory_equal(got, "<29>1 ", 6);
    close(fd);
    // The daemon is gone.
    assert_int_equal(sink.send(sink.self, event, &err), SINK_FAILED);
    assert_memory_equal(err.text, "cannot send to /", 16);
    event_unref(event);
    sink.close(sink.self);
    sink.free(sink.self);
}

// The part of an event with a long text that arrives at `fd`.
static void send_long(const struct conf_receiver *options, int fd, char *got, size_t size)
{
    struct sink sink;
    struct error err;
    struct event *event = make_golden(GOLDEN_128);
    fill(event->text, sizeof event->text, "x");
    syslog_sink(&sink, options, 0, NULL);
    assert_true(sink.open(sink.self, NULL, &err));
    assert_int_equal(sink.send(sink.self, event, &err), SINK_DONE);
    ssize_t n = recv(fd, got, size - 1, 0);
    assert_true(n > 0);
    got[n] = '\0';
    event_unref(event);
    sink.close(sink.self);
    sink.free(sink.self);
    close(fd);
}

TEST(rfc3164_is_cut_over_the_network_alone)
{
    char got[4096];
    struct conf_receiver options = SYSLOG_DEFAULTS;
    options.syslog.format = FORMAT_RFC3164;
    strcpy(options.host, "127.0.0.1");
    snprintf(options.syslog.path, sizeof options.syslog.path, "%s", support_path("long"));
    send_long(&options, bind_local(options.syslog.path), got, sizeof got);
    assert_non_null(strstr(got, "xxx time=2026-11-21T03:19:03.123456Z id="));
    assert_non_null(strstr(got, " event=link-state-change "));
    options.transport = TRANSPORT_UDP;
    send_long(&options, bind_udp(&options.port), got, sizeof got);
    assert_int_equal(strlen(got), 1024);
}

#define SYSLOG_TEST(f) cmocka_unit_test_setup(f, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SYSLOG_TEST(a_whole_message),
        SYSLOG_TEST(an_alarm_has_its_key),
        SYSLOG_TEST(the_priority_is_facility_and_severity),
        SYSLOG_TEST(values_are_escaped),
        SYSLOG_TEST(only_what_is_not_ascii_is_marked),
        SYSLOG_TEST(every_kind_of_event_is_well_formed),
        SYSLOG_TEST(every_change_is_well_formed),
        SYSLOG_TEST(the_worst_event_fits),
        SYSLOG_TEST(the_worst_reason_fits),
        SYSLOG_TEST(udp_receivers_get_it_as_a_datagram),
        SYSLOG_TEST(the_local_socket_gets_it_as_a_datagram),
        SYSLOG_TEST(rfc3164_is_cut_over_the_network_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
