// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/arguments.h"

#include "base/clock.h"
#include "base/text.h"
#include "install.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row OPTIONS[OPTION_COUNT] = {
    [OPTION_INSTANCE] = {"instance", 'i', "INSTANCE",
                         "the gateway that runs as ibtrapd --instance INSTANCE, such as mlx5_0-1"},
    [OPTION_FILE] = {"file", 'F', "PATH",
                     "the journal's file (" INSTALL_STATE_DIRECTORY "/journal.db)"},
    [OPTION_SOCKET] = {"socket", 's', "PATH",
                       "the daemon's control socket (" INSTALL_CONTROL_SOCKET ")"},
    [OPTION_JSON] = {"json", 'j', NULL, "write JSON instead of a table"},
    [OPTION_VERSION] = {"version", 'V', NULL, "write the version"},
    [OPTION_HELP] = {"help", 'h', NULL, "list the commands and options, or describe the command"},
    [OPTION_SINCE] = {"since", '\0', "TIME",
                      "from then on: 10m, 2h, 3d ago, or 2026-11-21T04:06:39Z"},
    [OPTION_UNTIL] = {"until", '\0', "TIME", "up to then; TIME as for --since"},
    [OPTION_SEVERITY] = {"severity", '\0', "SEVERITY",
                         "of this severity and worse: warning; for health: see its help"},
    [OPTION_NODE] =
        {"node", '\0', "NODE",
         "about this node, by name or GUID; for events and alarms also a pattern: 'leaf*'"},
    [OPTION_EVENT] = {"event", '\0', "EVENT",
                      "with this identifier, which may be a pattern: 'link-*'"},
    [OPTION_LIMIT] = {"limit", '\0', "N", "the last N of them (50, or 10000 with --since)"},
    [OPTION_FOLLOW] = {"follow", '\0', NULL, "also write new events until interrupted"},
    [OPTION_RECEIVER] = {"receiver", '\0', "RECEIVER", "to this receiver only"},
    [OPTION_WORST] = {"worst", '\0', NULL, "those that failed on the most occasions first"},
    [OPTION_CSV] = {"csv", '\0', NULL, "as CSV, with a line of titles"},
    [OPTION_DOT] = {"dot", '\0', NULL, "as a picture for Graphviz"},
    [OPTION_SVG] = {"svg", '\0', NULL, "as a picture, in SVG"},
    [OPTION_HOSTS] = {"hosts", '\0', NULL, "in the picture: each host, not only their number"},
    [OPTION_ALL] = {"all", '\0', NULL,
                    "for alarms: also those that follow from others; for maintenance: all nodes"},
    [OPTION_COMMENT] = {"comment", '\0', "TEXT", "why, for colleagues: 'new cables in rack 7'"},
    [OPTION_FLEET] = {"fleet", '\0', "FILE",
                      "of the gateways in FILE, one HOST:PORT of a page in each line"},
};

const struct option_row *arguments_option(enum option_id id)
{
    return &OPTIONS[id];
}

// Refuses an argument that is not UTF-8: requests are JSON, and JSON would silently omit the
// argument.
static bool arguments_are_texts(int count, char *const *words)
{
    for (int i = 0; i < count; i++) {
        char shown[200];
        if (text_is_utf8(words[i]))
            continue;
        text_clean(words[i], strlen(words[i]), shown, sizeof shown);
        fprintf(stderr,
                "ibtrapctl: the argument '%s' is not UTF-8; ibtrapd accepts no other text\n",
                shown);
        return false;
    }
    return true;
}

// The options in the form of getopt_long, getopt_long returns FIRST + option_id for each option.
enum { FIRST = 256 };

static void arguments_make_getopt(struct option options[OPTION_COUNT + 1],
                                  char letters[2 * OPTION_COUNT + 1])
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &OPTIONS[i];
        options[i] = (struct option){row->name, row->value ? required_argument : no_argument, NULL,
                                     FIRST + i};
        if (row->letter)
            *letters++ = row->letter;
        if (row->letter && row->value)
            *letters++ = ':';
    }
    options[OPTION_COUNT] = (struct option){0};
    *letters = '\0';
}

// The option that getopt_long returned; OPTION_COUNT: unknown.
static enum option_id arguments_find_option(int found)
{
    if (found >= FIRST)
        return (enum option_id)(found - FIRST);
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (OPTIONS[i].letter == found)
            return (enum option_id)i;
    }
    return OPTION_COUNT;
}

bool arguments_parse(int argc, char **argv, struct arguments *out, bool *is_text)
{
    struct option options[OPTION_COUNT + 1];
    char letters[2 * OPTION_COUNT + 1];
    *out = (struct arguments){.out = stdout};
    *is_text = arguments_are_texts(argc, argv);
    if (!*is_text)
        return false;
    arguments_make_getopt(options, letters);
    for (int found; (found = getopt_long(argc, argv, letters, options, NULL)) != -1;) {
        enum option_id id = arguments_find_option(found);
        if (id == OPTION_COUNT)
            return false;
        out->values[id] = optarg ? optarg : "";
    }
    out->socket = out->values[OPTION_SOCKET];
    out->file = out->values[OPTION_FILE];
    out->json = out->values[OPTION_JSON] != NULL;
    out->count = argc - optind;
    out->words = argv + optind;
    return true;
}

bool arguments_read_number(const char *text, long long *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0';
}

// The seconds of a unit of time; 0: the letter is none.
static int64_t arguments_unit_s(char letter)
{
    switch (letter) {
    case 's':
        return 1;
    case 'm':
        return 60;
    case 'h':
        return 3600;
    case 'd':
        return 86400;
    default:
        return 0;
    }
}

bool arguments_read_minutes(const char *text, long long *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *out > INT32_MAX)
        return false;
    const int64_t unit_s = arguments_unit_s(*end != '\0' ? *end : 'm');
    *out *= unit_s / 60;
    return unit_s >= 60 && (*end == '\0' || end[1] == '\0');
}

// Times.

static const int64_t YEARS_S = 100 * INT64_C(366) * 86400;

static bool arguments_read_ago(const char *text, int64_t now_us, int64_t *out)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 10 || strlen(text) != digits + 1)
        return false;
    const int64_t number = strtoll(text, NULL, 10), unit_s = arguments_unit_s(text[digits]);
    if (unit_s == 0 || number > YEARS_S / unit_s)
        return false;
    *out = now_us - number * unit_s * CLOCK_US_PER_S;
    return *out > 0;
}

bool time_parse(const char *text, int64_t now_us, int64_t *out)
{
    return arguments_read_ago(text, now_us, out) || clock_parse_utc(text, out);
}
