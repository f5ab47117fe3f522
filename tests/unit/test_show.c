// What ibtrapctl makes of the daemon's answers.
#include "support.h"

#include "ctl/show.h"

// As the daemon answers; `more` are further items, with a comma before them.
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
    assert_true(show_status(out, status));
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
    "\nTRAP     STATE       DETAIL\n"                                                              \
    "128      subscribed\n"                                                                        \
    "\nRECEIVER         KIND    ADDRESS                           SENT  QUEUED   FAILED  "         \
    "DROPPED\n"                                                                                    \
    "\nJournal  9 events, 1 alarm, 3 MiB, on disk\n"                                               \
    "\nCounters reports 5\n"

TEST(a_status_without_sweeps)
{
    check_status("", HEAD TAIL);
    check_status(",\"sweep\":{\"method\":\"off\"},\"port_counters\":{\"last\":null},"
                 "\"role\":{\"active\":true,\"reason\":\"\"},\"sms\":[]",
                 HEAD TAIL);
}

TEST(a_status_with_sweeps)
{
    check_status(",\"sweep\":{\"method\":\"smp\",\"running\":true,\"last\":"
                 "\"2026-11-21T03:19:03.123456Z\",\"duration_us\":203999,\"complete\":true,"
                 "\"problem\":\"\",\"nodes\":1986,\"links\":3000,\"silent\":0},"
                 "\"port_counters\":{\"last\":\"2026-11-21T03:19:04.000000Z\",\"duration_us\":1000,"
                 "\"ports\":6000,\"silent\":2},\"sms\":[{\"guid\":\"0x0002c90300000011\",\"name\":"
                 "\"sm1\",\"port\":1,\"lid\":3,\"priority\":14,\"state\":\"master\"}]",
                 HEAD
                 "\nSweep    smp, last 2026-11-21T03:19:03.123456Z, 203 ms, complete: 1986 "
                 "nodes, 3000 links, 0 silent\n"
                 "Errors   read 2026-11-21T03:19:04.000000Z, 1 ms: 6000 ports, 2 silent\n"
                 "SM       sm1 port 1, LID 3, GUID 0x0002c90300000011, master, priority 14\n" TAIL);
}

TEST(a_sweep_that_failed)
{
    check_status(",\"sweep\":{\"method\":\"sa\",\"running\":false,\"last\":null,"
                 "\"problem\":\"the port is down\"}",
                 HEAD "\nSweep    sa, none yet\n         the port is down\n" TAIL);
    check_status(",\"sweep\":{\"method\":\"sa\",\"running\":true,\"last\":null,\"problem\":\"\"}",
                 HEAD "\nSweep    sa, the first runs\n" TAIL);
    check_status(",\"sweep\":{\"method\":\"sa\",\"last\":\"2026-11-21T03:19:03.123456Z\","
                 "\"duration_us\":1,\"complete\":false,\"nodes\":1,\"links\":0,\"silent\":1}",
                 HEAD
                 "\nSweep    sa, last 2026-11-21T03:19:03.123456Z, 0 ms, NOT COMPLETE: 1 nodes, "
                 "0 links, 1 silent\n" TAIL);
}

TEST(the_role_is_told_when_there_is_one)
{
    check_status(",\"role\":{\"active\":false,\"reason\":\"the master SM is at LID 3\"}",
                 HEAD "Role     STANDBY, receivers get nothing: the master SM is at LID 3\n" TAIL);
    check_status(",\"role\":{\"active\":true,\"reason\":\"the master SM is at this port\"}",
                 HEAD "Role     active: the master SM is at this port\n" TAIL);
}

TEST(another_shape_is_refused)
{
    json_t *status = make_status("");
    json_object_del(status, "subscriptions");
    assert_false(show_status(stderr, status));
    json_decref(status);
    json_t *page = json_object();
    assert_false(show_changes(stderr, page, true));
    json_decref(page);
}

static void check_changes(const char *page, bool first, const char *expected)
{
    char *shown = NULL;
    size_t size;
    json_error_t why;
    FILE *out = open_memstream(&shown, &size);
    json_t *value = json_loads(page, 0, &why);
    assert_non_null(value);
    assert_true(show_changes(out, value, first));
    fclose(out);
    assert_string_equal(shown, expected);
    free(shown);
    json_decref(value);
}

#define SIDES                                                                                      \
    "\"from\":{\"snapshot\":3,\"time\":\"2026-11-21T03:19:03.123456Z\"},"                          \
    "\"to\":{\"snapshot\":0,\"time\":\"2026-11-21T03:20:03.123456Z\"}"

TEST(changes_are_sentences)
{
    check_changes("{" SIDES ",\"change_count\":2,\"changes\":[{\"text\":\"A.\",\"cause\":null},"
                  "{\"text\":\"B.\",\"cause\":0}]}",
                  true,
                  "From snapshot 3 (2026-11-21T03:19:03.123456Z) to now "
                  "(2026-11-21T03:20:03.123456Z): 2 changes\nA.\n  B.\n");
    check_changes("{" SIDES ",\"change_count\":1,\"changes\":[]}", true,
                  "From snapshot 3 (2026-11-21T03:19:03.123456Z) to now "
                  "(2026-11-21T03:20:03.123456Z): 1 change\n");
    check_changes("{" SIDES ",\"change_count\":2,\"cut\":true,\"changes\":[{\"text\":\"C.\"}]}",
                  false, "C.\nThere is more, but ibtrapd had no memory for it.\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_status_without_sweeps),
        cmocka_unit_test(a_status_with_sweeps),
        cmocka_unit_test(a_sweep_that_failed),
        cmocka_unit_test(the_role_is_told_when_there_is_one),
        cmocka_unit_test(another_shape_is_refused),
        cmocka_unit_test(changes_are_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
