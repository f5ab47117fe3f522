// SPDX-License-Identifier: BSD-2-Clause
#include "scenario.h"

#include "action.h"
#include "gateway_under_test.h"
#include "require.h"
#include "truth.h"
#include "view.h"
#include "wrong.h"

#include "model/catalogue.h"

#include <fnmatch.h>
#include <string.h>

#define SECOND CLOCK_US_PER_S

enum {
    SIDES_MAX = 2,
    VIEWS = 9,
    INSTANT_MAX = 1000,
    SWEEP_EVERY_S = 60,
    SWEEP_APART_MS = 300,
    WRONG_S = 55
};

// The things that a gateway saw for certain, and the things that the gateway may have seen: a sweep
// that the gateway may drop counts in the second only. An alarm in both must be there, one in
// neither must not.
struct known {
    struct truth certain, possible;
    struct truth_alarms must, may;               // as of the last sweep
    struct truth_alarms must_before, may_before; // as of the sweep before
    unsigned sweeps;                             // complete ones, one after another
};

struct side {
    struct gateway_under_test *gateway;
    enum gateway_role role;
    struct known known;
    int64_t due; // the gateway's next work, while it runs
};

// Nobody is active for twice this time at most.
#define IDLE_MAX (5 * 60 * SECOND)

struct world {
    struct plain_fabric fabric;
    struct support_time time;
    struct side sides[SIDES_MAX];
    unsigned side_count;
    struct view views[VIEWS];
    struct wrong wrong[VIEWS];
    struct gateway_options options;
    int64_t next_sweep, windows_end; // monotonic
    unsigned sweeps;
    bool quiet; // nothing happens but sweeps: they are not worth a line
    const char *only;
    FILE *trace;
    struct side *speaker; // whose events are read now
    struct scenario_result *result;
    int64_t active_at; // when a gateway was last seen active
};

// Failures.

static const char *kind_of(const char *key)
{
    static const char *const KINDS[] = {"node ", "link ", "port ", "rate link ", "flapping "};
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (strncmp(key, KINDS[i], strlen(KINDS[i])) == 0)
            return KINDS[i];
    }
    return NULL;
}

static void fail(struct world *w, const char *where, const char *how, const char *key)
{
    struct scenario_result *r = w->result;
    const size_t used = strlen(r->text);
    const char *kind = kind_of(key) ? kind_of(key) : "other ";
    char class[SCENARIO_CLASS_SIZE];
    snprintf(class, sizeof class, "%s: %s %.*s", where, how, (int)strlen(kind) - 1, kind);
    if (w->only && !strstr(class, w->only))
        return;
    if (!r->failed)
        memcpy(r->class, class, sizeof r->class);
    r->failed = true;
    snprintf(r->text + used, sizeof r->text - used, "    %s: %s %s\n", where, how, key);
}

// The lists of alarms.

struct check {
    struct world *world;
    const char *where;
    const struct known *known;
    struct {
        char key[EVENT_KEY_SIZE];
    } listed[TRUTH_ALARMS_MAX];
    unsigned count;
    bool late; // one sweep late is in time
};

static void list_key(void *ctx, const char *key)
{
    struct check *check = ctx;
    REQUIRE(check->count < TRUTH_ALARMS_MAX);
    if (kind_of(key))
        snprintf(check->listed[check->count++].key, EVENT_KEY_SIZE, "%s", key);
}

static bool is_listed(const struct check *check, const char *key)
{
    unsigned i = 0;
    while (i < check->count && strcmp(check->listed[i].key, key) != 0)
        i++;
    return i < check->count;
}

static bool may_list(const struct check *check, const char *key)
{
    const struct known *k = check->known;
    if (strncmp(key, "flapping ", 9) == 0)
        return check->late;
    return truth_find(&k->must, key) || truth_find(&k->may, key) ||
           (check->late && (truth_find(&k->must_before, key) || truth_find(&k->may_before, key)));
}

static bool must_list(const struct check *check, const char *key)
{
    const struct known *k = check->known;
    return truth_find(&k->may, key) &&
           (!check->late || (truth_find(&k->must_before, key) && truth_find(&k->may_before, key)));
}

