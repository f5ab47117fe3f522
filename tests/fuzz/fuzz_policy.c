// SPDX-License-Identifier: BSD-2-Clause
// Random sequences of what policy is asked: alarms that come and go, bursts, rules, maintenance,
// shelving, a journal that cannot be read, time. Once there is quiet, a receiver's belief, from its
// events alone, is the truth. Policy's tables are small: short inputs fill them. The first octet
// has the options; each action is an octet, with its arguments behind it.
#include "fuzz.h"
#include "input.h"
#include "policy_options.h"

#include "event/event_builder.h"
#include "policy/policy.h"
#include "support_clock.h"

enum {
    KEYS = 12,
    PER_SWITCH = 4, // each fourth is a switch, and the links behind it are its consequences
    ALARMS_MAX = KEYS - 2,
    PENDING_MAX = 3,
    ACTIONS_MAX = 300,
    BURST_MAX = 40,
    KEPT = 4 * KEYS, // the newest events that the journal can read back
    TICKS_MAX = 100000,
    WINDOWS = 2,
};
#define S CLOCK_US_PER_S

// The truth, and the receiver's belief.
struct thing {
    char key[EVENT_KEY_SIZE];
    bool raised;
    bool believed, flaps;          // raised and flapping, by the events that the receiver got
    enum severity severity;        // of the last event that raised the alarm
    char id[EVENT_ID_SIZE];        // of the event that said so
    char raised_id[EVENT_ID_SIZE]; // of the event that raised it
    bool overflowed;               // it had no place in the table once; nothing is promised
};

static struct thing things[KEYS];
static struct policy *policy;
static struct policy_options options;
// Their patterns stay; choose_options sets the rest.
static struct policy_rule rules[2] = {{.events = {.patterns = {"*-down"}, .count = 1}},
                                      {.nodes = {.patterns = {"link 2*"}, .count = 1}}};
static struct support_time now;
static struct event *kept[KEPT];
static int64_t numbers;
static unsigned ids, given, passed_on, made;
static uint64_t held_by_storm, counted_by_storm;
static bool unreadable; // the journal

// The receiver.

static struct thing *find_thing(const char *key)
{
    size_t i = 0;
    while (i < KEYS && strcmp(things[i].key, key) != 0)
        i++;
    REQUIRE(i < KEYS);
    return &things[i];
}

static void hear_flapping(const char *key, bool flaps)
{
    struct thing *thing = find_thing(key);
    REQUIRE(thing->flaps != flaps); // neither twice
    thing->flaps = flaps;
}

// An alarm is raised once more only with a worse severity. A clear names an event that the receiver
// knows, or no event.
static void hear_alarm(struct thing *thing, const struct event *event)
{
    if (event->type->alarm == ALARM_RAISES) {
        REQUIRE(!thing->believed || event->severity < thing->severity);
        thing->severity = event->severity;
        strcpy(thing->id, event->id);
        thing->believed = true;
        return;
    }
    REQUIRE(strcmp(event->clears_id, thing->believed ? thing->id : "") == 0);
    thing->believed = false;
}

static void hear(const struct event *event)
{
    static const char FLAPPING[] = "flapping ";
    if (event->type == catalogue_get(CATALOGUE_STORM_SUMMARY))
        counted_by_storm += event->repeat_count;
    if (event->test || event->alarm_key[0] == '\0')
        return;
    if (strncmp(event->alarm_key, FLAPPING, sizeof FLAPPING - 1) == 0)
        hear_flapping(event->alarm_key + sizeof FLAPPING - 1, event->type->alarm == ALARM_RAISES);
    else if (!find_thing(event->alarm_key)->overflowed)
        hear_alarm(find_thing(event->alarm_key), event);
}

// The journal.

static void stamp(void *ctx, struct event *event)
{
    (void)ctx;
    REQUIRE(event->id[0] == '\0');
    snprintf(event->id, sizeof event->id, "made-%u", ids++);
    made++;
}

static void keep(struct event *event)
{
    REQUIRE(event->id[0] != '\0');
    event->number = ++numbers;
    struct event **place = &kept[event->number % KEPT];
    event_unref(*place);
    *place = event_ref(event);
    passed_on++;
    held_by_storm += strcmp(event->suppressed, policy_reason_word(POLICY_STORM)) == 0;
    if (event->suppressed[0] == '\0')
        hear(event);
}

static struct event *read_back(void *ctx, int64_t number)
{
    (void)ctx;
    REQUIRE(number > 0 && number <= numbers);
    struct event *event = kept[number % KEPT];
    return event && event->number == number && !unreadable ? event_ref(event) : NULL;
}

static void drain(void)
{
    struct event *event;
    while ((event = policy_next(policy, now.monotonic)) != NULL)
        keep(event);
}

// What happens.

