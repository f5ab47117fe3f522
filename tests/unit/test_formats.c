// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "install.h"
#include "mib_root.h"
#include "model/catalogue.h"
#include "model/counter.h"
#include "model/fabric.h"
#include "sink/format.h"

#define VERSION INSTALL_VERSION
#define HOSTILE "a\"b]c|d=e\\f g"

static const struct format_origin ORIGIN = {
    .facility = 3,
    .severity_map = {SEVERITY_EMERGENCY, SEVERITY_ALERT, SEVERITY_CRITICAL, SEVERITY_ERROR,
                     SEVERITY_WARNING, SEVERITY_NOTICE, SEVERITY_INFORMATIONAL, SEVERITY_DEBUG},
    .hostname = "host.example",
    .process_id = "42",
    .ip = "192.0.2.1",
    .engine_id = "80001f8804",
    .started_us = SUPPORT_UTC_US - 5 * CLOCK_US_PER_S,
    .sequence = 9,
};

static struct event *make(enum catalogue_event type, const char *subject, const char *text)
{
    struct event *e = event_make(catalogue_get(type));
    assert_non_null(e);
    strcpy(e->id, "0199a2b3-0000-7000-8000-000000000001");
    e->time_us = SUPPORT_UTC_US;
    e->subnet_prefix = UINT64_C(0xfe80000000000000);
    snprintf(e->subject.name, sizeof e->subject.name, "%s", subject);
    snprintf(e->text, sizeof e->text, "%s", text);
    return e;
}

// Trap 129 of a switch whose name contains every character that is special in some format.
static struct event *link_event(void)
{
    struct event *e = make(CATALOGUE_LINK_INTEGRITY_THRESHOLD, HOSTILE, "Port 17 of " HOSTILE ".");
    e->subject.guid = UINT64_C(0x0002c90300001234);
    e->subject.lid = 3;
    e->issuer = e->subject;
    strcpy(e->issuer.name, "core");
    e->notice =
        (struct notice){.generic = true, .trap = NOTICE_LINK_INTEGRITY, .lid = 3, .port = 17};
    e->raw[0] = 0x81;
    e->raw[1] = 0xA5;
    e->raw_size = 2;
    return e;
}

static struct event *alarm_event(enum catalogue_event type)
{
    struct event *e = make(type, "", "The subscriptions: gone.");
    strcpy(e->alarm_key, "subscriptions");
    strcpy(e->reason, "the SM left");
    return e;
}

static void check(enum format format, struct event *e, const char *expected)
{
    char buffer[FORMAT_SIZE];
    struct text t = text_in(buffer, sizeof buffer);
    format_message(&t, format, &ORIGIN, e);
    assert_string_equal(buffer, expected);
    assert_false(t.cut);
    event_unref(e);
}

TEST(rfc5424_of_a_link)
{
    check(
        FORMAT_RFC5424, link_event(),
        "<28>1 2026-11-21T03:19:03.123456Z host.example ibtrapd 42 link-integrity-threshold "
        "[ibtrapd@" MIB_ROOT_ENTERPRISE " id=\"0199a2b3-0000-7000-8000-000000000001\" "
        "event=\"link-integrity-threshold\" severity=\"warning\" category=\"link\" "
        "subnetPrefix=\"0xfe80000000000000\" trap=\"129\" subjectLid=\"3\" "
        "subjectGuid=\"0x0002c90300001234\" subjectName=\"a\\\"b\\]c|d=e\\\\f g\" issuerLid=\"3\" "
        "issuerGuid=\"0x0002c90300001234\" issuerName=\"core\" lid=\"3\" port=\"17\" raw=\"81a5\"]"
        "[origin ip=\"192.0.2.1\" enterpriseId=\"" MIB_ROOT_ENTERPRISE "\" software=\"ibtrapd\" "
        "swVersion=\"" VERSION "\"]"
        "[meta sequenceId=\"9\" sysUpTime=\"500\" language=\"en\"]"
        "[snmp ctxEngine=\"80001f8804\" ctxName=\"\" v1=\"1.3.6.1.2.1.1.3.0\" t1=\"500\" "
        "v2=\"1.3.6.1.6.3.1.1.4.1.0\" o2=\"1.3.6.1.3.117.3.2.0.2\" "
        "v3=\"1.3.6.1.3.117.3.1.1.14.0\" u3=\"3\" v4=\"1.3.6.1.3.117.3.1.1.15.0\" u4=\"17\"] "
        "Port 17 of a\"b]c|d=e\\f g.");
}

