// SPDX-License-Identifier: BSD-2-Clause
// Sends made-up events to SNMP receivers through the sink's contract, without a gateway.
//
//   send_events state=DIR [host=H port=P ... n=1000 type=gid-in-service text=...] [+ host=...]
//
// Each group of options, separated by "+", is a receiver with a thread of its own. In the end the
// program prints a line for each receiver; failures are written to stderr at once. It fails if a
// group has not finished after `limit` seconds.
#include "driver.h"
#include "sink_defaults.h"

#include "base/clock.h"
#include "base/text.h"
#include "model/catalogue.h"
#include "sink/snmp.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GROUPS_MAX = 16, WAITS_MAX = 1 << 17 };

struct group {
    struct snmp_target target;
    unsigned n, first, limit_s, pause_us;
    unsigned leap_s; // the receiver's clock jumps ahead by this with each event
    struct clock clock;
    unsigned leaps;
    const char *type, *text, *key;
    bool finished;
    unsigned failures;
    int64_t waits_us[WAITS_MAX]; // the waiting time of each round of send and wait
    size_t wait_count;
    int64_t took_us;
};

static unsigned long number(const char *value)
{
    return (unsigned long)strtod(value, NULL);
}

static int find_word(const char *const *words, const char *word)
{
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0)
            return i;
    }
    fprintf(stderr, "what is '%s'?\n", word);
    exit(2);
}

static const char *const VERSIONS[] = {"1", "2c", "3", NULL};
static const char *const TRANSPORTS[] = {"udp", "tcp", "tls", "dtls", NULL};
static const char *const AUTHS[] = {"none",    "SHA",     "SHA-224", "SHA-256",
                                    "SHA-384", "SHA-512", NULL};
static const char *const PRIVS[] = {"none",      "AES",       "AES-192", "AES-256",
                                    "AES-192-C", "AES-256-C", NULL};
static const char *state = "/tmp";

static void set_option(struct group *g, const char *key, const char *value)
{
    struct snmp_target *t = &g->target;
    const struct {
        const char *key;
        const char **text;
        unsigned *number;
        bool *flag;
    } OPTIONS[] = {
        {"state", &state, NULL, NULL},
        {"host", &t->host, NULL, NULL},
        {"community", &t->community, NULL, NULL},
        {"user", &t->user.name, NULL, NULL},
        {"authpw", &t->user.auth_password, NULL, NULL},
        {"privpw", &t->user.priv_password, NULL, NULL},
        {"context", &t->context, NULL, NULL},
        {"ca", &t->tls.ca_file, NULL, NULL},
        {"crl", &t->tls.crl_file, NULL, NULL},
        {"cert", &t->tls.cert_file, NULL, NULL},
        {"key", &t->tls.key_file, NULL, NULL},
        {"name", &t->tls.name, NULL, NULL},
        {"type", &g->type, NULL, NULL},
        {"text", &g->text, NULL, NULL},
        {"alarm", &g->key, NULL, NULL},
        {"timeout", NULL, &t->timeout_ms, NULL},
        {"retries", NULL, &t->retries, NULL},
        {"window", NULL, &t->in_flight_max, NULL},
        {"sets", NULL, &t->sets, NULL},
        {"n", NULL, &g->n, NULL},
        {"first", NULL, &g->first, NULL},
        {"limit", NULL, &g->limit_s, NULL},
        {"pause", NULL, &g->pause_us, NULL},
        {"leap", NULL, &g->leap_s, NULL},
        {"inform", NULL, NULL, &t->inform},
        {"extra", NULL, NULL, &t->extra},
    };
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
        if (strcmp(OPTIONS[i].key, key) != 0)
            continue;
        if (OPTIONS[i].text)
            *OPTIONS[i].text = value;
        else if (OPTIONS[i].number)
            *OPTIONS[i].number = (unsigned)number(value);
        else
            *OPTIONS[i].flag = number(value) != 0;
        return;
    }
    if (strcmp(key, "port") == 0) {
        t->port = (uint16_t)number(value);
    } else if (strcmp(key, "version") == 0) {
        t->version = (enum snmp_version)find_word(VERSIONS, value);
    } else if (strcmp(key, "transport") == 0) {
        t->transport = (enum transport)find_word(TRANSPORTS, value);
    } else if (strcmp(key, "auth") == 0) {
        t->user.auth = (enum snmp_auth)find_word(AUTHS, value);
    } else if (strcmp(key, "priv") == 0) {
        t->user.priv = (enum snmp_priv)find_word(PRIVS, value);
    } else if (strcmp(key, "trapaddr") == 0) {
        t->has_trap_address = t->has_agent_address =
            inet_pton(AF_INET, value, t->agent_address) == 1;
    } else if (strcmp(key, "agentaddr") == 0) {
        t->has_agent_address = inet_pton(AF_INET, value, t->agent_address) == 1;
    } else {
        fprintf(stderr, "what is '%s'?\n", key);
        exit(2);
    }
}

