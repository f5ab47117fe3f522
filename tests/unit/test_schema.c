// SPDX-License-Identifier: BSD-2-Clause
#include "policy_options.h"
#include "support.h"

#include "conf/load.h"
#include "conf/rows.h"
#include "conf/schema.h"
#include "conf/value.h"
#include "model/catalogue.h"
#include "model/severity.h"
#include "pipeline/options.h"

#include <ctype.h>
#include <stdlib.h>

static struct conf conf, other;
static struct error err;

static int release(void **state)
{
    (void)state;
    conf_free(&conf);
    conf_free(&other);
    return 0;
}

static size_t object_size(const struct schema_section *section)
{
    static const size_t SIZES[] = {[SCHEMA_CONF] = sizeof(struct conf),
                                   [SCHEMA_RULE] = sizeof(struct conf_rule),
                                   [SCHEMA_RECEIVER] = sizeof(struct conf_receiver)};
    return SIZES[section->object];
}

// Calls the function for each row. `object` has the section's defaults.
static void for_each_row(void (*check)(const struct schema_section *, const struct schema_item *,
                                       size_t place, void *object))
{
    for (size_t s = 0; s < SCHEMA_COUNT; s++) {
        const struct schema_item *item;
        void *object = calloc(1, object_size(&SCHEMA[s]));
        assert_non_null(object);
        for (size_t i = 0; (item = schema_item(&SCHEMA[s], i)); i++)
            value_reset(item, object);
        for (size_t i = 0; (item = schema_item(&SCHEMA[s], i)); i++)
            check(&SCHEMA[s], item, i, object);
        free(object);
    }
}

static void check_name(const struct schema_section *section, const struct schema_item *item,
                       size_t place, void *object)
{
    size_t found;
    (void)object;
    assert_int_equal(strspn(item->name, "abcdefghijklmnopqrstuvwxyz_0123456789"),
                     strlen(item->name));
    assert_ptr_equal(schema_find(section, item->name, &found), item);
    assert_int_equal(found, place);
    assert_in_range(place, 0, SCHEMA_ITEMS_MAX - 1);
    assert_null(schema_section(item->name)); // otherwise a missing brace would not be an error
}

TEST(every_item_has_a_name_of_its_own_in_its_section)
{
    for_each_row(check_name);
    for (size_t i = 0; i < SCHEMA_COUNT; i++)
        assert_ptr_equal(schema_section(SCHEMA[i].name), &SCHEMA[i]);
    assert_null(schema_section("tables"));
    assert_non_null(schema_section(schema_new_name("tables")));
}

static void check_field(const struct schema_section *section, const struct schema_item *item,
                        size_t place, void *object)
{
    const struct schema_item *next;
    (void)object;
    assert_in_range(item->size, 1, object_size(section));
    assert_in_range(item->at + item->size, 1, object_size(section));
    assert_in_range(item->derived_at + item->derived_size, 0, object_size(section));
    for (size_t i = place + 1; (next = schema_item(section, i)); i++)
        assert_true(item->at + item->size <= next->at || next->at + next->size <= item->at);
}

TEST(every_item_has_a_field_of_its_own)
{
    for_each_row(check_field);
}

static void check_help(const struct schema_section *section, const struct schema_item *item,
                       size_t place, void *object)
{
    size_t quotes = 0, length = strlen(item->help);
    (void)place;
    (void)object;
    assert_true(length > 10 && item->help[length - 1] == '.');
    assert_true(isupper((unsigned char)item->help[0]) || item->help[0] == '`');
    for (const char *p = item->help; *p; p++)
        quotes += *p == '`';
    assert_int_equal(quotes % 2, 0);
    assert_non_null(section->help);
}

TEST(every_item_is_described)
{
    for_each_row(check_help);
}

static void check_default(const struct schema_section *section, const struct schema_item *item,
                          size_t place, void *object)
{
    char value[4096];
    struct text t = text_in(value, sizeof value);
    (void)section;
    (void)place;
    value_add(item, object, &t);
    if (item->initial) {
        assert_true(value_take(item, object, item->initial, &err));
        assert_true(value_is_default(item, object));
    }
    assert_true(item->initial || item->example || item->type == SCHEMA_PAIRS);
    assert_true(t.len > 0 || item->example);
}

TEST(every_default_is_good)
{
    for_each_row(check_default);
}

// Reading a printed word gives the printed value.
static void check_words(const struct schema_section *section, const struct schema_item *item,
                        size_t place, void *object)
{
    char value[200], quoted[200];
    (void)section;
    (void)place;
    for (const struct word *word = item->words; word && word->name; word++) {
        struct text t = text_in(value, sizeof value);
        bool list = value_is_list(item);
        value_clear(item, object);
        assert_true(value_take(item, object, word->name, &err));
        value_add(item, object, &t);
        snprintf(quoted, sizeof quoted, "%s\"%s\"%s", list ? "{" : "", word->name, list ? "}" : "");
        assert_string_equal(value, quoted);
    }
    if (item->words)
        assert_false(value_take(item, object, "no-such-word", &err));
}