static struct event *make_event(enum catalogue_event type, const char *node, const char *key)
{
    struct event *event = event_make(catalogue_get(type));
    REQUIRE(event);
    event->time_us = SUPPORT_UTC_US;
    snprintf(event->id, sizeof event->id, "%u", ids++);
    strcpy(event->subject.name, node);
    strcpy(event->alarm_key, key);
    event->subject.guid = (uint64_t)node[0] << 8 | (uint8_t)node[strlen(node) - 1];
    return event;
}

// Policy returns each event exactly once.
static void give(struct event *event)
{
    drain();
    policy_process(policy, event, now.monotonic);
    drain();
    REQUIRE(event->number > 0);
    event_unref(event);
    given++;
    REQUIRE(passed_on == given + made);
}

static bool is_switch(const struct thing *thing)
{
    return (thing - things) % PER_SWITCH == 0;
}

static void report(struct thing *thing, const char *cause_id)
{
    static const enum catalogue_event NODE[] = {CATALOGUE_SWITCH_ADDED, CATALOGUE_SWITCH_REMOVED};
    static const enum catalogue_event LINK[] = {CATALOGUE_LINK_UP, CATALOGUE_LINK_DOWN};
    struct event *event =
        make_event((is_switch(thing) ? NODE : LINK)[thing->raised], thing->key, thing->key);
    if (thing->raised && !policy_is_raised(policy, thing->key))
        thing->overflowed |= !policy_has_room(policy);
    if (thing->raised) {
        strcpy(event->cause_id, cause_id);
        strcpy(thing->raised_id, event->id);
    }
    give(event);
}

static void turn(struct thing *thing)
{
    thing->raised = !thing->raised;
    report(thing, "");
}

static void lose_a_switch(struct thing *node)
{
    char cause[EVENT_ID_SIZE];
    node->raised = true;
    report(node, "");
    strcpy(cause, node->raised_id);
    for (struct thing *link = node + 1; link < node + PER_SWITCH; link++) {
        link->raised = true;
        report(link, cause);
    }
}

static void wait_for(int64_t us)
{
    const int64_t until = now.monotonic + us;
    unsigned ticks = 0;
    for (int64_t due; (due = policy_due(policy)) <= until;) {
        REQUIRE(ticks++ < TICKS_MAX);
        now.monotonic = due > now.monotonic ? due : now.monotonic;
        drain();
    }
    now.monotonic = until;
}

static void burst(struct input *in)
{
    static const enum catalogue_event TYPES[] = {CATALOGUE_GID_IN_SERVICE,
                                                 CATALOGUE_GID_OUT_OF_SERVICE, CATALOGUE_BAD_PKEY,
                                                 CATALOGUE_LINK_STATE_CHANGE};
    static const char *const NODES[] = {"host1", "host2", "host3", "link 1"};
    const uint64_t how = input_number(in, 1);
    for (uint64_t n = input_number(in, 1) % BURST_MAX; n-- > 0;) {
        struct event *event = make_event(TYPES[how % 4], NODES[(how / 4 + n) % 4], "");
        event->test = how == UINT8_MAX;
        give(event);
        wait_for((int64_t)(how / 16) * CLOCK_US_PER_MS);
    }
}

static void name_window(struct maintenance_window *window, uint64_t which)
{
    *window = (struct maintenance_window){.name = "w"};
    window->name[1] = (char)('0' + which % WINDOWS);
}

static void start_maintenance(uint64_t how)
{
    struct maintenance_window window;
    name_window(&window, how);
    window.until_us = now.monotonic + (int64_t)(how / 4) * 10 * S;
    if (how & 2)
        snprintf(window.nodes.patterns[window.nodes.count++], FILTER_PATTERN_SIZE, "link*");
    REQUIRE(policy_start_maintenance(policy, &window, now.monotonic));
}

static void stop_maintenance(uint64_t how)
{
    struct maintenance_window window;
    name_window(&window, how);
    policy_stop_maintenance(policy, window.name, now.monotonic);
}

static void clear_by_command(struct thing *thing)
{
    drain();
    const bool was = policy_is_raised(policy, thing->key);
    if (policy_clear_alarm(policy, thing->key, "an operator said so", now.monotonic)) {
        REQUIRE(was && !policy_is_raised(policy, thing->key));
        thing->raised = false;
        made--; // it was given to policy_process
        given++;
    }
    drain();
}

static void choose_options(uint64_t how)
{
    static const int64_t HOLD_DOWNS[] = {POLICY_SAME, 0, 20 * S, 90 * S};
    options.repeat_window_us = (int64_t)(how & 3) * 30 * S;
    options.flap_changes = (how >> 2 & 3) ? 1 + (how >> 2 & 3) : 0;
    options.storm_rate = (how >> 4 & 3) * 4;
    options.suppress_consequences = how >> 6 & 1;
    rules[0].category = rules[0].severity = rules[1].category = POLICY_SAME;
    rules[1].hold_down_us = POLICY_SAME;
    rules[0].hold_down_us = HOLD_DOWNS[how >> 7 & 3];
    rules[0].enabled = (how >> 9 & 3) == 3 ? POLICY_NO : POLICY_UNSET;
    rules[1].severity = how >> 11 & 1 ? SEVERITY_CRITICAL : POLICY_SAME;
    rules[1].enabled = (how >> 12 & 3) == 3 ? POLICY_NO : POLICY_UNSET;
    options.rules = rules;
    options.rule_count = how >> 14 & 1 ? 2 : 0;
}

