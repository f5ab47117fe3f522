// SPDX-License-Identifier: BSD-2-Clause
// The configuration: receivers behind Kafka and HTTP servers.
#include "conf_fixture.h"

#include "base/text.h"

TEST(kafka_receivers)
{
    const char *secret = support_file("kafka", "pass word\n", 0600);
    char text[600];
    snprintf(text, sizeof text,
             "kafka \"a\" { brokers = \"k1\" }\n"
             "kafka \"b\" { brokers = \"k1:9093,[::1]\" topic = \"x.{severity}\" format = \"ecs\"\n"
             "transport = \"tls\" sasl = \"PLAIN\" user = \"u\" password_file = \"%s\"\n"
             "settings = {\"a=1\", \"b=2=3\", \"a=4\"} settings += \"c= 5\" }",
             secret);
    load(text);
    const struct conf_kafka *plain = &conf.receivers[0].kafka, *full = &conf.receivers[1].kafka;
    assert_int_equal(conf.receivers[0].kind, CONF_KAFKA);
    assert_int_equal(conf.receivers[0].transport, TRANSPORT_TCP);
    assert_int_equal(conf.receivers[0].rate, 0);
    assert_string_equal(plain->brokers, "k1");
    assert_string_equal(plain->topic, "ibtrapd");
    assert_int_equal(plain->format, FORMAT_JSON);
    assert_int_equal(plain->sasl, CONF_SASL_NONE);
    assert_string_equal(plain->settings[0], "");
    assert_int_equal(conf.receivers[1].transport, TRANSPORT_TLS);
    assert_string_equal(full->topic, "x.{severity}");
    assert_int_equal(full->format, FORMAT_ECS);
    assert_int_equal(full->sasl, CONF_SASL_PLAIN);
    assert_string_equal(full->password, "pass word");
    assert_string_equal(full->settings[0], "a=4");
    assert_string_equal(full->settings[1], "b=2=3");
    assert_string_equal(full->settings[2], "c= 5");
    assert_string_equal(full->settings[3], "");
}

#define KAFKA(items) "kafka \"a\" { brokers = \"k\" " items " }"

