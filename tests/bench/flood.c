// SPDX-License-Identifier: BSD-2-Clause
// The whole gateway in one process with a subnet manager that floods it with Reports (flood_sm.h),
// and a sink for traps over UDP (trap_sink.h). Prints the results as JSON. The Python programs in
// this folder run it.
//
//   bench-flood CONFIG [reports=N] [rate=N] [window=N] [sink=PORT] [hold=RECEIVER] [await=N]
//
// rate: Reports a second, 0: as fast as they are taken. window: of them without answer. sink: the
// UDP port to listen on. hold: pauses that receiver until all Reports are acknowledged; then
// measures the time until it has all events. await: waits until so many receivers have all events,
// and reports on each.
#include "flood_receivers.h"
#include "flood_sm.h"
#include "trap_sink.h"

#include "base/clock.h"
#include "base/text.h"
#include "conf/load.h"
#include "ctl/client.h"
#include "daemon/daemon.h"
#include "daemon/signals.h"
#include "sink/module.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    WARM_UP_NS = 500000000,
    SUBSCRIBED_S = 30,
    QUIET_US = 3000000,
    TICK_US = 5000,
    ASK_US = 20000,
    LOOK_US = 100000, // at all receivers
};

struct bench {
    const char *config;
    unsigned long reports, window, await;
    double rate;
    unsigned long sink_port;
    const char *hold; // name of a receiver; NULL: none
    char socket[CONF_PATH_SIZE];
    struct flood_sm *sm;
    struct trap_sink *sink; // NULL: none
    struct flood_receivers receivers;
    bool good;
};

static void give_up(const char *why)
{
    fprintf(stderr, "bench-flood: %s\n", why);
    exit(EXIT_FAILURE);
}

static int64_t now(void)
{
    return clock_monotonic(&clock_system);
}

// The receiver.

static json_t *request(const struct bench *b, const char *command, json_t *items)
{
    struct error err;
    json_t *answer = client_request(b->socket, command, items, &err);
    if (!answer)
        give_up(err.text);
    return answer;
}

static void command(const struct bench *b, const char *command, const char *name)
{
    json_decref(request(b, command, json_pack("{s:s}", "name", name)));
}

// How many events the receiver has.
static uint64_t sent_by(const struct bench *b, const char *name)
{
    json_t *answer = request(b, "receivers", json_object()), *one;
    uint64_t sent = 0;
    size_t i;
    json_array_foreach(json_object_get(answer, "receivers"), i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "name")), name) == 0)
            sent = (uint64_t)json_integer_value(json_object_get(
                one, json_is_integer(json_object_get(one, "delivered")) ? "delivered" : "sent"));
    }
    json_decref(answer);
    return sent;
}

// Waiting. Each function returns early when there is no more progress.

struct progress {
    uint64_t count;
    int64_t moved_at;
};

static bool is_stuck(struct progress *p, uint64_t count)
{
    if (count != p->count || p->moved_at == 0)
        *p = (struct progress){count, now()};
    return now() - p->moved_at > QUIET_US;
}

static void await_subscribed(struct bench *b)
{
    int64_t until = now() + SUBSCRIBED_S * CLOCK_US_PER_S;
    while (!flood_sm_is_subscribed(b->sm)) {
        clock_sleep(TICK_US);
        if (now() > until)
            give_up("the gateway does not subscribe");
    }
}

static void await_acknowledged(struct bench *b)
{
    struct progress p = {0};
    while (flood_sm_acknowledged(b->sm) < b->reports && !is_stuck(&p, flood_sm_acknowledged(b->sm)))
        clock_sleep(TICK_US);
}

static void await_received(struct bench *b)
{
    struct progress p = {0};
    while (trap_sink_count(b->sink) < b->reports && !is_stuck(&p, trap_sink_count(b->sink)))
        clock_sleep(TICK_US);
}

struct drain {
    uint64_t sent;
    double per_s; // from its first event on, without the opening of the receiver
};

static struct drain await_sent(struct bench *b)
{
    struct progress p = {0}, first = {0};
    uint64_t sent;
    while ((sent = sent_by(b, b->hold)) < b->reports && !is_stuck(&p, sent)) {
        if (first.count == 0)
            first = (struct progress){sent, now()};
        clock_sleep(ASK_US);
    }
    double seconds = (double)(now() - first.moved_at) / 1e6;
    return (struct drain){sent, (double)(sent - first.count) / seconds};
}

