// SPDX-License-Identifier: BSD-2-Clause
// The formats of the kind `http` whose answers say more than a status: what each answer means for
// each event. What their bodies look like, tests/receivers/test_http_formats.py checks.
#include "support.h"

#include "base/json_text.h"
#include "http/body.h"
#include "http/hide.h"
#include "model/catalogue.h"
#include "sink/format.h"

enum { COUNT_MAX = 8 };

static enum body_verdict verdicts[COUNT_MAX];
static struct body_result result;
static struct body_context context;
static struct error problem;

static int begin(void **state)
{
    (void)state;
    context = (struct body_context){.index = "", .origin = {.hostname = "gw1", .process_id = "1"}};
    return 0;
}

static struct transfer_answer answer_of(int status, const char *body)
{
    return (struct transfer_answer){.status = status, .body = body, .size = strlen(body)};
}

// Expects these verdicts, a letter for each event: Accepted, again (g), Refused, Lone, Smaller,
// aWaits.
static void judge(enum http_format format, int status, const char *body, const char *letters)
{
    static const char LETTERS[] = {
        [BODY_ACCEPTED] = 'A', [BODY_AGAIN] = 'g',   [BODY_REFUSED] = 'R',
        [BODY_ALONE] = 'L',    [BODY_SMALLER] = 'S', [BODY_AWAIT] = 'W'};
    const struct transfer_answer answer = answer_of(status, body);
    char got[COUNT_MAX + 1] = "";
    const size_t count = strlen(letters);
    for (size_t i = 0; i < count; i++)
        verdicts[i] = BODY_SMALLER;
    result = (struct body_result){.verdicts = verdicts};
    body_judge(body_find(format), &context, &answer, count, &result);
    for (size_t i = 0; i < count; i++)
        got[i] = LETTERS[verdicts[i]];
    assert_string_equal(got, letters);
    const bool all_well = strspn(letters, "AW") == count;
    assert_int_equal(result.problem.text[0] == '\0', all_well);
}

static void says(const struct error *sentence, const char *words)
{
    if (!strstr(sentence->text, words))
        fail_msg("'%s' does not say '%s'", sentence->text, words);
}

// OTLP.

TEST(otlp_takes_all)
{
    judge(HTTP_OTLP, 200, "{}", "AAA");
    judge(HTTP_OTLP, 200, "", "AAA");
    judge(HTTP_OTLP, 200, "{\"partialSuccess\":{}}", "AAA");
    judge(HTTP_OTLP, 200, "{\"partialSuccess\":null}", "AAA");
    judge(HTTP_OTLP, 200, "{\"partialSuccess\":{\"rejectedLogRecords\":\"0\"}}", "AAA");
    assert_string_equal(result.note.text, "");
}

TEST(otlp_takes_all_and_warns)
{
    judge(HTTP_OTLP, 200, "{\"partialSuccess\":{\"errorMessage\":\"slow\\ndown\"}}", "AA");
    says(&result.note, "slow down");
}

// The specification forbids to send again what was partly taken, and nobody knows which part.
TEST(otlp_takes_a_part_and_the_admin_is_told)
{
    judge(HTTP_OTLP, 200,
          "{\"partialSuccess\":{\"rejectedLogRecords\":\"2\",\"errorMessage\":\"too old\"}}",
          "AAA");
    says(&result.note, "2 of 3");
    says(&result.note, "too old");
    judge(HTTP_OTLP, 200, "{\"partialSuccess\":{\"rejectedLogRecords\":1}}", "AAA");
    says(&result.note, "1 of 3");
    says(&result.note, "does not say why");
}

TEST(otlp_rejects_all)
{
    judge(HTTP_OTLP, 200,
          "{\"partialSuccess\":{\"rejectedLogRecords\":\"1\",\"errorMessage\":\"no\"}}", "R");
    says(&result.problem, "no");
    judge(HTTP_OTLP, 200, "{\"partialSuccess\":{\"rejectedLogRecords\":99}}", "LLL");
    assert_string_equal(result.note.text, "");
}

