// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/commands.h"

#include "base/text.h"
#include "ctl/handlers.h"
#include "ctl/terminal.h"

#include <ctype.h>
#include <string.h>

static command_run commands_help;

enum {
    EVENTS_TAKES = COMMAND_TAKES(OPTION_SINCE) | COMMAND_TAKES(OPTION_UNTIL) |
                   COMMAND_TAKES(OPTION_SEVERITY) | COMMAND_TAKES(OPTION_NODE) |
                   COMMAND_TAKES(OPTION_EVENT) | COMMAND_TAKES(OPTION_LIMIT) |
                   COMMAND_TAKES(OPTION_FOLLOW),
    ALARMS_TAKES = COMMAND_TAKES(OPTION_SEVERITY) | COMMAND_TAKES(OPTION_NODE) |
                   COMMAND_TAKES(OPTION_EVENT) | COMMAND_TAKES(OPTION_ALL) |
                   COMMAND_TAKES(OPTION_FLEET),
    TOPOLOGY_TAKES =
        COMMAND_TAKES(OPTION_DOT) | COMMAND_TAKES(OPTION_SVG) | COMMAND_TAKES(OPTION_HOSTS),
    TEST_TAKES = COMMAND_TAKES(OPTION_NODE) | COMMAND_TAKES(OPTION_RECEIVER),
};

// The form of a command that changes something: a layout of the answer.
#define SAYS(layout) (&(const struct show_form){.head = layout "\n"})

