// SPDX-License-Identifier: BSD-2-Clause
// ibtrapctl's output for the daemon's answers.
#include "support.h"

#include "ctl/arguments.h"
#include "ctl/handlers.h"
#include "ctl/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// An answer as the daemon gives it; `more`: further items, with a comma before them.
static json_t *make_status(const char *more)
{
    char text[4000];
    json_error_t why;
    snprintf(text, sizeof text,
             "{\"version\":1,\"release\":\"0.2\",\"uptime\":7,\"problem\":\"\","
             "\"port\":{\"device\":\"mlx5_0\",\"port\":1,\"state\":\"active\",\"lid\":4,"
             "\"guid\":\"0x0002c90300000021\"},"
             "\"sm\":{\"lid\":3,\"guid\":\"0x0002c90300000011\",\"name\":\"sm1\",\"answers\":true},"
             "\"subscriptions\":[{\"trap\":128,\"state\":\"subscribed\",\"detail\":\"\","
             "\"retry_in\":0}],\"receivers\":[],\"counters\":{\"reports\":5},"
             "\"journal\":{\"rows\":9,\"bytes\":3145728,\"durable\":true,\"alarms\":1}%s}",
             more);
    json_t *status = json_loads(text, 0, &why);
    if (!status)
        fail_msg("%s", why.text);
    return status;
}

static void check_status(const char *more, const char *expected)
{
    char *shown = NULL;
    size_t size;
    FILE *out = open_memstream(&shown, &size);
    json_t *status = make_status(more);
    assert_true(show_form(out, &status_form, status, true));
    fclose(out);
    assert_string_equal(shown, expected);
    free(shown);
    json_decref(status);
}

#define HEAD                                                                                       \
    "ibtrapd 0.2, running for 7 s\n"                                                               \
    "Port     mlx5_0 port 1, active, LID 4, GUID 0x0002c90300000021\n"                             \
    "Master   LID 3, GUID 0x0002c90300000011, answers, sm1\n"
#define TAIL                                                                                       \
    "\nTraps    subscribed: 128\n"                                                                 \
    "\nRECEIVER         KIND    ADDRESS                   STATE        SENT   QUEUED   FAILED  "   \
    "DROPPED\n"                                                                                    \
    "\nJournal  9 events, 1 alarm, 3 MiB, on disk\n"                                               \
    "\nCounters reports 5\n"

TEST(one_of_each_is_no_plural)
{
    char *shown = NULL;
    size_t size;
    FILE *out = open_memstream(&shown, &size);
    json_t *status = make_status(",\"journal\":{\"rows\":1,\"bytes\":0,\"durable\":true,"
                                 "\"alarms\":1}");
    assert_true(show_form(out, &status_form, status, true));
    fclose(out);
    assert_non_null(strstr(shown, "Journal  1 event, 1 alarm, 0 MiB, on disk\n"));
    free(shown);
    json_decref(status);
}

// When a subscription is requested again, where that is known.
TEST(a_subscription_that_is_missing)
{
    static const struct {
        const char *wait, *line;
    } ROWS[] = {{"7", "257      pending     no key; retrying in 7 s\n"},
                {"0", "257      pending     no key; retrying now\n"},
                {"null", "257      pending     no key\n"}};
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char *shown = NULL, more[200];
        size_t size;
        FILE *out = open_memstream(&shown, &size);
        snprintf(more, sizeof more,
                 ",\"subscriptions\":[{\"trap\":257,\"state\":\"pending\",\"detail\":\"no key\","
                 "\"retry_in\":%s}]",
                 ROWS[i].wait);
        json_t *status = make_status(more); // the later item holds
        assert_true(show_form(out, &status_form, status, true));
        fclose(out);
        assert_non_null(strstr(shown, ROWS[i].line));
        free(shown);
        json_decref(status);
    }
}

TEST(a_status_without_sweeps)
{
    check_status("", HEAD TAIL);
    check_status(",\"sweep\":{\"method\":\"off\"},\"port_counters\":{\"last\":null},"
                 "\"role\":{\"active\":true,\"reason\":\"\"},\"sms\":[]",
                 HEAD TAIL);
}