TEST(every_word_is_printed_as_it_is_read)
{
    for_each_row(check_words);
}

TEST(words_are_those_of_the_model)
{
    for (const struct word *w = WORDS_SEVERITY; w->name; w++)
        assert_string_equal(w->name, severity_word((enum severity)w->value));
    for (const struct word *w = WORDS_CATEGORY; w->name; w++)
        assert_string_equal(w->name, category_word((enum category)w->value));
    for (const struct word *w = WORDS_EVENT_LEVEL; w->name; w++)
        assert_string_equal(w->name, event_level_word((enum event_level)w->value));
    for (const struct word *w = WORDS_LOG_LEVEL; w->name; w++)
        assert_string_equal(w->name, log_level_word((enum log_level)w->value));
}

// Numbers at the ends of their ranges, and beyond.
static void check_range(const struct schema_section *section, const struct schema_item *item,
                        size_t place, void *object)
{
    char value[32], printed[32];
    (void)section;
    (void)place;
    if (item->type != SCHEMA_NUMBER)
        return;
    const int64_t good[] = {item->low, item->high}, bad[] = {item->low - 1, item->high + 1};
    for (size_t i = 0; i < 2; i++) {
        struct text t = text_in(printed, sizeof printed);
        snprintf(value, sizeof value, "%lld", (long long)good[i]);
        assert_true(value_take(item, object, value, &err));
        value_add(item, object, &t);
        assert_string_equal(printed, value);
        snprintf(value, sizeof value, "%lld", (long long)bad[i]);
        assert_false(value_take(item, object, value, &err));
        assert_non_null(strstr(err.text, "must be "));
    }
}

TEST(every_number_is_kept_whole)
{
    for_each_row(check_range);
}

// The text that conf_print writes; the caller frees it.
static char *print(const struct conf *printed)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    conf_print(printed, f);
    assert_int_equal(fclose(f), 0);
    return text;
}

static void check_same(const struct schema_section *section, const void *a, const void *b)
{
    const struct schema_item *item;
    for (size_t i = 0; (item = schema_item(section, i)); i++) {
        if (!value_same(item, a, b))
            fail_msg("item %s of %s differs", item->name, section->name);
    }
}

static void check_same_conf(void)
{
    assert_int_equal(other.receiver_count, conf.receiver_count);
    assert_int_equal(other.policy.rule_count, conf.policy.rule_count);
    for (size_t s = 0; s < SCHEMA_COUNT; s++) {
        if (SCHEMA[s].object == SCHEMA_CONF)
            check_same(&SCHEMA[s], &conf, &other);
        for (size_t i = 0; SCHEMA[s].object == SCHEMA_RULE && i < conf.policy.rule_count; i++)
            check_same(&SCHEMA[s], &conf.policy.rules[i], &other.policy.rules[i]);
        for (size_t i = 0; SCHEMA[s].object == SCHEMA_RECEIVER && i < conf.receiver_count; i++) {
            if (conf.receivers[i].kind == SCHEMA[s].kind)
                check_same(&SCHEMA[s], &conf.receivers[i], &other.receivers[i]);
        }
    }
    for (size_t i = 0; i < conf.receiver_count; i++)
        assert_string_equal(conf.receivers[i].name, other.receivers[i].name);
}

// Prints `conf` and reads the text into `other`.
static void print_and_read(void)
{
    char *text = print(&conf);
    conf_free(&other);
    if (!conf_load_text(text, "printed", true, &other, &err))
        fail_msg("%s\n%s", err.text, text);
    check_same_conf();
    char *again = print(&other);
    assert_string_equal(strchr(again, '\n'), strchr(text, '\n')); // the first line has the path
    free(again);
    free(text);
}

TEST(the_defaults_are_printed_as_they_are_read)
{
    assert_true(conf_load_text("", "", true, &conf, &err));
    print_and_read();
}