TEST(otlp_is_not_at_this_url)
{
    judge(HTTP_OTLP, 200, "<html>It works!</html>", "gg");
    says(&result.problem, "/v1/logs");
    judge(HTTP_OTLP, 200, "[]", "gg");
    judge(HTTP_OTLP, 200, "{\"partialSuccess\":", "gg");
}

TEST(otlp_by_status)
{
    judge(HTTP_OTLP, 503, "{\"message\":\"busy\"}", "gg");
    judge(HTTP_OTLP, 429, "", "gg");
    judge(HTTP_OTLP, 400, "{\"message\":\"bad\"}", "LL");
    judge(HTTP_OTLP, 400, "{\"message\":\"bad\"}", "R");
    judge(HTTP_OTLP, 413, "", "SS");
}

// Loki.

TEST(loki_by_status)
{
    judge(HTTP_LOKI, 204, "", "AA");
    judge(HTTP_LOKI, 429, "Ingestion rate limit exceeded", "gg");
    judge(HTTP_LOKI, 500, "", "gg");
    judge(HTTP_LOKI, 400, "entry too far behind", "LL");
    says(&result.problem, "too far behind");
    judge(HTTP_LOKI, 400, "entry too far behind", "R");
}

// Splunk.

TEST(splunk_takes_all)
{
    judge(HTTP_SPLUNK, 200, "{\"text\":\"Success\",\"code\":0}", "AA");
    judge(HTTP_SPLUNK, 200, "{\"text\":\"Success\",\"code\":0,\"ackId\":3}", "AA");
}

TEST(splunk_acknowledges_later)
{
    context.ack = true;
    judge(HTTP_SPLUNK, 200, "{\"text\":\"Success\",\"code\":0,\"ackId\":41}", "WW");
    assert_int_equal(result.ack, 41);
    judge(HTTP_SPLUNK, 200, "{\"text\":\"Success\",\"code\":0,\"ackId\":0}", "W");
    assert_int_equal(result.ack, 0);
}

TEST(splunk_does_not_acknowledge)
{
    context.ack = true;
    judge(HTTP_SPLUNK, 200, "{\"text\":\"Success\",\"code\":0}", "gg");
    says(&result.problem, "ack = false");
    judge(HTTP_SPLUNK, 200, "{\"text\":\"Success\",\"code\":0,\"ackId\":-1}", "gg");
    judge(HTTP_SPLUNK, 200, "{\"text\":\"Success\",\"code\":0,\"ackId\":\"1\"}", "gg");
    judge(HTTP_SPLUNK, 400, "{\"text\":\"ACK is disabled\",\"code\":14}", "gg");
    says(&result.problem, "ack = false");
}

TEST(splunk_wants_acknowledgements)
{
    judge(HTTP_SPLUNK, 400, "{\"text\":\"Data channel is missing\",\"code\":10}", "gg");
    says(&result.problem, "ack = true");
    context.ack = true; // then the header got lost
    judge(HTTP_SPLUNK, 400, "{\"text\":\"Data channel is missing\",\"code\":10}", "gg");
    says(&result.problem, "header");
}

TEST(splunk_refuses_one)
{
    static const char ANSWER[] =
        "{\"text\":\"Invalid data format\",\"code\":6,\"invalid-event-number\":1}";
    judge(HTTP_SPLUNK, 400, ANSWER, "LLL"); // it does not say whether it has the first
    says(&result.problem, "Invalid data format");
    judge(HTTP_SPLUNK, 400, ANSWER, "R");
    judge(HTTP_SPLUNK, 400, "{\"text\":\"No data\",\"code\":5}", "LL");
}

TEST(splunk_lacks_a_right)
{
    judge(HTTP_SPLUNK, 400, "{\"text\":\"Incorrect index\",\"code\":7,\"invalid-event-number\":0}",
          "gg");
    says(&result.problem, "'index'");
    judge(HTTP_SPLUNK, 403, "{\"text\":\"Invalid token\",\"code\":4}", "gg");
    judge(HTTP_SPLUNK, 503, "{\"text\":\"Server is busy\",\"code\":9}", "gg");
}

