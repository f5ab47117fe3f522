// SPDX-License-Identifier: BSD-2-Clause
// ibtrapd: InfiniBand traps to SNMP notifications and syslog.

#include "base/notify.h"
#include "base/text.h"
#include "conf/load.h"
#include "conf/rows.h"
#include "daemon/daemon.h"
#include "daemon/surroundings.h"
#include "install.h"
#include "sink/module.h"

#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

struct arguments {
    const char *config;   // NULL: the instance's file, or the defaults without a file
    const char *instance; // NULL: the only one
    bool check_only, print_only, foreground;
    const struct surroundings_unit *unit; // a check by root, outside of the unit; else NULL
};

static int main_usage(FILE *out, int status)
{
    fputs(
        "Usage: ibtrapd [--instance DEVICE-PORT] [--config FILE] [--modules DIRECTORY]\n"
        "               [--foreground]\n"
        "       ibtrapd --check-config|--print-config [--instance DEVICE-PORT] [--config FILE]\n"
        "               [--modules DIRECTORY]\n"
        "\n"
        "  -c, --config FILE             read FILE instead of " INSTALL_CONFIG_FILE "\n"
        "  -i, --instance DEVICE-PORT    one gateway of several: serve that port, such as "
        "mlx5_0-1, with\n"
        "                                " INSTALL_CONFIG_DIRECTORY
        "/mlx5_0-1.conf if there is such a file,\n"
        "                                " INSTALL_STATE_DIRECTORY "-mlx5_0-1/,\n"
        "                                " INSTALL_RUN_DIRECTORY "-mlx5_0-1/control.sock\n"
        "  -m, --modules DIRECTORY       load receiver modules from there, not from\n"
        "                                " INSTALL_MODULE_DIRECTORY "\n"
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

static bool main_read(const struct arguments *a, struct conf *conf, struct instance *instance,
                      struct conf_mistakes *mistakes, struct error *err)
{
    if (!instance_find(a->instance, instance, err) ||
        !conf_load_instance(instance, a->config, conf, mistakes, err))
        return false;
    if (a->foreground && !a->check_only)
        conf_add_stdout(conf);
    return true;
}

// Like main_read. The objects that the configuration names have to be there, too.
static bool main_read_all(const struct arguments *a, struct conf *conf,
                          struct conf_mistakes *mistakes, struct error *err)
{
    struct instance instance;
    if (!main_read(a, conf, &instance, mistakes, err))
        return false;
    if (surroundings_check(conf, &instance, a->unit, mistakes))
        return true;
    conf_tell_mistakes(mistakes, err);
    conf_free(conf);
    return false;
}

// Loads the configuration for a reload.
static bool main_load(void *ctx, struct conf *conf, struct error *err)
{
    struct conf_mistakes mistakes = {0};
    return main_read_all(ctx, conf, &mistakes, err);
}

static void main_print(const char *sentence)
{
    char clean[2 * sizeof(struct error)];
    text_clean(sentence, strlen(sentence), clean, sizeof clean);
    fprintf(stderr, "ibtrapd: %s\n", clean);
}

static void main_tell_warning(void *ctx, const char *sentence)
{
    (void)ctx;
    main_print(sentence);
}

// Tells the service manager why the start fails: `systemctl status` then shows the sentence. After
// the end of the process, journald may not know the service of the last lines.
static void main_tell_manager(const char *sentence)
{
    char clean[2 * sizeof(struct error)];
    struct notify manager;
    struct error err;
    text_clean(sentence, strlen(sentence), clean, sizeof clean);
    if (!notify_open(&manager, getenv("NOTIFY_SOCKET"), &err))
        return; // the sentence is on standard error, too
    notify_send(&manager, "STATUS=%s\n", clean);
    notify_wait(&manager);
    notify_close(&manager);
}

// Loads the configuration for a check or the start, and prints each mistake in a line.
static bool main_load_first(const struct arguments *a, struct conf *conf, struct instance *instance)
{
    struct conf_mistakes mistakes = {0};
    struct error err;
    bool ok = a->check_only ? main_read_all(a, conf, &mistakes, &err)
                            : main_read(a, conf, instance, &mistakes, &err);
    for (size_t i = 0; i < mistakes.count; i++)
        main_print(mistakes.sentences[i].text);
    if (!ok && mistakes.count == 0)
        main_print(err.text);
    if (!ok && !a->check_only && !a->print_only)
        main_tell_manager(mistakes.count > 0 ? mistakes.sentences[0].text : err.text);
    return ok;
}

// Lets root check as the service's user, who may read and write less than root. Does nothing for
// another user, and where the service's user does not exist. False with a sentence.
static bool main_become_service(bool *became, struct error *err)
{
    const struct passwd *user = geteuid() == 0 ? getpwnam(INSTALL_USER) : NULL;
    *became = user != NULL;
    return !user ||
           (initgroups(INSTALL_USER, user->pw_gid) == 0 && setgid(user->pw_gid) == 0 &&
            setuid(user->pw_uid) == 0) ||
           error_set(err, "cannot check as user " INSTALL_USER ", as the service runs: %s",
                     strerror(errno));
}

static int main_check(const struct arguments *arguments)
{
    struct conf conf;
    struct instance instance;
    struct error err;
    struct surroundings_unit unit;
    struct arguments a = *arguments;
    bool became = false;
    if (geteuid() == 0 && instance_find(a.instance, &instance, &err)) {
        surroundings_ask_unit(a.instance, &instance, &unit);
        a.unit = &unit;
    }
    bool may = main_become_service(&became, &err);
    if (!may)
        main_print(err.text);
    if (!may || !main_load_first(&a, &conf, &instance)) {
        if (may && became)
            main_print("checked as user " INSTALL_USER ", as the service runs");
        return EXIT_FAILURE;
    }
    conf_warn(&conf, main_tell_warning, NULL);
    surroundings_warn(&conf, main_tell_warning, NULL);
    printf(conf.has_file ? "The configuration %s is good.\n"
                         : "There is no configuration %s: the defaults hold.\n",
           conf.file);
    conf_free(&conf);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int main_print_config(const struct arguments *a)
{
    struct conf conf;
    struct instance instance;
    if (!main_load_first(a, &conf, &instance))
        return EXIT_FAILURE;
    conf_print(&conf, stdout);
    conf_free(&conf);
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Logs what is missing around the configuration. The gateway starts without it.
static void main_warn(const struct conf *conf, const struct instance *instance, struct log *log)
{
    struct conf_mistakes mistakes;
    if (surroundings_check(conf, instance, NULL, &mistakes))
        return;
    for (size_t i = 0; i < mistakes.count; i++)
        log_write(log, LOG_LEVEL_WARNING, "%s", mistakes.sentences[i].text);
}

static void main_log_warning(void *log, const char *sentence)
{
    log_write(log, LOG_LEVEL_WARNING, "%s", sentence);
}

static int main_run(struct arguments *a)
{
    struct conf conf;
    struct instance instance;
    struct error err;
    if (!main_load_first(a, &conf, &instance))
        return EXIT_FAILURE;
    bool to_journal = log_is_journal(STDERR_FILENO, getenv("JOURNAL_STREAM"));
    struct log *log = log_open(stderr, LOG_LEVEL_INFO, to_journal, &clock_system);
    log_set_levels(log, conf.log_level, conf.folder_levels);
    conf_log_file(&conf, log);
    main_warn(&conf, &instance, log);
    conf_warn(&conf, main_log_warning, log);
    bool ok =
        daemon_run(&conf, &(struct daemon_options){.load = main_load, .ctx = a, .log = log}, &err);
    if (!ok) {
        log_write(log, LOG_LEVEL_ERROR, "%s", err.text);
        main_tell_manager(err.text);
    }
    log_close(log);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    enum { CHECK_CONFIG = 256, PRINT_CONFIG };
    static const struct option OPTIONS[] = {{"config", required_argument, NULL, 'c'},
                                            {"instance", required_argument, NULL, 'i'},
                                            {"modules", required_argument, NULL, 'm'},
                                            {"foreground", no_argument, NULL, 'f'},
                                            {"check-config", no_argument, NULL, CHECK_CONFIG},
                                            {"print-config", no_argument, NULL, PRINT_CONFIG},
                                            {"version", no_argument, NULL, 'V'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct arguments a = {0};
    for (int c; (c = getopt_long(argc, argv, "c:i:m:fVh", OPTIONS, NULL)) != -1;) {
        switch (c) {
        case 'c':
            a.config = optarg;
            break;
        case 'i':
            a.instance = optarg;
            break;
        case 'm':
            module_set_directory(optarg);
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
            fputs("'ibtrapd --help' lists the options.\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (optind != argc)
        return main_usage(stderr, EXIT_USAGE);
    if (a.check_only)
        return main_check(&a);
    return a.print_only ? main_print_config(&a) : main_run(&a);
}