static void check_contains(struct event *e, const char *part, bool expected)
{
    char buffer[FORMAT_SIZE];
    struct text t = text_in(buffer, sizeof buffer);
    format_message(&t, FORMAT_RFC5424, &ORIGIN, e);
    assert_int_equal(strstr(buffer, part) != NULL, expected);
    event_unref(e);
}

TEST(rfc5424_of_alarms)
{
    check_contains(alarm_event(CATALOGUE_SUBSCRIPTION_LOST),
                   "[alarm resource=\"subscriptions\" probableCause=\"other\" "
                   "perceivedSeverity=\"minor\" eventType=\"processingErrorAlarm\" "
                   "trendIndication=\"moreSevere\"]",
                   true);
    struct event *cleared = alarm_event(CATALOGUE_SUBSCRIPTION_RESTORED);
    cleared->subject.guid = UINT64_C(0x0002c90300001234);
    check_contains(cleared,
                   "[alarm resource=\"0x0002c90300001234\" probableCause=\"other\" "
                   "perceivedSeverity=\"cleared\" eventType=\"processingErrorAlarm\" "
                   "trendIndication=\"lessSevere\" resourceURI=\"urn:dev:mac:0002c90300001234\"]",
                   true);
    check_contains(link_event(), "[alarm", false);
}

TEST(rfc5424_announces_utf_8_only_where_it_is)
{
    check_contains(make(CATALOGUE_GATEWAY_STARTED, "", "plain"), "] plain", true);
    check_contains(make(CATALOGUE_GATEWAY_STARTED, "", "f\xC3\xBCnf"),
                   "] \xEF\xBB\xBF"
                   "f\xC3\xBCnf",
                   true);
}

TEST(a_259_leaves_out_what_it_does_not_know)
{
    static const char *const UNKNOWN[] = {"pkey=", "qp1=", "qp2=", " sl=", "gid1=", " lid2="};
    for (size_t i = 0; i < COUNT(UNKNOWN); i++) {
        struct event *e = make(CATALOGUE_BAD_PKEY_AT_SWITCH, "leaf1", "x");
        e->notice = (struct notice){.generic = true,
                                    .trap = NOTICE_BAD_PKEY_AT_SWITCH,
                                    .lid = 7,
                                    .port = 5,
                                    .data_valid = NOTICE_VALID_LID1};
        check_contains(e, UNKNOWN[i], false);
    }
    struct event *e = make(CATALOGUE_BAD_PKEY_AT_SWITCH, "leaf1", "x");
    e->notice.lid = 7;
    e->notice.data_valid = NOTICE_VALID_LID1 | NOTICE_VALID_QP1;
    check_contains(e, " lid=\"7\" qp1=\"0x000000\" ", true);
}

TEST(rfc5424_without_what_is_not_known)
{
    struct format_origin bare = {.hostname = "-", .process_id = "1"};
    struct event *e = make(CATALOGUE_LINK_STATE_CHANGE, "", "x");
    e->notice.trap = NOTICE_LINK_STATE;
    char buffer[FORMAT_SIZE];
    struct text t = text_in(buffer, sizeof buffer);
    format_rfc5424(&t, &bare, e);
    assert_string_equal(
        buffer,
        "<0>1 2026-11-21T03:19:03.123456Z - ibtrapd 1 link-state-change "
        "[ibtrapd@" MIB_ROOT_ENTERPRISE
        " id=\"0199a2b3-0000-7000-8000-000000000001\" event=\"link-state-change\" "
        "severity=\"notice\" category=\"link\" subnetPrefix=\"0xfe80000000000000\" trap=\"128\" "
        "lid=\"0\"]"
        "[origin enterpriseId=\"" MIB_ROOT_ENTERPRISE "\" software=\"ibtrapd\" swVersion=\"" VERSION
        "\"]"
        "[meta language=\"en\"]"
        "[snmp v1=\"1.3.6.1.2.1.1.3.0\" t1=\"0\" v2=\"1.3.6.1.6.3.1.1.4.1.0\" "
        "o2=\"1.3.6.1.3.117.3.2.0.1\" v3=\"1.3.6.1.3.117.3.1.1.14.0\" u3=\"0\"] x");
    event_unref(e);
}