TEST(splunk_is_not_at_this_url)
{
    judge(HTTP_SPLUNK, 200, "<html></html>", "gg");
    says(&result.problem, "/services/collector/event");
    judge(HTTP_SPLUNK, 200, "", "gg");
    judge(HTTP_SPLUNK, 200, "{\"text\":\"x\",\"code\":6}", "gg");
}

static void expect_ack_path(const char *url_path, const char *expected)
{
    char buffer[128];
    struct text path = text_in(buffer, sizeof buffer);
    BODY_SPLUNK.ack_path(&path, url_path);
    assert_string_equal(buffer, expected);
}

TEST(splunk_has_the_acknowledgements_beside_the_events)
{
    expect_ack_path("/services/collector/event", "/services/collector/ack");
    expect_ack_path("/services/collector/event/1.0?x=/collector", "/services/collector/ack");
    expect_ack_path("/services/collector", "/services/collector/ack");
    expect_ack_path("/proxy/services/collector?channel=1", "/proxy/services/collector/ack");
    expect_ack_path("/hec/?to=/collector", "/hec/ack");
    expect_ack_path("", "/ack");
}

static bool ask(int status, const char *body, bool there[3])
{
    static const uint64_t ACKS[3] = {0, 7, 18446744073709551615U};
    char buffer[128];
    struct text t = text_in(buffer, sizeof buffer);
    const struct transfer_answer answer = answer_of(status, body);
    BODY_SPLUNK.ack_ask(&t, ACKS, 3);
    assert_string_equal(buffer, "{\"acks\":[0,7,18446744073709551615]}");
    return BODY_SPLUNK.ack_judge(&answer, ACKS, 3, there, &problem);
}

TEST(splunk_tells_what_is_indexed)
{
    bool there[3] = {true, true, true};
    assert_true(ask(200, "{\"acks\":{\"0\":false,\"7\":true}}", there));
    assert_false(there[0]);
    assert_true(there[1]);
    assert_false(there[2]); // it was not asked for, or is lost
    assert_true(ask(200, "{\"acks\":{\"0\":1,\"7\":\"true\"}}", there));
    assert_false(there[0] || there[1] || there[2]);
}

TEST(splunk_does_not_tell_what_is_indexed)
{
    bool there[3];
    assert_false(ask(400, "{\"text\":\"ACK is disabled\",\"code\":14}", there));
    says(&problem, "ACK is disabled");
    assert_false(ask(200, "{\"acks\":[0]}", there));
    assert_false(ask(200, "", there));
    assert_false(ask(503, "{\"acks\":{\"0\":true}}", there));
}

// Elasticsearch.

#define ITEM(status) "{\"create\":{\"_id\":\"x\",\"status\":" #status "}}"
#define WRONG(status, type)                                                                        \
    "{\"create\":{\"_id\":\"x\",\"status\":" #status ",\"error\":{\"type\":\"" type                \
    "\",\"reason\":\"because\"}}}"
#define ITEMS(items) "{\"took\":3,\"errors\":true,\"items\":[" items "]}"

TEST(elasticsearch_takes_all)
{
    judge(HTTP_ELASTIC, 200, "{\"took\":3,\"errors\":false,\"items\":[" ITEM(201) "]}", "A");
    judge(HTTP_ELASTIC, 200, "{\"errors\":false}", "AAA"); // filter_path
}

TEST(elasticsearch_has_an_event_already)
{
    judge(HTTP_ELASTIC, 200,
          ITEMS(ITEM(201) "," WRONG(409, "version_conflict_engine_exception") "," ITEM(201)),
          "AAA");
}

TEST(elasticsearch_refuses_some)
{
    judge(HTTP_ELASTIC, 200,
          ITEMS(WRONG(400, "document_parsing_exception") "," ITEM(201) "," WRONG(
              429, "es_rejected_execution_exception") "," WRONG(503, "unavailable")),
          "RAgg");
    says(&result.problem, "document_parsing_exception): because");
}