// The n-th event: only its identifier, ports and LIDs differ; they count up.
static struct event *make_event(const struct group *g, unsigned i)
{
    const struct catalogue_entry *type = NULL;
    for (int t = 0; t < CATALOGUE_COUNT && !type; t++) {
        if (strcmp(catalogue_get((enum catalogue_event)t)->name, g->type) == 0)
            type = catalogue_get((enum catalogue_event)t);
    }
    struct event *e = type ? event_make(type) : NULL;
    if (!e) {
        fprintf(stderr, "no event '%s'\n", g->type);
        exit(2);
    }
    snprintf(e->id, sizeof e->id, "00000000-0000-4000-8000-%012x", g->first + i);
    e->time_us = INT64_C(1795231143123456);
    e->subnet_prefix = UINT64_C(0xfe80000000000000);
    e->switch_guid = UINT64_C(0x0002c90300001234);
    e->notice.lid = (uint16_t)(i % 0xbfff + 1);
    e->notice.port = (uint8_t)(i % 36 + 1);
    text_clean(g->text, strlen(g->text), e->text, sizeof e->text);
    snprintf(e->alarm_key, sizeof e->alarm_key, "%s", g->key);
    return e;
}

static int64_t now(void)
{
    return clock_monotonic(&clock_system);
}

static int64_t leaping_utc(void *ctx)
{
    (void)ctx;
    return clock_utc(&clock_system);
}

static int64_t leaping_monotonic(void *ctx)
{
    const struct group *g = ctx;
    return now() + (int64_t)g->leaps * g->leap_s * CLOCK_US_PER_S;
}

// One receiver's progress: events sent since the last opening, events confirmed.
struct progress {
    struct group *group;
    struct sink *sink;
    struct driver driver;
    bool is_open, blocked;
    unsigned done, handed;
};

static void fail(struct progress *p, const struct error *err)
{
    fprintf(stderr, "%s: %s\n", p->sink->name, err->text);
    if (p->is_open)
        driver_close(&p->driver);
    p->is_open = false;
    p->group->failures++;
    usleep(100000);
}

static bool open_again(struct progress *p, struct error *err)
{
    p->handed = p->done;
    p->is_open = p->is_open || driver_open(&p->driver, p->sink, err);
    return p->is_open;
}

static bool hand_over(struct progress *p, struct event *const *events, struct error *err)
{
    enum sink_result result = driver_send(&p->driver, events[p->handed], err);
    p->blocked = result == SINK_BLOCKED;
    if (p->blocked)
        return true;
    p->handed++;
    p->group->leaps++;
    p->done += result == SINK_DONE || result == SINK_SKIPPED;
    return result != SINK_FAILED;
}

static bool collect(struct progress *p, int timeout_ms, struct error *err)
{
    int n = driver_wait(&p->driver, timeout_ms, err);
    p->done += n > 0 ? (unsigned)n : 0;
    return n >= 0;
}

static void note_wait(struct group *g, int64_t us)
{
    if (g->wait_count < WAITS_MAX)
        g->waits_us[g->wait_count++] = us;
}

