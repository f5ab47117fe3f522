// SPDX-License-Identifier: BSD-2-Clause
#include "ib/sweeper.h"

#include "base/memory.h"
#include "base/thread.h"
#include "ib/sweep.h"
#include "ib/sweep_rules.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// How often to check whether the port is up: more often while the port is down, because the first
// sweep should begin soon.
static const int64_t PORT_CHECK_US = CLOCK_US_PER_S / 5, PORT_CHECK_WHILE_UP_US = CLOCK_US_PER_S;

// The log says nothing of a first sweep within FIRST_QUIET_US, and then its progress every
// FIRST_TELL_US.
static const int64_t FIRST_QUIET_US = 2 * CLOCK_US_PER_S, FIRST_TELL_US = 10 * CLOCK_US_PER_S;

// A round over the registers of all devices has slices, between which sweeps and readings have
// their turn. A slice takes REGISTERS_SLICE_US at most, so a device that answers slowly delays
// nothing. The MADs of all slices together keep to a rate.
static const int64_t REGISTERS_SLICE_US = CLOCK_US_PER_S;
enum { REGISTERS_PER_S = 1000 };

struct sweeper {
    struct sweeper_options options;
    pthread_t thread;
    bool started;
    atomic_bool stop;

    // The thread's own.
    struct fabric *last;    // NULL: none yet
    struct fabric *trusted; // as in a sweep
    struct sweep next;      // the sweep that begins next, without limits
    bool was_up;
    int64_t tell_at;  // when the log is told how far the first sweep is
    int64_t mkeys_at; // when to look for changed M_Keys
    int64_t counters_at;
    uint32_t register_turn;         // counts the readings with counters of registers
    int64_t registers_at, round_at; // when the next slice is due, and the next round
    uint64_t registers_after;       // the last device that had its turn in this round; 0: none
    struct sweep_size expected;     // of the fabric; zero: not known
    struct sweep_findings findings;
    struct sweep_ticks ticks;
    struct sweep_devices devices;
    struct link_reasons *late; // to ask when nothing else is due; NULL: none

    pthread_mutex_t lock;
    pthread_cond_t woken;
    struct sweep_schedule schedule;
    struct sweeper_status status;
    uint64_t switches[SWEEPER_SWITCHES_MAX]; // whose counters were asked for
    size_t switch_count;
    struct link_reasons *asked; // sweeper_ask_reasons; NULL: none
};

static int64_t sweeper_now_of(const struct sweeper *s)
{
    return clock_monotonic(s->options.clock);
}

// One sweep.

static struct sweep_limits sweeper_limits(const struct sweeper *s)
{
    const struct sweeper_options *o = &s->options;
    const struct sweep_bounds bounds = {.nodes = o->nodes_max,
                                        .part_us = o->part_us_max,
                                        .silent_us = o->attempts * o->timeout_us / o->in_flight};
    return sweep_limits_for(&s->expected, &bounds);
}

// Tells how far a sweep is. The log has the progress of the first sweep, because people wait for
// the first sweep.
static void sweeper_note_found(void *ctx, uint32_t nodes)
{
    struct sweeper *s = ctx;
    pthread_mutex_lock(&s->lock);
    s->status.found = nodes;
    pthread_mutex_unlock(&s->lock);
    const int64_t now = sweeper_now_of(s);
    if (s->last || now < s->tell_at)
        return;
    s->tell_at = now + FIRST_TELL_US;
    log_write(s->options.log, LOG_LEVEL_INFO, "the first sweep takes long: %u nodes found so far",
              (unsigned)nodes);
}

// Prepares a sweep through the SA client's port; close its io afterwards.
static bool sweeper_open(struct sweeper *s, struct sweep *out, struct error *err)
{
    *out = s->next;
    out->limits = sweeper_limits(s);
    return sa_client_attach(s->options.client, MAD_USER_SWEEPER, &out->requests.io, err);
}

