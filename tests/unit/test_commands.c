// SPDX-License-Identifier: BSD-2-Clause
// The tables of commands of ibtrapctl and of the control socket.
#include "server_thread.h"
#include "support.h"

#include "control/commands.h"
#include "ctl/commands.h"

#include <pthread.h>

static const struct control_command *find_control(const char *name)
{
    size_t count;
    const struct control_command *commands = control_commands(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

TEST(the_daemon_answers_each_command_of_the_client)
{
    size_t count;
    const struct command *commands = commands_get(&count);
    for (size_t i = 0; i < count; i++) {
        if (commands[i].wire && !find_control(commands[i].wire))
            fail_msg("ibtrapd does not know '%s' of ibtrapctl %s", commands[i].wire,
                     commands[i].name);
    }
}

TEST(the_client_sends_each_command_of_the_daemon)
{
    size_t count, sent_count;
    const struct control_command *commands = control_commands(&count);
    const struct command *sent = commands_get(&sent_count);
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < sent_count && (!sent[j].wire || strcmp(sent[j].wire, commands[i].name) != 0))
            j++;
        if (j == sent_count)
            fail_msg("no command of ibtrapctl sends '%s'", commands[i].name);
        assert_ptr_equal(find_control(commands[i].name), &commands[i]); // no second row
        assert_non_null(commands[i].answer);
    }
}

// The commands that unprivileged users may send, repeated here to find a wrong row.
TEST(strangers_may_only_read)
{
    static const char *const READ[] = {"status",           "health",    "events",   "explain",
                                       "alarms",           "receivers", "topology", "topology-list",
                                       "maintenance-list", "links",     "contexts", "ports",
                                       "inventory"};
    size_t count, found = 0;
    const struct control_command *commands = control_commands(&count);
    for (size_t i = 0; i < COUNT(READ); i++)
        assert_true(control_reads_only(READ[i]));
    for (size_t i = 0; i < count; i++)
        found += control_reads_only(commands[i].name);
    assert_int_equal(found, COUNT(READ));
    assert_false(control_reads_only("shutdown"));
    assert_false(control_reads_only(""));
}

// The commands that ibtrapctl really sends: a socket records the first command of each connection
// and refuses it.

static pthread_mutex_t noted_lock = PTHREAD_MUTEX_INITIALIZER;
static char noted[64];

static json_t *note(void *ctx, const struct peer_credentials *client, const char *command,
                    const json_t *request)
{
    (void)ctx, (void)client, (void)request;
    pthread_mutex_lock(&noted_lock);
    if (noted[0] == '\0')
        snprintf(noted, sizeof noted, "%s", command);
    pthread_mutex_unlock(&noted_lock);
    return json_pack("{s:i, s:s}", "version", 1, "error", "no");
}

static bool nothing_only_reads(const char *command)
{
    (void)command;
    return false;
}

static enum command_outcome refusal_of(const char *command)
{
    return strcmp(command, "health") == 0           ? COMMAND_UNKNOWN
           : strcmp(command, "topology check") == 0 ? COMMAND_TROUBLE
                                                    : COMMAND_REFUSED;
}

// A file with a switch for commands that take a file, and the number of a snapshot for the other
// commands.
static char *topology_path(const struct command *command)
{
    static char number[] = "5", path[512];
    if (!strstr(command->arguments, "FILE"))
        return number;
    snprintf(path, sizeof path, "%s", support_path("topology"));
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("Switch 4 \"S-0000000000000001\"\n", f);
    fclose(f);
    return path;
}

static void check_sent(const struct command *command, const char *socket)
{
    char number[] = "5", path[] = "/dev/null", port[] = "leaf1/12";
    char *words[4];
    struct error err;
    for (int i = 0; i < command->min; i++)
        words[i] = strcmp(command->name, "dry-run") == 0         ? path
                   : strcmp(command->name, "port") == 0          ? port
                   : strncmp(command->name, "topology ", 9) == 0 ? topology_path(command)
                                                                 : number;
    const struct arguments a = {
        .out = stderr, .command = command, .socket = socket, .count = command->min, .words = words};
    pthread_mutex_lock(&noted_lock);
    noted[0] = '\0';
    pthread_mutex_unlock(&noted_lock);
    assert_in_range(command->min, 0, COUNT(words));
    assert_int_equal(command->run(&a, &err), refusal_of(command->name));
    assert_string_equal(err.text, "ibtrapd: no");
    pthread_mutex_lock(&noted_lock);
    assert_string_equal(noted, command->wire);
    pthread_mutex_unlock(&noted_lock);
}