static const struct command COMMANDS[] = {
    {"status", "", 0, 0, 0, status_command, "status",
     .help = "show the port, the subscriptions, the receivers and counters",
     .manual = "It also shows the subnet manager, the last sweep of the fabric and the journal.",
     .form = &status_form},
    {"health", "[gateway|fabric] [OPTION]...", 0, 1,
     COMMAND_TAKES(OPTION_SEVERITY) | COMMAND_TAKES(OPTION_FLEET), health_command, "health",
     .help = "tell in a line whether the gateway works and what is wrong in the fabric",
     .manual =
         "It is a plugin for monitoring systems: values follow the line, and the exit status is 0 "
         "ok, 1 warning, 2 critical (also if ibtrapd does not run), 3 unknown. It has two "
         "verdicts, the worse first; a word chooses one. The fabric is critical while an alarm of "
         "severity error or worse is open, with --severity of that severity and worse, and a "
         "warning while one of severity warning is. Alarms that follow from another, or that "
         "somebody has acknowledged or shelved, are not open."},
    {"watch", "", 0, 0, 0, watch_command,
     .help = "show alarms, receivers and new events at the terminal, until the key q",
     .manual = "The worst alarms come first, and those that somebody has acknowledged or shelved "
               "last. Up and down select one, a acknowledges it with a note, e explains it."},
    {"catalogue", "", 0, 0, 0, gateway_commands_catalogue,
     .help = "list every event that ibtrapd knows",
     .manual = "With -j each event has its fields and notifications. The same list is in "
               "ibtrapd-events(7)."},
    {"events", "[OPTION]...", 0, 0, EVENTS_TAKES, event_commands_list, "events",
     .help = "list the last events, or those that the options choose",
     .manual = "They come oldest first. A suppressed event has the reason below it. TIME is so "
               "long ago, in s, m, h or d, or a date and time with its offset. A pattern may have "
               "* and ?; one that begins with 0x is compared with GUIDs of 0x and 16 digits. N is "
               "at most 10000. --follow does not go with --until."},
    {"explain", "N|ID|last", 1, 1, 0, event_commands_explain, "explain",
     .help = "show all about one event, by its number or its id",
     .manual = "It has the fields, the cause, the notice as it came, the receivers that have the "
               "event, the reasons of the others, and the SNMP notifications. Receivers get the id "
               "with the event. The word last stands for the newest event.",
     .form = &explanation_form},
    {"test", "EVENT [OPTION]...", 1, 1, TEST_TAKES, event_commands_test, "test",
     .help = "send a test event to the receivers and show which got it",
     .manual =
         "It waits at most ten seconds until they have it. The event goes through the journal and "
         "the receivers' filters, is marked as a test, and raises no alarm. Policies, storms and "
         "maintenance do not suppress it. Without --node it is about a node that does not exist."},
    {"alarms", "[OPTION]...", 0, 0, ALARMS_TAKES, alarm_commands_list, "alarms",
     .help = "list the active alarms, the worst first",
     .manual =
         "Alarms that follow from another one are counted at their cause. Those that "
         "somebody has acknowledged or shelved, or that are in maintenance, come last; 500 "
         "are listed at most. --all lists every alarm, in the order of raising. --fleet FILE "
         "lists those of many gateways, from their pages, 200 of each at most, and says which "
         "gateways do not answer."},
    {"alarms acknowledge", "ALARM [NOTE]", 1, 2, 0, request_command_run, "alarm-acknowledge",
     .help = "note that an operator works on the alarm",
     .manual = "ALARM is the number of the alarm, or its key. The list of alarms shows the note.",
     .items = "alarm note", .form = SAYS("The alarm {key} is acknowledged.")},
    {"alarms unacknowledge", "ALARM", 1, 1, 0, request_command_run, "alarm-unacknowledge",
     .help = "take the acknowledgement back: nobody works on the alarm", .items = "alarm",
     .form = SAYS("The alarm {key} is acknowledged no longer.")},
    {"alarms shelve", "ALARM MINUTES", 2, 2, 0, request_command_run, "alarm-shelve",
     .help = "suppress the alarm's notifications for MINUTES; 0: end the shelving",
     .manual = "ALARM is the number of the alarm, or its key. MINUTES is at most 527040, a year; "
               "2h and 3d are hours and days.",
     .items = "alarm @minutes",
     .form = SAYS("The alarm {key} is shelved [until?until {until@}|no longer].")},
    {"alarms clear", "ALARM REASON", 2, 2, 0, request_command_run, "alarm-clear",
     .help = "end the alarm by hand; receivers are told who did it and why",
     .manual = "ALARM is the number of the alarm, or its key. ibtrapd raises the alarm again if "
               "its next sweep still shows it, such as a link below its rate. It forgets a missing "
               "node, with the links of the node, or a missing link until a sweep has seen it "
               "again. Of an unreliable link it forgets the occasions so far. Of two gateways, the "
               "other one keeps its alarm: clear it there, too.",
     .items = "alarm reason", .form = &alarm_cleared_form},
    {"node", "NODE", 1, 1, 0, place_commands_node, "ports",
     .help = "show all about one node: its ports, alarms and last events",
     .manual = "NODE is a name, of the node or of its host or switch box, or a GUID. The error "
               "counters are those of the ports. A node that left the fabric has its alarms and "
               "events."},
    {"port", "NODE/PORT", 1, 2, 0, place_commands_port, "ports",
     .help = "show all about one port: its link, rate, counters, alarms and last events",
     .manual = "NODE is as for the command node; PORT is a number, as in leaf1/12. "
               "With expected_topology of ibtrapd.conf(5) the port also has the expected "
               "other end of its link."},
    {"inventory", "[OPTION]...", 0, 0, COMMAND_TAKES(OPTION_NODE) | COMMAND_TAKES(OPTION_CSV),
     inventory_command, "inventory",
     .help = "list the cables, modules and switches that NVIDIA's devices tell of",
     .manual =
         "Port 0, or a dash, is the switch itself. The values are those of the last reading; items "
         "vendor_registers and vendor_interval of ibtrapd.conf(5) say whether and when. --node "
         "takes a pattern. With -j and --csv each has all values: light in milliwatts and currents "
         "in milliamperes of each lane, lengths in meters, times in seconds, degrees Celsius."},
    {"links", "[N] [OPTION]...", 0, 1, COMMAND_TAKES(OPTION_WORST), link_commands_list, "links",
     .help = "list the links that failed, flapped or had too many errors",
     .manual =
         "The latest come first, with --worst those with the most occasions. What happens to a "
         "link within an hour is one occasion; section unreliable of ibtrapd.conf(5) says for how "
         "many days they count. ERRORS is how often errors on the link raised an alarm. With -j "
         "each link has the dates. N is at most 1000, and 20 when it is missing.",
     .form = &link_form},
    {"receivers", "", 0, 0, 0, request_command_run, "receivers",
     .help = "list the receivers, and how many events wait for each",
     .manual = "It also shows how many events each receiver was sent, failed to take, and lost. "
               "Receivers that are gone from the configuration come last.",
     .form = &receiver_form},
    {"receivers pause", "RECEIVER", 1, 1, 0, request_command_run, "receiver-pause",
     .help = "stop sending to the receiver; its events wait",
     .manual = "They wait in the journal until the receiver is resumed or ibtrapd starts again.",
     .items = "name", .form = SAYS("The receiver {receiver.name} is paused; its events wait.")},
    {"receivers resume", "RECEIVER", 1, 1, 0, request_command_run, "receiver-resume",
     .help = "send to the receiver again", .items = "name",
     .form = SAYS("The receiver {receiver.name} goes on with the events that wait.")},
    {"receivers flush", "RECEIVER", 1, 1, 0, request_command_run, "receiver-flush",
     .help = "drop the events that wait for the receiver now",
     .manual = "The journal keeps them. Events that end an alarm, or raise an alarm that is still "
               "active, are sent.",
     .items = "name",
     .form = SAYS("The receiver {receiver.name} goes on behind the events that waited.")},
    {"receivers resync", "RECEIVER", 1, 1, 0, request_command_run, "receiver-resync",
     .help = "send the receiver the active alarms again",
     .manual =
         "Before them comes the last end of each alarm that is over, as far as the journal has "
         "it. The events are marked: the field sentAgain is true, and the sentence begins with "
         "the words 'Sent again'. The receiver goes on behind them.",
     .items = "name",
     .form = SAYS("The receiver {receiver.name} is sent the active alarms again.")},
    {"receivers resend", "RECEIVER NUMBER", 2, 2, 0, request_command_run, "receiver-resend",
     .help = "send the receiver an event of the journal again",
     .manual = "NUMBER is the number of the event. The event is marked: its field sentAgain is "
               "true, and its sentence begins with the words 'Sent again'. The filter of the "
               "receiver holds.",
     .items = "name #number", .form = SAYS("The event is sent again.")},
    {"receivers forget", "RECEIVER", 1, 1, 0, request_command_run, "receiver-forget",
     .help = "forget the place in the journal of a receiver that is gone",
     .manual =
         "When it comes back, it is a new one: it begins with new events even with start = "
         "\"backlog\" in its section. The list of receivers has those that are gone. When there "
         "are too many, ibtrapd forgets those that have been gone for the longest time by itself.",
     .items = "name", .form = SAYS("The place of the receiver is forgotten.")},
    {"resubscribe", "", 0, 0, 0, request_command_run, "resubscribe",
     .help = "subscribe to every trap again, at once",
     .form = SAYS("Every trap is subscribed to again; 'ibtrapctl status' shows the answers.")},
    {"contexts", "", 0, 0, 0, request_command_run, "contexts",
     .help = "list the nodes that have an SNMP context of their own",
     .manual = "In it, a manager sees the node as a device. The item contexts of the section "
               "subagent says which nodes do. There are 4,096 contexts at most.",
     .form = &context_form},
    {"contexts communities", "COMMUNITY", 1, 1, 0, context_commands_communities, "contexts",
     .help = "print lines of snmpd.conf that give each context a community",
     .manual = "They are for managers without SNMPv3. Each community is COMMUNITY, a hyphen and "
               "the context: whoever knows COMMUNITY can read all contexts."},
    {"topology", "[N] [OPTION]...", 0, 1, TOPOLOGY_TAKES, topology_commands_show, "topology",
     .help = "show nodes and links, now or in snapshot N",
     .manual = "The format is that of ibnetdiscover(8). With -j each port has all that is known of "
               "it. --dot and --svg draw the fabric as it is now: switches in layers by their "
               "distance from the hosts, links with faults red and dashed, degraded ones orange, "
               "missing ones dotted. Hosts are counted at their switch; up to four of a switch "
               "with something wrong are drawn."},
    {"topology list", "", 0, 0, 0, request_command_run, "topology-list",
     .help = "list the snapshots of the fabric that the journal has", .form = &snapshot_form},
    {"topology diff", "A B", 2, 2, 0, topology_commands_diff, "topology",
     .help = "list the changes from one snapshot to another",
     .manual = "A and B are numbers of snapshots; either may be the word now."},
    {"topology save", "FILE", 1, 1, 0, topology_commands_save, "topology",
     .help = "write nodes and links, as they are now, into the file",
     .manual = "FILE may be there: it is replaced once the new one is whole. The item "
               "expected_topology of ibtrapd.conf(5) makes it the fabric as it should be. The "
               "format is that of ibnetdiscover(8)."},
    {"topology check", "FILE [guid|name]", 1, 2, 0, topology_commands_check, "topology",
     .help = "list how the fabric differs from the file",
     .manual = "FILE is a file of topology save or ibnetdiscover(8). Nodes are found by their "
               "GUIDs, or by their names. What is missing behind a missing switch is indented. The "
               "exit status is 0 if there is no difference, 1 if there is one, and 2 if the file "
               "cannot be read or ibtrapd not be asked."},
    {"sweep now", "", 0, 0, 0, request_command_run, "sweep-now", .help = "sweep the fabric at once",
     .manual = "ibtrapd does not wait for the end of the interval.",
     .form = SAYS("A sweep begins.")},
    {"log", "LEVEL [FOLDER]", 1, 2, 0, request_command_run, "log",
     .help = "set how much ibtrapd logs, until the next reload",
     .manual = "LEVEL is error, warning, info or debug. FOLDER is a folder of ibtrapd's sources "
               "that has debug messages, such as ib or sink; without it the level is for all. The "
               "next reload or start sets the levels of the configuration again.",
     .items = "level folder", .form = SAYS("The log has this level until the next reload.")},
    {"reload", "", 0, 0, 0, gateway_commands_reload, "reload",
     .help = "read the configuration again, as a whole or not at all",
     .manual = "ibtrapd checks it first. ibtrapctl names the items that need a restart of ibtrapd.",
     .form = &reload_form},
    {"maintenance start", "NAME END [NODE]... [OPTION]...", 2, 66,
     COMMAND_TAKES(OPTION_ALL) | COMMAND_TAKES(OPTION_COMMENT), maintenance_commands_start,
     "maintenance-start", .help = "suppress events about the nodes, or with --all all, until END",
     .manual = "END is so many minutes from now, or 2h or 3d, or a time such as "
               "2026-11-21T18:30:00Z. NODE is a pattern of names or GUIDs. A window that is there "
               "gets another END: leave NODE out. The journal has every event; ibtrapd sends the "
               "alarms that are still active at the end."},
    {"maintenance stop", "WINDOW", 1, 1, 0, request_command_run, "maintenance-stop",
     .help = "end that window now; alarms that are still active are sent", .items = "name",
     .form = &maintenance_stopped_form},
    {"maintenance list", "", 0, 0, 0, request_command_run, "maintenance-list",
     .help = "list the maintenance windows: nodes, end, who made them and why",
     .form = &maintenance_form},
    {"dry-run", "CONFIG [N]", 1, 2, 0, dry_run_command, "dry-run",
     .help = "show where the last N events would go under CONFIG",
     .manual = "CONFIG is the file of a configuration. ibtrapctl shows how many events each "
               "receiver would get, and why others would be suppressed. N is at most 10000, and "
               "1000 when it is missing. Nothing is sent, and the files that the configuration "
               "names stay unopened: ibtrapd --check-config looks at those, too.",
     .form = &dry_run_form},
    {"journal check", "", 0, 0, 0, journal_commands_check,
     .help = "examine the journal's file for damage"},
    {"journal stats", "", 0, 0, 0, journal_commands_stats,
     .help = "show how much the journal holds"},
    {"journal export", "[N]", 0, 1, 0, journal_commands_export,
     .help = "write the events after number N, one JSON object a line"},
    {"journal prune", "DAYS", 1, 1, 0, journal_commands_prune, "journal-prune",
     .help = "drop older events that every receiver has",
     .manual =
         "Events of the last ten seconds stay. At a terminal it waits until they are deleted.",
     .items = "#days"},
    {"support", "PATH", 1, 1, 0, support_command, "configuration",
     .help = "write all that a developer needs to know of the gateway into a new file",
     .manual = "It has the versions, the adapters and their ports, the verdict, status, "
               "configuration, alarms, the last events, receivers, the fabric, and the last lines "
               "of the log that systemd keeps. Keys, passwords and communities are left out; names "
               "and addresses are not. Run it as root, also when ibtrapd does not run."},
    {"help", "[COMMAND]...", 0, 2, 0, commands_help,
     .help = "show this text, or more about a command",
     .manual = "The name may be incomplete: help alarms describes every command that begins with "
               "alarms."},
    {"completion", "[WORD]", 0, 1, 0, .run = completion_command},
};