static bool sweeper_fill(struct sweeper *s, struct sweep *sweep, struct fabric_builder *builder,
                         struct error *err)
{
    bool ok = (sweep->by_sa ? sweep_sa(sweep, builder, err) : sweep_smp(sweep, builder, err)) &&
              (sweep->no_smps ||
               (sweep_unlinked_ports(sweep, builder, err) &&
                sweep_subnet_managers(sweep, builder, err) && sweep_switches(sweep, builder, err)));
    if (ok && s->options.pkeys && sweep->by_sa)
        sweep_sa_pkeys(sweep, builder);
    else if (ok && s->options.pkeys)
        ok = sweep_pkeys(sweep, builder, err);
    return ok && sweep_io_units(sweep, builder, err);
}

// The snapshot, or NULL with a sentence.
static struct fabric *sweeper_check(struct sweeper *s, struct sweep *sweep, struct error *err)
{
    int64_t utc = clock_utc(s->options.clock);
    struct fabric_builder *builder = fabric_builder_new();
    if (sweeper_fill(s, sweep, builder, err)) // nodes that the SA hides from now on are not gone
        return fabric_builder_finish(builder, utc, sweep->port.subnet_prefix,
                                     sweep->complete && sweep->hidden == 0);
    fabric_builder_free(builder);
    return NULL;
}

// Keeps how large the fabric is, for the limits of the next sweep. A sweep that reached a limit
// does not know: then the SA does, or else nobody.
static void sweeper_learn_size(struct sweeper *s, struct sweep *sweep, const struct fabric *fabric)
{
    struct error err;
    struct sweep_size counted;
    if (!sweep->overflow.happened) {
        s->expected = sweep_limits_measure(fabric);
        return;
    }
    bool ok = sweep_sa_count(sweep, &counted, &err);
    if (!ok)
        log_debug(s->options.log, "the size of the fabric is not known: %s", err.text);
    if (!ok || s->expected.nodes < counted.nodes)
        s->expected = counted;
}

// Status.

static void sweeper_count_found(const struct fabric *fabric, const struct sweep *sweep,
                                struct sweeper_status *status)
{
    status->hidden = sweep->hidden;
    status->nodes = fabric->node_count;
    status->switches = status->silent = 0;
    for (uint32_t i = 0; i < fabric->node_count; i++)
        status->switches += fabric->nodes[i].type == FABRIC_SWITCH;
    for (uint32_t i = 0; i < fabric->port_count; i++)
        status->silent +=
            fabric->ports[i].silent && !(sweep->by_sa && fabric->ports[i].state == FABRIC_ACTIVE);
    status->links = fabric_count_links(fabric);
    status->inactive = fabric_count_inactive(fabric);
}

static void sweeper_begin_sweep(struct sweeper *s, int64_t now)
{
    pthread_mutex_lock(&s->lock);
    sweep_schedule_begin(&s->schedule, now);
    s->status.running = true;
    s->status.found = 0;
    s->tell_at = now + FIRST_QUIET_US;
    s->status.last_begin_us = clock_utc(s->options.clock);
    pthread_mutex_unlock(&s->lock);
    log_debug(s->options.log, "sweep %llu begins", (unsigned long long)s->status.sweeps + 1);
}

static void sweeper_log(const struct sweeper *s, const struct sweeper_status *status,
                        const struct requests_counters *counters)
{
    log_debug(
        s->options.log,
        "sweep %llu took %lld us, %s: %u nodes (%u switches), %u links, %u silent ports; %llu "
        "MADs, %llu queries without an answer%s%s",
        (unsigned long long)status->sweeps, (long long)status->last_duration_us,
        status->last_complete ? "complete" : "not complete", (unsigned)status->nodes,
        (unsigned)status->switches, (unsigned)status->links, (unsigned)status->silent,
        (unsigned long long)counters->sent, (unsigned long long)counters->given_up,
        status->problem[0] ? "; " : "", status->problem);
}