static void await_all(struct bench *b)
{
    struct progress p = {0};
    uint64_t sent;
    do {
        clock_sleep(LOOK_US);
        sent = flood_receivers_look(&b->receivers, b->socket);
    } while (flood_receivers_done(&b->receivers) < b->await && !is_stuck(&p, sent));
}

// Reporting.

static int compare_times(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// With a rate, the opening of the receiver is not measured: after the first trap, waits a moment
// for the ICMP error of a host without a listener.
static uint32_t first_measured(const struct bench *b, uint32_t count)
{
    uint32_t i = 0;
    while (b->rate > 0 && i < count - 1 &&
           flood_sm_read_ns(b->sm, i) - flood_sm_read_ns(b->sm, 0) < WARM_UP_NS)
        i++;
    return i;
}

// The latencies from the reading of each Report.
static void print_latencies(const struct bench *b, const char *name,
                            int64_t (*end_of)(const struct bench *b, uint32_t i), uint32_t total)
{
    static const double SHARES[] = {0.5, 0.9, 0.99, 0.999, 1};
    int64_t *times = malloc(total * sizeof *times);
    if (!times || total == 0)
        give_up("nothing to measure");
    uint32_t first = first_measured(b, total), count = total - first;
    for (uint32_t i = 0; i < count; i++)
        times[i] = end_of(b, first + i) - flood_sm_read_ns(b->sm, first + i);
    qsort(times, count, sizeof *times, compare_times);
    printf(", \"%s\": {", name);
    for (size_t i = 0; i < sizeof SHARES / sizeof *SHARES; i++) {
        size_t place = (size_t)(SHARES[i] * (double)(count - 1));
        printf("%s\"p%g\": %.4f", i ? ", " : "", SHARES[i] * 100, (double)times[place] / 1e6);
    }
    printf(", \"histogram\": {");
    uint32_t seen = 0;
    for (int64_t limit = 62500; seen < count; limit *= 2) {
        uint32_t before = seen;
        while (seen < count && times[seen] <= limit)
            seen++;
        if (seen > before)
            printf("%s\"%g\": %u", before ? ", " : "", (double)limit / 1e6, seen - before);
    }
    printf("}}");
    free(times);
}

static int64_t answered(const struct bench *b, uint32_t i)
{
    return flood_sm_answered_ns(b->sm, i);
}

static int64_t received(const struct bench *b, uint32_t i)
{
    return trap_sink_time_ns(b->sink, i);
}

static double cpu_us(const struct bench *b)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    double us = (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e6 +
                (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
    return us - (b->sink ? (double)trap_sink_cpu_ns(b->sink) / 1e3 : 0);
}

static double seconds_since_first(const struct bench *b, int64_t ns)
{
    return (double)(ns - flood_sm_read_ns(b->sm, 0)) / 1e9;
}

static int64_t last_answered(const struct bench *b)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < b->reports; i++)
        last = answered(b, i) > last ? answered(b, i) : last;
    return last;
}

static void print_acknowledged(const struct bench *b)
{
    double seconds = seconds_since_first(b, last_answered(b));
    uint32_t n = flood_sm_acknowledged(b->sm);
    printf("{\"reports\": %lu, \"acknowledged\": %u, \"acknowledgedS\": %.4f, "
           "\"acknowledgedPerS\": %.0f",
           b->reports, n, seconds, n / seconds);
    if (n == b->reports)
        print_latencies(b, "answerMs", answered, n);
}

static void print_received(const struct bench *b)
{
    uint32_t n = trap_sink_count(b->sink);
    if (n > b->reports)
        n = (uint32_t)b->reports;
    double seconds = n > 0 ? seconds_since_first(b, received(b, n - 1)) : 1;
    printf(", \"received\": %u, \"misplaced\": %u, \"receivedS\": %.4f, \"receivedPerS\": %.0f",
           trap_sink_count(b->sink), trap_sink_misplaced(b->sink), seconds, n / seconds);
    print_latencies(b, "datagramMs", received, n);
}

