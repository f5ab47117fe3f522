// ibtrapctl: asks a running ibtrapd, from the shell.

#include "base/instance.h"
#include "ctl/client.h"
#include "ctl/journal_commands.h"
#include "ctl/show.h"
#include "ctl/topology_commands.h"
#include "install.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Exit statuses that scripts can use.
enum { DONE = 0, FAILED = 1, USAGE = 2 };

struct arguments {
    const char *socket, *file; // NULL: the instance's
    const char *instance;
    bool json;
    int count; // of the words behind the command
    char **words;
};

// What a command's function finds.
enum outcome { OK, WRONG_USAGE, REFUSED /* with a sentence */ };

static enum outcome done(bool ok)
{
    return ok ? OK : REFUSED;
}

static bool print_json(const json_t *value, struct error *err)
{
    bool ok = json_dumpf(value, stdout, JSON_INDENT(2)) == 0 && putchar('\n') != EOF;
    return (ok && fflush(stdout) == 0) || error_set(err, "cannot write");
}

static bool read_number(const char *text, long long *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0';
}

// Sends a command that is answered with nothing but that it is done.
static enum outcome tell(const struct arguments *a, const char *command, json_t *items,
                         struct error *err)
{
    json_t *answer = client_request(a->socket, command, items, err);
    json_decref(answer);
    return done(answer != NULL);
}

static enum outcome run_status(const struct arguments *a, struct error *err)
{
    json_t *status = client_request(a->socket, "status", NULL, err);
    if (!status)
        return REFUSED;
    bool ok = a->json ? print_json(status, err)
                      : show_status(stdout, status) ||
                            error_set(err, "the answer has another shape than expected: are ibtrapctl "
                                           "and ibtrapd of one version?");
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
    bool ok = print_json(catalogue, err);
    json_decref(catalogue);
    return done(ok);
}

// A snapshot's number, or 0 for now.
static bool read_snapshot(const char *text, long long *out)
{
    *out = 0;
    return strcmp(text, "now") == 0 || (read_number(text, out) && *out > 0);
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

static enum outcome run_sweep(const struct arguments *a, struct error *err)
{
    return tell(a, "sweep-now", NULL, err);
}

static enum outcome run_reload(const struct arguments *a, struct error *err)
{
    json_t *answer = client_request(a->socket, "reload", NULL, err);
    if (!answer)
        return REFUSED;
    const char *restart = json_string_value(json_object_get(answer, "restart"));
    if (restart && restart[0] != '\0')
        printf("Reloaded. These items wait for a restart of ibtrapd: %s\n", restart);
    json_decref(answer);
    return OK;
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
    if (a->count == 1 && !read_number(a->words[0], &number))
        return WRONG_USAGE;
    return done(journal_commands_export(stdout, a->file, number, err));
}

static enum outcome run_journal_prune(const struct arguments *a, struct error *err)
{
    long long days;
    if (!read_number(a->words[0], &days))
        return WRONG_USAGE;
    enum outcome outcome = tell(a, "journal-prune", json_pack("{s:I}", "days", (json_int_t)days), err);
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
} COMMANDS[] = {
    {"status", "", 0, 0, run_status, "the port, the subscriptions, the receivers and the counters"},
    {"catalogue", "", 0, 0, run_catalogue, "every event that ibtrapd knows"},
    {"topology", "[N]", 0, 1, run_topology, "nodes and links as ibnetdiscover has them, now or in snapshot N"},
    {"topology list", "", 0, 0, run_topology_list, "the snapshots of the fabric that are kept"},
    {"topology diff", "A B", 2, 2, run_topology_diff, "what changed between two snapshots, or \"now\""},
    {"sweep now", "", 0, 0, run_sweep, "look at the fabric at once"},
    {"reload", "", 0, 0, run_reload, "read the configuration anew, all of it or nothing"},
    {"journal check", "", 0, 0, run_journal_check, "examine the journal's file for damage"},
    {"journal stats", "", 0, 0, run_journal_stats, "how much it holds"},
    {"journal export", "[N]", 0, 1, run_journal_export, "its events after number N, a JSON object a line"},
    {"journal prune", "DAYS", 1, 1, run_journal_prune, "drop events that are older and that every receiver has"},
};

enum { COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

static int usage(FILE *out, int status)
{
    fputs("Usage: ibtrapctl [OPTION]... COMMAND\n\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const struct command *c = &COMMANDS[i];
        int width = fprintf(out, "  %s %s", c->name, c->arguments);
        fprintf(out, "%*s%s\n", width < 26 ? 26 - width : 1, "", c->help);
    }
    fputs("\n"
          "  -i, --instance NAME   the gateway that runs as ibtrapd --instance NAME, such as mlx5_0-1\n"
          "  -F, --file PATH       the journal's file (" INSTALL_STATE_DIRECTORY "/journal.db)\n"
          "  -s, --socket PATH     the daemon's control socket (" INSTALL_CONTROL_SOCKET ")\n"
          "  -j, --json            JSON instead of a table\n"
          "  -V, --version         the version\n"
          "  -h, --help            this text\n"
          "\n"
          "Exit status: 0 done, 1 the daemon cannot be reached or refused, 2 wrong usage.\n",
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

static int run(struct arguments *a)
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
        return usage(stderr, USAGE);
    }
    a->count -= used;
    a->words += used;
    struct error err;
    enum outcome outcome = a->count >= found->min && a->count <= found->max ? found->run(a, &err)
                                                                            : WRONG_USAGE;
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
    return run(a);
}

int main(int argc, char **argv)
{
    static const struct option OPTIONS[] = {{"socket", required_argument, NULL, 's'},
                                            {"instance", required_argument, NULL, 'i'},
                                            {"file", required_argument, NULL, 'F'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"version", no_argument, NULL, 'V'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct arguments a = {0};
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
            return DONE;
        case 'h':
            return usage(stdout, DONE);
        default:
            return usage(stderr, USAGE);
        }
    }
    a.count = argc - optind;
    a.words = argv + optind;
    return run_at(&a);
}