// `fabric` NULL: the sweep failed, and `problem` says why. Else `problem` says that the sweep
// reached a limit, or is empty.
static void sweeper_end_sweep(struct sweeper *s, const struct fabric *fabric,
                              const struct sweep *sweep, int64_t begun, const char *problem)
{
    int64_t now = sweeper_now_of(s);
    pthread_mutex_lock(&s->lock);
    struct sweeper_status *status = &s->status;
    bool news = strcmp(status->problem, problem) != 0;
    snprintf(status->problem, sizeof status->problem, "%s", problem);
    status->running = false;
    status->last_duration_us = now - begun;
    status->last_complete = fabric && sweep->complete;
    status->sweeps++;
    status->failed += !fabric;
    status->overflowed += fabric && problem[0] != '\0';
    status->mads = sweep->counters.sent;
    status->unanswered = sweep->counters.given_up;
    if (fabric)
        sweeper_count_found(fabric, sweep, status);
    sweep_schedule_end(&s->schedule, now, status->last_complete,
                       fabric ? status->inactive : s->schedule.inactive);
    pthread_mutex_unlock(&s->lock);
    sweeper_log(s, status,
                &sweep->counters); // without the lock: only this thread changes the status
    if (fabric && problem[0] != '\0' && !s->findings.over)
        log_condition(s->options.log, LOG_LEVEL_WARNING, "the sweep ended early: %s", problem);
    if (!fabric && news)
        log_write(s->options.log, LOG_LEVEL_WARNING, "the sweep failed: %s", problem);
}

// Keeps which nodes may have another M_Key, and for how many P_Key tables there is no room. Logs
// news about the nodes, and the first time that there is no room.
static void sweeper_note_lacks(struct sweeper *s, const struct sweep *sweep,
                               const struct fabric *fabric)
{
    struct sweeper_status *status = &s->status;
    char locked[sizeof status->locked];
    const bool were_left_out = status->pkey_tables_left_out > 0;
    sweep_findings_explain_locked(sweep, fabric, locked, sizeof locked);
    const bool news = strcmp(locked, status->locked) != 0;
    pthread_mutex_lock(&s->lock);
    memcpy(status->locked, locked, sizeof locked);
    sweep_findings_explain_pkeys(fabric, status->pkeys, sizeof status->pkeys);
    status->pkey_tables_left_out = fabric->pkey_tables_left_out;
    pthread_mutex_unlock(&s->lock);
    if (news && locked[0] != '\0')
        log_write(s->options.log, LOG_LEVEL_WARNING,
                  "check the items 'mkey_file' and 'guid2mkey_file' of section 'sweep': %s",
                  locked);
    else if (news)
        log_write(s->options.log, LOG_LEVEL_INFO, "no node has another M_Key any more");
    if (fabric->pkey_tables_left_out > 0 && !were_left_out)
        log_write(s->options.log, LOG_LEVEL_WARNING,
                  "%s; consider 'pkeys = false' in section 'sweep'", status->pkeys);
}

// Keeps the fabric known before the first of the sweeps that reach a limit.
static void sweeper_keep_trusted(struct sweeper *s, const struct sweep *sweep, struct fabric *known)
{
    if (sweep->overflow.happened && s->trusted)
        return;
    fabric_unref(s->trusted);
    s->trusted = sweep->overflow.happened && known ? fabric_ref(known) : NULL;
}

// Why links went down.

// Adds the ports whose answers are still to come from an earlier sweep.
static void sweeper_add_late(struct sweeper *s, struct link_reasons *list)
{
    for (size_t i = 0; s->late && i < s->late->count && list->count < LINK_REASONS_MAX; i++) {
        if (!s->late->all[i].known)
            list->all[list->count++] = s->late->all[i];
    }
    free(s->late);
    s->late = NULL;
}

// Everybody else hears of the registers, too.
static void sweeper_read_reasons(struct sweeper *s, struct sweep *sweep,
                                 const struct fabric *fabric, struct link_reasons *list)
{
    struct error ignored;
    struct device_readings *readings;
    const int64_t time_us = clock_utc(s->options.clock);
    sweep_link_reasons(sweep, fabric, &s->devices, list, &readings, &ignored);
    readings->time_us = time_us;
    s->options.listener.registers(s->options.listener.ctx, readings);
}

