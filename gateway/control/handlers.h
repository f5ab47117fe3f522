// SPDX-License-Identifier: BSD-2-Clause
// The functions behind the table of commands in commands.c, and functions for the page and the
// daemon. An answer is a new reference.
// Decides: What does each command of the control socket answer?
// Decides: Which of many alarms come first? (control/alarm_answers.c)
// Decides: Which events does a dry run judge again?
#pragma once

#include "control/control.h"
#include "event/test_event.h"

typedef json_t *control_handler(struct control *control, const json_t *request);

// Alarms (alarm_answers.c). A request names an alarm by the key, or by the number of the event that
// raised the alarm.

enum {
    ALARM_ANSWERS_PAGE = 500,
    ALARM_ANSWERS_WORST = 500,
    ALARM_ANSWERS_MINUTES_MAX = 366 * 24 * 60,
    ALARM_ANSWERS_REASON_SIZE = 161, // the event's reason names the user, too
    MAINTENANCE_ANSWERS_DAYS_MAX = 366,
};

// "alarms": the worst of the active alarms in order, at most ALARM_ANSWERS_WORST, without those
// that follow from another alarm; "left_out" is the number of further ones. With item "all", true:
// all in the order of raising, at most ALARM_ANSWERS_PAGE, those that follow, too; item "more" of
// the answer has the items for the request of the next page. These items choose the alarms:
// "severity" (this and worse), "node" and "event", as in "events".
control_handler alarm_answers_list;

// "alarm-acknowledge", with items "alarm" and "note" (missing: none).
control_handler alarm_answers_acknowledge, alarm_answers_unacknowledge;

// "alarm-shelve", with items "alarm" and "minutes" (0 ends the shelving). Without a pipeline,
// shelves the alarm in the journal only.
control_handler alarm_answers_shelve;

// "alarm-clear", with items "alarm" and "reason": ends the alarm by an event. The reason of the
// event names the client's user. The answer has the items "key" and "note", a sentence: when the
// alarm is raised again.
control_handler alarm_answers_clear;

// An alarm of an answer. `system`: the host or box that the alarm is about, or empty. `fabric` is
// the name of the fabric.
json_t *alarm_answers_json(const struct alarm *alarm, const char *system, const char *fabric);
// The same for a receiver that keeps the alarms: also the gateway's name, and what the alarm is
// about, by the event that raised the alarm.
json_t *alarm_answers_document(const struct alarm *alarm, const struct event *event,
                               const char *fabric, const char *gateway);

struct alarm_choice; // the conditions of a request

struct worst_alarms {
    struct alarm **all; // in order: first alarms without an operator, then alarms that are
                        // acknowledged, shelved, disabled or in maintenance; the most severe first,
                        // of one severity those with the most consequences, then the newest
    size_t count;
    size_t left_out;    // for which there was no room
    struct alarm *room; // the same in no order
};

// Finds the worst of the active alarms, `most` at most, without those that follow from another one.
// `choice`: which ones; NULL: all. Takes a microsecond for each active alarm, and with a choice of
// nodes reads the event of each. Free `out`.
void worst_alarms_find(struct journal *journal, const struct alarm_choice *choice, size_t most,
                       struct worst_alarms *out);
void worst_alarms_free(struct worst_alarms *worst);

// "maintenance-start", with items "name", "until_us" (UTC), "nodes" (patterns), "all" (true: all
// nodes) and "comment" (missing: none). A name that is in use gets another end, and keeps its
// nodes. The answer has the window, and whether the window is "extended". "maintenance-stop", with
// item "name". Both wait for the pipeline.
control_handler maintenance_answers_start, maintenance_answers_stop;

// "maintenance-list": the windows that have not ended, and how many alarms are "held_back" by them.
control_handler maintenance_answers_list;
json_t *maintenance_answers_all(const struct control *control); // the windows alone
// The windows, each with how many alarms are "held_back" by the window. Reads the events of 2,000
// alarms at most, and may wait for the disk. Any thread.
json_t *maintenance_answers_held(const struct control *control);