TEST(elasticsearch_lacks_an_index_or_a_right)
{
    judge(HTTP_ELASTIC, 200, ITEMS(WRONG(404, "index_not_found_exception")), "g");
    says(&result.problem, "index_not_found_exception");
    judge(HTTP_ELASTIC, 200, ITEMS(WRONG(403, "cluster_block_exception")), "g");
    judge(HTTP_ELASTIC, 401, "{\"error\":{},\"status\":401}", "gg");
}

// What the admin has to mend costs no event, although the status is that of a wrong document.
TEST(elasticsearch_cannot_make_the_index)
{
    judge(HTTP_ELASTIC, 200,
          ITEMS(WRONG(400, "invalid_index_name_exception") "," WRONG(
              400, "validation_exception") "," WRONG(400, "mapper_parsing_exception")),
          "ggR");
    says(&result.problem, "invalid_index_name_exception");
    judge(HTTP_ELASTIC, 200,
          ITEMS("{\"create\":{\"status\":400,\"error\":{\"type\":\"illegal_argument_exception\","
                "\"reason\":\"Validation Failed: 1: this action would add [2] total shards\"}}}"),
          "g");
}

// The answers are those of OpenSearch 2.5.
TEST(elasticsearch_is_not_set_up_for_any_document)
{
    static const char *const REASONS[] = {
        "pipeline with id [gone] does not exist",
        "no write index is defined for alias [two]. The write index may be explicitly disabled",
    };
    judge(HTTP_ELASTIC, 200, ITEMS(WRONG(400, "index_closed_exception")), "g");
    judge(HTTP_ELASTIC, 200, ITEMS(WRONG(400, "routing_missing_exception")), "g");
    for (size_t i = 0; i < sizeof REASONS / sizeof *REASONS; i++) {
        char answer[512];
        snprintf(answer, sizeof answer,
                 ITEMS("{\"create\":{\"status\":400,\"error\":{\"type\":"
                       "\"illegal_argument_exception\",\"reason\":\"%s\"}}}"),
                 REASONS[i]);
        judge(HTTP_ELASTIC, 200, answer, "g");
        says(&result.problem, REASONS[i]);
    }
    judge(HTTP_ELASTIC, 200, ITEMS(WRONG(400, "strict_dynamic_mapping_exception")), "R");
    judge(HTTP_ELASTIC, 200, ITEMS(WRONG(400, "index_closed_exception_of_another_kind")), "R");
}

#define WHOLE(reason)                                                                              \
    "{\"error\":{\"root_cause\":[],\"type\":\"illegal_argument_exception\",\"reason\":\"" reason   \
    "\"},\"status\":400}"

TEST(elasticsearch_does_not_take_the_url)
{
    judge(HTTP_ELASTIC, 400, WHOLE("Validation Failed: 1: index is missing;"), "gg");
    says(&result.problem, "index is missing");
    judge(HTTP_ELASTIC, 400, WHOLE("request [/a/_bulk] contains unrecognized parameter: [b]"), "g");
    says(&result.problem, "unrecognized parameter");
}

TEST(elasticsearch_does_not_say_which)
{
    judge(HTTP_ELASTIC, 200, ITEMS(WRONG(400, "x")), "gg");
    says(&result.problem, "filter_path");
    judge(HTTP_ELASTIC, 200, ITEMS("1,2"), "gg");
    judge(HTTP_ELASTIC, 200, ITEMS("{\"index\":{\"status\":201}}"), "g"); // another action
    judge(HTTP_ELASTIC, 200, ITEMS("{\"create\":{\"status\":\"201\"}}"), "g");
    says(&result.problem, "no status");
}

TEST(elasticsearch_is_not_at_this_url)
{
    judge(HTTP_ELASTIC, 200, "{\"name\":\"node-1\",\"tagline\":\"You Know, for Search\"}", "gg");
    says(&result.problem, "/_bulk");
    judge(HTTP_ELASTIC, 200, "", "gg");
    judge(HTTP_ELASTIC, 200, "{\"errors\":\"false\"}", "gg");
}

// What no sample event has: numbers and times at their ends, octets that are not text.