TEST(rfc3164)
{
    check(FORMAT_RFC3164, link_event(),
          "<28>Nov 21 03:19:03 host ibtrapd[42]: Port 17 of a\"b]c|d=e\\f g. "
          "time=2026-11-21T03:19:03.123456Z id=0199a2b3-0000-7000-8000-000000000001 "
          "event=link-integrity-threshold severity=warning "
          "category=link subnetPrefix=0xfe80000000000000 trap=129 subjectLid=3 "
          "subjectGuid=0x0002c90300001234 subjectName=\"a\\\"b]c|d=e\\\\f g\" issuerLid=3 "
          "issuerGuid=0x0002c90300001234 issuerName=core lid=3 port=17 raw=81a5");
    struct event *early = make(CATALOGUE_GATEWAY_STARTED, "", "x");
    early->time_us -= 14 * 24 * 3600 * CLOCK_US_PER_S;
    struct format_origin local = ORIGIN;
    local.local = true;
    char buffer[FORMAT_SIZE];
    struct text t = text_in(buffer, sizeof buffer);
    format_message(&t, FORMAT_RFC3164, &local, early);
    assert_memory_equal(
        buffer, "<29>Nov  7 03:19:03 ibtrapd[42]: x time=2026-11-07T03:19:03.123456Z id=", 71);
    event_unref(early);
}

TEST(cef)
{
    check(FORMAT_CEF, link_event(),
          "<28>Nov 21 03:19:03 host CEF:0|ibtrapd|ibtrapd|" VERSION "|link-integrity-threshold|"
          "Local link integrity threshold reached|5|rt=1795231143123 "
          "externalId=0199a2b3-0000-7000-8000-000000000001 cat=link dvchost=host.example dvcpid=42 "
          "msg=Port 17 of a\"b]c|d\\=e\\\\f g. ibtrapdId=0199a2b3-0000-7000-8000-000000000001 "
          "ibtrapdEvent=link-integrity-threshold ibtrapdSeverity=warning ibtrapdCategory=link "
          "ibtrapdSubnetPrefix=0xfe80000000000000 ibtrapdTrap=129 ibtrapdSubjectLid=3 "
          "ibtrapdSubjectGuid=0x0002c90300001234 ibtrapdSubjectName=a\"b]c|d\\=e\\\\f g "
          "ibtrapdIssuerLid=3 ibtrapdIssuerGuid=0x0002c90300001234 ibtrapdIssuerName=core "
          "ibtrapdLid=3 ibtrapdPort=17 ibtrapdRaw=81a5");
}

TEST(leef)
{
    check(FORMAT_LEEF, link_event(),
          "<28>Nov 21 03:19:03 host LEEF:2.0|ibtrapd|ibtrapd|" VERSION "|link-integrity-threshold|"
          "x09|devTime=1795231143123\tsev=5\tcat=link\tidentHostName=host.example\t"
          "msg=Port 17 of a\"b]c|d=e\\f g.\tid=0199a2b3-0000-7000-8000-000000000001\t"
          "event=link-integrity-threshold\tseverity=warning\tcategory=link\t"
          "subnetPrefix=0xfe80000000000000\ttrap=129\tsubjectLid=3\t"
          "subjectGuid=0x0002c90300001234\tsubjectName=a\"b]c|d=e\\f g\tissuerLid=3\t"
          "issuerGuid=0x0002c90300001234\tissuerName=core\tlid=3\tport=17\traw=81a5");
}

#define HEADER                                                                                     \
    "<28>1 2026-11-21T03:19:03.123456Z host.example ibtrapd 42 link-integrity-threshold - "
#define FIELDS                                                                                     \
    "\"id\":\"0199a2b3-0000-7000-8000-000000000001\",\"event\":\"link-integrity-threshold\","      \
    "\"severity\":\"warning\",\"category\":\"link\",\"subnetPrefix\":\"0xfe80000000000000\","      \
    "\"trap\":129,\"subjectLid\":3,\"subjectGuid\":\"0x0002c90300001234\","                        \
    "\"subjectName\":\"a\\\"b]c|d=e\\\\f g\",\"issuerLid\":3,"                                     \
    "\"issuerGuid\":\"0x0002c90300001234\",\"issuerName\":\"core\",\"lid\":3,\"port\":17"
#define SENTENCE "\"Port 17 of a\\\"b]c|d=e\\\\f g.\""