enum { COMMAND_COUNT = sizeof COMMANDS / sizeof *COMMANDS };

const struct command *commands_get(size_t *count)
{
    *count = COMMAND_COUNT;
    return COMMANDS;
}

// The help.

enum { HELP_COLUMN = 40, OPTION_COLUMN = 28, SENTENCES_MAX = 2000 };

void commands_add_sentences(struct text *t, const struct command *command)
{
    text_addf(t, "%c%s.", toupper((unsigned char)command->help[0]), command->help + 1);
    if (command->manual)
        text_addf(t, " %s", command->manual);
}

static void command_show_option(FILE *out, enum option_id id)
{
    const struct option_row *o = arguments_option(id);
    int width = o->letter ? fprintf(out, "  -%c, --%s", o->letter, o->name)
                          : fprintf(out, "      --%s", o->name);
    if (o->value)
        width += fprintf(out, " %s", o->value);
    fprintf(out, "%*s", OPTION_COLUMN - width, "");
    terminal_hang(out, OPTION_COLUMN, o->help);
}

static void command_show_options_of(FILE *out, const struct command *command)
{
    for (int i = OPTION_FIRST_OF_SOME; i < OPTION_COUNT; i++) {
        if (command->options & COMMAND_TAKES(i))
            command_show_option(out, (enum option_id)i);
    }
}

