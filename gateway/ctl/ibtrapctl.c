// ibtrapctl: asks a running ibtrapd, from the shell.

#include "base/clock.h"
#include "base/instance.h"
#include "base/text.h"
#include "ctl/client.h"
#include "ctl/dry_run_command.h"
#include "ctl/event_commands.h"
#include "ctl/journal_commands.h"
#include "ctl/maintenance_commands.h"
#include "ctl/pages.h"
#include "ctl/show.h"
#include "ctl/time_parser.h"
#include "ctl/topology_commands.h"
#include "install.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Exit statuses that scripts can use.
enum { DONE = 0, FAILED = 1, USAGE = 2 };

// Options that only some commands take.
enum choice { SINCE, UNTIL, SEVERITY, NODE, EVENT, LIMIT, FOLLOW, RECEIVER, CHOICES };

struct arguments {
    const char *socket, *file; // NULL: the instance's
    const char *instance;
    bool json;
    const char *choices[CHOICES]; // NULL: not given
    int count;                    // of the words behind the command
    char **words;
};

// What a command's function finds.
enum outcome { OK, WRONG_USAGE, REFUSED /* with a sentence */ };

static enum outcome done(bool ok)
{
    return ok ? OK : REFUSED;
}

static bool ibtrapctl_read_number(const char *text, long long *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0';
}

// Sends a command that is answered with nothing but that it is done.
static enum outcome ibtrapctl_command(const struct arguments *a, const char *command, json_t *items,
                                      struct error *err)
{
    json_t *answer = client_request(a->socket, command, items, err);
    json_decref(answer);
    return done(answer != NULL);
}

static enum outcome run_status(const struct arguments *a, struct error *err)
{
    json_t *status = client_request(a->socket, "status", json_object(), err);
    if (!status)
        return REFUSED;
    bool ok = show_answer(stdout, status, a->json, show_status, err);
    json_decref(status);
    return done(ok);
}

static enum outcome run_catalogue(const struct arguments *a, struct error *err)
{
    if (!a->json) {
        show_catalogue(stdout);
        return OK;
    }
    json_t *catalogue = show_catalogue_json();
    bool ok = show_json(stdout, catalogue, err);
    json_decref(catalogue);
    return done(ok);
}

// A snapshot's number, or 0 for now.
static bool read_snapshot(const char *text, long long *out)
{
    *out = 0;
    return strcmp(text, "now") == 0 || (ibtrapctl_read_number(text, out) && *out > 0);
}

static enum outcome run_topology(const struct arguments *a, struct error *err)
{
    long long number = 0;
    if (a->count == 1 && !read_snapshot(a->words[0], &number))
        return WRONG_USAGE;
    return done(topology_commands_show(stdout, a->socket, number, a->json, err));
}

static enum outcome run_topology_list(const struct arguments *a, struct error *err)
{
    return done(topology_commands_list(stdout, a->socket, a->json, err));
}

static enum outcome run_topology_diff(const struct arguments *a, struct error *err)
{
    long long from, to;
    if (!read_snapshot(a->words[0], &from) || !read_snapshot(a->words[1], &to))
        return WRONG_USAGE;
    return done(topology_commands_diff(stdout, a->socket, from, to, a->json, err));
}

// A time of the choice; true, too, when it was not given.
static bool ibtrapctl_read_time(const struct arguments *a, enum choice choice, int64_t *out)
{
    const char *text = a->choices[choice];
    *out = 0;
    if (!text || time_parse(text, clock_utc(&clock_system), out))
        return true;
    fprintf(stderr,
            "ibtrapctl: %s is no time; it must be such as 10m, 2h, 3d or 2026-11-21T04:06:39Z\n",
            text);
    return false;
}

static bool read_limit(const struct arguments *a, int64_t *out)
{
    long long number = 0;
    const char *text = a->choices[LIMIT];
    bool ok = !text || (ibtrapctl_read_number(text, &number) && number >= 1 &&
                        number <= EVENT_COMMANDS_LIMIT_MAX);
    *out = number;
    if (!ok)
        fprintf(stderr, "ibtrapctl: the limit must be from 1 to %d\n", EVENT_COMMANDS_LIMIT_MAX);
    return ok;
}