// Events (event_answers.c).

enum {
    EVENT_ANSWERS_SCAN = 2000, // events that one request reads
    EVENT_ANSWERS_PAGE = 200,  // events that its answer has
};

// "events". Without item "after", the newest events come first, from the end of the journal or
// before number "before"; with "after", the oldest come first, after the number. These items choose
// the events: "since_us", "until_us", "severity" (this and worse), "node" (a pattern of names or
// GUIDs, or a list of such patterns), "event" (a pattern of identifiers), and "limit" (how many in
// all pages together). Item "more" of the answer has the items for the request of the next page,
// and is missing on the last page. "last" is the number of the journal's newest event. "place" is
// the number of the last event that was read. "ended" is true if the journal has no event after
// "place". A page without events has "node_is_known": whether "node" fits a node of the fabric.
control_handler event_answers_list;

// Reads "severity", "event" and "node" of a request. False: a sentence says what is wrong.
bool event_answers_read_filter(const json_t *request, struct filter *filter, struct error *err);

// Sets the sentence for an unknown event, with the event that the user may mean. Returns false.
bool event_answers_refuse(const char *event, struct error *err);

// The identifier of the newest event.
#define EVENT_ANSWERS_LAST "last"

// Returns the number of the event with this identifier; 0: the journal has none.
int64_t event_answers_find_id(struct journal *journal, const char *id);

// "explain": all fields of the event in item "number" or "id", and the state of the event at each
// receiver. Sets `control->found`, a reference, or NULL if there is no such event. The caller drops
// the reference after explain_finish has added the receivers, in the thread of the control socket.
control_handler explain_answer;
void explain_finish(struct control *control, json_t *answer);

// The fabric (fabric_answers.c). The fabric leaves the daemon as a record. ibtrapctl makes JSON,
// text and pictures of the record (ctl/handlers.h).

// "topology", with item "snapshot" (0 or missing: the fabric as it is now): hexadecimal digits in
// item "octets": the record of the snapshot (model/fabric_record.h), then all names of nodes and
// ports (names_pack). "record" is the number of the record's octets; "host_names" are the patterns
// of hosts (model/systems.h).
//
// A long answer comes in pages. A page begins at octet "first". Item "more" has the items for the
// request of the next page: "first" and "digest". If the snapshot has changed by then, the page
// begins at octet 0 again.
control_handler topology_answers_show;

// "topology-list": the snapshots that the journal has, oldest first.
control_handler topology_answers_list;

enum { LINK_ANSWERS_MAX = 1000, LINK_ANSWERS_DEFAULT = 20 }; // links in an answer

// "links": the links with the latest occasions; with "worst" 1, the links with the most occasions.
// "limit" says how many; 0: LINK_ANSWERS_DEFAULT.
control_handler link_answers_list;

enum { PORT_ANSWERS_NODES = 64 }; // nodes in an answer; "left_out" is the number of others

// "ports": the nodes with the name or GUID in item "node", or of the system with that name, as in
// the topology's JSON. A port also has its "counters" as last read: "values" since somebody reset
// them, "growth" since the time "since" (null: since the first reading of all); and the "expected"
// other end of its link, with whether the link "is_there". A node has its "hardware", and a port
// its "module", with the values of "inventory"; the port in item "port" (0: none) has the
// "peer_module" at the other end. Without a node, "nearest" is a similar name.
control_handler port_answers_find;

// "inventory": a page of what NVIDIA's devices tell of themselves (port 0) and of the modules in
// their ports, by node GUID, with the values of model/device_values.h. "node": a pattern of names
// or GUIDs (missing: all). "is_read" is false if nothing is read.
control_handler inventory_answers_list;

// What the device tells of itself (port 0), or of the module in a port; NULL: nothing.
json_t *inventory_answers_values(const struct control *c, uint64_t guid, uint8_t port);

// "contexts": a page of the end ports with a context (agent/contexts.h), by port GUID.
control_handler context_answers_list;