static void check_list(struct world *w, const struct side *side, bool late)
{
    static struct check check;
    const char *const names[] = {"alarms of A", "alarms of B", "late alarms of A",
                                 "late alarms of B"};
    check = (struct check){.world = w,
                           .where = names[(side - w->sides) + (late ? 2 : 0)],
                           .known = &side->known,
                           .late = late};
    gateway_each_alarm(side->gateway, list_key, &check);
    for (unsigned i = 0; i < check.count; i++) {
        if (!may_list(&check, check.listed[i].key))
            fail(w, check.where, "extra", check.listed[i].key);
    }
    for (unsigned i = 0; i < side->known.must.count; i++) {
        const char *key = side->known.must.all[i].key;
        if (must_list(&check, key) && !is_listed(&check, key))
            fail(w, check.where, "missing", key);
    }
}

// Receivers.

static void check_events(struct world *w)
{
    for (unsigned i = 0; i < VIEWS; i++) {
        if (w->views[i].stray[0] != '\0')
            fail(w, w->views[i].name, "clear of an unsent event:", w->views[i].stray);
        if (w->views[i].keyless)
            fail(w, w->views[i].name, "raise or clear without a key:", "");
        if (w->side_count == 1 && w->views[i].again[0] != '\0')
            fail(w, w->views[i].name, "raise twice:", w->views[i].again);
        if (w->side_count == 1 && w->views[i].unraised[0] != '\0')
            fail(w, w->views[i].name, "clear of what was never told:", w->views[i].unraised);
        w->views[i].stray[0] = w->views[i].again[0] = w->views[i].unraised[0] = '\0';
        w->views[i].keyless = false;
    }
}

static bool is_possible(const struct world *w, const char *key)
{
    for (unsigned i = 0; i < w->side_count; i++) {
        if (truth_find(&w->sides[i].known.must, key) || truth_find(&w->sides[i].known.may, key))
            return true;
    }
    return false;
}

static bool is_certain(const struct world *w, const char *key)
{
    for (unsigned i = 0; i < w->side_count; i++) {
        if (!truth_find(&w->sides[i].known.must, key) || !truth_find(&w->sides[i].known.may, key))
            return false;
    }
    return true;
}

// The severities of the catalogue's rows.
static enum severity severity_of(const struct world *w, const struct truth_alarm *alarm)
{
    return alarm->kind == TRUTH_NODE && w->fabric.nodes[alarm->node].type != FABRIC_CA
               ? SEVERITY_ERROR
               : SEVERITY_WARNING;
}

// The event that raises it.
static const char *event_of(const struct world *w, const struct truth_alarm *alarm)
{
    static const char *const OF_NODES[] = {[FABRIC_CA] = "host-removed",
                                           [FABRIC_SWITCH] = "switch-removed",
                                           [FABRIC_ROUTER] = "router-removed"};
    static const char *const OTHERS[] = {
        [TRUTH_LINK] = "link-down", [TRUTH_PORT] = "port-removed", [TRUTH_RATE] = "link-degraded"};
    return alarm->kind == TRUTH_NODE ? OF_NODES[w->fabric.nodes[alarm->node].type]
                                     : OTHERS[alarm->kind];
}

// Whether each gateway knows the node by a name of the pattern. A start with a nameless or a
// missing node does not know the name.
static bool is_known_as(const struct plain_node *node, const char *pattern)
{
    return !node->forgotten && fnmatch(pattern, node->name, 0) == 0;
}

// Whether the alarm is about the node. The event about a node may also name where it was.
static bool is_about(const struct world *w, const struct truth_alarm *alarm, const char *node)
{
    const struct plain_node *nodes = w->fabric.nodes;
    if (alarm->kind == TRUTH_NODE)
        return is_known_as(&nodes[alarm->node], node);
    return is_known_as(&nodes[alarm->ends[0].node], node) ||
           is_known_as(&nodes[alarm->ends[1].node], node);
}

// Whether the receiver's filter certainly passes the alarm.
static bool wants(const struct world *w, const struct view *view, const struct truth_alarm *alarm)
{
    const struct gateway_filter *filter = &view->filter;
    return severity_of(w, alarm) <= filter->severity &&
           (!filter->events || fnmatch(filter->events, event_of(w, alarm), 0) == 0) &&
           (!filter->node || is_about(w, alarm, filter->node));
}

