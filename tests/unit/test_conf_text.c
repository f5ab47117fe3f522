// SPDX-License-Identifier: BSD-2-Clause
// The configuration: the text of a file, and how its mistakes are told.
#include "conf_fixture.h"

#include "base/text.h"

#include <sys/stat.h>
#include <unistd.h>

TEST(unknown_items_are_errors)
{
    assert_string_equal(error_of("\nfabrik { }\n"),
                        "2: section 'fabrik': there is no such section; did you mean 'fabric'?");
    assert_string_equal(error_of("fabric {\n color = 1\n}\n"),
                        "2: item 'color': there is no such item here");
    assert_string_equal(error_of("snmp \"a\" {\n address = \"a\"\n facility = \"kern\"\n}\n"),
                        "3: item 'facility': there is no such item here; it belongs to section "
                        "'syslog'");
    assert_string_equal(error_of("snmp \"a\" {\n port = 1162\n}\n"),
                        "2: item 'port': there is no such item here; the port stands behind the "
                        "address, as in address = \"HOST:1162\"");
    assert_string_equal(error_of("snmp \"a\" {\n host = \"nms\"\n}\n"),
                        "2: item 'host': there is no such item here; the host is the item "
                        "'address', as in address = \"HOST\"");
    assert_string_equal(
        error_of("snmp \"a\" {\n address = \"[::1]\"\n events = [\"link-down\"]\n}\n"),
        "3: item 'events': a list stands in braces: write events = {\"A\", \"B\"}");
    assert_string_equal(error_of("snmp \"a\" {\n auth_password = \"x\"\n}\n"),
                        "2: item 'auth_password': there is no such item here; write the password "
                        "into a file of its own, and name it in 'auth_password_file'");
    assert_string_equal(
        error_of("port = 1\n"),
        "1: item 'port': there is no such item here; it belongs to section 'fabric'");
}

TEST(what_stands_twice_is_told)
{
    assert_string_equal(
        mistakes_of("fabric {\n port = 1\n port = 1\n}\nlog { level = info }\n"
                    "log { levels = \"ib=debug\" level = info }\n"
                    "file \"a\" {\n nodes = x\n path = /x\n nodes += y\n nodes = z\n}\n"),
        "3: item 'port' stands in line 2 already\n"
        "6: item 'level' stands in line 5 already\n"
        "11: item 'nodes' stands in line 10 already: add to it with '+='\n");
    load("log { level = error }\nlog { levels = \"ib=debug\" }\n"); // in pieces
    assert_int_equal(level_of(LOG_FOLDER_IB), LOG_LEVEL_DEBUG);
    assert_int_equal(level_of(LOG_FOLDER_SINK), LOG_LEVEL_ERROR);
}