static const char RICH[] =
    "fabric { device = \"mlx5_1\" port = 2 active = \"with-master-sm\" }\n"
    "sweep { method = sa settle = 0 } counters { thresholds = {\"LinkDowned=7\"} }\n"
    "journal { directory = \"/x y\" rows = 1000 megabytes = 3 days = 2 }\n"
    "policy \"b\" { events = {\"link-*\"} nodes = {\"a\\\"b\\\\c\\n\", \"leaf 1\"} enabled = no }\n"
    "policy \"a\" { severity = alert category = link hold_down = 0 }\n"
    "flap { changes = 0 } storm { rate = 0 } consequences { hold = off } alarms { missing_age = 7 "
    "}\n"
    "snmp \"z\" { address = \"[::1]:99\" ipv6 = true inform = true timeout = 100 sets = {own, sma} "
    "}\n"
    "snmp \"v1\" { address = h version = 1 trap_address = on agent_address = 192.0.2.1 }\n"
    "snmp \"t\" { address = h transport = tls certificate_file = /c key_file = /k context = c }\n"
    "syslog \"s\" { transport = tcp address = h framing = lines format = ecs facility = local7\n"
    " severity_map = {\"debug=notice\"} severity = error security = false rate = 5 max_age = 9 }\n"
    "syslog \"o\" { transport = stdout } syslog \"l\" { path = /l categories = {l*} guids = "
    "{\"0x*\"} }\n"
    "agentx \"x\" { socket = \"tcp:[::1]:705\" context = c } file \"f\" { path = - sync = off }\n"
    "kafka \"k\" { brokers = \"k1, [::1]:99\" topic = \"t-{subnet}\" format = cloudevents "
    "transport = tls\n"
    " ca_file = /c }\n"
    "http \"h\" { url = \"https://h:1/p\" format = cloudevents batch = 7 batch_size = 20000\n"
    " gzip = true timeout = 5 key_file = /k\n"
    " certificate_file = /c }\n"
    "alertmanager \"m\" { urls = \"http://a:1, http://[::1]/b\" source = s expire = 60 "
    "}\n"
    "metrics { listen = \"[::1]\" hosts = {\"*.a\"} } subagent { socket = /s context = \"\" "
    "writable = true }\n"
    "gateway { heartbeat = 4 } control { socket = /run/c group = daemon }\n"
    "log { level = error levels = {\"ib=debug\", \"sink=info\"} }\n";

TEST(every_kind_of_item_is_printed_as_it_is_read)
{
    assert_true(conf_load_text(RICH, "rich", true, &conf, &err));
    print_and_read();
    assert_true(other.subagent.has_context);
}

TEST(what_is_off_for_a_while_is_printed)
{
    assert_true(
        conf_load_text("subagent { socket = \"\" writable = true }", "off", true, &conf, &err));
    print_and_read();
    assert_true(other.subagent.writable);
}

TEST(secrets_are_not_printed)
{
    char text[1400];
    const char *key = support_file("key", "77777\n", 0600);
    const char *community = support_file("community", "hidden-one\n", 0600);
    const char *auth = support_file("auth", "hidden-two\n", 0600);
    const char *privacy = support_file("privacy", "hidden-three\n", 0600);
    const char *password = support_file("password", "hidden-five\n", 0600);
    snprintf(
        text, sizeof text,
        "fabric { sa_key_file = \"%s\" } sweep { mkey_file = \"%s\" }\n"
        "snmp \"a\" { address = x community_file = \"%s\" }\n"
        "snmp \"b\" { address = x community = hidden-four }\n"
        "snmp \"c\" { address = x version = 3 user = u auth = SHA auth_password_file = \"%s\"\n"
        " privacy = AES privacy_password_file = \"%s\" }\n"
        "kafka \"d\" { brokers = x sasl = SCRAM-SHA-256 user = u password_file = \"%s\"\n"
        " settings = {\"ssl.key.password=hidden-seven\", \"linger.ms=1\"} }\n"
        "http \"e\" { url = \"https://h/in?token=hidden-six\"\n"
        " headers = {\"X-A: hidden-\\\"eight\"} headers += \"X-B: hidden-nine\" }\n"
        "http \"f\" { url = \"https://h/in\" }\n",
        key, key, community, auth, privacy, password);
    if (!conf_load_text(text, "secrets", true, &conf, &err))
        fail_msg("%s", err.text);
    snprintf(conf.receivers[0].snmp.community, sizeof conf.receivers[0].snmp.community, "public");
    char *printed = print(&conf);
    // The community of "a" comes from its file, and is the default by chance.
    assert_true(!strstr(printed, "\"public\"") ||
                strstr(printed, "\"public\"") > strstr(printed, "snmp \"b\""));
    assert_null(strstr(printed, "77777"));
    assert_null(strstr(printed, "hidden-"));
    assert_non_null(strstr(printed, "\n    # community is set, and not shown\n"));
    assert_non_null(strstr(printed,
                           "\n    # settings: {\"ssl.key.password\", \"linger.ms\"} are set, "
                           "and not shown\n"));
    assert_non_null(
        strstr(printed, "\n    # headers: {\"X-A\", \"X-B\"} are set, and not shown\n"));
    assert_non_null(strstr(printed, "\n    url = \"https://h/in?\"\n"
                                    "    # url: what follows the '?' is not shown\n"));
    assert_non_null(strstr(printed, "\n    url = \"https://h/in\"\n    format"));
    assert_non_null(strstr(printed, key));
    assert_non_null(strstr(printed, privacy));
    assert_true(conf_load_text(printed, "printed", true, &other, &err));
    assert_int_equal(other.fabric.sa_key, 77777);
    assert_string_equal(other.receivers[0].snmp.community, "hidden-one");
    assert_string_equal(other.receivers[2].snmp.privacy_password, "hidden-three");
    assert_string_equal(other.receivers[3].kafka.password, "hidden-five");
    free(printed);
}