// Asks the ends of lost links within the settling time. What is left then is asked later.
static void sweeper_ask_why(struct sweeper *s, struct sweep *sweep, const struct fabric *known,
                            const struct fabric *fabric)
{
    struct link_reasons *list = memory_get(sizeof *list);
    const struct sweep_limits limits = sweep->limits;
    sweep_list_lost_links(known, fabric, list);
    if (list->count == 0) {
        free(list);
        return;
    }
    sweeper_add_late(s, list);
    sweep->limits.part_us = s->options.settle_us;
    if (s->options.settle_us > 0)
        sweeper_read_reasons(s, sweep, fabric, list);
    sweep->limits = limits;
    if (!list->complete)
        s->late = memory_copy_octets(list, sizeof *list);
    s->options.listener.reasons(s->options.listener.ctx, list);
}

// Takes over the list. `part_us`: the limit of its time; 0: that of the parts of sweeps.
static void sweeper_ask_list(struct sweeper *s, struct link_reasons *list, int64_t part_us)
{
    struct error ignored;
    struct sweep sweep;
    if (sweeper_open(s, &sweep, &ignored)) {
        if (part_us > 0)
            sweep.limits.part_us = part_us;
        sweeper_read_reasons(s, &sweep, s->last, list);
        sweep.requests.io.close(sweep.requests.io.self);
    }
    list->complete = true;
    s->options.listener.reasons(s->options.listener.ctx, list);
}

static void sweeper_ask_late(struct sweeper *s)
{
    struct link_reasons *list = s->late;
    s->late = NULL;
    sweeper_ask_list(s, list, 0);
}

static void sweeper_ask_asked(struct sweeper *s)
{
    pthread_mutex_lock(&s->lock);
    struct link_reasons *list = s->asked;
    s->asked = NULL;
    pthread_mutex_unlock(&s->lock);
    sweeper_ask_list(s, list, s->options.settle_us);
}

// Sweeps with what is known of the fabric, and learns its size.
static struct fabric *sweeper_look(struct sweeper *s, struct sweep *sweep, struct error *err)
{
    const struct sweeper_listener *listener = &s->options.listener;
    struct fabric *known = listener->known ? listener->known(listener->ctx) : NULL;
    sweep->known = known;
    sweep->trusted = s->trusted;
    struct fabric *fabric = sweeper_check(s, sweep, err);
    sweep->known = sweep->trusted = NULL;
    if (fabric) {
        sweeper_keep_trusted(s, sweep, known);
        sweeper_learn_size(s, sweep, fabric);
    }
    if (fabric && known && s->options.link_reasons)
        sweeper_ask_why(s, sweep, known, fabric);
    fabric_unref(known);
    return fabric;
}

static void sweeper_sweep(struct sweeper *s)
{
    struct error err;
    struct sweep sweep;
    struct fabric *fabric = NULL;
    char problem[SWEEP_FINDINGS_REASON_SIZE] = "";
    int64_t begun = sweeper_now_of(s);
    sweeper_begin_sweep(s, begun);
    if (sweeper_open(s, &sweep, &err)) {
        fabric = sweeper_look(s, &sweep, &err);
        sweep.requests.io.close(sweep.requests.io.self);
    }
    if (atomic_load(&s->stop)) {
        fabric_unref(fabric);
        return;
    }
    if (sweep.overflow.happened)
        sweep_findings_explain(&sweep.overflow, problem);
    sweeper_end_sweep(s, fabric, &sweep, begun, fabric ? problem : err.text);
    if (!fabric)
        return;
    sweeper_note_lacks(s, &sweep, fabric);
    const struct sweep_limits next = sweeper_limits(s);
    sweep_findings_tell(&s->findings, &sweep, &next, fabric, &s->options.findings);
    fabric_unref(s->last);
    s->last = fabric_ref(fabric);
    s->options.listener.fabric(s->options.listener.ctx, fabric);
}