// The measurement, in a thread beside the gateway's.

static void measure(struct bench *b)
{
    await_subscribed(b);
    if (b->hold)
        command(b, "receiver-pause", b->hold);
    double cpu = cpu_us(b);
    flood_sm_start(b->sm, b->rate, (uint32_t)b->window);
    await_acknowledged(b);
    const int64_t acknowledged_at = now();
    double drain_cpu = cpu_us(b);
    struct drain drain = {0};
    if (b->hold) {
        command(b, "receiver-resume", b->hold);
        drain = await_sent(b);
    }
    if (b->sink)
        await_received(b);
    if (b->await > 0)
        await_all(b);
    double end_cpu = cpu_us(b);
    print_acknowledged(b);
    if (b->sink)
        print_received(b);
    if (b->hold)
        printf(", \"sent\": %llu, \"drainPerS\": %.0f, \"drainCpuUs\": %.3f",
               (unsigned long long)drain.sent, drain.per_s,
               (end_cpu - drain_cpu) / (double)b->reports);
    if (b->await > 0)
        flood_receivers_print(&b->receivers, acknowledged_at);
    printf(", \"cpuUs\": %.3f}\n", (end_cpu - cpu) / (double)b->reports);
    b->good = flood_sm_acknowledged(b->sm) == b->reports;
}

static void *run(void *arg)
{
    measure(arg);
    fflush(stdout);
    kill(getpid(), SIGTERM);
    return NULL;
}

static bool load(void *ctx, struct conf *conf, struct error *err)
{
    const struct bench *b = ctx;
    return conf_load(b->config, conf, err);
}

static const char *value_of(const char *argument, const char *name)
{
    size_t n = strlen(name);
    return strncmp(argument, name, n) == 0 && argument[n] == '=' ? argument + n + 1 : NULL;
}

static void parse(struct bench *b, int argc, char **argv)
{
    const char *v;
    if (argc < 2)
        give_up("usage: bench-flood CONFIG [NAME=VALUE...]");
    b->config = argv[1];
    for (int i = 2; i < argc; i++) {
        if ((v = value_of(argv[i], "reports")))
            b->reports = strtoul(v, NULL, 10);
        else if ((v = value_of(argv[i], "rate")))
            b->rate = strtod(v, NULL);
        else if ((v = value_of(argv[i], "window")))
            b->window = strtoul(v, NULL, 10);
        else if ((v = value_of(argv[i], "sink")))
            b->sink_port = strtoul(v, NULL, 10);
        else if ((v = value_of(argv[i], "await")))
            b->await = strtoul(v, NULL, 10);
        else if ((v = value_of(argv[i], "hold")))
            b->hold = v;
        else
            give_up("there is no such option");
    }
    if (b->reports < 1 || b->reports > UINT32_MAX)
        give_up("how many Reports?");
}

int main(int argc, char **argv)
{
    struct bench b = {.reports = FLOOD_SM_PORTS, .window = 60000};
    struct conf conf;
    struct error err;
    pthread_t thread;
    parse(&b, argc, argv);
    signals_block(); // in all threads: SIGTERM is for the gateway alone
    module_set_directory(MODULES);
    if (!load(&b, &conf, &err))
        give_up(err.text);
    memcpy(b.socket, conf.socket, sizeof b.socket);
    b.sm = flood_sm_new((uint32_t)b.reports);
    if (b.sink_port)
        b.sink = trap_sink_start((uint16_t)b.sink_port, (uint32_t)b.reports);
    struct log *log = log_open(stderr, LOG_LEVEL_INFO, false, &clock_system);
    if (!b.sm || !log || (b.sink_port && !b.sink))
        give_up("out of memory");
    if (pthread_create(&thread, NULL, run, &b) != 0)
        give_up("cannot start a thread");
    const struct mad_opener opener = flood_sm_opener(b.sm);
    if (!daemon_run(&conf, &(struct daemon_options){load, &b, &opener, log}, &err))
        give_up(err.text);
    pthread_join(thread, NULL);
    if (b.sink)
        trap_sink_stop(b.sink);
    flood_sm_free(b.sm);
    log_close(log);
    return b.good ? EXIT_SUCCESS : EXIT_FAILURE;
}