static enum outcome run_events(const struct arguments *a, struct error *err)
{
    struct event_choice choice = {
        .severity = a->choices[SEVERITY], .node = a->choices[NODE], .event = a->choices[EVENT]};
    if (!ibtrapctl_read_time(a, SINCE, &choice.since_us) ||
        !ibtrapctl_read_time(a, UNTIL, &choice.until_us) || !read_limit(a, &choice.limit))
        return WRONG_USAGE;
    if (!a->choices[FOLLOW])
        return done(event_commands_list(stdout, a->socket, &choice, a->json, err));
    return choice.until_us ? WRONG_USAGE
                           : done(event_commands_follow(stdout, a->socket, &choice, a->json, err));
}

static enum outcome run_explain(const struct arguments *a, struct error *err)
{
    return done(event_commands_explain(stdout, a->socket, a->words[0], a->json, err));
}

static enum outcome run_test(const struct arguments *a, struct error *err)
{
    return done(event_commands_test(stdout, a->socket, a->words[0], a->choices[NODE],
                                    a->choices[RECEIVER], a->json, err));
}

static enum outcome run_alarms(const struct arguments *a, struct error *err)
{
    const struct pages pages = {stdout, "alarms", a->json ? NULL : show_alarms};
    return done(pages_write(&pages, a->socket, "alarms", json_object(), err));
}

static enum outcome run_acknowledge(const struct arguments *a, struct error *err)
{
    const char *note = a->count > 1 ? a->words[1] : "";
    return ibtrapctl_command(a, "alarm-acknowledge",
                             json_pack("{s:s, s:s}", "alarm", a->words[0], "note", note), err);
}

static enum outcome run_shelve(const struct arguments *a, struct error *err)
{
    long long minutes;
    if (!ibtrapctl_read_number(a->words[1], &minutes))
        return WRONG_USAGE;
    return ibtrapctl_command(
        a, "alarm-shelve",
        json_pack("{s:s, s:I}", "alarm", a->words[0], "minutes", (json_int_t)minutes), err);
}

static enum outcome run_receivers(const struct arguments *a, struct error *err)
{
    const struct pages pages = {stdout, "receivers", a->json ? NULL : show_receivers};
    return done(pages_write(&pages, a->socket, "receivers", json_object(), err));
}

static enum outcome run_pause(const struct arguments *a, struct error *err)
{
    return ibtrapctl_command(a, "receiver-pause", json_pack("{s:s}", "name", a->words[0]), err);
}

static enum outcome run_resume(const struct arguments *a, struct error *err)
{
    return ibtrapctl_command(a, "receiver-resume", json_pack("{s:s}", "name", a->words[0]), err);
}

static enum outcome run_flush(const struct arguments *a, struct error *err)
{
    return ibtrapctl_command(a, "receiver-flush", json_pack("{s:s}", "name", a->words[0]), err);
}

static enum outcome run_resubscribe(const struct arguments *a, struct error *err)
{
    return ibtrapctl_command(a, "resubscribe", json_object(), err);
}

static enum outcome run_log(const struct arguments *a, struct error *err)
{
    return ibtrapctl_command(
        a, "log",
        json_pack("{s:s, s:s}", "level", a->words[0], "folder", a->count > 1 ? a->words[1] : ""),
        err);
}

static enum outcome run_sweep(const struct arguments *a, struct error *err)
{
    return ibtrapctl_command(a, "sweep-now", json_object(), err);
}

static enum outcome run_reload(const struct arguments *a, struct error *err)
{
    json_t *answer = client_request(a->socket, "reload", json_object(), err);
    if (!answer)
        return REFUSED;
    const char *restart = json_string_value(json_object_get(answer, "restart"));
    if (restart && restart[0] != '\0')
        printf("Reloaded. These items wait for a restart of ibtrapd: %s\n", restart);
    json_decref(answer);
    return OK;
}

static enum outcome run_maintenance_start(const struct arguments *a, struct error *err)
{
    int64_t until;
    if (!maintenance_commands_read_end(a->words[1], clock_utc(&clock_system), &until))
        return WRONG_USAGE;
    return done(
        maintenance_commands_start(a->socket, a->words[0], until, a->words + 2, a->count - 2, err));
}