TEST(the_worse_verdict_comes_first_and_a_mute_is_shown)
{
    check_status(
        ",\"health\":{\"worse\":\"fabric\",\"fabric\":{\"line\":\"WARNING: It is down.\"},"
        "\"gateway\":{\"line\":\"OK: 17 of 17 subscriptions\"}},\"held_back\":2,\"maintenance\":[{"
        "\"name\":\"rack7\",\"until\":\"2026-11-21T03:19:03.123456Z\",\"who\":\"kim (uid 7)\","
        "\"nodes\":[],\"comment\":\"new cables\"}]",
        "Fabric   WARNING: It is down.\nGateway  OK: 17 of 17 subscriptions\n"
        "In maintenance:\nrack7 until 2026-11-21T03:19:03Z, by kim (uid 7)\n    ALL NODES\n"
        "    new cables\n2 active alarms are held back.\n" HEAD TAIL);
    check_status(",\"health\":{\"worse\":\"gateway\",\"fabric\":{\"line\":\"OK: no open alarm\"},"
                 "\"gateway\":{\"line\":\"OK: 17 of 17 subscriptions\"}}",
                 "Gateway  OK: 17 of 17 subscriptions\nFabric   OK: no open alarm\n" HEAD TAIL);
}

TEST(what_the_sm_does_not_answer_is_shown)
{
    check_status(",\"sm\":{\"lid\":3,\"guid\":\"0x0002c90300000011\",\"name\":\"sm1\","
                 "\"answers\":true,\"unanswered\":\"NodeRecord, SMInfo\"}",
                 HEAD "         does not answer queries for NodeRecord, SMInfo; subscriptions are "
                      "renewed instead\n" TAIL);
}

TEST(a_status_with_sweeps)
{
    check_status(
        ",\"sweep\":{\"method\":\"smp\",\"running\":true,\"last\":"
        "\"2026-11-21T03:19:03.123456Z\",\"duration_us\":203999,\"complete\":true,"
        "\"problem\":\"\",\"sweeps\":2,\"pkeys\":\"the P_Key tables of 3 ports find no room\","
        "\"nodes\":1986,\"links\":3000,\"silent\":0},"
        "\"port_counters\":{\"last\":\"2026-11-21T03:19:04.000000Z\",\"duration_us\":1000,"
        "\"ports\":6000,\"silent\":2},\"sms\":[{\"guid\":\"0x0002c90300000011\",\"name\":"
        "\"sm1\",\"port\":1,\"lid\":3,\"priority\":14,\"state\":\"master\"}]",
        HEAD "\nSweep    smp, last 2026-11-21T03:19:03Z, 203 ms, complete: 1986 "
             "nodes, 3000 links, 0 silent\n"
             "         the next one runs\n"
             "         the P_Key tables of 3 ports find no room\n"
             "Errors   read 2026-11-21T03:19:04Z, 1 ms: 6000 ports, 2 silent\n"
             "SM       sm1 port 1, LID 3, GUID 0x0002c90300000011, master, priority 14\n" TAIL);
}

TEST(counters_without_room_are_told_with_what_to_do)
{
    check_status(",\"port_counters\":{\"last\":\"2026-11-21T03:19:04.000000Z\",\"duration_us\":"
                 "1000,\"ports\":6000,\"silent\":2,\"unwatched_errors\":0,\"unwatched_waits\":5}",
                 HEAD "Errors   read 2026-11-21T03:19:04Z, 1 ms: 6000 ports, 2 silent\n"
                      "         TOO MANY: 0 times an error counter grew, 5 times a port had to "
                      "wait, and there was no room\n"
                      "         to watch it, so that no alarm begins; look for what the links "
                      "have in common\n" TAIL);
}