static bool is_excused(const struct world *w, const struct view *view,
                       const struct truth_alarm *alarm)
{
    bool excused = false;
    for (unsigned i = 0; i < w->side_count && w->options.suppress_consequences; i++)
        excused |= truth_has_told_root(&w->sides[i].known.certain, alarm, view_believes, view) ||
                   truth_has_told_root(&w->sides[i].known.possible, alarm, view_believes, view);
    return excused;
}

// Calls `each` for each key about which the receiver is wrong.
static void each_wrong(struct world *w, const struct view *view,
                       void (*each)(struct world *w, const struct view *view, const char *how,
                                    const char *key))
{
    const struct truth_alarms *must = &w->sides[0].known.must;
    for (unsigned i = 0; i < view->key_count; i++) {
        const char *key = view->keys[i];
        if (view->raised[i] && kind_of(key) && !is_possible(w, key))
            each(w, view, "extra", key);
    }
    for (unsigned i = 0; i < must->count; i++) {
        const struct truth_alarm *alarm = &must->all[i];
        if (is_certain(w, alarm->key) && wants(w, view, alarm) &&
            !view_believes(view, alarm->key) && !is_excused(w, view, alarm))
            each(w, view, "missing", alarm->key);
    }
}

static void fail_of_view(struct world *w, const struct view *view, const char *how, const char *key)
{
    fail(w, view->name, how, key);
}

static void note_wrong(struct world *w, const struct view *view, const char *how, const char *key)
{
    struct wrong *wrong = &w->wrong[view - w->views];
    char where[SCENARIO_CLASS_SIZE];
    snprintf(where, sizeof where, "late %s", view->name);
    if (w->time.monotonic - wrong_note(wrong, key, w->time.monotonic) >= WRONG_S * SECOND)
        fail(w, where, how, key);
}

// Whether nothing holds back what the only gateway finds.
static bool is_prompt(const struct world *w)
{
    const struct gateway_options *o = &w->options;
    bool holds = false;
    for (unsigned i = 0; i < GATEWAY_RULES_MAX; i++)
        holds |= o->rules[i].events && o->rules[i].hold_down > 0;
    return !holds && w->side_count == 1 && o->flap_changes == 0 && o->storm_rate == 0 &&
           w->windows_end < w->time.monotonic && w->sides[0].known.sweeps > 1;
}

static void check_prompt(struct world *w)
{
    for (unsigned i = 0; i < VIEWS; i++) {
        if (is_prompt(w))
            each_wrong(w, &w->views[i], note_wrong);
        wrong_end(&w->wrong[i]);
    }
}

// Events.

static double seconds(const struct world *w)
{
    return (double)w->time.monotonic / (double)SECOND;
}

static void deliver(struct world *w, struct view *view, struct event *event)
{
    struct event *delivered = gateway_deliver(w->speaker->gateway, &view->filter, event);
    if (delivered)
        view_take(view, delivered);
    event_unref(delivered);
}

static void take_event(void *ctx, struct event *event)
{
    struct world *w = ctx;
    for (unsigned i = 0; i < VIEWS; i++)
        deliver(w, &w->views[i], event);
    if (!w->trace)
        return;
    fprintf(w->trace, "%10.1f   %c: %s, %s%s%s%s%s%s\n", seconds(w),
            (char)('A' + (w->speaker - w->sides)), event->type ? event->type->name : "?",
            event->alarm_key, event->suppressed[0] ? "  [" : "", event->suppressed,
            event->suppressed[0] ? "]" : "", event->clears_id[0] ? "  clears " : "",
            event->clears_id[0] ? event->clears_id + 28 : "");
}

static void settle(struct world *w, struct side *side)
{
    if (!gateway_runs(side->gateway))
        return;
    side->due = gateway_settle(side->gateway);
    w->speaker = side;
    gateway_read(side->gateway, take_event, w);
}

// Sweeps.

static void note_sight(struct known *known, const struct plain_sight *sight, bool certain)
{
    known->must_before = known->must;
    known->may_before = known->may;
    known->sweeps = certain ? known->sweeps + 1 : 0;
    truth_note(&known->possible, sight);
    if (certain)
        truth_note(&known->certain, sight);
    truth_list(&known->certain, &known->must);
    truth_list(&known->possible, &known->may);
}