// Each register with counters is read once in the interval of registers. The devices are spread
// over the readings in that time.
static void sweeper_choose_registers(struct sweeper *s, const struct sweep_choice *choice,
                                     struct sweep *sweep)
{
    const int64_t interval = s->options.registers_interval_us;
    if (choice->guids || interval == 0)
        return;
    const int64_t readings = interval / s->options.counters_interval_us;
    sweep->devices = &s->devices;
    sweep->register_shares = readings > 1 ? (uint32_t)readings : 1;
    sweep->register_share = s->register_turn++ % sweep->register_shares;
}

// NULL: they cannot be read.
static struct counter_reading *sweeper_read_chosen(struct sweeper *s,
                                                   const struct sweep_choice *choice)
{
    struct error err;
    struct sweep sweep;
    struct counter_reading *reading = NULL;
    bool ok = sweeper_open(s, &sweep, &err);
    if (ok) {
        sweeper_choose_registers(s, choice, &sweep);
        ok = sweep_counters(&sweep, s->last, choice, &reading, &err);
        sweep.requests.io.close(sweep.requests.io.self);
    }
    if (!ok)
        log_debug(s->options.log, "cannot read the counters: %s", err.text);
    return reading;
}

static void sweeper_read_early(struct sweeper *s)
{
    uint64_t switches[SWEEPER_SWITCHES_MAX];
    pthread_mutex_lock(&s->lock);
    const struct sweep_choice choice = {
        .switches_only = true, .guids = switches, .count = s->switch_count};
    memcpy(switches, s->switches, sizeof switches);
    s->switch_count = 0;
    pthread_mutex_unlock(&s->lock);
    struct counter_reading *reading = sweeper_read_chosen(s, &choice);
    if (!reading)
        return;
    reading->early = true;
    log_debug(s->options.log, "read the counters of %u ports of %u switches early",
              (unsigned)reading->count, (unsigned)choice.count);
    s->options.listener.counters(s->options.listener.ctx, reading);
}

static void sweeper_read_all_counters(struct sweeper *s)
{
    int64_t begun = sweeper_now_of(s);
    const struct sweep_choice choice = {.switches_only =
                                            s->options.counters == COUNTERS_OF_SWITCHES};
    s->counters_at = begun + s->options.counters_interval_us;
    struct counter_reading *reading = sweeper_read_chosen(s, &choice);
    if (!reading)
        return;
    pthread_mutex_lock(&s->lock);
    s->status.counters_last_us = reading->time_us;
    s->status.counters_duration_us = sweeper_now_of(s) - begun;
    s->status.counters_ports = reading->count;
    s->status.counters_silent = reading->silent;
    pthread_mutex_unlock(&s->lock);
    log_debug(s->options.log, "read the counters of %u ports in %lld us; %u did not answer",
              (unsigned)reading->count, (long long)s->status.counters_duration_us,
              (unsigned)reading->silent);
    s->options.listener.counters(s->options.listener.ctx, reading);
}

static void sweeper_read_registers(struct sweeper *s)
{
    struct error err;
    struct sweep sweep;
    const int64_t begun = sweeper_now_of(s);
    if (s->registers_after == 0)
        s->round_at = begun + s->options.registers_interval_us;
    struct device_readings *list = sweep_list_registers(s->last, &s->registers_after);
    list->time_us = clock_utc(s->options.clock);
    s->registers_at = begun + CLOCK_US_PER_S;
    if (sweeper_open(s, &sweep, &err)) {
        sweep.limits.part_us = REGISTERS_SLICE_US;
        sweep_registers(&sweep, s->last, &s->devices, list, &err);
        sweep.requests.io.close(sweep.requests.io.self);
        s->registers_at = begun + (int64_t)sweep.counters.sent * CLOCK_US_PER_S / REGISTERS_PER_S;
    }
    if (list->ends_round && s->registers_at < s->round_at)
        s->registers_at = s->round_at;
    s->options.listener.registers(s->options.listener.ctx, list);
}

// The loop.