TEST(a_sweep_that_failed)
{
    check_status(",\"sweep\":{\"method\":\"sa\",\"running\":false,\"last\":null,"
                 "\"problem\":\"the port is down\"}",
                 HEAD "\nSweep    sa, none yet\n         the port is down\n" TAIL);
    check_status(",\"sweep\":{\"method\":\"sa\",\"running\":true,\"last\":null,\"problem\":\"\"}",
                 HEAD "\nSweep    sa, the first runs\n" TAIL);
    check_status(",\"sweep\":{\"method\":\"smp\",\"running\":true,\"found\":7,\"last\":"
                 "\"2026-11-21T03:19:03.123456Z\",\"sweeps\":0,\"problem\":\"\"}",
                 HEAD "\nSweep    smp, the first runs, 7 nodes so far\n" TAIL);
    check_status(",\"sweep\":{\"method\":\"sa\",\"last\":\"2026-11-21T03:19:03.123456Z\","
                 "\"duration_us\":1,\"complete\":false,\"nodes\":1,\"links\":0,\"silent\":1}",
                 HEAD "\nSweep    sa, last 2026-11-21T03:19:03Z, 0 ms, NOT COMPLETE: 1 nodes, "
                      "0 links, 1 silent\n" TAIL);
    check_status(",\"sweep\":{\"method\":\"smp\",\"last\":\"2026-11-21T03:19:03.123456Z\","
                 "\"duration_us\":1,\"complete\":false,\"problem\":\"it found too much\","
                 "\"sweeps\":9,\"overflowed\":3,\"nodes\":1,\"links\":0,\"silent\":1}",
                 HEAD "\nSweep    smp, last 2026-11-21T03:19:03Z, 0 ms, NOT COMPLETE: 1 nodes, "
                      "0 links, 1 silent\n"
                      "         it found too much\n"
                      "         3 of 9 sweeps reached a limit\n" TAIL);
}

static void set(json_t *status, const char *part, const char *name, int value)
{
    json_t *object = json_object_get(status, part);
    if (!object) {
        object = json_object();
        json_object_set_new(status, part, object);
    }
    json_object_set_new(object, name, json_integer(value));
}

TEST(too_many_alarms_are_told_with_what_to_do)
{
    char *shown = NULL;
    size_t size;
    FILE *out = open_memstream(&shown, &size);
    json_t *status = make_status("");
    set(status, "policy", "overflowed", 12);
    set(status, "policy", "read_back", 99);
    set(status, "journal", "alarms_missed", 13);
    assert_true(show_form(out, &status_form, status, true));
    fclose(out);
    assert_non_null(strstr(
        shown,
        "\nAlarms   TOO MANY: 12 events of alarms beyond the limit were treated as events "
        "without an alarm, 13\n         changes are not in the list; end alarms that nobody needs: "
        "'ibtrapctl alarms'\n"));
    free(shown);
    json_decref(status);
    check_status(",\"policy\":{\"overflowed\":0,\"read_back\":99}", HEAD TAIL);
}

TEST(the_role_is_told_when_there_is_one)
{
    check_status(",\"role\":{\"active\":false,\"reason\":\"the master SM is at LID 3\"}",
                 HEAD "Role     STANDBY, receivers get events about this gateway only: the master "
                      "SM is at LID 3\n" TAIL);
    check_status(",\"role\":{\"active\":true,\"reason\":\"the master SM is at this port\"}",
                 HEAD "Role     active: the master SM is at this port\n" TAIL);
}

TEST(another_shape_is_refused)
{
    json_t *status = make_status("");
    json_object_del(status, "subscriptions");
    assert_false(show_form(stderr, &status_form, status, true));
    json_decref(status);
}

// The output of a function of ctl/show.h for a value, or for a missing one.
static char *shown_of(void (*show)(FILE *out, const json_t *value), const char *json)
{
    char *shown = NULL;
    size_t size;
    json_error_t why;
    FILE *out = open_memstream(&shown, &size);
    json_t *value = json_loads(json, 0, &why);
    if (!value)
        fail_msg("%s", why.text);
    show(out, value);
    fclose(out);
    json_decref(value);
    return shown;
}

static void check_shown(void (*show)(FILE *out, const json_t *value), const char *json,
                        const char *expected)
{
    char *shown = shown_of(show, json);
    assert_string_equal(shown, expected);
    free(shown);
}

static void event(FILE *out, const json_t *one)
{
    assert_true(show_form(out, &event_form, one, true));
}

