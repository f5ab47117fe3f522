// SPDX-License-Identifier: BSD-2-Clause
// The functions behind the table of commands in commands.c, and the forms of the answers.
// Decides: What do status, alarms and the other commands of ibtrapctl show?
#pragma once

#include "ctl/command.h"
#include "model/fabric.h"
#include "model/names.h"
#include "model/systems.h"

#include <jansson.h>
#include <stdint.h>

// Requests (request_command.c).

// Sends the command of the row with items from the words, and writes the answer in the form of the
// row. Most commands need no more.
command_run request_command_run;

// Sends the command of the row with these items (takes over the reference), and writes the answer
// in this form; `form` NULL: the answer has nothing to report.
enum command_outcome request_command_send(const struct arguments *a, const struct show_form *form,
                                          json_t *items, struct error *err);

// Writes the answer, as JSON or in this form (NULL: there is nothing to report), and drops the
// reference to the answer. Returns false with a sentence if the answer has another shape.
bool request_command_write(const struct arguments *a, const struct show_form *form, json_t *answer,
                           struct error *err);

// The forms of answers, in the files of their topics.
extern const struct show_form alarm_form, alarm_cleared_form, maintenance_form,
    maintenance_stopped_form, context_form, delivery_form, dry_run_form, event_form,
    explanation_form, link_form, receiver_form, reload_form, snapshot_form, status_form;

// The same of many gateways (fleet_commands.c).
command_run fleet_commands_alarms, fleet_commands_health;

command_run alarm_commands_list;

// Starts a maintenance window, or gives a window another end.
command_run maintenance_commands_start;

// Writes the windows of an answer, and how many alarms they hold back. Returns true.
bool maintenance_commands_show(FILE *out, const json_t *answer);

// Reads the end of a window: "90" minutes after `now_us`, or "2026-11-21T04:06:39Z". UTC,
// microseconds since 1970. Returns false if the text is neither.
bool maintenance_commands_read_end(const char *text, int64_t now_us, int64_t *out);

// Events (event_commands.c).

// Writes the chosen events, oldest first; without --since and --limit the last 50. With --follow,
// also writes new events, and returns only after a failure. JSON then has one object per line.
command_run event_commands_list;

// Writes all about one event.
command_run event_commands_explain;

// Sends a test event and waits, at most ten seconds, until the receivers have the event. Also
// refused if the event has not reached every receiver of the test by then.
command_run event_commands_test;

// The fabric (topology_commands.c).
command_run topology_commands_show; // as text, JSON or a picture
command_run topology_commands_diff;
command_run link_commands_list; // links that fail again and again
command_run context_commands_communities;
command_run inventory_command; // as text, JSON or CSV

// Lists what the completion of a shell offers (completion.c): all words of the program, or for
// RECEIVER, GONE, ALARM, WINDOW, SNAPSHOT or NODE the words of the daemon, one a line.
command_run completion_command;

// All about one node, or one port of it (place_commands.c).
command_run place_commands_node, place_commands_port;

// The expected fabric.
command_run topology_commands_save, topology_commands_check;

// The whole gateway (gateway_commands.c).
command_run gateway_commands_catalogue, gateway_commands_reload;
command_run status_command;
command_run health_command; // the verdict, as monitoring plugins give it

// Sends the text of another configuration to the daemon, and shows which events each receiver would
// get under this configuration. Also refused if the file cannot be read or is not a valid
// configuration.
command_run dry_run_command;

// The journal (journal_commands.c). The first three read the journal's file, whether ibtrapd runs
// or not. The daemon is not asked. A command is refused if the file cannot be read, or if ibtrapd
// starts meanwhile and writes to the file.
command_run journal_commands_check;  // SQLite's check of the whole file
command_run journal_commands_stats;  // numbers and age of events, alarms, snapshots, size
command_run journal_commands_export; // every event after a number, one JSON object per line
command_run journal_commands_prune;  // asks the daemon to delete old events

// Writes everything a developer needs to know of a gateway into one file, without secrets.
command_run support_command;

// Shows alarms, receivers and events at a terminal, and each change.
command_run watch_command;

// A snapshot of the fabric from the daemon, which sends its record (control/handlers.h).
struct fabric_request {
    struct fabric *fabric;
    struct names *names;           // of nodes and ports, from the daemon
    struct systems *systems;       // of the fabric
    struct filter_list host_names; // the patterns of its systems
    int64_t number;                // of the snapshot in the journal; 0: the fabric as it is now
};

// Requests the snapshot with that number. Returns false with a sentence if no answer came, or if
// the answer has another shape. Call fabric_request_end in either case.
bool fabric_request_begin(struct fabric_request *request, const char *socket, int64_t number,
                          struct error *err);
void fabric_request_end(struct fabric_request *request);

// Writes the fabric.
void topology_commands_write(FILE *out, const struct fabric_request *what); // as ibnetdiscover(8)
void topology_commands_write_json(FILE *out, const struct fabric_request *what);
void topology_commands_write_changes(FILE *out, bool json, const struct fabric_request *from,
                                     const struct fabric_request *to);
