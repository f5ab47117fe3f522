// SPDX-License-Identifier: BSD-2-Clause
#include "wanted.h"

#include "require.h"

#include "model/counter.h"

#include <stdarg.h>
#include <string.h>

static const char *const SEVERITIES[] = {"emergency", "alert",  "critical",      "error",
                                         "warning",   "notice", "informational", "debug"};
enum { WARNING = 4, LIMIT_MOST = 30 };
#define PROBE "system-image-guid-change"

const struct wanted_counter WANTED_COUNTERS[WANTED_LIMITS] = {
    {"SymbolErrorCounter", COUNTER_SYMBOL_ERROR}, {"PortRcvErrors", COUNTER_RCV_ERRORS}};

unsigned wanted_chance(uint64_t *seed, unsigned limit)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*seed >> 33) % limit;
}

void wanted_begin(struct wanted *wanted)
{
    *wanted = (struct wanted){.sends_probes = true,
                              .severity = WARNING,
                              .sends_repeats = true,
                              .sweeps = true,
                              .reads_counters = true,
                              .in_flight = 8,
                              .verify_s = 5};
    for (size_t i = 0; i < WANTED_RECEIVERS; i++)
        wanted->receivers[i].there = true;
}

// Changes.

static void change_receiver(struct wanted_receiver *receiver, uint64_t *seed)
{
    switch (wanted_chance(seed, 6)) {
    case 0:
        receiver->other_name ^= true;
        break;
    case 1:
        receiver->other_item ^= true;
        break;
    case 2:
        receiver->only_severe ^= true;
        break;
    case 3:
        receiver->only_probes ^= true;
        break;
    default:
        receiver->there ^= true;
        break;
    }
}

static void change_policy(struct wanted *wanted, uint64_t *seed)
{
    wanted->sends_probes = wanted_chance(seed, 5) > 0;
    wanted->severity = wanted_chance(seed, 8);
    wanted->sends_repeats = wanted_chance(seed, 2);
    wanted->holds_consequences = wanted_chance(seed, 2);
    wanted->flap_changes = wanted_chance(seed, 2) * 6;
    for (size_t i = 0; i < WANTED_LIMITS; i++)
        wanted->limits[i] = wanted_chance(seed, LIMIT_MOST);
}

static void change_sweeps(struct wanted *wanted, uint64_t *seed)
{
    wanted->sweeps = wanted_chance(seed, 4) > 0;
    wanted->reads_counters = wanted_chance(seed, 2);
    wanted->settle_ms = wanted_chance(seed, 3) * 20;
    wanted->in_flight = 1 + wanted_chance(seed, 16);
}

static void change_rest(struct wanted *wanted, uint64_t *seed)
{
    wanted->heartbeat_s = wanted_chance(seed, 2);
    wanted->logs_debug = wanted_chance(seed, 2);
    wanted->verify_s = 5 + wanted_chance(seed, 2);
}

void wanted_change(struct wanted *wanted, uint64_t *seed)
{
    bool any = false;
    for (unsigned n = wanted_chance(seed, 5); n > 0; n--)
        change_receiver(&wanted->receivers[wanted_chance(seed, WANTED_RECEIVERS)], seed);
    if (wanted_chance(seed, 2))
        change_policy(wanted, seed);
    if (wanted_chance(seed, 3) == 0)
        change_sweeps(wanted, seed);
    if (wanted_chance(seed, 4) == 0)
        change_rest(wanted, seed);
    for (size_t i = 0; i < WANTED_RECEIVERS; i++)
        any |= wanted->receivers[i].there;
    wanted->receivers[0].there |= !any; // without any the gateway has a receiver of its own
}

// The text.

struct writer {
    char *text;
    size_t used;
};

static void add(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(w->text + w->used, WANTED_TEXT_SIZE - w->used, format, arguments);
    va_end(arguments);
    REQUIRE(n >= 0 && w->used + (size_t)n < WANTED_TEXT_SIZE);
    w->used += (size_t)n;
}

void wanted_name(const struct wanted *wanted, size_t place, char out[WANTED_NAME_SIZE])
{
    snprintf(out, WANTED_NAME_SIZE, "%s-%zu", wanted->receivers[place].other_name ? "b" : "a",
             place);
}