static void commands_show_all(FILE *out)
{
    fputs("Usage: ibtrapctl [OPTION]... COMMAND\n\n", out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (!COMMANDS[i].help)
            continue;
        int width = fprintf(out, "  %s %s", COMMANDS[i].name, COMMANDS[i].arguments);
        if (width > HELP_COLUMN - 2) // too long for its column
            width = fprintf(out, "\n") - 1;
        fprintf(out, "%*s", HELP_COLUMN - width, "");
        terminal_hang(out, HELP_COLUMN, COMMANDS[i].help);
    }
    fputs("\nOptions of every command:\n", out);
    for (int i = 0; i < OPTION_FIRST_OF_SOME; i++)
        command_show_option(out, (enum option_id)i);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (COMMANDS[i].options)
            fprintf(out, "\nOptions of %s:\n", COMMANDS[i].name);
        command_show_options_of(out, &COMMANDS[i]);
    }
    fputs("\n"
          "ALARM is the number of an alarm, or its key.\n"
          "'ibtrapctl help COMMAND' says more about a command.\n"
          "Exit status: 0 done, 1 not done (refused, not delivered, damaged), 2 wrong usage;\n"
          "of health: 0 ok, 1 warning, 2 critical, 3 unknown.\n",
          out);
}

static void commands_show_one(FILE *out, const struct command *command)
{
    char buffer[SENTENCES_MAX];
    struct text t = text_in(buffer, sizeof buffer);
    fprintf(out, "Usage: ibtrapctl %s%s%s\n\n", command->name, command->arguments[0] ? " " : "",
            command->arguments);
    commands_add_sentences(&t, command);
    terminal_wrap(out, 0, buffer);
    if (command->options)
        fputc('\n', out);
    command_show_options_of(out, command);
}