static void sweep_one(struct world *w, struct side *side, uint8_t silent)
{
    struct plain_sight sight;
    if (!gateway_runs(side->gateway))
        return;
    plain_fabric_look(&w->fabric, silent, &sight);
    note_sight(&side->known, &sight, sight.complete && side->role != GATEWAY_UNKNOWN);
    if (w->trace && !w->quiet)
        fprintf(w->trace, "%10.1f   %c sweeps%s\n", seconds(w), (char)('A' + (side - w->sides)),
                sight.complete ? "" : " in part");
    gateway_put_sweep(side->gateway, plain_fabric_sweep(&w->fabric, &sight, w->time.utc));
    settle(w, side);
    if (side->known.sweeps > 1)
        check_list(w, side, true);
    check_prompt(w);
    check_events(w);
}

static void pass_time(struct world *w, int64_t us)
{
    w->time.utc += us;
    w->time.monotonic += us;
}

static void sweep_all(struct world *w, uint8_t silent)
{
    const unsigned first = w->sweeps++ % w->side_count;
    for (unsigned i = 0; i < w->side_count; i++) {
        if (i > 0)
            pass_time(w, SWEEP_APART_MS * CLOCK_US_PER_MS);
        sweep_one(w, &w->sides[(first + i) % w->side_count], silent);
    }
    w->next_sweep = w->time.monotonic + SWEEP_EVERY_S * SECOND;
}

// Time.

static int64_t next_due(const struct world *w, int64_t until)
{
    for (unsigned i = 0; i < w->side_count; i++) {
        if (gateway_runs(w->sides[i].gateway) && w->sides[i].due < until)
            until = w->sides[i].due;
    }
    return until < w->next_sweep ? until : w->next_sweep;
}

static void settle_due(struct world *w)
{
    for (unsigned i = 0; i < w->side_count; i++) {
        if (w->sides[i].due <= w->time.monotonic)
            settle(w, &w->sides[i]);
    }
}

static void wait_until(struct world *w, int64_t until)
{
    unsigned at_once = 0;
    while (w->time.monotonic < until && !w->result->failed) {
        const int64_t next = next_due(w, until), ahead = next - w->time.monotonic;
        at_once = ahead > 0 ? 0 : at_once + 1;
        REQUIRE(at_once < INSTANT_MAX);
        pass_time(w, ahead > 0 ? ahead : 0);
        settle_due(w);
        if (w->time.monotonic >= w->next_sweep)
            sweep_all(w, PLAIN_NONE);
    }
}

// Configuration.

static void each_running(struct world *w,
                         void (*call)(struct world *w, struct side *side,
                                      const struct action *action),
                         const struct action *action)
{
    for (unsigned i = 0; i < w->side_count; i++) {
        if (gateway_runs(w->sides[i].gateway)) {
            call(w, &w->sides[i], action);
            settle(w, &w->sides[i]);
        }
    }
}

static void change_options(struct world *w, struct side *side, const struct action *action)
{
    (void)action;
    gateway_change_options(side->gateway, &w->options);
}

static void note_window(struct world *w, const struct action *action)
{
    const int64_t end = w->time.monotonic + action->c * SECOND;
    w->windows_end = end > w->windows_end ? end : w->windows_end;
}

static void maintain(struct world *w, struct side *side, const struct action *action)
{
    static const char *const NAMES[] = {"one", "two", "three"};
    const struct plain_node *node = &w->fabric.nodes[action->a % w->fabric.node_count];
    gateway_maintain(side->gateway, NAMES[action->a % 3], action->b == 0 ? 0 : node->guid,
                     action->b == 2 ? node->name : NULL, w->time.utc + action->c * SECOND);
}

static void shelve(struct world *w, struct side *side, const struct action *action)
{
    const struct truth_alarms *true_now = &w->sides[0].known.must;
    if (true_now->count > 0)
        gateway_shelve(side->gateway, true_now->all[action->a % true_now->count].key,
                       w->time.utc + action->c * SECOND);
}

// Gateways.

static void start(struct world *w, struct side *side)
{
    if (gateway_runs(side->gateway))
        return;
    gateway_start(side->gateway, &w->options);
    for (unsigned i = 0; i < w->fabric.node_count; i++)
        w->fabric.nodes[i].forgotten |=
            w->fabric.nodes[i].nameless || !side->known.certain.visible[i];
    for (unsigned i = 0; i < VIEWS; i++)
        w->wrong[i].count = 0;
    settle(w, side);
}

