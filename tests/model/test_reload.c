// SPDX-License-Identifier: BSD-2-Clause
// A whole gateway with all its threads is given one configuration after another, while Reports
// arrive, receivers send and sweeps are under way. After each reload the last good text is in
// force: receivers with their filters, policy, thresholds; after a refused text the configuration
// is unchanged. A receiver that goes on misses nothing and gets nothing twice. At the end no thread
// and no descriptor is left over. README.md in this folder tells how to use it.
#include "ears.h"
#include "inner_fabric.h"
#include "report_port.h"
#include "wanted.h"

#include "require.h"
#include "scratch.h"

#include "base/clock.h"
#include "conf/load.h"
#include "ctl/client.h"
#include "daemon/daemon.h"
#include "daemon/gateway.h"
#include "pipeline/pipeline.h"
#include "topology/counter_watch.h"

#include <dirent.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_S = 300, NAP_US = 1000, PATH_SIZE = 128, HOSTS = 24, REPORTS_A_SECOND = 400 };
enum { PLACES = WANTED_FILES + WANTED_UDP };

// How often each receiver gets a probe.
struct expectation {
    unsigned least[PLACES], most[PLACES];
    bool knows_severity;
    unsigned severity;
};

static struct test {
    uint64_t seed, chance; // the latter changes
    size_t steps;
    struct wanted_places places;
    struct ears *ears;
    struct report_port *port;
    struct inner_fabric *fabric;
    char socket[PATH_SIZE];
    struct wanted now, first;
    struct expectation *probes;
    size_t probe_count;

    pthread_mutex_t lock; // protects the next
    char text[WANTED_TEXT_SIZE];
} test = {.seed = 1, .steps = 40, .lock = PTHREAD_MUTEX_INITIALIZER};

// The gateway's main thread.

static struct gateway *_Atomic under_test; // from its first reload on

bool __real_reload_run(struct gateway *gateway, struct text *restart, struct text *backlogs,
                       struct error *err);
bool __wrap_reload_run(struct gateway *gateway, struct text *restart, struct text *backlogs,
                       struct error *err);

bool __wrap_reload_run(struct gateway *gateway, struct text *restart, struct text *backlogs,
                       struct error *err)
{
    under_test = gateway;
    return __real_reload_run(gateway, restart, backlogs, err);
}

bool __real_sinks_make(struct sink *out, const struct conf_receiver *conf,
                       const struct clock *clock, int64_t started_at,
                       const struct module_alarms *alarms, struct log *log, struct error *err);
bool __wrap_sinks_make(struct sink *out, const struct conf_receiver *conf,
                       const struct clock *clock, int64_t started_at,
                       const struct module_alarms *alarms, struct log *log, struct error *err);

bool __wrap_sinks_make(struct sink *out, const struct conf_receiver *conf,
                       const struct clock *clock, int64_t started_at,
                       const struct module_alarms *alarms, struct log *log, struct error *err)
{
    if (strcmp(conf->name, WANTED_UNMADE) == 0)
        return error_set(err, "out of memory");
    return __real_sinks_make(out, conf, clock, started_at, alarms, log, err);
}

static bool load(void *ctx, struct conf *conf, struct error *err)
{
    (void)ctx;
    pthread_mutex_lock(&test.lock);
    const bool ok = conf_load_text(test.text, "reload", true, conf, err);
    if (ok)
        conf->has_file = !strstr(test.text, WANTED_FILE_GONE);
    pthread_mutex_unlock(&test.lock);
    return ok;
}

// Probes.

static void wait_until(bool (*holds)(const void *ctx), const void *ctx, const char *what)
{
    const int64_t deadline = clock_monotonic(&clock_system) + PATIENCE_S * CLOCK_US_PER_S;
    while (ears_listen(test.ears), !holds(ctx)) {
        if (clock_monotonic(&clock_system) > deadline) {
            fprintf(stderr, "waited %d s for %s, seed %llu\n%s", PATIENCE_S, what,
                    (unsigned long long)test.seed, test.text);
            abort();
        }
        clock_sleep(NAP_US);
    }
}

static struct expectation *new_probe(void)
{
    return &test.probes[test.probe_count++];
}

