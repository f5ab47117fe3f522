// SPDX-License-Identifier: BSD-2-Clause
// Configurations in a row, put in force like by reloads: two texts of any octets. Items that wait
// for a restart keep their values, all other items have the values of the second text, and a
// gateway that starts with the configuration in force has the same values. Nothing uses the first
// configuration after its end. The input is the length of the first text, in two octets, both
// texts; files are not touched.
#include "fuzz.h"
#include "input.h"

#include "conf/load.h"
#include "conf/rows.h"
#include "pipeline/options.h"
#include "policy/policy.h"
#include "support_clock.h"

enum { TEXT_MAX = 1 << 16 };

static struct policy *policy;
static struct policy_rule rules[POLICY_RULES_MAX];
static struct policy_options options;

static void stamp(void *ctx, struct event *event)
{
    (void)ctx, (void)event;
}

static bool load(const uint8_t *octets, size_t size, struct conf *out)
{
    static char text[TEXT_MAX];
    struct error err = {""};
    size = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, octets, size);
    text[size] = '\0';
    const bool ok = conf_load_text(text, "fuzz", false, out, &err);
    REQUIRE(ok || err.text[0] != '\0');
    return ok;
}

// Communities are not printed: empties the lines about them.
static void hide_communities(char *text)
{
    for (char *at = text; (at = strstr(at, "community"));) {
        while (at > text && at[-1] != '\n')
            at--;
        memmove(at, at + strcspn(at, "\n"), strlen(at + strcspn(at, "\n")) + 1);
    }
}

// What a gateway prints, the caller's.
static char *print(const struct conf *conf)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    REQUIRE(f);
    conf_print(conf, f);
    REQUIRE(fclose(f) == 0);
    return text;
}

static size_t count_restart_items(const struct conf *running, const struct conf *next)
{
    char items[4096];
    struct text t = text_in(items, sizeof items);
    conf_add_restart_items(running, next, &t);
    return t.len;
}

// A gateway that starts with the printed configuration has the same.
static void check_start(const struct conf *conf)
{
    static struct conf again;
    struct error err;
    char *text = print(conf);
    REQUIRE(conf_load_text(text, "printed", false, &again, &err));
    REQUIRE(count_restart_items(conf, &again) == 0);
    char *text_again = print(&again);
    hide_communities(text);
    hide_communities(text_again);
    REQUIRE(strcmp(text, text_again) == 0);
    free(text_again);
    free(text);
    conf_free(&again);
}

static void change_policy(const struct conf *conf)
{
    options_of_policy(conf, &options, rules);
    REQUIRE(options.rule_count == conf->policy.rule_count);
    policy_change_options(policy, &options, CLOCK_US_PER_S);
    memset(rules, 0xA5, sizeof rules); // policy has a copy
}

static void reload(struct conf *running, const uint8_t *octets, size_t size)
{
    static struct conf next, wanted;
    if (!load(octets, size, &next))
        return;
    REQUIRE(load(octets, size, &wanted));
    const bool waits = count_restart_items(running, &next) > 0;
    conf_keep_restart_items(running, &next);
    REQUIRE(count_restart_items(running, &next) == 0);
    REQUIRE((count_restart_items(&wanted, &next) > 0) == waits);
    conf_free(running);
    memset(running, 0xA5, sizeof *running);
    change_policy(&next);
    check_start(&next);
    conf_keep_restart_items(&wanted, &next); // all else is as wanted
    char *got = print(&next), *expected = print(&wanted);
    REQUIRE(strcmp(got, expected) == 0);
    free(got);
    free(expected);
    conf_free(&wanted);
    *running = next;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct conf running;
    struct input in = {data, data + size};
    size_t first;
    const uint8_t *text = input_part(&in, 2, &first);
    if (!load(text, first, &running))
        return 0;
    options_of_policy(&running, &options, rules);
    options.alarms_max = options.pending_max = 4;
    policy = policy_new(&options, &(struct policy_sink){.stamp = stamp}, &SUPPORT_SAME);
    REQUIRE(policy);
    check_start(&running);
    reload(&running, in.p, input_left(&in));
    policy_free(policy);
    conf_free(&running);
    return 0;
}