TEST(an_event_is_a_line_and_its_sentence)
{
    check_shown(event,
                "{\"number\":7,\"time\":\"2026-11-21T03:19:03.123456Z\",\"severity\":\"warning\","
                "\"event\":\"link-down\",\"text\":\"Port 1 of \\u001b[2Jleaf1 went down.\"}",
                "       7  2026-11-21T03:19:03Z  warning        link-down\n"
                "          Port 1 of ?[2Jleaf1 went down.\n");
    check_shown(event,
                "{\"number\":1234567890,\"time\":\"2026-11-21T03:19:03.123456Z\",\"severity\":"
                "\"informational\",\"event\":\"link-up\",\"text\":\"It came up.\",\"suppressed\":"
                "\"standby\"}",
                "1234567890  2026-11-21T03:19:03Z  informational  link-up\n"
                "          It came up.\n"
                "          suppressed: standby\n");
}

static void layout_of_all(FILE *out, const json_t *object)
{
    show_layout(out, "<{word:-6}|{word:.2}|{number:4}|{number/10}|{list}|{yes}|{missing}>", object);
    show_layout(out,
                "[yes?A[no?B|C]|D[yes?E]][no?F][missing?G|H][number=42?I|J][no,yes?K][word=w?|L]",
                object);
    show_layout(out, "[part.zero?M|N][part.text?{part.text}][part.zero=0?O][part.empty?P]", object);
}

TEST(a_layout_fills_cuts_and_chooses)
{
    check_shown(layout_of_all,
                "{\"word\":\"word\",\"number\":42,\"list\":[1,2],\"yes\":true,\"no\":false,"
                "\"part\":{\"zero\":0,\"text\":\"0\",\"empty\":\"\"}}",
                "<word  |wo|  42|4|2|true|>ACHIKLN0O");
}

static void first_alarms(FILE *out, const json_t *page)
{
    assert_true(show_form(out, &alarm_form, page, true));
}

TEST(alarms_tell_what_people_did_with_them)
{
    check_shown(first_alarms, "{\"alarms\":[]}", "No alarm is active.\n");
    check_shown(
        first_alarms,
        "{\"alarms\":[{\"number\":7,\"raised\":\"2026-11-21T03:19:03.123456Z\",\"severity\":"
        "\"error\",\"event\":\"switch-removed\",\"text\":\"It left.\",\"key\":\"node 1\","
        "\"count\":3,\"acknowledged\":\"2026-11-21T03:20:03.123456Z\",\"note\":\"on my way\","
        "\"acknowledged_by\":\"kim (uid 7)\",\"suppressed\":\"storm\",\"consequences\":2,"
        "\"shelved_until\":\"2026-11-21T04:20:03.123456Z\"}]}",
        "  NUMBER  RAISED                SEVERITY       EVENT\n"
        "       7  2026-11-21T03:19:03Z  error          switch-removed, 3 times\n"
        "          It left.\n"
        "          key: node 1\n"
        "          and 2 alarms that follow\n"
        "          suppressed: storm\n"
        "          acknowledged 2026-11-21T03:20:03Z by kim (uid 7):\n"
        "            on my way\n"
        "          shelved until 2026-11-21T04:20:03Z\n");
}

static void first_receivers(FILE *out, const json_t *answer)
{
    assert_true(show_form(out, &receiver_form, answer, true));
}