TEST(bad_kafka_receivers_are_refused)
{
    static const struct {
        const char *content, *error;
    } ROWS[] = {
        {"kafka \"a\" { }", "1: kafka 'a': item 'brokers' is missing: it says where Kafka is"},
        {"kafka \"a\" { brokers = \"k1,,k2\" }",
         "1: item 'brokers': value 'k1,,k2': the host is missing"},
        {"kafka \"a\" { brokers = \"k1:99999\" }",
         "1: item 'brokers': value 'k1:99999': the port must be a number from 1 to 65535"},
        {KAFKA("topic = \"a b\""),
         "1: item 'topic': value 'a b': a topic has letters, digits, '.', '_', '-'"},
        {KAFKA("topic = \"a{node}\""), "1: item 'topic': value 'a{node}': its placeholders are "
                                       "{severity}, {category}, {subnet} and {fabric}"},
        {KAFKA("topic = \"..\""), "1: item 'topic': value '..': must not be '.' or '..'"},
        {KAFKA("format = \"cef\""),
         "1: item 'format': value 'cef': must be one of json, ecs, cloudevents"},
        {KAFKA("transport = \"udp\""), "1: item 'transport': value 'udp': must be one of tcp, tls"},
        {KAFKA("settings = {\"acks\"}"),
         "1: item 'settings': must be a setting and its value, such as "
         "\"compression.codec=lz4\""},
        {KAFKA("sasl = \"PLAIN\""), "1: kafka 'a': item 'sasl' needs item 'user'"},
        {KAFKA("sasl = \"SCRAM-SHA-256\" user = \"u\""),
         "1: kafka 'a': item 'sasl' needs item 'password_file'"},
        {KAFKA("user = \"u\""), "1: kafka 'a': item 'user' has no effect without item 'sasl'"},
        {KAFKA("ca_file = \"/c\""),
         "1: kafka 'a': item 'ca_file' has no effect without transport = \"tls\""},
        {KAFKA("transport = \"tls\" server_name = \"n\""),
         "1: kafka 'a': item 'server_name' has no use here: there are several brokers, and the "
         "certificate of each has its host's name"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        assert_string_equal(error_of(ROWS[i].content), ROWS[i].error);
}

TEST(a_password_needs_tls_unless_it_is_hashed)
{
    const char *secret = support_file("kafka", "pass word\n", 0600);
    char text[300];
    snprintf(text, sizeof text, KAFKA("sasl = \"PLAIN\" user = \"u\" password_file = \"%s\""),
             secret);
    assert_string_equal(error_of(text), "1: kafka 'a': PLAIN sends the password as it is: it needs "
                                        "transport = \"tls\"");
}

TEST(topics_and_settings_have_their_limits)
{
    char text[1200], long_topic[251], many[600];
    struct text t = text_in(many, sizeof many);
    memset(long_topic, 'x', 250);
    long_topic[250] = '\0';
    memcpy(long_topic, "{severity}", 10); // 10 characters, and 13 in the longest topic
    for (size_t length = 246; length <= 247; length++) {
        snprintf(text, sizeof text, KAFKA("topic = \"%.*s\""), (int)length, long_topic);
        assert_int_equal(conf_load_text(text, "t", true, &conf, &err), length == 246);
        if (length == 246)
            conf_free(&conf);
    }
    for (int i = 0; i <= CONF_SETTINGS_MAX; i++)
        text_addf(&t, "%s\"s%d=1\"", i == 0 ? "" : ", ", i);
    snprintf(text, sizeof text, KAFKA("settings = {%s}"), many);
    assert_string_equal(error_of(text), "1: item 'settings': there are more than 16 settings");
}

TEST(http_receivers)
{
    const char *secret = support_file("http", "pass word\n", 0600);
    char text[600];
    snprintf(
        text, sizeof text,
        "http \"a\" { url = \"http://[::1]:8080/in?x=1\" token_file = \"%s\" }\n"
        "http \"b\" { url = \"https://h\" format = cloudevents batch = 1 gzip = yes timeout = 9\n"
        "user = \"u\" password_file = \"%s\" server_name = \"n\" batch_size = 16384\n"
        "headers = {\"X-A: 1\", \"X-B: a: b\", \"x-a: 2\"} }",
        secret, secret);
    load(text);
    const struct conf_receiver *plain = &conf.receivers[0], *full = &conf.receivers[1];
    assert_int_equal(plain->kind, CONF_HTTP);
    assert_int_equal(plain->transport, TRANSPORT_TCP);
    assert_string_equal(plain->http.url, "http://[::1]:8080/in?x=1");
    assert_int_equal(plain->http.format, HTTP_JSON);
    assert_int_equal(plain->http.batch, 256);
    assert_int_equal(plain->http.batch_size, 524288);
    assert_int_equal(plain->http.timeout, 30);
    assert_false(plain->http.gzip);
    assert_string_equal(plain->http_access.token_file, secret);
    assert_int_equal(full->transport, TRANSPORT_TLS);
    assert_int_equal(full->http.format, HTTP_CLOUDEVENTS);
    assert_int_equal(full->http.batch, 1);
    assert_int_equal(full->http.timeout, 9);
    assert_true(full->http.gzip);
    assert_string_equal(full->http_access.user, "u");
    assert_string_equal(full->http_access.headers[0], "x-a: 2");
    assert_string_equal(full->http_access.headers[1], "X-B: a: b");
    assert_string_equal(full->http_access.headers[2], "");
}

#define HTTP(items) "http \"a\" { url = \"https://h/\" " items " }"

TEST(bad_http_receivers_are_refused)
{
    static const struct {
        const char *content, *error;
    } ROWS[] = {
        {"http \"a\" { }", "1: http 'a': item 'url' is missing: it says where to send events"},
        {"http \"a\" { url = \"http://u:p@h/\" }",
         "1: item 'url': must not have a user in it: item 'user' says that"},
        {"http \"a\" { url = \"http://h/?token=t#x\" }",
         "1: item 'url': must not have '#', quotes or backslashes in it"},
        {HTTP("format = xml"), "1: item 'format': value 'xml': must be one of json, cloudevents, "
                               "otlp, loki, splunk, elasticsearch, otlp-metrics"},
        {HTTP("batch = 0"), "1: item 'batch': value '0': must be from 1 to 512"},
        {HTTP("user = u"), "1: http 'a': item 'user' needs item 'password_file'"},
        {HTTP("headers = {\"X-A\"}"), "1: item 'headers': must be a header such as "
                                      "\"X-Scope-OrgID: fabric\""},
        {HTTP("headers = {\"X-A: \"}"), "1: item 'headers': must be a header such as "
                                        "\"X-Scope-OrgID: fabric\""},
        {HTTP("headers = {\"authorization: x\"}"),
         "1: item 'headers': other items, or ibtrapd itself, decide this "
         "header"},
        {"http \"a\" { url = \"http://h/\" ca_file = \"/c\" }",
         "1: http 'a': item 'ca_file' has no effect without a URL with https"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        assert_string_equal(error_of(ROWS[i].content), ROWS[i].error);
}

TEST(bad_urls_are_refused)
{
    static const char *const BAD[] = {
        "h",          "ftp://h/",      "http:/h",    "http://",          "http:///x",
        "http://:80", "http://h:0/",   "http://h:x", "http://h:99999/",  "http://u@h/",
        "http://h /", "http://h/\x01", "http://h/#", "http://\xc3\xbc/", "http://u:p@[::1]/",
        "http://::1", "http://h/\\\\", "HTTP://h/",  "https://h?u@h#x",  "http://a_b\x7f/"};
    char text[100];
    for (size_t i = 0; i < COUNT(BAD); i++) {
        snprintf(text, sizeof text, "http \"a\" { url = \"%s\" }", BAD[i]);
        if (conf_load_text(text, "t", true, &conf, &err))
            fail_msg("%s is accepted", BAD[i]);
    }
    load("http \"a\" { url = \"http://h?u@h\" }");
}

TEST(alertmanager_receivers)
{
    load("alertmanager \"a\" { urls = \"http://am1:9093, https://am2/prefix\" }\n"
         "alertmanager \"b\" { urls = \"http://am1\" source = \"fabric-1\" expire = 60 }");
    const struct conf_receiver *plain = &conf.receivers[0], *full = &conf.receivers[1];
    assert_int_equal(plain->kind, CONF_ALERTMANAGER);
    assert_int_equal(plain->transport, TRANSPORT_TLS);
    assert_string_equal(plain->alertmanager.urls, "http://am1:9093, https://am2/prefix");
    assert_string_equal(plain->alertmanager.source, "");
    assert_int_equal(plain->alertmanager.expire_s, 300);
    assert_int_equal(full->transport, TRANSPORT_TCP);
    assert_string_equal(full->alertmanager.source, "fabric-1");
    assert_int_equal(full->alertmanager.expire_s, 60);
}

#define ALERTS(urls, items) "alertmanager \"a\" { urls = \"" urls "\" " items " }"

TEST(bad_alertmanager_receivers_are_refused)
{
    static const struct {
        const char *content, *error;
    } ROWS[] = {
        {"alertmanager \"a\" { }",
         "1: alertmanager 'a': item 'urls' is missing: it says where the Alertmanagers are"},
        {ALERTS(", ", ""), "1: item 'urls': value ', ': has no URL"},
        {ALERTS("http://a,b", ""),
         "1: item 'urls': value 'http://a,b': must begin with http:// or https://"},
        {ALERTS("http://a/?x", ""), "1: item 'urls': must not have '?' in a URL"},
        {ALERTS("http://a:9093/#/alerts", ""),
         "1: item 'urls': value 'http://a:9093/#/alerts': must be without '/#' and what follows: "
         "that is the page for browsers"},
        {ALERTS("http://a:9093, http://b, http://a:9093/", ""),
         "1: alertmanager 'a': item 'urls' has 'http://a:9093' twice"},
        {ALERTS("http://a, http://b:9093/am/api/v2/alerts/", ""),
         "1: item 'urls': value 'http://a, http://b:9093/am/api/v2/alerts/': must be without "
         "/api/v2/alerts: ibtrapd adds that"},
        {ALERTS("http://a/api/v2", ""), "1: item 'urls': value 'http://a/api/v2': must be without "
                                        "/api/v2/alerts: ibtrapd adds that"},
        {ALERTS("http://a", "source = \"a b\""),
         "1: item 'source': value 'a b': may have letters, digits and ._- only"},
        {ALERTS("http://a", "expire = 19"),
         "1: item 'expire': value '19': must be from 20 to 86400"},
        {ALERTS("http://a", "ca_file = \"/c\""),
         "1: alertmanager 'a': item 'ca_file' has no effect without a URL with https"},
        {ALERTS("http://a,http://b,http://c,http://d,http://e,http://f,http://g,http://h,http://i",
                ""),
         "1: item 'urls': value "
         "'http://a,http://b,http://c,http://d,http://e,http://f,http://g,http://h,http://i': has "
         "more than 8 URLs"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        assert_string_equal(error_of(ROWS[i].content), ROWS[i].error);
}

// Neither ends the alerts of the other.
TEST(two_sections_may_have_one_source_at_one_alertmanager)
{
    load(
        ALERTS("http://a", "") "\nalertmanager \"b\" { urls = \"http://a\" severity = \"error\" }");
}

TEST(a_secret_for_alertmanagers_needs_tls_at_each_that_is_elsewhere)
{
    static const struct {
        const char *urls;
        bool good;
    } ROWS[] = {{"https://h", true},
                {"http://h", false},
                {"https://h,http://g", false},
                {"https://h,http://localhost:9", true},
                {"http://localhost.example.org", false}};
    const char *secret = support_file("http", "pass word\n", 0600);
    char text[300];
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        snprintf(text, sizeof text, "alertmanager \"a\" { urls = \"%s\" token_file = \"%s\" }",
                 ROWS[i].urls, secret);
        assert_int_equal(conf_load_text(text, "t", true, &conf, &err), ROWS[i].good);
        if (ROWS[i].good)
            conf_free(&conf);
    }
}

TEST(a_secret_over_http_needs_tls_unless_the_server_is_here)
{
    static const struct {
        const char *url;
        bool good;
    } ROWS[] = {{"https://h/", true},
                {"http://h/", false},
                {"http://localhost:9/", true},
                {"http://127.0.0.1", true},
                {"http://[::1]?x", true},
                {"http://localhost.example.org/", false},
                {"http://127.0.0.1.example.org/", false}};
    const char *secret = support_file("http", "pass word\n", 0600);
    char text[300];
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        snprintf(text, sizeof text, "http \"a\" { url = \"%s\" token_file = \"%s\" }", ROWS[i].url,
                 secret);
        assert_int_equal(conf_load_text(text, "t", true, &conf, &err), ROWS[i].good);
        if (ROWS[i].good)
            conf_free(&conf);
    }
    assert_string_equal(err.text,
                        "t:1: http 'a': the secret would go over the network as it is: item "
                        "'token_file' needs a URL with https, or a server on this host");
    snprintf(text, sizeof text, HTTP("user = u password_file = \"%s\" token_file = \"%s\""), secret,
             secret);
    assert_string_equal(error_of(text),
                        "1: http 'a': there is either item 'user' or item 'token_file'");
}

TEST(a_header_with_a_secret_comes_from_a_file)
{
    static const struct {
        const char *line, *error; // NULL: it is good
    } ROWS[] = {{"X-Api-Key: k e y", NULL},
                {"Authorization: GenieKey k", NULL},
                {"k-e-y", "must be a header such as \"X-Scope-OrgID: fabric\""},
                {"Content-Length: 1", "other items, or ibtrapd itself, decide this header"}};
    char text[300], wanted[200];
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        const char *file = support_file("header", ROWS[i].line, 0600);
        snprintf(text, sizeof text, HTTP("header_file = \"%s\""), file);
        if (!ROWS[i].error) {
            load(text);
            assert_string_equal(conf.receivers[0].http_access.header_file, file);
            conf_free(&conf);
            continue;
        }
        snprintf(wanted, sizeof wanted, "1: item 'header_file': value '%s': %s", file,
                 ROWS[i].error);
        assert_string_equal(error_of(text), wanted);
    }
    snprintf(text, sizeof text, "http \"a\" { url = \"http://h/\" header_file = \"%s\" }",
             support_file("header", ROWS[0].line, 0600));
    assert_string_equal(error_of(text),
                        "1: http 'a': the secret would go over the network as it is: item "
                        "'header_file' needs a URL with https, or a server on this host");
}

TEST(http_formats)
{
    static const char *const FORMATS[] = {"json", "cloudevents", "otlp",
                                          "loki", "splunk",      "elasticsearch"};
    char text[200];
    for (size_t i = 0; i < COUNT(FORMATS); i++) {
        snprintf(text, sizeof text, "http \"a\" { url = \"http://h/\" format = \"%s\" }",
                 FORMATS[i]);
        load(text);
        assert_int_equal(conf.receivers[0].http.format, i);
        assert_string_equal(conf.receivers[0].http.index, "");
        assert_false(conf.receivers[0].http.ack);
    }
    load("http \"a\" { url = \"http://h/\" format = \"splunk\" index = \"ib\" ack = true }");
    assert_string_equal(conf.receivers[0].http.index, "ib");
    assert_true(conf.receivers[0].http.ack);
    load("http \"a\" { url = \"http://h/\" format = \"elasticsearch\" index = \"ib-1\" }");
    assert_string_equal(conf.receivers[0].http.index, "ib-1");
}

TEST(items_that_an_http_format_has_not_are_refused)
{
    assert_string_equal(
        error_of("http \"a\" { url = \"http://h/\" format = \"loki\" index = \"ib\" }"),
        "1: http 'a': item 'index' has no effect without format = \"splunk\" or "
        "\"elasticsearch\"");
    assert_string_equal(
        error_of("http \"a\" { url = \"http://h/\" format = \"elasticsearch\" ack = true }"),
        "1: http 'a': item 'ack' has no effect without format = \"splunk\"");
}

#define BULK(path, items)                                                                          \
    "http \"a\" { url = \"http://h:9200" path "\" format = \"elasticsearch\" " items " }"

TEST(a_bulk_for_elasticsearch_needs_an_index)
{
    static const char MESSAGE[] = "1: http 'a': Elasticsearch needs an index: give item 'index', "
                                  "or a URL such as https://HOST:9200/INDEX/_bulk";
    assert_string_equal(error_of(BULK("/_bulk", "")), MESSAGE);
    assert_string_equal(error_of(BULK("/_bulk/?refresh=true", "")), MESSAGE);
    load(BULK("/_bulk", "index = \"ib\""));
    load(BULK("/logs-ib/_bulk", ""));
    load(BULK("/_bulks", ""));
    load(BULK("/_bulk?index=ib", "")); // OpenSearch 2.5 takes it
    load(BULK("/_bulk/?refresh=true&index=ib", ""));
    assert_string_equal(error_of(BULK("/_bulk?a=index=ib&", "")), MESSAGE);
}

TEST(an_alertmanager_may_have_the_name_of_a_path)
{
    load(ALERTS("http://api/v2", ""));
    assert_non_null(strstr(error_of(ALERTS("http://api/api/v2", "")), "must be without"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONF_TEST(kafka_receivers),
        CONF_TEST(bad_kafka_receivers_are_refused),
        CONF_TEST(http_receivers),
        CONF_TEST(bad_http_receivers_are_refused),
        CONF_TEST(bad_urls_are_refused),
        CONF_TEST(alertmanager_receivers),
        CONF_TEST(two_sections_may_have_one_source_at_one_alertmanager),
        CONF_TEST(bad_alertmanager_receivers_are_refused),
        CONF_TEST(a_secret_for_alertmanagers_needs_tls_at_each_that_is_elsewhere),
        CONF_TEST(a_secret_over_http_needs_tls_unless_the_server_is_here),
        CONF_TEST(a_header_with_a_secret_comes_from_a_file),
        CONF_TEST(http_formats),
        CONF_TEST(items_that_an_http_format_has_not_are_refused),
        CONF_TEST(a_bulk_for_elasticsearch_needs_an_index),
        CONF_TEST(an_alertmanager_may_have_the_name_of_a_path),
        CONF_TEST(a_password_needs_tls_unless_it_is_hashed),
        CONF_TEST(topics_and_settings_have_their_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