static enum outcome run_maintenance_stop(const struct arguments *a, struct error *err)
{
    return done(maintenance_commands_stop(a->socket, a->words[0], err));
}

static enum outcome run_maintenance_list(const struct arguments *a, struct error *err)
{
    return done(maintenance_commands_list(stdout, a->socket, a->json, err));
}

static enum outcome run_dry_run(const struct arguments *a, struct error *err)
{
    long long events = 0;
    if (a->count == 2 && (!ibtrapctl_read_number(a->words[1], &events) || events == 0))
        return WRONG_USAGE;
    return done(dry_run_command(stdout, a->socket, a->words[0], events, a->json, err));
}

static enum outcome run_journal_check(const struct arguments *a, struct error *err)
{
    return done(journal_commands_check(stdout, a->file, err));
}

static enum outcome run_journal_stats(const struct arguments *a, struct error *err)
{
    return done(journal_commands_stats(stdout, a->file, a->json, err));
}

static enum outcome run_journal_export(const struct arguments *a, struct error *err)
{
    long long number = 0;
    if (a->count == 1 && !ibtrapctl_read_number(a->words[0], &number))
        return WRONG_USAGE;
    return done(journal_commands_export(stdout, a->file, number, err));
}

static enum outcome run_journal_prune(const struct arguments *a, struct error *err)
{
    long long days;
    if (!ibtrapctl_read_number(a->words[0], &days))
        return WRONG_USAGE;
    enum outcome outcome =
        ibtrapctl_command(a, "journal-prune", json_pack("{s:I}", "days", (json_int_t)days), err);
    if (outcome == OK)
        printf("ibtrapd drops what is older than %lld days and delivered.\n", days);
    return outcome;
}

// The longest name that fits the words is the command.
static const struct command {
    const char *name;
    const char *arguments; // as the help shows them
    int min, max;          // how many
    enum outcome (*run)(const struct arguments *a, struct error *err);
    const char *help;
    unsigned takes; // the choices, a bit each
} COMMANDS[] = {
    {"status", "", 0, 0, run_status, "the port, the subscriptions, the receivers and the counters",
     0},
    {"catalogue", "", 0, 0, run_catalogue, "every event that ibtrapd knows", 0},
    {"events", "[OPTION]...", 0, 0, run_events, "the last events, or those that the options choose",
     1U << SINCE | 1U << UNTIL | 1U << SEVERITY | 1U << NODE | 1U << EVENT | 1U << LIMIT |
         1U << FOLLOW},
    {"explain", "N|ID", 1, 1, run_explain, "all about the event of that number or id", 0},
    {"test", "EVENT [OPTION]...", 1, 1, run_test, "send a test event to the receivers",
     1U << NODE | 1U << RECEIVER},
    {"alarms", "", 0, 0, run_alarms, "the active alarms", 0},
    {"alarms acknowledge", "ALARM [NOTE]", 1, 2, run_acknowledge, "say that somebody sees to it",
     0},
    {"alarms shelve", "ALARM MINUTES", 2, 2, run_shelve, "put it aside for so long; 0: no longer",
     0},
    {"receivers", "", 0, 0, run_receivers, "the receivers, and how many events wait for them", 0},
    {"receivers pause", "RECEIVER", 1, 1, run_pause, "hand it nothing over; its events wait", 0},
    {"receivers resume", "RECEIVER", 1, 1, run_resume, "go on", 0},
    {"receivers flush", "RECEIVER", 1, 1, run_flush, "give up what waits for it now", 0},
    {"resubscribe", "", 0, 0, run_resubscribe, "subscribe to every trap again, at once", 0},
    {"topology", "[N]", 0, 1, run_topology,
     "nodes and links like ibnetdiscover, now or in snapshot N", 0},
    {"topology list", "", 0, 0, run_topology_list, "the snapshots of the fabric that are kept", 0},
    {"topology diff", "A B", 2, 2, run_topology_diff,
     "what changed between two snapshots, or \"now\"", 0},
    {"sweep now", "", 0, 0, run_sweep, "look at the fabric at once", 0},
    {"log", "LEVEL [FOLDER]", 1, 2, run_log, "how much ibtrapd logs, until the next reload", 0},
    {"reload", "", 0, 0, run_reload, "read the configuration anew, all of it or nothing", 0},
    {"maintenance start", "NAME END [NODE]...", 2, 66, run_maintenance_start,
     "tell receivers nothing of these nodes, or of all, until then", 0},
    {"maintenance stop", "NAME", 1, 1, run_maintenance_stop,
     "end it now; what still stands is told", 0},
    {"maintenance list", "", 0, 0, run_maintenance_list, "who is worked on, and until when", 0},
    {"dry-run", "CONFIG [N]", 1, 2, run_dry_run,
     "where the last N events would go under that configuration", 0},
    {"journal check", "", 0, 0, run_journal_check, "examine the journal's file for damage", 0},
    {"journal stats", "", 0, 0, run_journal_stats, "how much it holds", 0},
    {"journal export", "[N]", 0, 1, run_journal_export,
     "its events after number N, a JSON object a line", 0},
    {"journal prune", "DAYS", 1, 1, run_journal_prune,
     "drop events that are older and that every receiver has", 0},
};

