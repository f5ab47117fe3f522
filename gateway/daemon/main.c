// SPDX-License-Identifier: BSD-2-Clause
// ibtrapd: InfiniBand traps to SNMP notifications and syslog.

#include "base/text.h"
#include "conf/load.h"
#include "conf/print.h"
#include "daemon/daemon.h"
#include "install.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

struct arguments {
    const char *config;   // NULL: the instance's if there is such a file, else the defaults
    const char *instance; // NULL: the only one
    bool check_only, print_only, foreground;
    struct conf_mistakes *mistakes; // NULL: not wanted
};

static int main_usage(FILE *out, int status)
{
    fputs(
        "Usage: ibtrapd [--instance DEVICE-PORT] [--config FILE] [--foreground]\n"
        "       ibtrapd --check-config|--print-config [--instance DEVICE-PORT] [--config FILE]\n"
        "\n"
        "  -c, --config FILE             read FILE instead of " INSTALL_CONFIG_FILE "\n"
        "  -i, --instance DEVICE-PORT    one gateway of several: serve that port, such as "
        "mlx5_0-1, with\n"
        "                                " INSTALL_CONFIG_DIRECTORY
        "/mlx5_0-1.conf if there is such a file,\n"
        "                                " INSTALL_STATE_DIRECTORY "-mlx5_0-1/,\n"
        "                                " INSTALL_RUN_DIRECTORY "-mlx5_0-1/control.sock\n"
        "  -f, --foreground              print every event on standard output, too\n"
        "      --check-config            check the configuration and exit: 0 good, 1 not\n"
        "      --print-config            print the configuration that would be in force, and exit\n"
        "  -V, --version                 the version\n"
        "  -h, --help                    this text\n"
        "\n"
        "ibtrapd never goes to the background; its own log goes to standard error.\n",
        out);
    return status;
}

static bool main_load(void *ctx, struct conf *conf, struct error *err)
{
    const struct arguments *a = ctx;
    struct instance instance;
    if (!instance_find(a->instance, &instance, err) ||
        !conf_load_instance(&instance, a->config, conf, a->mistakes, err))
        return false;
    if (a->foreground && !a->check_only)
        conf_add_stdout(conf);
    return true;
}

// Loads the configuration for the start, and prints all mistakes in it, a line each.
static bool main_load_first(struct arguments *a, struct conf *conf)
{
    struct conf_mistakes mistakes = {0};
    struct error err;
    a->mistakes = &mistakes;
    bool ok = main_load(a, conf, &err);
    a->mistakes = NULL;
    for (size_t i = 0; i < mistakes.count; i++) {
        const char *sentence = mistakes.sentences[i].text;
        char clean[2 * sizeof mistakes.sentences[i].text];
        text_clean(sentence, strlen(sentence), clean, sizeof clean);
        fprintf(stderr, "ibtrapd: %s\n", clean);
    }
    if (!ok && mistakes.count == 0)
        fprintf(stderr, "ibtrapd: %s\n", err.text);
    return ok;
}

// Prints that the configuration is good, or the configuration itself.
static int main_show(const struct arguments *a, const struct conf *conf)
{
    if (a->print_only)
        conf_print(conf, stdout);
    else
        printf(conf->has_file ? "The configuration %s is good.\n"
                              : "There is no configuration %s: the defaults hold.\n",
               conf->file);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int main_run(struct arguments *a)
{
    struct conf conf;
    struct error err;
    if (!main_load_first(a, &conf))
        return EXIT_FAILURE;
    if (a->check_only || a->print_only) {
        int status = main_show(a, &conf);
        conf_free(&conf);
        return status;
    }
    bool to_journal = log_is_journal(STDERR_FILENO, getenv("JOURNAL_STREAM"));
    struct log *log = log_open(stderr, LOG_LEVEL_INFO, to_journal, &clock_system);
    if (!log) {
        fprintf(stderr, "ibtrapd: out of memory\n");
        conf_free(&conf);
        return EXIT_FAILURE;
    }
    log_set_levels(log, conf.log_levels);
    conf_log_file(&conf, log);
    bool ok =
        daemon_run(&conf, &(struct daemon_options){.load = main_load, .ctx = a, .log = log}, &err);
    if (!ok)
        log_write(log, LOG_LEVEL_ERROR, "%s", err.text);
    log_close(log);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    enum { CHECK_CONFIG = 256, PRINT_CONFIG };
    static const struct option OPTIONS[] = {{"config", required_argument, NULL, 'c'},
                                            {"instance", required_argument, NULL, 'i'},
                                            {"foreground", no_argument, NULL, 'f'},
                                            {"check-config", no_argument, NULL, CHECK_CONFIG},
                                            {"print-config", no_argument, NULL, PRINT_CONFIG},
                                            {"version", no_argument, NULL, 'V'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct arguments a = {0};
    for (int c; (c = getopt_long(argc, argv, "c:i:fVh", OPTIONS, NULL)) != -1;) {
        switch (c) {
        case 'c':
            a.config = optarg;
            break;
        case 'i':
            a.instance = optarg;
            break;
        case 'f':
            a.foreground = true;
            break;
        case CHECK_CONFIG:
            a.check_only = true;
            break;
        case PRINT_CONFIG:
            a.print_only = true;
            break;
        case 'V':
            puts("ibtrapd " INSTALL_VERSION);
            return EXIT_SUCCESS;
        case 'h':
            return main_usage(stdout, EXIT_SUCCESS);
        default:
            return main_usage(stderr, EXIT_USAGE);
        }
    }
    if (optind != argc)
        return main_usage(stderr, EXIT_USAGE);
    return main_run(&a);
}