// Running.

enum { COMMAND_WORD_SIZE = 24 };

// Counts the words at the begin of `name` that equal the given words. `*whole`: the name has no
// more words.
static int commands_match(const char *name, int count, char *const *words, bool *whole)
{
    int used = 0;
    while (*name != '\0' && used < count) {
        size_t length = strcspn(name, " ");
        if (strlen(words[used]) != length || memcmp(words[used], name, length) != 0)
            break;
        used++;
        name += length + (name[length] == ' ');
    }
    *whole = *name == '\0';
    return used;
}

// The nearest of the words that follow `first` in the names of commands, or that begin a name if
// `first` is empty. `all` gets these words.
static struct nearest commands_nearest(const char *first, const char *word, struct text *all,
                                       char (*words)[COMMAND_WORD_SIZE])
{
    struct nearest nearest = nearest_begin(word);
    const size_t length = strlen(first);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const char *name = COMMANDS[i].name;
        if (!COMMANDS[i].help || strncmp(name, first, length) != 0 ||
            (length > 0 && name[length] != ' '))
            continue;
        name += length + (length > 0);
        snprintf(words[i], COMMAND_WORD_SIZE, "%.*s", (int)strcspn(name, " "), name);
        nearest_try(&nearest, words[i]);
        if (!nearest.name && length > 0 && strncmp(words[i], word, strlen(word)) == 0)
            nearest.name = words[i]; // "ack" for acknowledge
        text_addf(all, "%s%s", all->len > 0 ? ", " : "", words[i]);
    }
    return nearest;
}