static void push(const struct expectation *probe)
{
    report_port_push(test.port, EARS_FIRST_GUID + (uint64_t)(probe - test.probes));
}

static void check_probe(const struct expectation *probe)
{
    const size_t number = (size_t)(probe - test.probes);
    for (size_t i = 0; i < PLACES; i++) {
        const unsigned count = ears_count(test.ears, i, number);
        if (count > probe->most[i])
            fprintf(stderr, "place %zu got probe %zu %u times, not %u to %u, as %u\n%s", i, number,
                    count, probe->least[i], probe->most[i], ears_severity(test.ears, i, number),
                    test.text);
        REQUIRE(count <= probe->most[i]);
        REQUIRE(count == 0 || !probe->knows_severity ||
                ears_severity(test.ears, i, number) == probe->severity);
    }
}

static bool has_arrived(const void *ctx)
{
    const struct expectation *probe = ctx;
    for (size_t i = 0; i < PLACES; i++) {
        if (ears_count(test.ears, i, (size_t)(probe - test.probes)) < probe->least[i])
            return false;
    }
    return true;
}

static bool is_answered(const void *ctx)
{
    (void)ctx;
    return report_port_left(test.port) == 0;
}

static void await(const struct expectation *probe)
{
    wait_until(is_answered, NULL, "the answers to Reports");
    wait_until(has_arrived, probe, "a probe");
    check_probe(probe);
}

// Two equal Reports while nothing changes.
static void try_what_is_in_force(void)
{
    struct expectation *probe = new_probe();
    const unsigned times = test.now.sends_repeats ? 2 : 1;
    probe->knows_severity = true;
    probe->severity = test.now.severity;
    for (size_t i = 0; i < PLACES; i++)
        probe->least[i] = probe->most[i] =
            wanted_passes(&test.now, i, test.now.severity) ? times : 0;
    push(probe);
    push(probe);
    await(probe);
}

// A Report that arrives before, in or after a reload. A receiver with the Report in both
// configurations gets the Report once.
static void expect_in_flight(struct expectation *probe, const struct wanted *before,
                             const struct wanted *after)
{
    const unsigned severities[] = {before->severity, after->severity};
    for (size_t i = 0; i < PLACES; i++) {
        bool always = true;
        for (size_t s = 0; s < 2; s++)
            always = always && wanted_passes(before, i, severities[s]) &&
                     wanted_passes(after, i, severities[s]);
        const struct wanted_receiver *a = &before->receivers[i], *b = &after->receivers[i];
        const bool same_section = a->other_item == b->other_item &&
                                  a->only_severe == b->only_severe &&
                                  a->only_probes == b->only_probes;
        const bool goes_on = a->other_name == b->other_name || same_section;
        probe->least[i] = always && goes_on;
        probe->most[i] = a->there || b->there;
    }
}

// Thresholds.

struct growth {
    uint64_t by[WANTED_LIMITS];
    unsigned reached[WANTED_LIMITS], cleared[WANTED_LIMITS];
};

static void take_reading(struct growth *growth, const struct accumulated_counters *before,
                         const struct counter_reading *reading)
{
    const struct counter_watch_reading one = {
        .before = before, .reading = reading, .now_us = clock_monotonic(&clock_system)};
    size_t count;
    const struct counter_statement *all =
        counter_watch_update(under_test->counter_watch, &one, &count);
    for (size_t i = 0; i < count * WANTED_LIMITS; i++) {
        const struct counter_statement *statement = &all[i / WANTED_LIMITS];
        const size_t at = i % WANTED_LIMITS;
        if (statement->key.about == ALARM_ABOUT_GROWTH &&
            statement->key.counter == (enum counter)WANTED_COUNTERS[at].counter)
            ++*(statement->raised ? &growth->reached[at] : &growth->cleared[at]);
    }
}

// The counters of a port that no sweep finds.
static struct counter_reading *read_counters(const uint64_t values[WANTED_LIMITS])
{
    struct counter_reading *reading = calloc(1, sizeof *reading + sizeof *reading->samples);
    REQUIRE(reading);
    reading->count = 1;
    reading->samples[0] = (struct counter_sample){.node_guid = 1, .port = 1};
    for (size_t i = 0; i < WANTED_LIMITS; i++)
        reading->samples[0].values[WANTED_COUNTERS[i].counter] = values[i];
    return reading;
}