static void stop(struct world *w, struct side *side, bool orderly)
{
    if (!gateway_runs(side->gateway))
        return;
    w->speaker = side;
    if (orderly)
        gateway_stop(side->gateway, take_event, w);
    else
        gateway_crash(side->gateway);
}

static void set_roles(struct world *w, unsigned number)
{
    for (unsigned i = 0; i < w->side_count && w->side_count > 1; i++) {
        struct side *side = &w->sides[i];
        side->role = number % 4 == i  ? GATEWAY_ACTIVE
                     : number % 4 < 3 ? GATEWAY_STANDBY
                                      : GATEWAY_UNKNOWN;
        gateway_set_role(side->gateway, side->role);
    }
    for (unsigned i = 0; i < w->side_count; i++)
        settle(w, &w->sides[i]);
}

static void check_quiet(struct world *w)
{
    for (unsigned i = 0; i < w->side_count; i++)
        check_list(w, &w->sides[i], false);
    for (unsigned i = 0; i < VIEWS; i++)
        each_wrong(w, &w->views[i], fail_of_view);
}

// Longer than any hold, flap, storm or window.
static void be_quiet(struct world *w)
{
    const bool storms = w->options.storm_rate > 0 && w->options.storm_rate < 50;
    const int64_t slack = 120 * SECOND + w->options.flap_quiet + (storms ? 15 : 5) * 60 * SECOND;
    for (unsigned i = 0; i < w->side_count; i++)
        start(w, &w->sides[i]);
    if (w->sides[0].role != GATEWAY_ACTIVE &&
        (w->side_count == 1 || w->sides[1].role != GATEWAY_ACTIVE))
        set_roles(w, 0);
    wait_until(w,
               (w->windows_end > w->time.monotonic ? w->windows_end : w->time.monotonic) + slack);
    if (w->result->failed)
        return;
    sweep_all(w, PLAIN_NONE);
    check_quiet(w);
}

// Actions.

static bool change_fabric(struct world *w, const struct action *action)
{
    struct plain_fabric *f = &w->fabric;
    const unsigned cable = action->a % f->cable_count, node = action->a % f->node_count;
    switch (action->kind) {
    case ACTION_UNPLUG:
        return plain_fabric_unplug(f, cable);
    case ACTION_PLUG:
        return plain_fabric_plug(f, cable);
    case ACTION_MOVE:
        return plain_fabric_move(f, cable, action->b % 2, action->c % f->node_count);
    case ACTION_SWAP:
        return plain_fabric_swap(f, cable, action->b % f->cable_count);
    case ACTION_DEGRADE:
        return plain_fabric_degrade(f, cable, true);
    case ACTION_HEAL:
        return plain_fabric_degrade(f, cable, false);
    case ACTION_POWER_OFF:
        return plain_fabric_power(f, node, false);
    case ACTION_RENAME:
        return plain_fabric_rename(f, node);
    default:
        return plain_fabric_power(f, node, true);
    }
}

static void run_policy_action(struct world *w, const struct action *action)
{
    switch (action->kind) {
    case ACTION_OPTIONS:
        w->options = action_options(action->a);
        w->options.has_partner = w->side_count > 1;
        each_running(w, change_options, action);
        break;
    case ACTION_MAINTENANCE:
        note_window(w, action);
        each_running(w, maintain, action);
        break;
    default:
        note_window(w, action);
        each_running(w, shelve, action);
        break;
    }
}

static bool is_any_active(const struct world *w)
{
    bool any = w->side_count == 1;
    for (unsigned i = 0; i < w->side_count; i++)
        any = any || w->sides[i].role == GATEWAY_ACTIVE;
    return any;
}

// Without an active gateway for longer than a new one looks back, ends are lost: with no subnet
// manager the last active one goes on after a while.
static void end_idleness(struct world *w)
{
    if (is_any_active(w))
        w->active_at = w->time.monotonic;
    else if (w->time.monotonic - w->active_at > IDLE_MAX)
        set_roles(w, 0);
}