// Waits until `due`, or until another thread wakes this one, or until the next check of the port.
// Does not wait if the schedule has become due earlier than `due`.
static void sweeper_wait_until(struct sweeper *s, int64_t due)
{
    int64_t us = due - sweeper_now_of(s),
            check_us = s->was_up ? PORT_CHECK_WHILE_UP_US : PORT_CHECK_US;
    if (us > check_us)
        us = check_us;
    if (us <= 0)
        return;
    struct timespec deadline = clock_deadline(us);
    pthread_mutex_lock(&s->lock);
    bool sooner = s->was_up && (sweep_schedule_due(&s->schedule) < due ||
                                ((s->switch_count > 0 || s->asked) && s->last));
    if (!atomic_load(&s->stop) && !sooner)
        pthread_cond_timedwait(&s->woken, &s->lock, &deadline);
    pthread_mutex_unlock(&s->lock);
}

// Keeps whether SMPs are possible: without them the method `smp` becomes `sa`.
static void sweeper_note_refusal(struct sweeper *s, const char *why)
{
    s->next.no_smps = why[0] != '\0';
    s->next.by_sa = s->next.no_smps || s->options.method == SWEEP_SA;
    pthread_mutex_lock(&s->lock);
    s->status.method = s->next.by_sa ? SWEEP_SA : s->options.method;
    snprintf(s->status.no_smps, sizeof s->status.no_smps, "%s",
             s->options.method == SWEEP_SMP ? why : "");
    pthread_mutex_unlock(&s->lock);
}

static void sweeper_check_mkeys(struct sweeper *s)
{
    const int64_t now = sweeper_now_of(s);
    if (!s->options.mkeys || now < s->mkeys_at)
        return;
    s->mkeys_at = now + CLOCK_US_PER_S;
    if (mkeys_refresh(s->options.mkeys))
        sweeper_trigger(s);
}

static void sweeper_serve(struct sweeper *s)
{
    struct sa_status status;
    sweeper_check_mkeys(s);
    sa_client_status(s->options.client, &status);
    const bool up = mad_port_is_up(&status.port);
    if (up && !s->was_up)
        sweeper_trigger(s);
    s->was_up = up;
    s->next.port = status.port;
    s->next.own_guid = status.id.guid;
    s->next.sa = status.sa;
    sweeper_note_refusal(s, status.smp_refusal);
    const int64_t now = sweeper_now_of(s),
                  counters_at =
                      s->options.counters == COUNTERS_OFF || !s->last ? INT64_MAX : s->counters_at;
    pthread_mutex_lock(&s->lock);
    const int64_t sweep_at = sweep_schedule_due(&s->schedule);
    const bool early = s->last && s->switch_count > 0, asked = s->last && s->asked;
    pthread_mutex_unlock(&s->lock);
    const int64_t registers_at =
        s->options.registers_interval_us > 0 && s->last ? s->registers_at : INT64_MAX;
    if (!up)
        sweeper_wait_until(s, INT64_MAX);
    else if (sweep_at <= now)
        sweeper_sweep(s);
    else if (asked)
        sweeper_ask_asked(s);
    else if (counters_at <= now)
        sweeper_read_all_counters(s);
    else if (s->late && s->last)
        sweeper_ask_late(s);
    else if (early)
        sweeper_read_early(s);
    else if (registers_at <= now)
        sweeper_read_registers(s);
    else
        sweeper_wait_until(s, clock_earlier(clock_earlier(sweep_at, counters_at), registers_at));
}

static void *sweeper_run(void *arg)
{
    struct sweeper *s = arg;
    while (!atomic_load(&s->stop))
        sweeper_serve(s);
    return NULL;
}

// For other threads.