// In the pipeline's thread, which owns the watch over the counters.
static void let_grow(void *ctx, const struct pipeline_context *inside)
{
    (void)inside;
    struct growth *growth = ctx;
    struct counter_reading *before = read_counters((uint64_t[WANTED_LIMITS]){0});
    struct counter_reading *after = read_counters(growth->by);
    struct accumulated_counters *none = accumulated_with(NULL, before);
    struct accumulated_counters *grown = accumulated_with(none, after);
    REQUIRE(none && grown);
    take_reading(growth, none, after);
    take_reading(growth, grown, after);
    accumulated_unref(none);
    accumulated_unref(grown);
    free(before);
    free(after);
}

static void try_thresholds(void)
{
    struct growth growth = {.by = {0}};
    for (size_t i = 0; i < WANTED_LIMITS; i++) // just enough, or just not
        growth.by[i] = test.now.limits[i] + 1 - wanted_chance(&test.chance, 3);
    for (size_t i = 0; i < WANTED_LIMITS; i++)
        growth.by[i] = growth.by[i] > 1000 ? 0 : growth.by[i];
    REQUIRE(pipeline_call(under_test->parts.pipeline, let_grow, &growth));
    for (size_t i = 0; i < WANTED_LIMITS; i++) {
        const uint64_t limit = test.now.limits[i];
        const bool reached = limit > 0 && growth.by[i] >= limit;
        REQUIRE(growth.reached[i] == reached && growth.cleared[i] == reached);
    }
}

// Reloads.

static json_t *ask(const char *command, struct error *err)
{
    return client_request(test.socket, command, json_object(), err);
}

static bool is_listed(const json_t *list, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "name")), name) == 0)
            return true;
    }
    return false;
}

static void check_receivers(void)
{
    struct error err;
    size_t count = 0;
    json_t *answer = ask("receivers", &err);
    REQUIRE(answer);
    const json_t *list = json_object_get(answer, "receivers");
    for (size_t i = 0; i < WANTED_RECEIVERS; i++) {
        char name[WANTED_NAME_SIZE];
        wanted_name(&test.now, i, name);
        count += test.now.receivers[i].there;
        REQUIRE(is_listed(list, name) == test.now.receivers[i].there);
    }
    REQUIRE(json_array_size(list) == count);
    json_decref(answer);
}

static void check_restart(const json_t *answer)
{
    const char *items = json_string_value(json_object_get(answer, "restart"));
    REQUIRE(strcmp(items, test.now.verify_s == test.first.verify_s ? "" : "verify_interval") == 0);
}

static void write_text(const struct wanted *wanted, bool spoilt)
{
    pthread_mutex_lock(&test.lock);
    wanted_write(wanted, &test.places, test.text);
    if (spoilt)
        wanted_spoil(test.text, wanted_chance(&test.chance, WANTED_MISTAKES));
    pthread_mutex_unlock(&test.lock);
}

static void reload(const struct wanted *next, bool spoilt)
{
    struct error err = {""};
    struct expectation *probe = new_probe();
    expect_in_flight(probe, &test.now, spoilt ? &test.now : next);
    write_text(next, spoilt);
    push(probe);
    if (wanted_chance(&test.chance, 2))
        clock_sleep(wanted_chance(&test.chance, 5000));
    json_t *answer = ask("reload", &err);
    if (!answer != spoilt)
        fprintf(stderr, "%s\n%s", err.text, test.text);
    REQUIRE(!answer == spoilt);
    if (!spoilt) {
        test.now = *next;
        check_restart(answer);
    }
    json_decref(answer);
    check_receivers();
    try_thresholds();
    try_what_is_in_force();
    await(probe);
}

static void step(void)
{
    struct wanted next = test.now;
    wanted_change(&next, &test.chance);
    const bool spoilt = wanted_chance(&test.chance, 4) == 0;
    if (wanted_chance(&test.chance, 4) == 0)
        kill(getpid(), SIGHUP); // reloads the configuration in force, or already the next
    reload(&next, spoilt);
}

// What is left over.

struct left {
    size_t threads, descriptors;
};