// The nodes of the fabric that a pattern fits: by their names of their own, those of their systems
// or their labels, or, if the pattern begins with 0x, by the GUID of a node or of a port.
// KNOWN_NODES_FIT also if no sweep has ended yet (`systems` NULL), or if the fabric is too large
// for the look.
enum known_nodes {
    KNOWN_NODES_NONE,
    KNOWN_NODES_NAMELESS, // only nodes without a name, by their descriptions
    KNOWN_NODES_FIT,
};
enum known_nodes known_nodes_fit(const struct systems *systems, const struct names *names,
                                 const char *pattern);

// Receivers (receiver_answers.c).

// Returns the state and the counters of every receiver.
json_t *receiver_answers_all(const struct control *control);

// "receivers": an answer with every receiver, and with the receivers that are gone.
control_handler receiver_answers_list;

// "receiver-pause", "receiver-resume" and "receiver-flush", each with item "name".
control_handler receiver_answers_change;

// "receiver-resync" with item "name": a kill after the answer does not stop it.
control_handler receiver_answers_resync;

// "receiver-resend" with items "name" and "number", of an event.
control_handler receiver_answers_resend;

// "receiver-forget" with item "name": deletes the cursor of a receiver that is gone.
control_handler receiver_answers_forget;

// "test": sends a test event through pipeline and journal to the receivers. Items: "event" (an
// identifier), "node" (a name or a GUID of the fabric; missing: a made-up node), "receiver" (the
// only receiver of the event; missing: all). Item "last" of the answer is the number of the
// journal's newest event before the test.
control_handler test_answers_send;

// Reads the items of "test". Uses the receivers, the fabric and the names of `control`. Returns
// false with a sentence if there is no such event, node or receiver.
bool test_answers_read(const struct control *control, const json_t *request, struct test_event *out,
                       struct error *err);

// The gateway (gateway_answers.c).

enum { GATEWAY_ANSWERS_DAYS_MAX = 36500 };

control_handler gateway_answers_sweep;       // "sweep-now": starts a sweep at once
control_handler gateway_answers_resubscribe; // "resubscribe": subscribes to every trap again

// "log", with items "level" and "folder" (missing or empty: all): sets what is logged, until the
// next start or reload.
control_handler gateway_answers_log;

// "configuration": the lines of the configuration in force, in the form of ibtrapd --print-config:
// without secrets.
control_handler gateway_answers_configuration;

// "reload": reads the configuration again. Item "restart" of the answer names the items that need a
// restart.
control_handler gateway_answers_reload;

// "journal-prune", with item "days" (0 to GATEWAY_ANSWERS_DAYS_MAX): makes the journal delete older
// events that every receiver has.
control_handler gateway_answers_prune;

// "health": the verdicts on the "gateway" and the "fabric", each with its line and findings, which
// is "worse", and counts.
control_handler health_answers_get;

// Returns the verdicts alone, and which is "worse".
json_t *health_answers_verdicts(const struct health *health);

// The status (status.c).

// "status": the port, the subscriptions, the receivers, the journal, the last sweep and counters.
control_handler status_answer;

// Writes one line for people and systemd: "mlx5_0 port 1 active, 17 of 17 subscriptions".
void status_line(const struct sa_status *sa, char *out, size_t size);

// A dry run (dry_run.c).

enum { DRY_RUN_EVENTS_DEFAULT = 1000, DRY_RUN_EVENTS_MAX = 10000 };

// "dry-run": how many of the journal's last events each receiver would get under another
// configuration. Items: "config" (the text of the configuration), "name" (the name of its file, for
// sentences) and "events" (how many of the last events; missing: DRY_RUN_EVENTS_DEFAULT). Takes
// some 10 us for each event.
control_handler dry_run_answer;

// Judges the events again, with the times of the events, and begins without any alarm. Leaves out
// test events, and the events made by policy: policy makes new events. Any thread.
json_t *dry_run(struct journal *journal, const struct conf *conf, int64_t events);