// The help texts stand at least two spaces behind the commands: the completion for bash reads that.
enum { COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS, HELP_COLUMN = 40 };

static int ibtrapctl_usage(FILE *out, int status)
{
    fputs("Usage: ibtrapctl [OPTION]... COMMAND\n\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const struct command *c = &COMMANDS[i];
        int width = fprintf(out, "  %s %s", c->name, c->arguments);
        fprintf(out, "%*s%s\n", HELP_COLUMN - width, "", c->help);
    }
    fputs("\n"
          "  -i, --instance NAME   the gateway that runs as ibtrapd --instance NAME, such as "
          "mlx5_0-1\n"
          "  -F, --file PATH       the journal's file (" INSTALL_STATE_DIRECTORY "/journal.db)\n"
          "  -s, --socket PATH     the daemon's control socket (" INSTALL_CONTROL_SOCKET ")\n"
          "  -j, --json            JSON instead of a table\n"
          "  -V, --version         the version\n"
          "  -h, --help            this text\n"
          "\n"
          "Which events:\n"
          "      --since TIME      such as 10m, 2h, 3d ago, or 2026-11-21T04:06:39Z\n"
          "      --until TIME      likewise\n"
          "      --severity WORD   this one and worse, such as warning\n"
          "      --node GLOB       of a node's name, or of a GUID: 'leaf*', '0x0002c9*'\n"
          "      --event GLOB      of the identifier: 'link-*'\n"
          "      --limit N         the last N of them (50, or with --since 10000)\n"
          "      --follow          and those that come, until it is interrupted\n"
          "\n"
          "A test:\n"
          "      --receiver NAME   for this receiver only\n"
          "      --node NODE       about this node, by name or GUID; otherwise about one that does "
          "not exist\n"
          "\n"
          "ALARM is its number or its key.\n"
          "Exit status: 0 done, 1 not done (refused, not delivered, damaged), 2 wrong usage.\n",
          out);
    return status;
}

// How many words of `name` the words begin with; 0 when they do not.
static int match(const char *name, int count, char *const *words)
{
    int used = 0;
    while (*name != '\0' && used < count) {
        size_t length = strcspn(name, " ");
        if (strlen(words[used]) != length || memcmp(words[used], name, length) != 0)
            return 0;
        used++;
        name += length + (name[length] == ' ');
    }
    return *name == '\0' ? used : 0;
}

static bool takes_choices(const struct command *c, const struct arguments *a)
{
    for (int i = 0; i < CHOICES; i++) {
        if (a->choices[i] && !(c->takes & 1U << i))
            return false;
    }
    return true;
}

static bool is_usage_of(const struct command *c, const struct arguments *a)
{
    return a->count >= c->min && a->count <= c->max && takes_choices(c, a);
}