TEST(nothing_that_json_cannot_have)
{
    char buffer[256];
    struct text t = text_in(buffer, sizeof buffer);
    text_add(&t, "{");
    json_text_member(&t, "a", "\x01\t\x7F");
    json_text_member(&t, "b", "x\xFFy");
    text_add(&t, "}");
    assert_string_equal(buffer, "{\"a\":\"\\u0001\\t\x7F\",\"b\":\"x\xEF\xBF\xBDy\"}");
}

static void hides(const char *secret, const char *words, const char *expected)
{
    char text[128];
    snprintf(text, sizeof text, "%s", words);
    hide_secret(text, secret);
    assert_string_equal(text, expected);
}

TEST(credentials_are_hidden)
{
    hides("", "nothing", "nothing");
    hides("tok", "a tok, to k and toktok", "a ***, to k and ******");
    hides("long-token-1234", "long-token-1234 long-token", "*************** **********");
    hides("long-token-1234", "a token-1, and a token", "a token-1, and a token");
    hides("long-token-1234", "g-token-12", "**********");
    hides("pass\xC3\xA9word", "pass\xC3\xA8word pass\xC3\xA9wor", "pass\xC3\xA8word *********");
    hides("1234567\xC3\xA9", "1234567\xC3\xA8", "1234567\xC3\xA8");
}

TEST(basic_authentication_is_known)
{
    static const struct {
        const char *user, *password, *expected;
    } CASES[] = {{"Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="}, // RFC 2617
                 {"a", "", "YTo="},
                 {"a", "b", "YTpi"},
                 {"test", "123\xC2\xA3", "dGVzdDoxMjPCow=="}}; // RFC 7617
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char basic[64];
        hide_write_basic(basic, sizeof basic, CASES[i].user, CASES[i].password);
        assert_string_equal(basic, CASES[i].expected);
    }
    char small[9];
    hide_write_basic(small, sizeof small, "Aladdin", "open sesame");
    assert_string_equal(small, "QWxhZGRp");
}

static void expect_time(int64_t utc_us, unsigned ns, const char *expected)
{
    char buffer[32];
    struct text t = text_in(buffer, sizeof buffer);
    json_text_time_ns(&t, utc_us, ns);
    assert_string_equal(buffer, expected);
}

TEST(times_stay_within_63_bits)
{
    expect_time(INT64_C(1763695143123456), 7, "\"1763695143123456007\"");
    expect_time(0, 0, "\"0\"");
    expect_time(-1, 999, "\"999\"");
    expect_time(INT64_MAX, 999, "\"9223372036854775807\"");
    expect_time(INT64_MAX / 1000, 999, "\"9223372036854775807\"");
}

// The largest possible event, with all characters that a format has to escape.
TEST(every_event_fits_its_room)
{
    static char buffer[BODY_PIECE_MAX];
    struct event *event = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    assert_non_null(event);
    struct endpoint *const who[] = {&event->subject, &event->peer, &event->issuer};
    for (size_t i = 0; i < COUNT(who); i++) {
        memset(who[i], 0xFF, offsetof(struct endpoint, name));
        memset(who[i]->name, 1, sizeof who[i]->name - 1);
    }
    memset(event->text, 1, sizeof event->text - 1);
    memset(event->alarm_key, 1, sizeof event->alarm_key - 1);
    memset(event->reason, 1, sizeof event->reason - 1);
    memset(event->suppressed, 1, sizeof event->suppressed - 1);
    memset(event->rule, 1, sizeof event->rule - 1);
    memset(event->id, '9', sizeof event->id - 1);
    event->raw_size = sizeof event->raw;
    for (int f = 0; f < HTTP_FORMAT_COUNT; f++) {
        struct text t = text_in(buffer, sizeof buffer);
        body_add(&t, body_find((enum http_format)f), &context, event);
        assert_false(t.cut);
    }
    event_unref(event);
}

// Sharing.

static unsigned fields_made;

void __wrap_format_fields(const struct event *event, format_take *take, void *ctx);
void __real_format_fields(const struct event *event, format_take *take, void *ctx);

