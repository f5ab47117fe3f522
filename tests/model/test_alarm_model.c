// SPDX-License-Identifier: BSD-2-Clause
// A model-based random test: whatever happens to the fabric, the configuration and the gateways,
// the lists of alarms are true once it is quiet. README.md in this folder tells how to use it.
#include "scenario.h"
#include "shrink.h"

#include "require.h"
#include "scratch.h"

#include <getopt.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

enum { CLASSES_MAX = 64, FILE_MAX = 8 << 20 };

struct settings {
    uint64_t seed, runs;
    bool two_gateways, verbose, keep_going, trace, shrink;
    const char *only;
    struct scenario_mix mix;
};

// How often each class of failures was seen.
static struct {
    char class[SCENARIO_CLASS_SIZE];
    unsigned count;
} classes[CLASSES_MAX];

static bool is_new_class(const char *class)
{
    unsigned i = 0;
    while (i < CLASSES_MAX - 1 && classes[i].count > 0 && strcmp(classes[i].class, class) != 0)
        i++;
    snprintf(classes[i].class, sizeof classes[i].class, "%s", class);
    return classes[i].count++ == 0;
}

static void print_classes(void)
{
    for (unsigned i = 0; i < CLASSES_MAX && classes[i].count > 0; i++)
        printf("%6u  %s\n", classes[i].count, classes[i].class);
}

static void report(const struct settings *settings, struct scenario *scenario,
                   const char *directory, const struct scenario_result *result)
{
    struct scenario_result again;
    printf("seed %llu fails (%s):\n%s", (unsigned long long)scenario->seed, result->class,
           result->text);
    const unsigned before = scenario->count;
    if (settings->shrink)
        shrink(scenario, directory, result->class);
    printf("  %u of %u actions are enough:\n", scenario->count, before);
    scenario_run(scenario, directory, stdout, &again);
    printf("%s%s\n", again.text, again.failed ? "" : "  but not always\n");
    struct plain_fabric fabric;
    plain_fabric_make(&fabric, scenario->seed);
    if (settings->verbose)
        plain_fabric_print(&fabric, stdout);
    fflush(stdout);
}

static bool run_seed(const struct settings *settings, uint64_t seed, const char *directory)
{
    static struct scenario scenario;
    struct scenario_result result;
    scenario_make(&scenario, seed, settings->two_gateways, &settings->mix);
    scenario.only = settings->only;
    scenario_run(&scenario, directory, settings->trace ? stdout : NULL, &result);
    if (!result.failed)
        return true;
    if (is_new_class(result.class))
        report(settings, &scenario, directory, &result);
    else if (settings->verbose)
        printf("seed %llu fails (%s)\n", (unsigned long long)seed, result.class);
    return false;
}

static void use(void)
{
    fprintf(
        stderr,
        "test_alarm_model [--seed N] [--runs N] [--two-gateways] [--plain] [--prompt] [--partial]\n"
        "                 [--keep-going] [--no-shrink] [--trace] [--verbose]\n"
        "                 [--only CHECK]\n");
    exit(2);
}

static struct settings read_arguments(int argc, char **argv)
{
    struct settings s = {
        .seed = 1, .runs = 1, .shrink = true, .mix = {.policy = true, .restarts = true}};
    static const struct option OPTIONS[] = {
        {"seed", required_argument, NULL, 's'},   {"runs", required_argument, NULL, 'n'},
        {"two-gateways", no_argument, NULL, '2'}, {"plain", no_argument, NULL, 'p'},
        {"no-policy", no_argument, NULL, 'o'},    {"no-restarts", no_argument, NULL, 'r'},
        {"partial", no_argument, NULL, 'i'},      {"keep-going", no_argument, NULL, 'k'},
        {"no-shrink", no_argument, NULL, 'f'},    {"trace", no_argument, NULL, 't'},
        {"verbose", no_argument, NULL, 'v'},      {"prompt", no_argument, NULL, 'm'},
        {"only", required_argument, NULL, 'y'},   {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1;) {
        if (c == 's')
            s.seed = strtoull(optarg, NULL, 10);
        else if (c == 'n')
            s.runs = strtoull(optarg, NULL, 10);
        else if (c == 'y')
            s.only = optarg;
        else if (c == '?')
            use();
        s.two_gateways |= c == '2';
        s.verbose |= c == 'v';
        s.keep_going |= c == 'k';
        s.trace |= c == 't';
        s.shrink &= c != 'f';
        s.mix.policy &= c != 'p' && c != 'o';
        s.mix.restarts &= c != 'p' && c != 'r';
        s.mix.partial_sweeps |= c == 'i';
        s.mix.prompt |= c == 'm';
    }
    return s;
}

int main(int argc, char **argv)
{
    const struct settings settings = read_arguments(argc, argv);
    const char *directory = scratch_make_in_memory();
    uint64_t failed = 0, ran = 0;
    // Journals do not preallocate their WAL then, which would be the slowest step.
    signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &(struct rlimit){FILE_MAX, FILE_MAX}) == 0);
    for (uint64_t seed = settings.seed; ran < settings.runs; seed++, ran++) {
        failed += !run_seed(&settings, seed, directory);
        if (failed > 0 && !settings.keep_going)
            break;
    }
    print_classes();
    printf("%llu of %llu scenarios failed\n", (unsigned long long)failed,
           (unsigned long long)settings.runs);
    return failed > 0;
}