// Names the wrong word, and those that there are: "alarms ack", for instance.
static void commands_tell_wrong_word(const char *first, const char *word)
{
    char buffer[600], words[COMMAND_COUNT][COMMAND_WORD_SIZE];
    struct text all = text_in(buffer, sizeof buffer);
    const struct nearest nearest = commands_nearest(first, word, &all, words);
    if (all.len == 0)
        return;
    if (word[0] != '\0')
        fprintf(stderr, "ibtrapctl: no such command: %s%s%s", first, first[0] ? " " : "", word);
    else
        fprintf(stderr, "ibtrapctl: '%s' needs a further word", first);
    if (nearest.name && word[0] != '\0')
        fprintf(stderr, "; did you mean '%s%s%s'?", first, first[0] ? " " : "", nearest.name);
    if (first[0] != '\0')
        fprintf(stderr, "%s there are: %s", nearest.name && word[0] != '\0' ? "" : ";", buffer);
    fputc('\n', stderr);
}

static enum command_outcome commands_refuse_unknown(const struct arguments *a)
{
    bool begins = false;
    for (size_t i = 0; a->count > 0 && i < COMMAND_COUNT; i++)
        begins |= strncmp(COMMANDS[i].name, a->words[0], strlen(a->words[0])) == 0 &&
                  COMMANDS[i].name[strlen(a->words[0])] == ' ';
    if (a->count > 0) {
        const char *further = a->count > 1 ? a->words[1] : "";
        commands_tell_wrong_word(begins ? a->words[0] : "", begins ? further : a->words[0]);
        fputs("'ibtrapctl help' lists the commands.\n", stderr);
    }
    return COMMAND_WRONG_USAGE;
}

static enum command_outcome commands_help(const struct arguments *a, struct error *err)
{
    (void)err;
    int shown = 0;
    if (a->count == 0) {
        commands_show_all(a->out);
        return COMMAND_DONE;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        bool whole;
        if (!COMMANDS[i].help ||
            commands_match(COMMANDS[i].name, a->count, a->words, &whole) < a->count)
            continue;
        if (shown++ > 0)
            fputc('\n', a->out);
        commands_show_one(a->out, &COMMANDS[i]);
    }
    return shown > 0 ? COMMAND_DONE : commands_refuse_unknown(a);
}

// Whether the command accepts this number of words and every given option. Names a wrong option.
static bool commands_is_usage(const struct command *c, const struct arguments *a)
{
    for (int i = OPTION_FIRST_OF_SOME; i < OPTION_COUNT; i++) {
        if (a->values[i] && !(c->options & COMMAND_TAKES(i))) {
            fprintf(stderr, "ibtrapctl: %s has no option --%s\n", c->name,
                    arguments_option((enum option_id)i)->name);
            return false;
        }
    }
    if (a->count > c->max && !isdigit((unsigned char)a->words[0][0]))
        commands_tell_wrong_word(c->name, a->words[0]);
    return a->count >= c->min && a->count <= c->max;
}

const struct command *commands_find(int count, char *const *words, int *used)
{
    const struct command *found = NULL;
    *used = 0;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        bool whole;
        int n = commands_match(COMMANDS[i].name, count, words, &whole);
        if (whole && n > *used) {
            found = &COMMANDS[i];
            *used = n;
        }
    }
    return found;
}

const struct command *commands_named(const char *name)
{
    size_t i = 0;
    while (strcmp(COMMANDS[i].name, name) != 0)
        i++;
    return &COMMANDS[i];
}

bool commands_show_help(struct arguments *a)
{
    int used;
    struct error err;
    if (commands_find(a->count, a->words, &used))
        a->count = used; // further words are the command's
    return commands_help(a, &err) == COMMAND_DONE;
}

enum command_outcome commands_run(struct arguments *a)
{
    int used;
    const struct command *found = commands_find(a->count, a->words, &used);
    if (!found) {
        if (a->count == 0)
            commands_show_all(stderr);
        return commands_refuse_unknown(a);
    }
    a->count -= used;
    a->words += used;
    a->command = found;
    struct error err;
    enum command_outcome outcome =
        commands_is_usage(found, a) ? found->run(a, &err) : COMMAND_WRONG_USAGE;
    fflush(a->out); // the output comes before the sentence on standard error
    if (outcome == COMMAND_REFUSED || outcome == COMMAND_TROUBLE)
        fprintf(stderr, "ibtrapctl: %s\n", err.text);
    if (outcome == COMMAND_WRONG_USAGE)
        fprintf(stderr, "Usage: ibtrapctl %s %s\n'ibtrapctl help %s' says more.\n", found->name,
                found->arguments, found->name);
    return outcome;
}