static size_t count_entries(const char *path)
{
    size_t count = 0;
    DIR *directory = opendir(path);
    REQUIRE(directory);
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static struct left count_left(void)
{
    return (struct left){count_entries("/proc/self/task"), count_entries("/proc/self/fd")};
}

static bool is_no_more(const void *ctx)
{
    const struct left *most = ctx, now = count_left();
    return now.threads <= most->threads && now.descriptors <= most->descriptors;
}

// Everything anew: all receivers but one go, and come again.
static void renew(void)
{
    struct wanted few = test.first;
    for (size_t i = 1; i < WANTED_RECEIVERS; i++)
        few.receivers[i].there = false;
    reload(&few, false);
    reload(&test.first, false);
}

static bool is_subscribed(const void *ctx)
{
    (void)ctx;
    struct error err; // there may be no control socket yet
    size_t i;
    json_t *answer = ask("status", &err), *one;
    const json_t *list = json_object_get(answer, "subscriptions");
    bool all = json_array_size(list) > 0;
    json_array_foreach(list, i, one) all =
        all && strcmp(json_string_value(json_object_get(one, "state")), "subscribed") == 0;
    json_decref(answer);
    return all;
}

static void *drive(void *ctx)
{
    (void)ctx;
    wait_until(is_subscribed, NULL, "subscriptions");
    renew();
    const struct left most = count_left();
    for (size_t i = 0; i < test.steps; i++)
        step();
    renew();
    wait_until(is_no_more, &most, "threads and descriptors to end");
    for (size_t i = 0; i < test.probe_count; i++)
        check_probe(&test.probes[i]);
    kill(getpid(), SIGTERM);
    return NULL;
}

static void run(void)
{
    struct error err = {""};
    struct conf conf;
    pthread_t thread;
    sigset_t all, old;
    const struct mad_opener inner = inner_fabric_opener(test.fabric);
    test.port = report_port_new(&inner);
    const struct mad_opener opener = report_port_opener(test.port);
    struct log *log = log_open(fopen("/dev/null", "we"), LOG_LEVEL_INFO, false, &clock_system);
    REQUIRE(log && load(NULL, &conf, &err));
    sigfillset(&all); // signals are the gateway's, in this thread
    pthread_sigmask(SIG_BLOCK, &all, &old);
    REQUIRE(pthread_create(&thread, NULL, drive, NULL) == 0);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    const struct daemon_options options = {.load = load, .opener = &opener, .log = log};
    const bool good = daemon_run(&conf, &options, &err);
    if (!good)
        fprintf(stderr, "%s\n", err.text);
    REQUIRE(good);
    pthread_join(thread, NULL);
    log_close(log);
    report_port_free(test.port);
}

static void read_arguments(int argc, char **argv)
{
    static const struct option OPTIONS[] = {
        {"seed", required_argument, NULL, 's'}, {"steps", required_argument, NULL, 'n'}, {0}};
    for (int c; (c = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1;) {
        if (c == '?') {
            fprintf(stderr, "test_reload [--seed N] [--steps N]\n");
            exit(2);
        }
        *(c == 's' ? &test.seed : &test.steps) = strtoull(optarg, NULL, 10);
    }
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    test.chance = test.seed;
    const char *directory = scratch_make_in_memory();
    test.places = (struct wanted_places){.directory = directory, .closed_port = 1};
    snprintf(test.socket, sizeof test.socket, "%s/control", directory);
    test.probes = calloc(2 * test.steps + 16, sizeof *test.probes);
    test.fabric = inner_fabric_new(&(struct inner_fabric_options){
        .hosts = HOSTS, .changes = 2, .rate = REPORTS_A_SECOND, .window = 64});
    REQUIRE(test.probes && test.fabric);
    test.ears = ears_open(&test.places, 2 * test.steps + 16);
    wanted_begin(&test.first);
    test.now = test.first;
    write_text(&test.first, false);
    run();
    printf("seed %llu: %zu probes, %zu steps\n", (unsigned long long)test.seed, test.probe_count,
           test.steps);
    ears_close(test.ears);
    inner_fabric_free(test.fabric);
    free(test.probes);
    scratch_remove(directory);
    return EXIT_SUCCESS;
}