void __wrap_format_fields(const struct event *event, format_take *take, void *ctx)
{
    fields_made++;
    __real_format_fields(event, take, ctx);
}

enum { ORIGINS = 4 };

// The content of a body with this event alone. Returns how often the fields were made for it.
static unsigned piece_of(enum http_format format, const struct body_context *receiver,
                         const struct event *event, char out[BODY_PIECE_MAX])
{
    const unsigned before = fields_made;
    struct text t = text_in(out, BODY_PIECE_MAX);
    text_add(&t, "[");
    body_add(&t, body_find(format), receiver, event);
    assert_false(t.cut);
    return fields_made - before;
}

// The first two belong to one gateway, each further receiver differs in a single thing.
static void make_receivers(struct body_context receivers[ORIGINS])
{
    for (int i = 0; i < ORIGINS; i++) {
        receivers[i] = context;
        for (int s = 0; s < FORMAT_SEVERITIES; s++)
            receivers[i].origin.severity_map[s] = i == 2 ? SEVERITY_DEBUG : (enum severity)s;
    }
    receivers[1].index = "other";
    receivers[3].origin.hostname = "gw2";
}

static struct event *make_shared(void)
{
    struct event *event = event_make(catalogue_get(CATALOGUE_LINK_DOWN));
    assert_non_null(event);
    snprintf(event->id, sizeof event->id, "01990000-0000-7000-8000-000000000001");
    snprintf(event->text, sizeof event->text, "It is \"down\".");
    event->for_several = true;
    return event_ref(event);
}

// In any order, each receiver gets the octets of a copy without sharing.
static void check_shared_pieces(enum http_format format, int first)
{
    static char got[BODY_PIECE_MAX], own[BODY_PIECE_MAX];
    struct body_context receivers[ORIGINS];
    struct event *event = make_shared(), *copy = event_copy(event);
    make_receivers(receivers);
    for (int i = 0; i < ORIGINS; i++) {
        const int one = (first + i) % ORIGINS;
        const unsigned made = piece_of(format, &receivers[one], event, got);
        piece_of(format, &receivers[one], copy, own);
        assert_string_equal(got, own);
        if (first == 0)
            assert_int_equal(made, one == 1 ? 0 : 1);
    }
    event_unref(event);
    event_unref(event);
    event_unref(copy);
    assert_int_equal(event_text_octets(), 0);
}

TEST(receivers_of_a_format_make_a_piece_once_and_none_gets_that_of_another)
{
    static const enum http_format FORMATS[] = {HTTP_OTLP, HTTP_LOKI};
    for (size_t f = 0; f < sizeof FORMATS / sizeof *FORMATS; f++) {
        for (int first = 0; first < ORIGINS; first++)
            check_shared_pieces(FORMATS[f], first);
    }
}

// Both numbers belong to one event and one gateway.
TEST(formats_do_not_mix)
{
    static char otlp[BODY_PIECE_MAX], loki[BODY_PIECE_MAX], again[BODY_PIECE_MAX];
    struct event *event = make_shared();
    piece_of(HTTP_OTLP, &context, event, otlp);
    piece_of(HTTP_LOKI, &context, event, loki);
    assert_int_equal(piece_of(HTTP_OTLP, &context, event, again), 0);
    assert_string_equal(again, otlp);
    assert_int_equal(piece_of(HTTP_LOKI, &context, event, again), 0);
    assert_string_equal(again, loki);
    assert_string_not_equal(otlp, loki);
    event_unref(event);
    event_unref(event);
}

// A piece that does not fit is not kept, and a kept piece does not go beyond the room.
TEST(a_piece_that_does_not_fit_is_cut_also_when_it_is_shared)
{
    static char piece[BODY_PIECE_MAX], small[256];
    struct event *event = make_shared();
    for (int i = 0; i < 2; i++) {
        memset(small, 'x', sizeof small);
        struct text t = text_in(small, sizeof small - 8);
        body_add(&t, &BODY_OTLP, &context, event);
        assert_true(t.cut);
        assert_memory_equal(small + sizeof small - 8, "xxxxxxxx", 8);
        assert_int_equal(piece_of(HTTP_OTLP, &context, event, piece), 1 - i);
        assert_non_null(strstr(piece, "]}"));
    }
    event_unref(event);
    event_unref(event);
}

