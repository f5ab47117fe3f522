// ibtrapctl: asks a running ibtrapd, from the shell.

#include "ctl/client.h"
#include "ctl/journal_commands.h"
#include "ctl/show.h"
#include "install.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Exit statuses that scripts can use.
enum { DONE = 0, FAILED = 1, USAGE = 2 };

static int usage(FILE *out, int status)
{
    fputs("Usage: ibtrapctl [--socket PATH] COMMAND [--json]\n"
          "\n"
          "  status                the port, the subscriptions, the receivers and the counters\n"
          "  catalogue             every event that ibtrapd knows\n"
          "  journal check         examine the journal's file for damage\n"
          "  journal stats         how much it holds\n"
          "  journal export [N]    its events after number N, a JSON object a line\n"
          "  journal prune DAYS    drop events that are older and that every receiver has\n"
          "\n"
          "  -F, --file PATH     the journal's file (" INSTALL_STATE_DIRECTORY "/journal.db)\n"
          "  -s, --socket PATH   the daemon's control socket (" INSTALL_CONTROL_SOCKET ")\n"
          "  -j, --json          JSON instead of a table\n"
          "  -V, --version       the version\n"
          "  -h, --help          this text\n"
          "\n"
          "Exit status: 0 done, 1 the daemon cannot be reached or refused, 2 wrong usage.\n",
          out);
    return status;
}

static int print_json(const json_t *value)
{
    bool ok = json_dumpf(value, stdout, JSON_INDENT(2)) == 0 && putchar('\n') != EOF;
    return ok && fflush(stdout) == 0 ? DONE : FAILED;
}

static int run_status(const char *socket, bool json)
{
    struct error err;
    json_t *status = client_request(socket, "status", NULL, &err);
    if (!status) {
        fprintf(stderr, "ibtrapctl: %s\n", err.text);
        return FAILED;
    }
    int rc = DONE;
    if (json) {
        rc = print_json(status);
    } else if (!show_status(stdout, status)) {
        fprintf(stderr, "ibtrapctl: the answer has another shape than expected: are ibtrapctl and "
                        "ibtrapd of one version?\n");
        rc = FAILED;
    }
    json_decref(status);
    return rc;
}

static int run_catalogue(bool json)
{
    if (!json) {
        show_catalogue(stdout);
        return DONE;
    }
    json_t *catalogue = show_catalogue_json();
    int rc = print_json(catalogue);
    json_decref(catalogue);
    return rc;
}

static bool read_number(const char *text, long long *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0';
}

static int run_prune(const char *socket, long long days)
{
    struct error err;
    json_t *answer = client_request(socket, "journal-prune", json_pack("{s:I}", "days", (json_int_t)days),
                                    &err);
    if (!answer) {
        fprintf(stderr, "ibtrapctl: %s\n", err.text);
        return FAILED;
    }
    printf("ibtrapd drops what is older than %lld days and delivered.\n", days);
    json_decref(answer);
    return DONE;
}

struct arguments {
    const char *socket, *file;
    bool json;
    int count;
    char **words;
};

static int run_journal(const struct arguments *a)
{
    struct error err;
    long long number = 0;
    bool ok;
    const char *what = a->count > 1 ? a->words[1] : "";
    bool has_number = a->count == 3 && read_number(a->words[2], &number);
    if (a->count == 2 && strcmp(what, "check") == 0)
        ok = journal_commands_check(stdout, a->file, &err);
    else if (a->count == 2 && strcmp(what, "stats") == 0)
        ok = journal_commands_stats(stdout, a->file, a->json, &err);
    else if ((a->count == 2 || has_number) && strcmp(what, "export") == 0)
        ok = journal_commands_export(stdout, a->file, number, &err);
    else if (has_number && strcmp(what, "prune") == 0)
        return run_prune(a->socket, number);
    else
        return usage(stderr, USAGE);
    if (!ok)
        fprintf(stderr, "ibtrapctl: %s\n", err.text);
    return ok ? DONE : FAILED;
}

static int run(const struct arguments *a)
{
    if (a->count == 1 && strcmp(a->words[0], "status") == 0)
        return run_status(a->socket, a->json);
    if (a->count == 1 && strcmp(a->words[0], "catalogue") == 0)
        return run_catalogue(a->json);
    if (a->count >= 1 && strcmp(a->words[0], "journal") == 0)
        return run_journal(a);
    if (a->count >= 1)
        fprintf(stderr, "ibtrapctl: no such command: %s\n", a->words[0]);
    return usage(stderr, USAGE);
}

int main(int argc, char **argv)
{
    static const struct option OPTIONS[] = {{"socket", required_argument, NULL, 's'},
                                            {"file", required_argument, NULL, 'F'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"version", no_argument, NULL, 'V'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct arguments a = {.socket = INSTALL_CONTROL_SOCKET,
                          .file = INSTALL_STATE_DIRECTORY "/journal.db"};
    for (int c; (c = getopt_long(argc, argv, "s:F:jVh", OPTIONS, NULL)) != -1;) {
        switch (c) {
        case 's':
            a.socket = optarg;
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
    return run(&a);
}