static void reload(uint64_t how)
{
    choose_options(how);
    policy_change_options(policy, &options, now.monotonic);
}

static void act(struct input *in)
{
    static const int64_t WAITS[] = {
        CLOCK_US_PER_MS, 300 * CLOCK_US_PER_MS, S, 2 * S, 11 * S, 61 * S, 301 * S, 1500 * S};
    const uint64_t action = input_number(in, 1);
    struct thing *thing = &things[action / 16 % KEYS];
    switch (action % 16) {
    case 0:
        lose_a_switch(thing - (thing - things) % PER_SWITCH);
        break;
    case 1:
        report(thing, "");
        break;
    case 2:
        burst(in);
        break;
    case 3:
        start_maintenance(input_number(in, 1));
        break;
    case 4:
        stop_maintenance(action / 16);
        break;
    case 5:
        policy_shelve(policy, thing->key, now.monotonic + (int64_t)input_number(in, 1) * 10 * S,
                      now.monotonic);
        break;
    case 6:
        reload(input_number(in, 2));
        break;
    case 7:
        clear_by_command(thing);
        break;
    case 8:
        unreadable = action / 16 % 2;
        break;
    case 9:
        policy_set_cause(policy, thing->key, things[input_number(in, 1) % KEYS].key, now.monotonic);
        break;
    case 10:
        policy_end(policy, now.monotonic);
        drain();
        break;
    case 11:
    case 12:
        wait_for(WAITS[action / 16 % 8]);
        break;
    default:
        turn(thing);
        break;
    }
}

// The promises.

static void wait_for_quiet(void)
{
    wait_for(86400 * S);
    REQUIRE(policy_due(policy) == INT64_MAX);
}

// Takes away every reason to suppress.
static void be_quiet(void)
{
    unreadable = false;
    for (unsigned i = 0; i < WINDOWS; i++)
        stop_maintenance(i);
    options.suppress_consequences = false;
    options.rule_count = 0;
    policy_change_options(policy, &options, now.monotonic);
    wait_for_quiet();
}

static void check_beliefs(void)
{
    for (size_t i = 0; i < KEYS; i++) {
        REQUIRE(!things[i].flaps);
        REQUIRE(things[i].overflowed || things[i].believed == things[i].raised);
        REQUIRE(things[i].overflowed ||
                policy_is_raised(policy, things[i].key) == things[i].raised);
    }
}

static void end_all(void)
{
    struct policy_counters counters;
    for (size_t i = 0; i < KEYS; i++) {
        things[i].raised = false;
        if (policy_is_raised(policy, things[i].key))
            report(&things[i], "");
    }
    wait_for_quiet();
    check_beliefs();
    policy_end(policy, now.monotonic);
    drain();
    REQUIRE(policy_has_room(policy) && held_by_storm == counted_by_storm);
    policy_get_counters(policy, &counters);
    uint64_t taken = 0;
    for (int i = 0; i < POLICY_REASON_COUNT; i++)
        taken += counters.reasons[i];
    REQUIRE(taken == given && counters.made == made);
}

static void begin_thing(struct thing *thing, size_t number)
{
    char key[sizeof thing->key];
    memcpy(key, thing->key, sizeof key);
    if (key[0] == '\0') // once: it takes as long as an event
        snprintf(key, sizeof key, "%s %zu", number % PER_SWITCH == 0 ? "node" : "link", number);
    *thing = (struct thing){.raised = false};
    memcpy(thing->key, key, sizeof key);
}

static void begin(uint64_t how)
{
    const struct policy_sink sink = {.stamp = stamp, .read = read_back};
    for (size_t i = 0; i < KEYS; i++)
        begin_thing(&things[i], i);
    now = (struct support_time){.monotonic = S};
    ids = given = passed_on = made = 0;
    numbers = 0;
    held_by_storm = counted_by_storm = 0;
    unreadable = false;
    policy_options_init(&options);
    choose_options(how);
    options.alarms_max = ALARMS_MAX;
    options.pending_max = PENDING_MAX;
    policy = policy_new(&options, &sink, &SUPPORT_SAME);
    REQUIRE(policy);
    policy_set_active(policy, true, now.monotonic);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    begin(input_number(&in, 2));
    for (unsigned n = 0; input_left(&in) > 0 && n < ACTIONS_MAX; n++)
        act(&in);
    be_quiet();
    check_beliefs();
    end_all();
    policy_free(policy);
    for (size_t i = 0; i < KEPT; i++) {
        event_unref(kept[i]);
        kept[i] = NULL;
    }
    return 0;
}
