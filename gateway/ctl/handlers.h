// SPDX-License-Identifier: BSD-2-Clause
// The functions that run the commands of ibtrapctl, which the table in commands.c names, and what
// these functions write.
#ifndef IBTRAPD_CTL_HANDLERS_H
#define IBTRAPD_CTL_HANDLERS_H

#include "ctl/command.h"
#include "ctl/fabric_request.h"

#include <jansson.h>
#include <stdint.h>

// Alarms (alarm_commands.c).
command_run alarm_commands_list, alarm_commands_acknowledge, alarm_commands_shelve,
    alarm_commands_clear;

// Maintenance windows. Without patterns, a window is about all nodes.
command_run maintenance_commands_start, maintenance_commands_stop, maintenance_commands_list;

// Reads the end of a window: "90" minutes after `now_us`, or "2026-11-21T04:06:39Z". UTC,
// microseconds since 1970. Returns false if the text is neither.
bool maintenance_commands_read_end(const char *text, int64_t now_us, int64_t *out);

// Events (event_commands.c).

// Writes the events that the options choose, oldest first; without --since and --limit the last 50.
// With --follow, also writes new events, and returns only after a failure; as JSON, writes one
// object per line then.
command_run event_commands_list;

// Writes all about one event.
command_run event_commands_explain;

// Sends a test event and waits, at most ten seconds, until the receivers have the event. Also
// refused if a receiver that should get the event does not have the event by then.
command_run event_commands_test;

// The fabric (topology_commands.c).
command_run topology_commands_show; // as text, JSON or a picture
command_run topology_commands_list, topology_commands_diff;
command_run link_commands_list; // links that fail again and again
command_run context_commands_list, context_commands_communities;

// The fabric as it should be (expectation_commands.c).
command_run expectation_commands_save, expectation_commands_check;

// The gateway as a whole (gateway_commands.c).
command_run gateway_commands_status, gateway_commands_catalogue, gateway_commands_log,
    gateway_commands_reload;
command_run gateway_commands_send; // sends a command that takes no items and reports nothing
command_run health_command;        // the verdict, as monitoring plugins give it

// Shows which events each receiver would get under another configuration, whose text goes to the
// daemon. Also refused if the file cannot be read or is not a valid configuration.
command_run dry_run_command;

// Receivers (status_commands.c).
command_run receiver_commands_list;
command_run receiver_commands_change; // pauses, resumes or flushes, as `wire` of the row says

// The journal (journal_commands.c). The first three read the journal's file, whether ibtrapd runs
// or not. They are refused if the file cannot be read, or if ibtrapd starts meanwhile and writes to
// the file.
command_run journal_commands_check;  // SQLite's check of the whole file
command_run journal_commands_stats;  // numbers and age of events, alarms, snapshots, size
command_run journal_commands_export; // every event after a number, one JSON object per line
command_run journal_commands_prune;  // asks the daemon to delete old events

// All that a developer needs to know of a gateway, in one file, without secrets.
command_run support_command;

// Alarms, receivers and events at a terminal, as they change.
command_run watch_command;

// What the commands write. The functions that return bool return false if the answer has not the
// shape that this ibtrapctl knows. The first page of a list has a head.
bool alarm_commands_show(FILE *out, const json_t *page, bool first);
bool receiver_commands_show(FILE *out, const json_t *answer, bool first);
bool show_status(FILE *out, const json_t *status);
void show_events_head(FILE *out);
void show_event(FILE *out, const json_t *event);        // in two lines or more
bool show_explanation(FILE *out, const json_t *answer); // all about one event
void show_delivery(FILE *out, const json_t *answer);    // an event and its state at each receiver
void topology_commands_write(FILE *out, const struct fabric_request *what); // as ibnetdiscover(8)
void topology_commands_write_json(FILE *out, const struct fabric_request *what);
void topology_commands_write_changes(FILE *out, bool json, const struct fabric_request *from,
                                     const struct fabric_request *to);

#endif