// Each of them would take jansson some 200 octets of memory. What is in a text takes none.
TEST(an_answer_of_far_too_many_values_is_not_read)
{
    enum { MANY = 4000 };
    static char body[8 * MANY];
    struct text t = text_in(body, sizeof body);
    text_add(&t, "{\"errors\":false,\"items\":[{\"create\":{\"status\":201,\"_id\":\"\\\"");
    for (size_t i = 0; i < MANY; i++)
        text_add(&t, "[{,:");
    text_add(&t, "\"}}]}");
    judge(HTTP_ELASTIC, 200, body, "A");
    t = text_in(body, sizeof body);
    text_add(&t, "{\"errors\":false,\"items\":[");
    for (size_t i = 0; i < MANY; i++)
        text_add(&t, "{},");
    text_add(&t, "{}]}");
    judge(HTTP_ELASTIC, 200, body, "g");
    says(&result.problem, "not that of Elasticsearch's bulk API");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(otlp_takes_all, begin),
        cmocka_unit_test_setup(otlp_takes_all_and_warns, begin),
        cmocka_unit_test_setup(otlp_takes_a_part_and_the_admin_is_told, begin),
        cmocka_unit_test_setup(otlp_rejects_all, begin),
        cmocka_unit_test_setup(otlp_is_not_at_this_url, begin),
        cmocka_unit_test_setup(otlp_by_status, begin),
        cmocka_unit_test_setup(loki_by_status, begin),
        cmocka_unit_test_setup(splunk_takes_all, begin),
        cmocka_unit_test_setup(splunk_acknowledges_later, begin),
        cmocka_unit_test_setup(splunk_does_not_acknowledge, begin),
        cmocka_unit_test_setup(splunk_wants_acknowledgements, begin),
        cmocka_unit_test_setup(splunk_refuses_one, begin),
        cmocka_unit_test_setup(splunk_lacks_a_right, begin),
        cmocka_unit_test_setup(splunk_is_not_at_this_url, begin),
        cmocka_unit_test_setup(splunk_has_the_acknowledgements_beside_the_events, begin),
        cmocka_unit_test_setup(splunk_tells_what_is_indexed, begin),
        cmocka_unit_test_setup(splunk_does_not_tell_what_is_indexed, begin),
        cmocka_unit_test_setup(elasticsearch_takes_all, begin),
        cmocka_unit_test_setup(elasticsearch_has_an_event_already, begin),
        cmocka_unit_test_setup(elasticsearch_refuses_some, begin),
        cmocka_unit_test_setup(elasticsearch_lacks_an_index_or_a_right, begin),
        cmocka_unit_test_setup(elasticsearch_cannot_make_the_index, begin),
        cmocka_unit_test_setup(elasticsearch_is_not_set_up_for_any_document, begin),
        cmocka_unit_test_setup(elasticsearch_does_not_take_the_url, begin),
        cmocka_unit_test_setup(elasticsearch_does_not_say_which, begin),
        cmocka_unit_test_setup(elasticsearch_is_not_at_this_url, begin),
        cmocka_unit_test_setup(credentials_are_hidden, begin),
        cmocka_unit_test_setup(basic_authentication_is_known, begin),
        cmocka_unit_test_setup(nothing_that_json_cannot_have, begin),
        cmocka_unit_test_setup(times_stay_within_63_bits, begin),
        cmocka_unit_test_setup(every_event_fits_its_room, begin),
        cmocka_unit_test_setup(
            receivers_of_a_format_make_a_piece_once_and_none_gets_that_of_another, begin),
        cmocka_unit_test_setup(formats_do_not_mix, begin),
        cmocka_unit_test_setup(a_piece_that_does_not_fit_is_cut_also_when_it_is_shared, begin),
        cmocka_unit_test_setup(an_answer_of_far_too_many_values_is_not_read, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