TEST(json)
{
    check(FORMAT_JSON, link_event(),
          HEADER "{\"time\":\"2026-11-21T03:19:03.123456Z\"," FIELDS
                 ",\"raw\":\"81a5\",\"text\":" SENTENCE "}");
}

TEST(ecs)
{
    check(FORMAT_ECS, link_event(),
          HEADER
          "{\"@timestamp\":\"2026-11-21T03:19:03.123456Z\",\"ecs\":{\"version\":\"8.11.0\"},"
          "\"message\":" SENTENCE ",\"event\":{\"id\":\"0199a2b3-0000-7000-8000-000000000001\","
          "\"kind\":\"event\",\"category\":[\"network\"],\"type\":[\"info\"],\"code\":\"129\","
          "\"action\":\"link-integrity-threshold\",\"severity\":4,\"provider\":\"ibtrapd\","
          "\"module\":\"ibtrapd\",\"dataset\":\"ibtrapd.event\",\"original\":\"81a5\"},"
          "\"log\":{\"level\":\"warning\",\"syslog\":{\"priority\":28,\"facility\":{\"code\":3},"
          "\"severity\":{\"code\":4,\"name\":\"warning\"},\"hostname\":\"host.example\","
          "\"appname\":\"ibtrapd\",\"procid\":\"42\",\"msgid\":\"link-integrity-threshold\"}},"
          "\"observer\":{\"hostname\":\"host.example\",\"vendor\":\"ibtrapd\","
          "\"product\":\"ibtrapd\",\"type\":\"gateway\",\"version\":\"" VERSION "\"},"
          "\"host\":{\"name\":\"a\\\"b]c|d=e\\\\f g\"},"
          "\"related\":{\"hosts\":[\"a\\\"b]c|d=e\\\\f g\",\"core\"]},"
          "\"ibtrapd\":{" FIELDS "}}");
}

TEST(cloudevents)
{
    check(FORMAT_CLOUDEVENTS, link_event(),
          HEADER "{\"specversion\":\"1.0\",\"id\":\"0199a2b3-0000-7000-8000-000000000001\","
                 "\"source\":\"//host.example/ibtrapd\","
                 "\"type\":\"ibtrapd.link-integrity-threshold\","
                 "\"time\":\"2026-11-21T03:19:03.123456Z\","
                 "\"subject\":\"a\\\"b]c|d=e\\\\f g\","
                 "\"datacontenttype\":\"application/json\","
                 "\"dataschema\":\"urn:ibtrapd:event:1\","
                 "\"partitionkey\":\"0x0002c90300001234\",\"severitytext\":\"warning\","
                 "\"severitynumber\":13,\"data\":{\"time\":\"2026-11-21T03:19:03.123456Z\"," FIELDS
                 ",\"raw\":\"81a5\",\"text\":" SENTENCE "}}");
}

TEST(a_source_is_a_uri_whatever_the_host_is_called)
{
    char buffer[FORMAT_SIZE];
    struct text t = text_in(buffer, sizeof buffer);
    struct format_origin origin = ORIGIN;
    struct event *e = link_event();
    origin.hostname = "gw/1 \"\xC3\xBC";
    format_line(&t, FORMAT_CLOUDEVENTS, &origin, e);
    assert_non_null(strstr(buffer, "\"source\":\"//gw%2F1%20%22%C3%BC/ibtrapd\","));
    event_unref(e);
}

TEST(events_that_belong_together_have_one_key)
{
    char key[FORMAT_KEY_SIZE];
    struct event *e = link_event();
    assert_int_equal(format_key(e, key), strlen("0x0002c90300001234"));
    assert_string_equal(key, "0x0002c90300001234");
    e->subject.guid = 0;
    e->issuer.guid = 7;
    format_key(e, key);
    assert_string_equal(key, "0x0000000000000007");
    e->issuer.guid = 0;
    format_key(e, key);
    assert_string_equal(key, "lid 3");
    e->subject.lid = 0;
    e->issuer.lid = 4;
    format_key(e, key);
    assert_string_equal(key, "lid 4");
    event_unref(e);
    e = alarm_event(CATALOGUE_SUBSCRIPTION_LOST);
    e->subject.guid = 7;
    format_key(e, key);
    assert_string_equal(key, "subscriptions");
    event_unref(e);
    e = make(CATALOGUE_GATEWAY_STARTED, "", "Started.");
    assert_int_equal(format_key(e, key), 0);
    assert_string_equal(key, "");
    event_unref(e);
}

