// SPDX-License-Identifier: BSD-2-Clause
// Random lists of actions: nested stories; each story breaks something and mends it.
#include "scenario.h"

#include "require.h"

static void add(struct scenario *s, enum action_kind kind, unsigned a, unsigned b, unsigned c)
{
    if (s->count < SCENARIO_ACTIONS_MAX)
        s->actions[s->count++] = (struct action){kind, a, b, c};
}

// Between two changes: nothing, a sweep after a trap, or time.
static void pause_for(struct scenario *s, struct generated_chance *chance)
{
    static const unsigned LIMITS[] = {5, 30, 120, 600};
    const unsigned kind = generated_below(chance, 8);
    if (kind < 2)
        return;
    if (kind == 2 && s->two_gateways)
        add(s, ACTION_SWEEP_ONE, generated_below(chance, 2), 0, 0);
    if (kind < 6)
        add(s, ACTION_WAIT, 1 + generated_below(chance, LIMITS[kind - 2]), 0, 0);
    if (generated_below(chance, 3) > 0)
        add(s, ACTION_SWEEP, 0, 0, 0);
}

// Cables and nodes are chosen from few: changes meet.
static unsigned pick(struct generated_chance *chance, unsigned first)
{
    return (first + generated_below(chance, 5)) * 7919;
}

static void change_fabric(struct scenario *s, struct generated_chance *chance, unsigned first)
{
    static const enum action_kind KINDS[] = {
        ACTION_UNPLUG,   ACTION_UNPLUG,   ACTION_PLUG,    ACTION_PLUG, ACTION_MOVE,
        ACTION_MOVE,     ACTION_SWAP,     ACTION_DEGRADE, ACTION_HEAL, ACTION_POWER_OFF,
        ACTION_POWER_ON, ACTION_POWER_ON, ACTION_RENAME};
    const enum action_kind kind = KINDS[generated_below(chance, sizeof KINDS / sizeof *KINDS)];
    const unsigned other = kind == ACTION_MOVE ? generated_below(chance, 2) : pick(chance, first);
    add(s, kind, pick(chance, first), other, generated_below(chance, PLAIN_NODES_MAX));
}

static void flap(struct scenario *s, struct generated_chance *chance, unsigned first)
{
    const unsigned cable = pick(chance, first);
    for (unsigned n = 2 + generated_below(chance, 8); n > 0; n--) {
        add(s, n % 2 ? ACTION_PLUG : ACTION_UNPLUG, cable, 0, 0);
        add(s, ACTION_SWEEP, 0, 0, 0);
        add(s, ACTION_WAIT, 1 + generated_below(chance, 40), 0, 0);
    }
}

static void change_options(struct scenario *s, struct generated_chance *chance, bool prompt)
{
    const unsigned number = generated_below(chance, ACTION_OPTIONS_COUNT);
    add(s, ACTION_OPTIONS,
        prompt ? ACTION_OPTIONS_PROMPT | (number & ACTION_OPTIONS_PROMPT_BITS) : number, 0, 0);
}

static void change_policy(struct scenario *s, struct generated_chance *chance, unsigned first,
                          bool prompt)
{
    switch (prompt ? 0 : generated_below(chance, 3)) {
    case 0:
        change_options(s, chance, prompt);
        break;
    case 1:
        add(s, ACTION_MAINTENANCE, pick(chance, first), generated_below(chance, 3),
            generated_below(chance, 3) * (1 + generated_below(chance, 400)));
        break;
    default:
        add(s, ACTION_SHELVE, generated_below(chance, 100), 0, 1 + generated_below(chance, 600));
        break;
    }
}

static void restart(struct scenario *s, struct generated_chance *chance, unsigned first)
{
    const unsigned which = generated_below(chance, 2);
    add(s, generated_below(chance, 2) ? ACTION_STOP : ACTION_CRASH, which, 0, 0);
    while (generated_below(chance, 3) == 0)
        change_fabric(s, chance, first);
    if (generated_below(chance, 2))
        add(s, ACTION_WAIT, 1 + generated_below(chance, 200), 0, 0);
    if (s->two_gateways && generated_below(chance, 2))
        add(s, ACTION_ROLES, generated_below(chance, 3), 0, 0);
    add(s, ACTION_START, which, 0, 0);
    if (generated_below(chance, 2))
        add(s, ACTION_SWEEP, 0, 0, 0);
}

static void act(struct scenario *s, struct generated_chance *chance, unsigned first,
                const struct scenario_mix *mix)
{
    const unsigned kind = generated_below(chance, 40);
    if (kind == 0)
        flap(s, chance, first);
    else if (kind < 4 && mix->policy)
        change_policy(s, chance, first, mix->prompt);
    else if (kind < 7 && mix->restarts)
        restart(s, chance, first);
    else if (kind < 10 && s->two_gateways)
        add(s, ACTION_ROLES, generated_below(chance, mix->partial_sweeps ? 3 : 4), 0, 0);
    else if (kind == 10 && mix->partial_sweeps)
        add(s, ACTION_PARTIAL, pick(chance, first), 0, 0);
    else
        change_fabric(s, chance, first);
    pause_for(s, chance);
}

void scenario_make(struct scenario *scenario, uint64_t seed, bool two_gateways,
                   const struct scenario_mix *mix)
{
    struct generated_chance chance = {seed * UINT64_C(0xD1342543DE82EF95) + 1};
    *scenario = (struct scenario){.seed = seed, .two_gateways = two_gateways};
    const unsigned periods = 1 + generated_below(&chance, 3);
    if (mix->prompt || (mix->policy && generated_below(&chance, 2)))
        change_options(scenario, &chance, mix->prompt);
    for (unsigned i = 0; i < periods; i++) {
        const unsigned first = generated_below(&chance, PLAIN_CABLES_MAX);
        const unsigned acts = 1 + generated_below(&chance, 12);
        for (unsigned k = 0; k < acts; k++)
            act(scenario, &chance, first, mix);
        add(scenario, ACTION_QUIET, 0, 0, 0);
    }
}
