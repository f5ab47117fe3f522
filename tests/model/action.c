// SPDX-License-Identifier: BSD-2-Clause
#include "action.h"

#define SECOND CLOCK_US_PER_S

struct gateway_options action_options(unsigned number)
{
    static const struct {
        unsigned changes, within, quiet;
    } FLAPS[] = {{6, 300, 300}, {0, 300, 300}, {3, 120, 60}, {6, 300, 300}};
    static const unsigned STORMS[] = {50, 0, 2, 5};
    static const struct {
        const char *events;
        unsigned seconds;
    } HOLDS[] = {{NULL, 0}, {"*", 20}, {"link-*", 120}, {"*-removed", 90}, {"*", 0}};
    const unsigned flap = number >> 1 & 3;
    return (struct gateway_options){
        .repeat_window = number & 1 ? 0 : 60 * SECOND,
        .flap_changes = FLAPS[flap].changes,
        .flap_within = FLAPS[flap].within * SECOND,
        .flap_quiet = FLAPS[flap].quiet * SECOND,
        .storm_rate = STORMS[number >> 3 & 3],
        .storm_period = 60 * SECOND,
        .suppress_consequences = (number >> 5 & 3) != 3,
        .rules = {
            {HOLDS[(number >> 7 & 7) % 5].events, HOLDS[(number >> 7 & 7) % 5].seconds * SECOND},
            {HOLDS[(number >> 10 & 3)].events, HOLDS[(number >> 10 & 3)].seconds * SECOND}}};
}

static void print_options(unsigned number, FILE *out)
{
    const struct gateway_options o = action_options(number);
    fprintf(out, " %u: repeats %d s, flap %u in %d s quiet %d s, storm %u, consequences %s", number,
            (int)(o.repeat_window / SECOND), o.flap_changes, (int)(o.flap_within / SECOND),
            (int)(o.flap_quiet / SECOND), o.storm_rate,
            o.suppress_consequences ? "suppressed" : "told");
    for (unsigned i = 0; i < GATEWAY_RULES_MAX; i++) {
        if (o.rules[i].events)
            fprintf(out, ", hold %s %d s", o.rules[i].events, (int)(o.rules[i].hold_down / SECOND));
    }
}

static const char *node_name(const struct plain_fabric *fabric, unsigned node)
{
    return fabric->nodes[node % fabric->node_count].name;
}

static void print_rest(const struct action *action, const struct plain_fabric *fabric, FILE *out)
{
    switch (action->kind) {
    case ACTION_WAIT:
        fprintf(out, " %u s", action->a);
        break;
    case ACTION_OPTIONS:
        print_options(action->a, out);
        break;
    case ACTION_MAINTENANCE:
        fprintf(out, " %u of %s for %u s", action->a % 3,
                action->b == 0 ? "all" : node_name(fabric, action->a), action->c);
        break;
    case ACTION_SHELVE:
        fprintf(out, " alarm %u for %u s", action->a, action->c);
        break;
    case ACTION_SWEEP:
    case ACTION_QUIET:
        break;
    default:
        fprintf(out, " %u", action->a);
        break;
    }
}

void action_print(const struct action *action, const struct plain_fabric *fabric, FILE *out)
{
    static const char *const NAMES[ACTION_KINDS] = {
        "unplug",    "plug",     "move",    "swap",        "degrade",  "heal",
        "power off", "power on", "rename",  "sweep",       "sweep of", "partial sweep without",
        "wait",      "quiet",    "options", "maintenance", "shelve",   "stop",
        "crash",     "start",    "roles"};
    fprintf(out, "%s", NAMES[action->kind]);
    if (action->kind <= ACTION_HEAL) {
        fprintf(out, " ");
        plain_fabric_print_cable(fabric, action->a % fabric->cable_count, out);
    } else if (action->kind <= ACTION_RENAME || action->kind == ACTION_PARTIAL) {
        fprintf(out, " %s", node_name(fabric, action->a));
    } else {
        print_rest(action, fabric, out);
    }
}