// A link between a switch and a host that went down while the gateway was not running.
static struct event *change_event(void)
{
    struct event *e = make(CATALOGUE_LINK_DOWN, "leaf12", "The link went down.");
    e->subject.guid = e->subject.node_guid = e->switch_guid = UINT64_C(0x0002c90300001234);
    e->subject.type = FABRIC_SWITCH;
    e->subject.lid = 3;
    e->subject.port = 17;
    e->peer = (struct endpoint){
        .guid = 0x98, .node_guid = 0x99, .type = FABRIC_CA, .lid = 9, .port = 1, .name = "node1"};
    strcpy(e->subject.system, "leaf12");
    strcpy(e->peer.system, "rack7");
    e->affected = 1;
    e->found_late = true;
    strcpy(e->alarm_key, "link a-b");
    strcpy(e->related_id, "the-trap");
    strcpy(e->cause_id, "the-cause");
    strcpy(e->suppressed, "standby");
    e->test = true;
    return e;
}

TEST(json_of_a_change)
{
    check(
        FORMAT_JSON, change_event(),
        "<28>1 2026-11-21T03:19:03.123456Z host.example ibtrapd 42 link-down - "
        "{\"time\":\"2026-11-21T03:19:03.123456Z\",\"id\":\"0199a2b3-0000-7000-8000-000000000001\","
        "\"event\":\"link-down\",\"severity\":\"warning\",\"category\":\"link\","
        "\"subnetPrefix\":\"0xfe80000000000000\",\"alarmState\":\"raised\","
        "\"alarmKey\":\"link a-b\",\"foundLate\":true,\"relatedId\":\"the-trap\","
        "\"causeId\":\"the-cause\",\"suppressed\":\"standby\",\"test\":true,\"subjectLid\":3,"
        "\"subjectGuid\":\"0x0002c90300001234\",\"subjectName\":\"leaf12\",\"subjectPort\":17,"
        "\"subjectType\":\"switch\",\"subjectNodeGuid\":\"0x0002c90300001234\","
        "\"subjectSystem\":\"leaf12\",\"peerLid\":9,"
        "\"peerGuid\":\"0x0000000000000098\",\"peerName\":\"node1\",\"peerPort\":1,"
        "\"peerType\":\"host\",\"peerNodeGuid\":\"0x0000000000000099\","
        "\"peerSystem\":\"rack7\","
        "\"text\":\"The link went down.\"}");
}

TEST(rfc5424_of_a_change)
{
    check_contains(change_event(),
                   "foundLate=\"true\" relatedId=\"the-trap\" causeId=\"the-cause\" "
                   "suppressed=\"standby\" test=\"true\" subjectLid=\"3\"",
                   true);
    check_contains(change_event(), " peerName=\"node1\" peerPort=\"1\" peerType=\"host\" ", true);
    check_contains(change_event(),
                   "[alarm resource=\"leaf12\" probableCause=\"lossOfSignal\" "
                   "perceivedSeverity=\"warning\" eventType=\"communicationsAlarm\" ",
                   true);
    // Not between switches, so the notification is the IBTRAPD-MIB's.
    check_contains(change_event(), " o2=\"" MIB_ROOT ".0.33\" ", true);
    struct event *e = change_event();
    e->peer.type = FABRIC_SWITCH;
    check_contains(e, " o2=\"1.3.6.1.3.2.2.1.0.1\" ", true);
    e = change_event();
    e->type = catalogue_get(CATALOGUE_HOST_REMOVED);
    check_contains(e, " o2=\"1.3.6.1.3.2.2.1.0.2\" ", true);
}

TEST(what_went_along_is_counted_where_something_did)
{
    struct event *e = change_event();
    e->type = catalogue_get(CATALOGUE_SWITCH_REMOVED);
    check_contains(e, " affected=\"1\"]", true);
    e = change_event();
    e->type = catalogue_get(CATALOGUE_SWITCH_REMOVED);
    strcpy(e->reason, "with it went 1 node: node1");
    check_contains(e, " affected=\"1\" reason=\"with it went 1 node: node1\"]", true);
    e = change_event();
    e->type = catalogue_get(CATALOGUE_SWITCH_REMOVED);
    e->affected = 0;
    check_contains(e, " affected", false);
}