static bool step(struct progress *p, struct event *const *events, struct error *err)
{
    unsigned pending = p->handed - p->done, window = p->sink->in_flight_max;
    if (!p->is_open)
        return open_again(p, err);
    bool may_hand = p->handed < p->group->n && (window == 0 || pending < window);
    int64_t since = now();
    bool ok = (!may_hand || hand_over(p, events, err)) &&
              (window == 0 || collect(p, may_hand && !p->blocked ? 0 : 20, err));
    note_wait(p->group, now() - since);
    if (may_hand && p->group->pause_us > 0)
        usleep(p->group->pause_us);
    return ok;
}

static void send_all(struct group *g, struct sink *r, struct event *const *events)
{
    struct error err;
    struct progress p = {.group = g, .sink = r};
    int64_t until = now() + g->limit_s * CLOCK_US_PER_S;
    while (p.done < g->n && now() < until) {
        if (!step(&p, events, &err))
            fail(&p, &err);
    }
    g->finished = p.done == g->n;
    if (p.is_open)
        driver_close(&p.driver);
}

static void *run(void *arg)
{
    struct group *g = arg;
    struct sink r;
    struct error err;
    char name[32];
    snprintf(name, sizeof name, "%s:%u", g->target.host, g->target.port);
    if (!snmp_sink(&r, name, &g->target, &err)) {
        fprintf(stderr, "%s: refused: %s\n", name, err.text);
        return NULL;
    }
    struct event **events = calloc(g->n, sizeof *events);
    for (unsigned i = 0; i < g->n; i++)
        events[i] = make_event(g, i);
    int64_t started_at = now();
    send_all(g, &r, events);
    g->took_us = now() - started_at;
    for (unsigned i = 0; i < g->n; i++)
        event_unref(events[i]);
    free(events);
    r.free(r.self);
    return NULL;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Prints a line: the 99th percentile and the maximum of the waiting times.
static void report(struct group *g)
{
    qsort(g->waits_us, g->wait_count, sizeof *g->waits_us, compare);
    int64_t p99 = g->wait_count > 0 ? g->waits_us[g->wait_count * 99 / 100] : 0;
    int64_t longest = g->wait_count > 0 ? g->waits_us[g->wait_count - 1] : 0;
    printf("%s, %u failures, %.1f ms at 99 %%, %.1f ms the longest wait, %.3f s\n",
           g->finished ? "finished" : "unfinished", g->failures, (double)p99 / 1000,
           (double)longest / 1000, (double)g->took_us / 1e6);
}

int main(int argc, char **argv)
{
    static struct group groups[GROUPS_MAX];
    pthread_t threads[GROUPS_MAX];
    size_t count = 0;
    for (int i = 1; i < argc; i++) {
        struct group *g = &groups[count];
        if (i == 1 || strcmp(argv[i], "+") == 0) {
            count += i > 1;
            g = &groups[count];
            *g = (struct group){.target = SNMP_TARGET_DEFAULTS, .n = 1, .limit_s = 60};
            g->type = "gid-in-service";
            g->text = "A port is there.";
            g->key = "";
            g->target.host = "127.0.0.1";
            g->clock = (struct clock){leaping_utc, leaping_monotonic, g};
            g->target.clock = &g->clock;
            g->target.started_at = now();
        }
        char *equals = strchr(argv[i], '=');
        if (equals) {
            *equals = '\0';
            set_option(g, argv[i], equals + 1);
        }
    }
    signal(SIGPIPE, SIG_IGN);
    struct log *log = log_open(stderr, LOG_LEVEL_INFO, true, &clock_system);
    snmp_begin(state, &random_system, log);
    bool all = true;
    for (size_t i = 0; i <= count; i++)
        pthread_create(&threads[i], NULL, run, &groups[i]);
    for (size_t i = 0; i <= count; i++) {
        pthread_join(threads[i], NULL);
        all = all && groups[i].finished;
        report(&groups[i]);
    }
    snmp_end();
    log_close(log);
    return all ? 0 : 1;
}