TEST(receivers_with_long_names_keep_their_columns)
{
    check_shown(
        first_receivers,
        "{\"receivers\":[{\"name\":\"nms\",\"kind\":\"snmp\",\"address\":\"nms port "
        "162\",\"state\":"
        "\"working\",\"sent\":3,\"queued\":0,\"failed\":0,\"dropped\":0,\"problem\":\"\"},{"
        "\"name\":"
        "\"a-name-that-does-not-fit\",\"kind\":\"syslog\",\"address\":"
        "\"tcp a-host-with-a-long-name.example.org port 514\",\"state\":\"failing\",\"sent\":1,"
        "\"queued\":2,\"failed\":3,\"dropped\":4,\"problem\":\"connection refused\"},{"
        "\"name\":\"alerts\",\"kind\":\"alertmanager\",\"address\":\"http://am1:9093\",\"state\":"
        "\"working\",\"sent\":5,\"queued\":0,\"failed\":0,\"dropped\":0,\"problem\":\"\"}],"
        "\"gone\":["
        "{\"name\":\"siem\",\"since\":\"2026-11-21T03:20:03Z\",\"cursor\":7,\"queued\":1}]}",
        "RECEIVER         KIND    ADDRESS                   STATE        SENT   QUEUED   FAILED  "
        "DROPPED\n"
        "nms              snmp    nms port 162              working         3        0        0   "
        "     0\n"
        "a-name-that-does-not-fit\n"
        "                 syslog                            failing         1        2        3   "
        "     4\n"
        "    tcp a-host-with-a-long-name.example.org port 514\n"
        "    connection refused\n"
        "alerts           alertmanager http://am1:9093      working         5        0        0   "
        "     0\n"
        "gone since 2026-11-21T03:20:03Z: siem, which did not get 1 event\n");
    check_shown(
        first_receivers,
        "{\"receivers\":[{\"name\":\"alerts\",\"kind\":\"alertmanager\",\"address\":"
        "\"http://127.0.0.1:9093\",\"state\":\"working\",\"sent\":5,\"queued\":0,\"failed\":0,"
        "\"dropped\":0,\"problem\":\"\"}]}",
        "RECEIVER         KIND    ADDRESS                    STATE        SENT   QUEUED   FAILED  "
        "DROPPED\n"
        "alerts           alertmanager http://127.0.0.1:9093 working         5        0        0   "
        "     0\n");
}

// The longest line of the answer at a terminal with so many columns. Takes over the reference.
static size_t longest_line_at(unsigned short columns, const struct show_form *form, json_t *answer,
                              const char *part)
{
    char shown[3000] = "";
    struct termios raw;
    const struct winsize size = {.ws_row = 24, .ws_col = columns};
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_int_equal(tcgetattr(slave, &raw), 0);
    cfmakeraw(&raw);
    assert_int_equal(tcsetattr(slave, TCSANOW, &raw), 0);
    assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
    FILE *out = fdopen(slave, "w");
    setenv("NO_COLOR", "1", 1);
    assert_true(show_form(out, form, answer, true));
    json_decref(answer);
    fputs("END\n", out);
    fflush(out);
    for (size_t got = 0; !strstr(shown, "END\n");) {
        const ssize_t n = read(master, shown + got, sizeof shown - 1 - got);
        assert_true(n > 0);
        got += (size_t)n;
    }
    fclose(out);
    close(master);
    assert_non_null(strstr(shown, part));
    size_t longest = 0;
    for (char *line = strtok(shown, "\n"); line; line = strtok(NULL, "\n"))
        longest = strlen(line) > longest ? strlen(line) : longest;
    return longest;
}

TEST(what_lasts_is_written_in_minutes_hours_or_days)
{
    static const struct {
        const char *text;
        long long minutes; // -1: refused
    } ROWS[] = {{"0", 0},     {"90", 90},
                {"90m", 90},  {"2h", 120},
                {"3d", 4320}, {"", -1},
                {"h", -1},    {"2x", -1},
                {"120s", -1}, {"2hh", -1},
                {"-2h", -1},  {" 2", -1},
                {"2 h", -1},  {"9999999999999999999d", -1}};
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        long long minutes;
        const bool ok = arguments_read_minutes(ROWS[i].text, &minutes);
        assert_int_equal(ok, ROWS[i].minutes >= 0);
        assert_true(!ok || minutes == ROWS[i].minutes);
    }
}