TEST(ecs_knows_both_ends)
{
    char buffer[FORMAT_SIZE];
    struct text t = text_in(buffer, sizeof buffer);
    struct event *e = change_event();
    format_line(&t, FORMAT_ECS, &ORIGIN, e);
    assert_non_null(strstr(buffer, "\"kind\":\"alert\",\"category\":[\"network\"]"));
    assert_non_null(strstr(buffer, "\"host\":{\"name\":\"leaf12\"}"));
    assert_non_null(strstr(buffer, "\"related\":{\"hosts\":[\"leaf12\",\"node1\",\"rack7\"]}"));
    assert_non_null(strstr(buffer, "\"code\":\"link-down\""));
    assert_non_null(strstr(buffer, "\"foundLate\":true"));
    event_unref(e);
}

TEST(a_derived_notice_says_so)
{
    char buffer[FORMAT_SIZE];
    struct text t = text_in(buffer, sizeof buffer);
    struct event *e = link_event();
    e->raw_size = 0;
    e->derived = true;
    e->counter = COUNTER_LOCAL_LINK_INTEGRITY_ERRORS;
    e->counter_old = 3;
    e->counter_new = 7;
    format_line(&t, FORMAT_JSON, &ORIGIN, e);
    assert_non_null(strstr(buffer, "\"trap\":129,\"derived\":true,"));
    assert_non_null(strstr(buffer, "\"lid\":3,\"port\":17,\"counter\":\"LocalLinkIntegrityErrors\","
                                   "\"counterOld\":3,\"counterNew\":7,\"text\":"));
    event_unref(e);
    check_contains(link_event(), "derived", false);
    check_contains(link_event(), "counter", false);
}

TEST(lines_without_a_syslog_header)
{
    struct event *e = link_event();
    for (int f = 0; f < FORMAT_COUNT; f++) {
        char buffer[FORMAT_SIZE];
        struct text t = text_in(buffer, sizeof buffer);
        format_line(&t, (enum format)f, &ORIGIN, e);
        assert_int_equal(buffer[0], "<<{CL{{"[f]);
    }
    event_unref(e);
}

TEST(severities_are_sent_as_configured)
{
    struct format_origin origin = ORIGIN;
    origin.facility = 16;
    origin.severity_map[SEVERITY_WARNING] = SEVERITY_ALERT;
    struct event *e = link_event();
    assert_int_equal(format_severity(&origin, e), SEVERITY_ALERT);
    assert_int_equal(format_priority(&origin, e), 129);
    event_unref(e);
}

// An event whose texts all have their largest length and consist of the given character.
static struct event *fill(int type, char c)
{
    struct event *e = make((enum catalogue_event)type, "", "");
    struct endpoint *const who[] = {&e->subject, &e->issuer, &e->source, &e->destination, &e->peer};
    for (size_t i = 0; i < COUNT(who); i++) {
        *who[i] = (struct endpoint){.guid = UINT64_MAX,
                                    .node_guid = UINT64_MAX,
                                    .lid = UINT16_MAX,
                                    .type = FABRIC_SWITCH,
                                    .port = UINT8_MAX};
        memset(who[i]->gid, 0xFF, sizeof who[i]->gid);
        memset(who[i]->name, c, sizeof who[i]->name - 1);
    }
    memset(e->raw, 0xFF, sizeof e->raw);
    e->raw_size = sizeof e->raw;
    memset(e->reason, c, sizeof e->reason - 1);
    memset(e->alarm_key, c, sizeof e->alarm_key - 1);
    memset(e->text, c, sizeof e->text - 1);
    memset(e->related_id, c, sizeof e->related_id - 1);
    memset(e->cause_id, c, sizeof e->cause_id - 1);
    memset(e->suppressed, c, sizeof e->suppressed - 1);
    e->found_late = e->derived = e->test = true;
    e->affected = e->counter_old = e->counter_new = e->switch_guid = e->sm_guid = UINT64_MAX;
    return e;
}

// The depth of brackets outside of quoted strings; a backslash escapes the next character.
static int depth(const char *s, char open, char close)
{
    int n = 0;
    bool quoted = false;
    for (; *s; s++) {
        if (quoted && *s == '\\')
            s++;
        else if (*s == '"')
            quoted = !quoted;
        else if (!quoted)
            n += (*s == open) - (*s == close);
        assert_true(n >= 0);
    }
    assert_false(quoted);
    return n;
}