TEST(what_waits_for_a_restart_is_named_and_kept)
{
    char names[300];
    struct text t = text_in(names, sizeof names);
    const char *key = support_file("key", "5\n", 0600);
    char text[sizeof RICH + 200];
    snprintf(
        text, sizeof text,
        "fabric { device = \"mlx5_1\" port = 2 active = \"with-master-sm\" sa_key_file = \"%s\" "
        "sa_key_guids = \"0x5\" pkey = \"5\" verify_interval = 9 refresh_interval = 10 }%s",
        key, strchr(RICH, '\n')); // which begins with that section
    assert_true(conf_load_text("", "", true, &conf, &err));
    assert_true(conf_load_text(text, "next", true, &other, &err));
    conf_add_restart_items(&conf, &other, &t);
    assert_string_equal(
        names, "device, port, pkey, sa_key_file, sa_key_guids, verify_interval, "
               "refresh_interval, directory, rows, megabytes, days, listen, hosts, socket, group");
    conf_keep_restart_items(&conf, &other);
    t = text_in(names, sizeof names);
    conf_add_restart_items(&conf, &other, &t);
    assert_string_equal(names, "");
    assert_string_equal(other.fabric.device, "");
    assert_false(other.fabric.has_sa_key);
    assert_int_equal(other.fabric.key_guid_count, 0);
    assert_int_equal(other.socket_group, (gid_t)-1);
    assert_true(other.fabric.with_master_sm); // a reload may change it
    assert_int_equal(other.heartbeat_s, 4);
}

// Tests and benchmarks use these values.
TEST(policy_has_the_same_defaults)
{
    static struct policy_rule rules[POLICY_RULES_MAX];
    struct policy_options here, there;
    assert_true(conf_load_text("", "", true, &conf, &err));
    options_of_policy(&conf, &here, rules);
    policy_options_init(&there);
    assert_int_equal(here.rule_count, there.rule_count);
    assert_int_equal(here.repeat_window_us, there.repeat_window_us);
    assert_int_equal(here.flap_changes, there.flap_changes);
    assert_int_equal(here.flap_within_us, there.flap_within_us);
    assert_int_equal(here.flap_quiet_us, there.flap_quiet_us);
    assert_int_equal(here.storm_rate, there.storm_rate);
    assert_int_equal(here.storm_period_us, there.storm_period_us);
    assert_int_equal(here.suppress_consequences, there.suppress_consequences);
}

static bool is_an_item(const char *name)
{
    for (size_t s = 0; s < SCHEMA_COUNT; s++) {
        if (schema_find(&SCHEMA[s], name, &(size_t){0}))
            return true;
    }
    return false;
}

// A word such as max_nodes is one.
TEST(remedies_name_items_that_there_are)
{
    for (int i = 0; i < CATALOGUE_COUNT; i++) {
        char *words = strdup(catalogue_get((enum catalogue_event)i)->remedy), *rest = words, *word;
        while ((word = strsep(&rest, " .,:;'")) != NULL) {
            if (islower((unsigned char)word[0]) && strchr(word, '_') && !is_an_item(word))
                fail_msg("a remedy names the item %s, which does not exist", word);
        }
        free(words);
    }
}

#define SCHEMA_TEST(f) cmocka_unit_test_teardown(f, release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(every_item_has_a_name_of_its_own_in_its_section),
        SCHEMA_TEST(every_item_has_a_field_of_its_own),
        SCHEMA_TEST(every_item_is_described),
        SCHEMA_TEST(every_default_is_good),
        SCHEMA_TEST(every_word_is_printed_as_it_is_read),
        SCHEMA_TEST(words_are_those_of_the_model),
        SCHEMA_TEST(every_number_is_kept_whole),
        SCHEMA_TEST(the_defaults_are_printed_as_they_are_read),
        SCHEMA_TEST(every_kind_of_item_is_printed_as_it_is_read),
        SCHEMA_TEST(what_is_off_for_a_while_is_printed),
        SCHEMA_TEST(secrets_are_not_printed),
        SCHEMA_TEST(policy_has_the_same_defaults),
        SCHEMA_TEST(remedies_name_items_that_there_are),
        SCHEMA_TEST(what_waits_for_a_restart_is_named_and_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