TEST(receivers_fit_the_terminal)
{
    static const char ANSWER[] =
        "{\"receivers\":[{\"name\":\"nms\",\"kind\":\"snmp\",\"address\":"
        "\"[2001:db8:1:2:3::162]:1162\",\"state\":\"failing\",\"sent\":3,\"queued\":0,"
        "\"failed\":0,\"dropped\":0,\"problem\":\"\"}],\"gone\":[]}";
    static const struct {
        unsigned short columns;
        size_t least, most;
    } ROWS[] = {{80, 60, 80}, {100, 90, 100}, {200, 90, 120}}; // no wider than the content
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        assert_in_range(longest_line_at(ROWS[i].columns, &receiver_form,
                                        json_loads(ANSWER, 0, NULL), "[2001:db8:1:2:3::162]:1162"),
                        ROWS[i].least, ROWS[i].most);
}

TEST(the_status_and_links_fit_the_terminal)
{
    static const char LINKS[] =
        "{\"links\":[{\"ends\":[{\"name\":\"leaf1\",\"port\":12},{\"name\":\"spine17\","
        "\"port\":12}],\"unreliable\":true,\"occasion_count\":1,\"failures\":1,\"flaps\":0,"
        "\"error_alarms\":0,\"last\":\"2026-11-28T16:02:02.000000Z\"}],\"total\":1}";
    json_t *status = make_status(
        ",\"sweep\":{\"method\":\"smp\",\"running\":false,\"last\":\"2026-11-21T03:19:04.000000Z\","
        "\"duration_us\":1000,\"complete\":true,\"nodes\":2012,\"links\":3840,\"inactive\":3,"
        "\"silent\":0,\"problem\":\"the port of this host was down when the sweep began, and the "
        "sweep begins again when the port is "
        "up\"},\"sms\":[{\"name\":\"a-host-of-a-long-name\",\"port\":1,"
        "\"lid\":1,\"guid\":\"0x0002c90300a10001\",\"state\":\"master\",\"priority\":0}]");
    for (const char *const *name = (const char *const[]){"acknowledged", "repeated", "foreign",
                                                         "malformed", "no_room", "events", NULL};
         *name; name++)
        set(status, "counters", *name, 7);
    assert_in_range(longest_line_at(80, &status_form, status, "3 of them"), 60, 80);
    assert_in_range(longest_line_at(80, &link_form, json_loads(LINKS, 0, NULL),
                                    "leaf1 port 12 - spine17 port 12, unreliable"),
                    50, 80);
    assert_in_range(longest_line_at(200, &link_form, json_loads(LINKS, 0, NULL),
                                    "Z  leaf1 port 12 - spine17 port 12"),
                    90, 110);
}

static void delivery(FILE *out, const json_t *answer)
{
    assert_true(show_form(out, &delivery_form, answer, true));
}

TEST(fates_at_a_receiver_of_a_long_kind_keep_their_columns)
{
    check_shown(delivery,
                "{\"event\":{\"number\":7,\"time\":\"2026-11-21T03:19:03.123456Z\",\"severity\":"
                "\"error\",\"event\":\"link-down\",\"text\":\"It is down.\"},\"receivers\":["
                "{\"name\":\"nms\",\"kind\":\"snmp\",\"state\":\"waiting\",\"reason\":\"why\"},"
                "{\"name\":\"alerts\",\"kind\":\"alertmanager\",\"state\":\"waiting\",\"reason\":"
                "\"why\"}]}",
                "  NUMBER  TIME                  SEVERITY       EVENT\n"
                "       7  2026-11-21T03:19:03Z  error          link-down\n"
                "          It is down.\n"
                "\n"
                "RECEIVER         KIND         STATE      TIME, REASON\n"
                "nms              snmp         waiting    why\n"
                "alerts           alertmanager waiting    why\n");
}

static void check_wrapped(int indent, const char *text, const char *expected)
{
    char *shown = NULL;
    size_t size;
    FILE *out = open_memstream(&shown, &size);
    terminal_wrap(out, indent, text);
    fclose(out);
    assert_string_equal(shown, expected);
    free(shown);
}

TEST(text_is_broken_between_words)
{
    check_wrapped(4, "", "");
    check_wrapped(4, "short", "    short\n");
    check_wrapped(90, "0123456789 0123 56789 01234 678901",
                  "                                                                                "
                  "          0123456789\n"
                  "                                                                                "
                  "          0123 56789\n"
                  "                                                                                "
                  "          01234\n"
                  "                                                                                "
                  "          678901\n");
    // A word longer than a line is split; a character of several octets takes one column and is
    // never split.
    check_wrapped(96, "abcdefg",
                  "                                                                                "
                  "                abcd\n"
                  "                                                                                "
                  "                efg\n");
    check_wrapped(96, "ääöüß",
                  "                                                                                "
                  "                ääöü\n"
                  "                                                                                "
                  "                ß\n");
}