static void check_shape(enum format format, char *line)
{
    if (format == FORMAT_JSON || format == FORMAT_ECS || format == FORMAT_CLOUDEVENTS) {
        assert_int_equal(depth(strchr(line, '{'), '{', '}'), 0);
        assert_int_equal(line[strlen(line) - 1], '}');
    }
    if (format == FORMAT_RFC5424) {
        char *end = strstr(line, "] ");
        assert_non_null(end);
        end[1] = '\0';
        assert_int_equal(depth(strchr(line, '['), '[', ']'), 0);
        assert_non_null(strstr(line, "][meta "));
    }
}

TEST(the_longest_events_stay_whole)
{
    static const size_t SIZES[] = {FORMAT_SIZE_MIN, FORMAT_SIZE_MIN + 999, FORMAT_SIZE};
    static const char CHARACTERS[] = "x\"]|=\\";
    for (int type = 0; type < CATALOGUE_COUNT; type++) {
        for (size_t i = 0; i < COUNT(SIZES) * (sizeof CHARACTERS - 1); i++) {
            struct event *e = fill(type, CHARACTERS[i / COUNT(SIZES)]);
            for (int f = 0; f < FORMAT_COUNT; f++) {
                char buffer[FORMAT_SIZE + 1];
                size_t size = SIZES[i % COUNT(SIZES)];
                memset(buffer, '~', sizeof buffer);
                struct text t = text_in(buffer, size);
                format_message(&t, (enum format)f, &ORIGIN, e);
                assert_true(t.len < size);
                assert_int_equal(buffer[size], '~');
                check_shape((enum format)f, buffer);
            }
            event_unref(e);
        }
    }
}

struct seen {
    char names[64][32];
    size_t count;
};

static void see(void *ctx, const char *name, const char *value, enum field_kind kind)
{
    struct seen *seen = ctx;
    (void)value;
    (void)kind;
    for (size_t i = 0; i < seen->count; i++)
        assert_string_not_equal(seen->names[i], name);
    assert_true(seen->count < COUNT(seen->names));
    snprintf(seen->names[seen->count++], sizeof seen->names[0], "%s", name);
}

TEST(each_field_is_listed_once)
{
    for (int type = 0; type < CATALOGUE_COUNT; type++) {
        struct event *e = fill(type, 'x');
        struct seen seen = {.count = 0};
        e->repeat_count = 3;
        format_fields(e, see, &seen);
        assert_true(seen.count > 5);
        event_unref(e);
    }
}

// Almost all subnets have one prefix: the name tells them apart.
TEST(each_format_has_the_name_of_the_fabric)
{
    struct event *e = link_event();
    strcpy(e->fabric, "halle-2");
    for (int f = 0; f < FORMAT_COUNT; f++) {
        char buffer[FORMAT_SIZE];
        struct text t = text_in(buffer, sizeof buffer);
        format_message(&t, (enum format)f, &ORIGIN, e);
        assert_non_null(strstr(buffer, "halle-2"));
    }
    event_unref(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc5424_of_a_link),
        cmocka_unit_test(rfc5424_of_alarms),
        cmocka_unit_test(rfc5424_announces_utf_8_only_where_it_is),
        cmocka_unit_test(a_259_leaves_out_what_it_does_not_know),
        cmocka_unit_test(rfc5424_without_what_is_not_known),
        cmocka_unit_test(rfc3164),
        cmocka_unit_test(cef),
        cmocka_unit_test(leef),
        cmocka_unit_test(json),
        cmocka_unit_test(ecs),
        cmocka_unit_test(cloudevents),
        cmocka_unit_test(a_source_is_a_uri_whatever_the_host_is_called),
        cmocka_unit_test(events_that_belong_together_have_one_key),
        cmocka_unit_test(json_of_a_change),
        cmocka_unit_test(rfc5424_of_a_change),
        cmocka_unit_test(what_went_along_is_counted_where_something_did),
        cmocka_unit_test(ecs_knows_both_ends),
        cmocka_unit_test(a_derived_notice_says_so),
        cmocka_unit_test(lines_without_a_syslog_header),
        cmocka_unit_test(severities_are_sent_as_configured),
        cmocka_unit_test(the_longest_events_stay_whole),
        cmocka_unit_test(each_field_is_listed_once),
        cmocka_unit_test(each_format_has_the_name_of_the_fabric),
    };
    setenv("TZ", "UTC", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