static void sweeper_destroy(struct sweeper *s)
{
    fabric_unref(s->last);
    fabric_unref(s->trusted);
    free(s->ticks.all);
    free(s->late);
    free(s->asked);
    sweep_devices_clear(&s->devices);
    pthread_cond_destroy(&s->woken);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static bool sweeper_begin(struct sweeper *s, const struct sweeper_options *options,
                          struct error *err)
{
    s->next = (struct sweep){
        .requests = {.in_flight = options->in_flight,
                     .attempts = options->attempts,
                     .timeout_us = options->timeout_us,
                     .clock = options->clock,
                     .log = options->log,
                     .stop = &s->stop},
        .random = options->random,
        .mkey = options->has_mkey ? options->mkey : 0,
        .mkeys = options->mkeys,
        .vskey = options->vskey,
        .found = sweeper_note_found,
        .found_ctx = s,
        .ticks = &s->ticks,
        .complete = true,
    };
    pthread_mutex_lock(&s->lock);
    s->options = *options;
    s->status.method = options->method;
    s->status.running = false; // a stopped sweep did not reset `running`
    sweep_schedule_init(&s->schedule, options->interval_us, options->settle_us, sweeper_now_of(s));
    pthread_mutex_unlock(&s->lock);
    atomic_store(&s->stop, false);
    if (options->method == SWEEP_OFF) {
        sweep_findings_end(&s->findings, &options->findings);
        return true;
    }
    int rc = thread_start(&s->thread, "sweeper", sweeper_run, s);
    s->started = rc == 0;
    return rc == 0 || error_set(err, "cannot start the thread of the sweeper: %s", strerror(rc));
}

struct sweeper *sweeper_start(const struct sweeper_options *options, struct error *err)
{
    struct sweeper *s = memory_zeroed(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    clock_condition_init(&s->woken);
    s->findings.over = options->was_over;
    if (sweeper_begin(s, options, err))
        return s;
    sweeper_destroy(s);
    return NULL;
}

static void sweeper_unlock_and_wake(struct sweeper *s)
{
    pthread_cond_signal(&s->woken);
    pthread_mutex_unlock(&s->lock);
}

void sweeper_stop(struct sweeper *sweeper)
{
    if (!sweeper)
        return;
    atomic_store(&sweeper->stop, true);
    pthread_mutex_lock(&sweeper->lock);
    sweeper_unlock_and_wake(sweeper);
    if (sweeper->started)
        pthread_join(sweeper->thread, NULL);
    sweeper->started = false;
}

bool sweeper_change(struct sweeper *sweeper, const struct sweeper_options *options,
                    struct error *err)
{
    sweeper_stop(sweeper);
    return sweeper_begin(sweeper, options, err);
}

void sweeper_free(struct sweeper *sweeper)
{
    if (sweeper)
        sweeper_destroy(sweeper);
}

void sweeper_trigger(struct sweeper *sweeper)
{
    pthread_mutex_lock(&sweeper->lock);
    sweep_schedule_trigger(&sweeper->schedule, sweeper_now_of(sweeper));
    sweeper_unlock_and_wake(sweeper);
}

void sweeper_sweep_now(struct sweeper *sweeper)
{
    pthread_mutex_lock(&sweeper->lock);
    sweep_schedule_now(&sweeper->schedule);
    sweeper_unlock_and_wake(sweeper);
}

void sweeper_read_counters(struct sweeper *sweeper, const uint64_t *switches, size_t count)
{
    pthread_mutex_lock(&sweeper->lock);
    for (size_t i = 0; i < count && sweeper->switch_count < SWEEPER_SWITCHES_MAX; i++) {
        if (sweeper->options.counters != COUNTERS_OFF)
            sweeper->switches[sweeper->switch_count++] = switches[i];
    }
    sweeper_unlock_and_wake(sweeper);
}

void sweeper_ask_reasons(struct sweeper *sweeper, const struct link_reasons *ports)
{
    pthread_mutex_lock(&sweeper->lock);
    if (!sweeper->asked)
        sweeper->asked = memory_zeroed(1, sizeof *sweeper->asked);
    for (size_t i = 0; i < ports->count && sweeper->asked->count < LINK_REASONS_MAX; i++)
        sweeper->asked->all[sweeper->asked->count++] = ports->all[i];
    sweeper_unlock_and_wake(sweeper);
}

void sweeper_get_status(struct sweeper *sweeper, struct sweeper_status *out)
{
    pthread_mutex_lock(&sweeper->lock);
    *out = sweeper->status;
    pthread_mutex_unlock(&sweeper->lock);
}