static void run_action(struct world *w, const struct action *action)
{
    end_idleness(w);
    struct side *side = &w->sides[action->a % w->side_count];
    const uint8_t silent = (uint8_t)(action->a % w->fabric.node_count);
    switch (action->kind) {
    case ACTION_SWEEP:
        sweep_all(w, PLAIN_NONE);
        break;
    case ACTION_SWEEP_ONE:
        sweep_one(w, side, PLAIN_NONE);
        break;
    case ACTION_PARTIAL:
        sweep_all(w, silent <= PLAIN_GATEWAY + 1 ? PLAIN_NONE : silent);
        break;
    case ACTION_WAIT:
        wait_until(w,
                   w->time.monotonic +
                       (is_any_active(w) ? action->a : action->a % (IDLE_MAX / SECOND)) * SECOND);
        break;
    case ACTION_QUIET:
        w->quiet = true;
        be_quiet(w);
        w->quiet = false;
        break;
    case ACTION_STOP:
    case ACTION_CRASH:
        stop(w, side, action->kind == ACTION_STOP);
        break;
    case ACTION_START:
        start(w, side);
        break;
    case ACTION_ROLES:
        set_roles(w, action->a);
        break;
    default:
        run_policy_action(w, action);
        break;
    }
}

static void begin_views(struct world *w, uint64_t seed)
{
    const struct {
        const char *name;
        struct gateway_filter filter;
    } views[VIEWS] = {
        {"receiver of all", {.severity = SEVERITY_DEBUG}},
        {"receiver of warnings", {.severity = SEVERITY_WARNING}},
        {"receiver of errors", {.severity = SEVERITY_ERROR}},
        {"receiver of links", {.severity = SEVERITY_DEBUG, .events = "link-*"}},
        {"receiver of hosts", {.severity = SEVERITY_DEBUG, .events = "host-*"}},
        {"receiver of downs", {.severity = SEVERITY_DEBUG, .events = "link-down"}},
        {"receiver of removals", {.severity = SEVERITY_DEBUG, .events = "*-removed"}},
        {"receiver of some hosts", {.severity = SEVERITY_DEBUG, .node = "host[1-9]*"}},
        {"receiver of a node",
         {.severity = SEVERITY_DEBUG, .node = w->fabric.nodes[seed % w->fabric.node_count].name}}};
    for (unsigned i = 0; i < VIEWS; i++)
        view_begin(&w->views[i], views[i].name, &views[i].filter);
}

static void begin(struct world *w, const struct scenario *scenario, const char *directory)
{
    static const char *const NAMES[SIDES_MAX] = {"A", "B"};
    plain_fabric_make(&w->fabric, scenario->seed);
    w->time = (struct support_time){.utc = SUPPORT_UTC_US, .monotonic = 1000 * SECOND};
    w->side_count = scenario->two_gateways ? SIDES_MAX : 1;
    w->options = action_options(0);
    w->options.has_partner = w->side_count > 1;
    begin_views(w, scenario->seed);
    for (unsigned i = 0; i < w->side_count; i++) {
        struct side *side = &w->sides[i];
        side->gateway = gateway_new(directory, NAMES[i], &w->time, scenario->seed * SIDES_MAX + i);
        side->known.certain.fabric = side->known.possible.fabric = &w->fabric;
    }
    set_roles(w, 0);
    for (unsigned i = 0; i < w->side_count; i++)
        start(w, &w->sides[i]);
    sweep_all(w, PLAIN_NONE);
}

void scenario_run(const struct scenario *scenario, const char *directory, FILE *trace,
                  struct scenario_result *result)
{
    static struct world world;
    struct world *w = &world;
    *result = (struct scenario_result){0};
    memset(w->sides, 0, sizeof w->sides);
    w->next_sweep = w->windows_end = 0;
    w->sweeps = 0;
    w->quiet = false;
    for (unsigned i = 0; i < VIEWS; i++)
        w->wrong[i].count = 0;
    w->only = scenario->only;
    w->trace = trace;
    w->result = result;
    begin(w, scenario, directory);
    for (unsigned i = 0; i < scenario->count && !result->failed; i++) {
        const struct action *action = &scenario->actions[i];
        const bool did = action->kind > ACTION_RENAME || change_fabric(w, action);
        if (trace) {
            fprintf(trace, "%10.1f ", seconds(w));
            action_print(action, &w->fabric, trace);
            fprintf(trace, "%s\n", did ? "" : ": impossible");
        }
        if (action->kind > ACTION_RENAME)
            run_action(w, action);
        result->action = i;
    }
    for (unsigned i = 0; i < w->side_count; i++)
        gateway_free(w->sides[i].gateway);
}