TEST(each_command_sends_what_its_row_says)
{
    size_t count;
    struct log *log = support_log(NULL);
    const struct command *commands = commands_get(&count);
    server_thread_start(&(struct server_options){.path = support_path("commands"),
                                                 .group = SERVER_OWN_GROUP,
                                                 .handler = note,
                                                 .reads_only = nothing_only_reads,
                                                 .log = log});
    for (size_t i = 0; i < count; i++) {
        if (commands[i].wire && strcmp(commands[i].name, "support") != 0) // it makes a file
            check_sent(&commands[i], support_path("commands"));
    }
    server_thread_stop();
    log_close(log);
}

// Finding commands.

static const char *found(int count, char *const *words, int *used)
{
    const struct command *command = commands_find(count, words, used);
    return command ? command->name : "";
}

TEST(the_longest_name_is_the_command)
{
    int used;
    assert_string_equal(found(2, (char *[]){"topology", "list"}, &used), "topology list");
    assert_int_equal(used, 2);
    assert_string_equal(found(2, (char *[]){"topology", "5"}, &used), "topology");
    assert_int_equal(used, 1);
    assert_string_equal(found(1, (char *[]){"sweep"}, &used), "");
    assert_string_equal(found(2, (char *[]){"topo", "list"}, &used), "");
    assert_string_equal(found(0, NULL, &used), "");
}

// The help.

static char *help_of(int count, char **words, enum command_outcome expected)
{
    char *text = NULL;
    size_t size;
    struct arguments a = {.out = open_memstream(&text, &size), .count = count, .words = words};
    assert_int_equal(commands_run(&a), expected);
    fclose(a.out);
    return text;
}

TEST(the_help_has_each_command)
{
    size_t count;
    const struct command *commands = commands_get(&count);
    char *all = help_of(1, (char *[]){"help"}, COMMAND_DONE);
    for (size_t i = 0; i < count; i++) {
        char line[100];
        snprintf(line, sizeof line, "\n  %s %s", commands[i].name, commands[i].arguments);
        assert_int_equal(strstr(all, line) != NULL, commands[i].help != NULL);
    }
    free(all);
}

TEST(the_help_of_a_command_has_its_options_only)
{
    char *one = help_of(2, (char *[]){"help", "test"}, COMMAND_DONE);
    assert_non_null(strstr(one, "Usage: ibtrapctl test EVENT [OPTION]...\n"));
    assert_non_null(strstr(one, "--receiver RECEIVER"));
    assert_null(strstr(one, "--since"));
    free(one);
    one = help_of(3, (char *[]){"help", "alarms", "shelve"}, COMMAND_DONE);
    assert_ptr_equal(strstr(one, "Usage: ibtrapctl alarms shelve ALARM MINUTES\n\nSuppress "), one);
    assert_null(strstr(one, "acknowledge"));
    free(one);
}

TEST(the_help_of_a_word_has_each_command_that_begins_with_it)
{
    char *alarms = help_of(2, (char *[]){"help", "alarms"}, COMMAND_DONE);
    assert_non_null(strstr(alarms, "ibtrapctl alarms [OPTION]...\n"));
    assert_non_null(strstr(alarms, "ibtrapctl alarms acknowledge "));
    assert_non_null(strstr(alarms, "ibtrapctl alarms shelve "));
    assert_non_null(strstr(alarms, "ibtrapctl alarms clear "));
    free(alarms);
    free(help_of(2, (char *[]){"help", "alarm"}, COMMAND_WRONG_USAGE));
    free(help_of(3, (char *[]){"help", "status", "status"}, COMMAND_WRONG_USAGE));
}

TEST(a_command_takes_so_many_words_and_its_options_only)
{
    char *words[] = {"status", "now"};
    struct arguments a = {.out = stderr, .socket = "/nowhere", .count = 2, .words = words};
    assert_int_equal(commands_run(&a), COMMAND_WRONG_USAGE);
    a.count = 1;
    a.words = words;
    assert_int_equal(commands_run(&a), COMMAND_REFUSED);
    a.count = 1;
    a.words = words;
    a.values[OPTION_SINCE] = "2h";
    assert_int_equal(commands_run(&a), COMMAND_WRONG_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_daemon_answers_each_command_of_the_client),
        cmocka_unit_test(the_client_sends_each_command_of_the_daemon),
        cmocka_unit_test(strangers_may_only_read),
        cmocka_unit_test(each_command_sends_what_its_row_says),
        cmocka_unit_test(the_longest_name_is_the_command),
        cmocka_unit_test(the_help_has_each_command),
        cmocka_unit_test(the_help_of_a_command_has_its_options_only),
        cmocka_unit_test(the_help_of_a_word_has_each_command_that_begins_with_it),
        cmocka_unit_test(a_command_takes_so_many_words_and_its_options_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