static void write_receiver(struct writer *w, const struct wanted *wanted, size_t place,
                           const struct wanted_places *places)
{
    const struct wanted_receiver *receiver = &wanted->receivers[place];
    char name[WANTED_NAME_SIZE];
    wanted_name(wanted, place, name);
    if (place < WANTED_FILES) {
        add(w, "file \"%s\" { path = \"%s/%zu.json\" sync = %s", name, places->directory, place,
            receiver->other_item ? "true" : "false");
    } else if (place < WANTED_FILES + WANTED_UDP) {
        add(w, "syslog \"%s\" { transport = \"udp\" address = \"127.0.0.1:%u\" facility = \"%s\"",
            name, places->ports[place - WANTED_FILES], receiver->other_item ? "local1" : "user");
    } else {
        add(w, "syslog \"%s\" { transport = \"tcp\" address = \"127.0.0.1:%u\" framing = \"%s\"",
            name, places->closed_port, receiver->other_item ? "lines" : "octet-counting");
    }
    if (receiver->only_severe)
        add(w, " severity = \"%s\"", SEVERITIES[WARNING]);
    if (receiver->only_probes || place >= WANTED_FILES) // no datagram is to be lost
        add(w, " events = {\"" PROBE "\"}");
    add(w, " }\n");
}

static void write_policy(struct writer *w, const struct wanted *wanted)
{
    add(w, "policy \"probes\" { events = {\"" PROBE "\"} enabled = %s severity = \"%s\" }\n",
        wanted->sends_probes ? "true" : "false", SEVERITIES[wanted->severity]);
    add(w, "repeats { window = %u }\nflap { changes = %u }\nstorm { rate = 0 }\n",
        wanted->sends_repeats ? 0 : 3600, wanted->flap_changes);
    add(w, "consequences { hold = %s }\n", wanted->holds_consequences ? "true" : "false");
}

void wanted_write(const struct wanted *wanted, const struct wanted_places *places,
                  char out[WANTED_TEXT_SIZE])
{
    struct writer w = {out, 0};
    add(&w, "fabric { verify_interval = %u }\n", wanted->verify_s);
    add(&w, "sweep { method = \"%s\" interval = 5 settle = %u in_flight = %u attempts = 1 }\n",
        wanted->sweeps ? "smp" : "off", wanted->settle_ms, wanted->in_flight);
    add(&w, "counters { ports = \"%s\" interval = 5 thresholds = {",
        wanted->reads_counters ? "all" : "off");
    for (size_t i = 0; i < WANTED_LIMITS; i++)
        add(&w, "%s\"%s=%llu\"", i > 0 ? ", " : "", WANTED_COUNTERS[i].name,
            (unsigned long long)wanted->limits[i]);
    add(&w, "} }\njournal { directory = \"%s\" }\n", places->directory);
    add(&w, "gateway { name = \"reloaded\" heartbeat = %u }\n", wanted->heartbeat_s);
    add(&w, "control { socket = \"%s/control\" }\n", places->directory);
    add(&w, "log { level = \"%s\" }\n", wanted->logs_debug ? "debug" : "info");
    write_policy(&w, wanted);
    for (size_t i = 0; i < WANTED_RECEIVERS; i++) {
        if (wanted->receivers[i].there)
            write_receiver(&w, wanted, i, places);
    }
}

void wanted_spoil(char text[WANTED_TEXT_SIZE], unsigned mistake)
{
    static const char *const MISTAKES[WANTED_MISTAKES] = {
        "nonsense\n",
        "repeats { window = -1 }\n",
        "policy \"z\" { events = {\"no-such-event\"} }\n",
        "file \"z\" { path = \"\" }\n",
        "syslog \"z\" {",
        "file \"z\" { sync = \"perhaps\" path = \"/dev/null\" }\n",
        "file \"z\" { path = \"-\" }\nfile \"z\" { path = \"-\" }\n",
        "snmp \"z\" { address = \"127.0.0.1\" version = \"3\" }\n",
        WANTED_FILE_GONE "\n",
        "file \"" WANTED_UNMADE "\" { path = \"/dev/null\" }\n",
    };
    struct writer w = {text, strlen(text)};
    add(&w, "%s", MISTAKES[mistake]);
}

bool wanted_passes(const struct wanted *wanted, size_t place, unsigned severity)
{
    const struct wanted_receiver *receiver = &wanted->receivers[place];
    return receiver->there && place < WANTED_FILES + WANTED_UDP && wanted->sends_probes &&
           (!receiver->only_severe || severity <= WARNING);
}