static void check_when(const char *text, int64_t expected)
{
    int64_t us = -1;
    if (!time_parse(text, SUPPORT_UTC_US, &us))
        fail_msg("%s is no time", text);
    assert_true(us == expected);
}

TEST(times_as_people_give_them)
{
    const int64_t second = CLOCK_US_PER_S;
    check_when("90s", SUPPORT_UTC_US - 90 * second);
    check_when("10m", SUPPORT_UTC_US - 600 * second);
    check_when("2h", SUPPORT_UTC_US - 7200 * second);
    check_when("3d", SUPPORT_UTC_US - 3 * 86400 * second);
    check_when("0s", SUPPORT_UTC_US);
    check_when("2026-11-21T03:19:03.123456Z", SUPPORT_UTC_US);
    check_when("2026-11-21T03:19:03.1234567Z", SUPPORT_UTC_US);
    check_when("2026-11-21T03:19:03.1z", SUPPORT_UTC_US - 23456);
    check_when("2026-11-21T03:19:03Z", SUPPORT_UTC_US - 123456);
    check_when("2026-11-21T04:49:03+01:30", SUPPORT_UTC_US - 123456);
    check_when("2026-11-20T22:19:03-05:00", SUPPORT_UTC_US - 123456);
    static const char *const NONSENSE[] = {"",
                                           "10",
                                           "m",
                                           "-1m",
                                           "1x",
                                           "1mm",
                                           "1 m",
                                           "99999999999d",
                                           "9999999999d",
                                           "now",
                                           "2026-11-21",
                                           "2026-11-21T03:19:03",
                                           "2026-11-21T03:19:03.Z",
                                           "2026-11-21T03:19:03+1:00",
                                           "2026-11-21T03:19:03+01:00x",
                                           "2026-11-21T03:19:03+24:00",
                                           "2026-11-21T03:19:03*01:00",
                                           "2026-13-21T03:19:03Z",
                                           "2026-11-21T03:19:03Zz",
                                           "1969-11-21T03:19:03Z"};
    for (size_t i = 0; i < COUNT(NONSENSE); i++) {
        int64_t us;
        if (time_parse(NONSENSE[i], SUPPORT_UTC_US, &us))
            fail_msg("%s is a time", NONSENSE[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_status_without_sweeps),
        cmocka_unit_test(the_worse_verdict_comes_first_and_a_mute_is_shown),
        cmocka_unit_test(what_the_sm_does_not_answer_is_shown),
        cmocka_unit_test(one_of_each_is_no_plural),
        cmocka_unit_test(a_subscription_that_is_missing),
        cmocka_unit_test(a_status_with_sweeps),
        cmocka_unit_test(a_sweep_that_failed),
        cmocka_unit_test(counters_without_room_are_told_with_what_to_do),
        cmocka_unit_test(too_many_alarms_are_told_with_what_to_do),
        cmocka_unit_test(the_role_is_told_when_there_is_one),
        cmocka_unit_test(another_shape_is_refused),
        cmocka_unit_test(a_layout_fills_cuts_and_chooses),
        cmocka_unit_test(an_event_is_a_line_and_its_sentence),
        cmocka_unit_test(alarms_tell_what_people_did_with_them),
        cmocka_unit_test(receivers_with_long_names_keep_their_columns),
        cmocka_unit_test(receivers_fit_the_terminal),
        cmocka_unit_test(the_status_and_links_fit_the_terminal),
        cmocka_unit_test(what_lasts_is_written_in_minutes_hours_or_days),
        cmocka_unit_test(fates_at_a_receiver_of_a_long_kind_keep_their_columns),
        cmocka_unit_test(text_is_broken_between_words),
        cmocka_unit_test(times_as_people_give_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