static int ibtrapctl_run(struct arguments *a)
{
    const struct command *found = NULL;
    int used = 0;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        int n = match(COMMANDS[i].name, a->count, a->words);
        if (n > used) {
            found = &COMMANDS[i];
            used = n;
        }
    }
    if (!found) {
        if (a->count > 0)
            fprintf(stderr, "ibtrapctl: no such command: %s\n", a->words[0]);
        return ibtrapctl_usage(stderr, USAGE);
    }
    a->count -= used;
    a->words += used;
    struct error err;
    enum outcome outcome = is_usage_of(found, a) ? found->run(a, &err) : WRONG_USAGE;
    fflush(stdout); // what it wrote comes before why it is not all
    if (outcome == REFUSED)
        fprintf(stderr, "ibtrapctl: %s\n", err.text);
    if (outcome == WRONG_USAGE)
        fprintf(stderr, "Usage: ibtrapctl %s %s\n", found->name, found->arguments);
    return outcome == OK ? DONE : outcome == REFUSED ? FAILED : USAGE;
}

// Where the options do not say it, the instance says where the daemon is.
static int run_at(struct arguments *a)
{
    struct instance instance;
    struct error err;
    char file[INSTANCE_PATH_SIZE + sizeof "/journal.db"];
    if (!instance_find(a->instance, &instance, &err)) {
        fprintf(stderr, "ibtrapctl: %s\n", err.text);
        return USAGE;
    }
    snprintf(file, sizeof file, "%s/journal.db", instance.state);
    if (!a->socket)
        a->socket = instance.socket;
    if (!a->file)
        a->file = file;
    return ibtrapctl_run(a);
}

// What is sent is JSON, which has no other text: what it cannot have is not to be left out.
static bool are_texts(int count, char *const *words)
{
    for (int i = 0; i < count; i++) {
        char shown[200];
        if (text_is_utf8(words[i]))
            continue;
        text_clean(words[i], strlen(words[i]), shown, sizeof shown);
        fprintf(stderr, "ibtrapctl: the argument '%s' is not UTF-8; ibtrapd knows no other texts\n",
                shown);
        return false;
    }
    return true;
}

// Nobody is to take a part for the whole: the last of it is written only now.
static int ibtrapctl_end(int status)
{
    if (status != DONE || (fflush(stdout) == 0 && !ferror(stdout)))
        return status;
    fputs("ibtrapctl: cannot write to standard output; is its disk full?\n", stderr);
    return FAILED;
}

int main(int argc, char **argv)
{
    enum { FIRST_CHOICE = 256 }; // no letter
    static const struct option OPTIONS[] = {
        {"socket", required_argument, NULL, 's'},
        {"instance", required_argument, NULL, 'i'},
        {"file", required_argument, NULL, 'F'},
        {"json", no_argument, NULL, 'j'},
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {"since", required_argument, NULL, FIRST_CHOICE + SINCE},
        {"until", required_argument, NULL, FIRST_CHOICE + UNTIL},
        {"severity", required_argument, NULL, FIRST_CHOICE + SEVERITY},
        {"node", required_argument, NULL, FIRST_CHOICE + NODE},
        {"event", required_argument, NULL, FIRST_CHOICE + EVENT},
        {"limit", required_argument, NULL, FIRST_CHOICE + LIMIT},
        {"follow", no_argument, NULL, FIRST_CHOICE + FOLLOW},
        {"receiver", required_argument, NULL, FIRST_CHOICE + RECEIVER},
        {0}};
    struct arguments a = {0};
    if (!are_texts(argc, argv))
        return USAGE;
    for (int c; (c = getopt_long(argc, argv, "s:i:F:jVh", OPTIONS, NULL)) != -1;) {
        switch (c) {
        case 's':
            a.socket = optarg;
            break;
        case 'i':
            a.instance = optarg;
            break;
        case 'F':
            a.file = optarg;
            break;
        case 'j':
            a.json = true;
            break;
        case 'V':
            puts("ibtrapctl " INSTALL_VERSION);
            return ibtrapctl_end(DONE);
        case 'h':
            return ibtrapctl_end(ibtrapctl_usage(stdout, DONE));
        default:
            if (c < FIRST_CHOICE)
                return ibtrapctl_usage(stderr, USAGE);
            a.choices[c - FIRST_CHOICE] = optarg ? optarg : "";
        }
    }
    a.count = argc - optind;
    a.words = argv + optind;
    return ibtrapctl_end(run_at(&a));
}