// After a mistake that leaves a line unclear, the next line with a known name is read again.
TEST(the_reading_goes_on_after_a_mistake)
{
    static const struct {
        const char *content, *mistakes;
    } ROWS[] = {
        {"snmp \"a\" {\n address = \"192.0.2.1\n inform = maybe\n}\nlog { lewel = info }\n",
         "2: a text has no end in its line: the closing quotation mark is missing\n"
         "3: item 'inform': value 'maybe': must be a boolean, true or false\n"
         "5: item 'lewel': there is no such item here; did you mean 'level'?\n"},
        {"snmp \"a\" { address = \"192.0.2.1 }\nlog { lewel = info }\n",
         "1: a text has no end in its line: the closing quotation mark is missing\n"
         "2: item 'lewel': there is no such item here; did you mean 'level'?\n"},
        {"snmp \"a\" {\n address = x\n\nlog { lewel = info }\nsweep { intervall = 3 }\n",
         "4: section 'log' begins in section 'snmp' of line 1: a closing brace is missing\n"
         "4: item 'lewel': there is no such item here; did you mean 'level'?\n"
         "5: item 'intervall': there is no such item here; did you mean 'interval'?\n"},
        {"snmp \"a\"\n address = x\n inform = maybe\n}\nsweep { intervall = 3 }\n",
         "2: '{' is expected, and there is 'address'\n"
         "3: item 'inform': value 'maybe': must be a boolean, true or false\n"
         "5: item 'intervall': there is no such item here; did you mean 'interval'?\n"},
        {"snmp \"a\" { sweep { interval = 10 } address = x }\nlog { lewel = info }\n",
         "1: section 'sweep' begins in section 'snmp' of line 1: a closing brace is missing\n"
         "2: item 'lewel': there is no such item here; did you mean 'level'?\n"},
        {"snmp {\n address = x\n inform = maybe\n}\nlog { lewel = info }\n",
         "1: section 'snmp' needs a name: write snmp \"name\" {\n"
         "5: item 'lewel': there is no such item here; did you mean 'level'?\n"},
        {"smnp \"a\" {\n address = x\n inform = maybe\n}\nlog { lewel = info }\n",
         "1: section 'smnp': there is no such section; did you mean 'snmp'?\n"
         "5: item 'lewel': there is no such item here; did you mean 'level'?\n"},
        {"log { }}\nlog2 { } = = {\n } sweep { interval x }\nsweep { interval y }\n",
         "1: a section is expected, and there is '}'\n"
         "2: section 'log2': there is no such section; did you mean 'log'?\n"
         "2: a section is expected, and there is '='\n"
         "3: '=' is expected, and there is 'x'\n"
         "4: '=' is expected, and there is 'y'\n"},
        {"fabric {\n port = {1, 2}\n device = \n}\nsweep { intervall = 3 }\n",
         "2: a value for item 'port' is expected, and there is '{'\n"
         "4: a value for item 'device' is expected, and there is '}'\n"
         "5: item 'intervall': there is no such item here; did you mean 'interval'?\n"},
        {"fabric { port = 1 } /* no end\nsweep { intervall = 3 }\n",
         "1: a comment has no end: '*/' is missing\n"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        assert_string_equal(mistakes_of(ROWS[i].content), ROWS[i].mistakes);
}

TEST(a_missing_brace_is_told)
{
    assert_string_equal(error_of("snmp \"a\" {\n address = \"x\"\n"),
                        "2: section 'snmp' of line 1 has no end: a closing brace is missing");
    assert_string_equal(error_of("log {"),
                        "1: section 'log' of line 1 has no end: a closing brace is missing");
    assert_string_equal(error_of("journal {\n\n# }"),
                        "3: section 'journal' of line 1 has no end: a closing brace is missing");
}

TEST(comments_do_not_shift_lines)
{
    static const char *const BEFORE[] = {"# a\n",
                                         "\n# a\n",
                                         "  # a\n\n# \"b\n# don't\n",
                                         "#\n#\n",
                                         "// a\n",
                                         "/* a */\n",
                                         "/* a\n * b\n */\n",
                                         "log { } # a\n",
                                         "log { }# a\n",
                                         "log { } // it's\n",
                                         "log { level = \"info\" # a\n}\n"};
    for (size_t i = 0; i < COUNT(BEFORE); i++) {
        char content[200], expected[100];
        int line = 1;
        for (const char *p = BEFORE[i]; *p; p++)
            line += *p == '\n';
        snprintf(content, sizeof content, "%sfabrik { }\n", BEFORE[i]);
        snprintf(expected, sizeof expected,
                 "%d: section 'fabrik': there is no such section; did you mean 'fabric'?", line);
        assert_string_equal(error_of(content), expected);
    }
}

TEST(a_comment_without_an_end_is_told)
{
    assert_string_equal(error_of("log { }\n/* a\nfabrik { }\n"),
                        "2: a comment has no end: '*/' is missing");
    assert_string_equal(error_of("log { /*"), "1: a comment has no end: '*/' is missing");
}

TEST(what_looks_like_a_comment_may_be_a_value)
{
    load("file \"a\" { path = \"/x#y//z/*\" nodes = {\"a\\\"#b\", '#c', '// \"d'} switches = "
         "{e//f} } # */");
    assert_string_equal(conf.receivers[0].file.path, "/x#y//z/*");
    const struct filter *f = &conf.receivers[0].filter;
    assert_int_equal(f->nodes.count, 3);
    assert_string_equal(f->nodes.patterns[0], "a\"#b");
    assert_string_equal(f->nodes.patterns[1], "#c");
    assert_string_equal(f->nodes.patterns[2], "// \"d");
    assert_string_equal(f->switches.patterns[0], "e//f");
}

TEST(the_environment_takes_no_part)
{
    load("# \"${HOME}\n/* ${HOME} */\n"
         "snmp \"a\" { address = \"x\" community = \"pa${HOME}ss\" nodes = {\"$HOME\", "
         "\"\\${HOME}\", '${HOME}'} }");
    assert_string_equal(conf.receivers[0].snmp.community, "pa${HOME}ss");
    assert_string_equal(conf.receivers[0].filter.nodes.patterns[0], "$HOME");
    assert_string_equal(conf.receivers[0].filter.nodes.patterns[1], "${HOME}");
    assert_string_equal(conf.receivers[0].filter.nodes.patterns[2], "${HOME}");
}

TEST(syntax_errors_are_told_with_their_line)
{
    static const struct {
        const char *content;
        const char *line;
    } ROWS[] = {{"fabric {\n port = \n", "2: "},
                {"log { }\n}\n", "2: "},
                {"fabric { port = {1, 2} }", "1: "},
                {"fabric { port += 1 }", "1: "},
                {"fabric }\n", "1: "},
                {"fabric { port 1 }\n", "1: "},
                {"log { level = \"info }\n", "1: "},
                {"log {\n level = \"info\\", "2: "},
                {"snmp { address = \"a\" }\n", "1: "}};
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        const char *told = error_of(ROWS[i].content);
        assert_memory_equal(told, ROWS[i].line, 3);
        assert_true(strlen(told) > 10);
    }
}

TEST(a_file_that_cannot_be_read_is_told)
{
    assert_false(conf_load("/nonexistent.conf", &conf, &err));
    assert_string_equal(err.text, "cannot read the configuration '/nonexistent.conf': No such file "
                                  "or directory");
    assert_false(conf_load("/tmp", &conf, &err));
    assert_string_equal(err.text, "cannot read the configuration '/tmp': Is a directory");
}

TEST(a_file_is_bounded)
{
    char expected[300];
    const char *path = support_file("large.conf", "", 0644);
    assert_int_equal(truncate(path, 1 << 20), 0); // filled with NULs
    assert_false(conf_load(path, &conf, &err));
    snprintf(expected, sizeof expected, "the configuration '%s' is longer than 1 MiB", path);
    assert_string_equal(err.text, expected);
    assert_int_equal(truncate(path, (1 << 20) - 1), 0);
    assert_false(conf_load(path, &conf, &err));
    snprintf(expected, sizeof expected, "the configuration '%s' is not a text: it has NUL octets",
             path);
    assert_string_equal(err.text, expected);
}

TEST(a_text_that_is_no_file_is_read_alike)
{
    conf_free(&conf);
    assert_true(conf_load_text("storm { rate = 7 } # seven", "x.conf", true, &conf, &err));
    assert_int_equal(conf.policy.storm_rate, 7);
    assert_int_equal(conf.receiver_count, 1);
    conf_free(&conf);
    assert_true(conf_load_text("", "x.conf", true, &conf, &err));
    check_defaults("syslog");
    conf_free(&conf);
    assert_false(conf_load_text("\nstorm { rate = 7", "x.conf", true, &conf, &err));
    assert_string_equal(
        err.text, "x.conf:2: section 'storm' of line 2 has no end: a closing brace is missing");
}

// A client of the control socket must neither learn which files exist, nor make ibtrapd wait for
// the other end of a FIFO.
TEST(the_text_of_somebody_else_opens_no_file)
{
    const char *fifo = support_path("fifo");
    char text[4000];
    conf_free(&conf);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    for (int i = 0; i < 2; i++) {
        const char *file = i == 0 ? "/nonexistent/file" : fifo;
        snprintf(text, sizeof text,
                 "fabric { sa_key_file = \"%s\"\n node_name_map = \"%s\" }\n"
                 "sweep { mkey_file = \"%s\" }\n"
                 "control { group = \"no-such-group\" }\n"
                 "snmp \"a\" { address = \"192.0.2.1\"\n community_file = \"%s\" }\n"
                 "snmp \"b\" { address = \"192.0.2.1\"\n version = \"3\"\n user = \"u\"\n"
                 "auth = \"SHA\"\n auth_password_file = \"%s\"\n privacy = \"AES\"\n"
                 "privacy_password_file = \"%s\" }\n"
                 "syslog \"c\" { address = \"192.0.2.1\"\n transport = \"tls\"\n"
                 "ca_file = \"%s\"\n certificate_file = \"%s\"\n key_file = \"%s\" }\n"
                 "file \"d\" { path = \"%s\" }\n",
                 file, file, file, file, file, file, file, file, file, file);
        if (!conf_load_text(text, "it", false, &conf, &err))
            fail_msg("%s", err.text);
        assert_int_equal(conf.receiver_count, 4);
        assert_false(conf.fabric.has_sa_key || conf.sweep.has_mkey);
        conf_free(&conf);
    }
    assert_false(conf_load_text("sweep {\n mkey_file = \"mkey\"\n}", "it", false, &conf, &err));
    assert_string_equal(err.text, "it:2: item 'mkey_file': must be an absolute path");
}

TEST(every_mistake_is_told_in_the_order_of_lines)
{
    assert_string_equal(
        mistakes_of("log {\n level = \"loud\"\n levels = {\"ib=no\"}\n}\n"
                    "subagent { writable = true }\n"
                    "tables { socket = { a } }\n"
                    "snmp \"a\" {\n adress = x\n window = 0\n}\n"
                    "policy \"p\" { nodes = x }\n"),
        "2: item 'level': value 'loud': must be one of error, warning, info, debug\n"
        "3: item 'levels': value 'ib=no': the level must be one of error, warning, "
        "info, debug\n"
        "5: subagent: item 'writable' has no effect without item 'socket'\n"
        "6: section 'tables' is called 'subagent' now\n"
        "8: item 'adress': there is no such item here; did you mean 'address'?\n"
        "9: item 'window': value '0': must be from 1 to 512\n"
        "11: policy 'p': it changes nothing: give it 'enabled', 'severity', "
        "'category' or 'hold_down'\n");
    const char *first =
        "item 'level': value 'loud': must be one of error, warning, info, debug (and "
        "6 more mistakes)";
    assert_string_equal(err.text + strlen(err.text) - strlen(first), first);
}

TEST(so_many_mistakes_are_enough)
{
    char content[4096];
    struct text t = text_in(content, sizeof content);
    size_t lines = 0;
    for (int i = 0; i < CONF_MISTAKES_MAX + 5; i++)
        text_add(&t, "fabric { port = x }\n");
    for (const char *p = mistakes_of(content); *p; p++)
        lines += *p == '\n';
    assert_int_equal(lines, CONF_MISTAKES_MAX);
}

TEST(a_name_that_there_is_not_is_helped)
{
    static const struct {
        const char *content, *error;
    } ROWS[] = {
        {"logg { }", "1: section 'logg': there is no such section; did you mean 'log'?"},
        {"fabric { prot = 1 }", "1: item 'prot': there is no such item here; did you mean 'port'?"},
        {"fabric { community = x }",
         "1: item 'community': there is no such item here; it belongs to section 'snmp'"},
        {"fabric { interval = 1 }",
         "1: item 'interval': there is no such item here; it belongs to the sections 'sweep', "
         "'counters' and 'http'"},
        {"alertmanager a { url = x }",
         "1: item 'url': there is no such item here; did you mean 'urls'? 'url' belongs to section "
         "'http'"},
        {"fabric { frobnicate { a = { b } } } ",
         "1: section 'frobnicate': there is no such section"},
        {"fabric {\n port = 1\nlog {\n",
         "3: section 'log' begins in section 'fabric' of line 1: a closing brace is missing (and 1 "
         "more mistake)"},
        {"snmp {\n", "1: section 'snmp' needs a name: write snmp \"name\" {"},
        {"log \"x\" {\n", "1: section 'log' has no name of its own: write log {"},
        {"log { level info }", "1: '=' is expected, and there is 'info'"},
        {"log { levels = {a b} }",
         "1: item 'levels': value 'a': must be a folder of the gateway and its level, such as "
         "\"ib=debug\" (and 1 more mistake)"},
        {"fabric { port += 1 }", "1: item 'port' has one value only: write '=' for '+='"},
        {"log { level = (info) }", "1: parentheses have no meaning here: put a text with them into "
                                   "quotation marks"},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++)
        assert_string_equal(error_of(ROWS[i].content), ROWS[i].error);
}

TEST(texts_have_escapes)
{
    load("file \"a\" { path = /x nodes = {\"\\x41\\102\\t\\n\\\"\\\\\\q\", 'a\\n\\'\\\\', "
         "\"b\\\nc\", "
         "'d\\\ne', leaf*, +1} }");
    static const char *const TEXTS[] = {"AB\t\n\"\\q", "a\\n'\\", "bc", "de", "leaf*", "+1"};
    const struct filter_list *nodes = &conf.receivers[0].filter.nodes;
    assert_int_equal(nodes->count, COUNT(TEXTS));
    for (size_t i = 0; i < COUNT(TEXTS); i++)
        assert_string_equal(nodes->patterns[i], TEXTS[i]);
    static const char *const BAD[] = {"\\0", "\\x00", "\\777", "\\8"};
    for (size_t i = 0; i < COUNT(BAD); i++) {
        char content[100];
        snprintf(content, sizeof content, "file \"a\" {\n path = \"/%s\" }", BAD[i]);
        assert_string_equal(error_of(content), "2: no character has the number behind '\\': put a "
                                               "backslash itself as '\\\\'");
    }
}

TEST(lists_are_continued)
{
    load("counters { thresholds = {\"VL15Dropped=8\"} thresholds += {\"PortXmitWait=9\",} }\n"
         "file \"a\" { path = /x nodes += c nodes += d }\n");
    assert_int_equal(conf.counters.thresholds[COUNTER_VL15_DROPPED], 8);
    assert_int_equal(conf.counters.thresholds[COUNTER_XMIT_WAIT], 9);
    struct filter_list expected = {.count = 0};
    add_pattern(&expected, "c");
    add_pattern(&expected, "d");
    check_list(&conf.receivers[0].filter.nodes, &expected);
}

static void take_warning(void *ctx, const char *sentence)
{
    text_addf(ctx, "%s\n", sentence);
}

static void check_warning(const char *text, const char *expected)
{
    char all[2000];
    struct text t = text_in(all, sizeof all);
    load(text);
    conf_warn(&conf, take_warning, &t);
    assert_string_equal(all, expected);
}

TEST(patterns_of_factory_names_are_warned_of)
{
    static const char END[] = "the description of a factory, which tells no node from the others: "
                              "name the nodes in node_name_map, or use GUIDs";
    char expected[2000];
    snprintf(expected, sizeof expected,
             "receiver \"a\": item 'nodes' has \"MT25408*\", %s\n"
             "receiver \"a\": item 'switches' has \"*Mellanox Technologies*\", %s\n"
             "policy \"p\": item 'nodes' has \"localhost HCA-1\", %s\n",
             END, END, END);
    check_warning(
        "file \"a\" {\n path = /x\n nodes = {\"gpu*\", \"MT25408*\", \"M*\"}\n"
        " switches = {\"*Mellanox Technologies*\", \"leaf1\"}\n}\n"
        "policy \"p\" {\n nodes = {\"localhost HCA-1\", \"0x*\"}\n severity = \"error\"\n}\n",
        expected);
}

TEST(what_has_no_effect_is_warned_of)
{
    check_warning("metrics {\n page = true\n}\n",
                  "section 'metrics': the page is not served without the item 'listen', such as "
                  "listen = \"127.0.0.1:9683\"\n");
    check_warning("metrics {\n page = true\n listen = \"127.0.0.1:9683\"\n}\n", "");
    static const char NOTHING[] = "file \"a\" {\n path = /x\n severity = \"emergency\"\n}\n";
    check_warning(NOTHING, "receiver \"a\" gets no event: no event has such a name, category and "
                           "severity\n");
    check_warning("file \"a\" {\n path = /x\n severity = \"critical\"\n}\n", "");
    check_warning(
        "file \"a\" {\n path = /x\n events = {\"link-*\"}\n categories = {\"security\"}\n}\n",
        "receiver \"a\" gets no event: no event has such a name, category and severity\n");
    check_warning(
        "alertmanager a { urls = \"http://127.0.0.1:1\" events = \"gid-*\" }",
        "receiver \"a\" gets no event: no alarm has such a name, category and severity\n");
    check_warning("alertmanager a { urls = \"http://127.0.0.1:1\" events = \"link-*\" }", "");
    check_warning(
        "snmp \"a\" {\n address = \"[::1]\"\n}\nsnmp \"b\" {\n address = \"[::1]:162\"\n}\n",
        "the receivers \"a\" and \"b\" have the same address and filter: each event arrives "
        "twice at ::1\n");
    check_warning("snmp \"a\" {\n address = \"[::1]\"\n}\n"
                  "snmp \"b\" {\n address = \"[::1]:162\"\n severity = \"error\"\n}\n",
                  "");
    check_warning(
        "policy \"off\" {\n events = {\"*\"}\n enabled = false\n}\n",
        "policy \"off\" disables all events: receivers get nothing; name events or nodes in "
        "it\n");
    check_warning("policy \"off\" {\n events = {\"link-*\"}\n enabled = false\n}\n", "");
}

TEST(a_byte_order_mark_is_passed_over)
{
    check_warning("\xef\xbb\xbf"
                  "file \"a\" {\n path = /x\n}\n",
                  "");
    assert_int_equal(conf.receiver_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONF_TEST(patterns_of_factory_names_are_warned_of),
        CONF_TEST(what_has_no_effect_is_warned_of),
        CONF_TEST(a_byte_order_mark_is_passed_over),
        CONF_TEST(unknown_items_are_errors),
        CONF_TEST(what_stands_twice_is_told),
        CONF_TEST(the_reading_goes_on_after_a_mistake),
        CONF_TEST(a_missing_brace_is_told),
        CONF_TEST(comments_do_not_shift_lines),
        CONF_TEST(a_comment_without_an_end_is_told),
        CONF_TEST(what_looks_like_a_comment_may_be_a_value),
        CONF_TEST(the_environment_takes_no_part),
        CONF_TEST(syntax_errors_are_told_with_their_line),
        CONF_TEST(a_file_that_cannot_be_read_is_told),
        CONF_TEST(a_file_is_bounded),
        CONF_TEST(a_text_that_is_no_file_is_read_alike),
        CONF_TEST(the_text_of_somebody_else_opens_no_file),
        CONF_TEST(every_mistake_is_told_in_the_order_of_lines),
        CONF_TEST(so_many_mistakes_are_enough),
        CONF_TEST(a_name_that_there_is_not_is_helped),
        CONF_TEST(texts_have_escapes),
        CONF_TEST(lists_are_continued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
