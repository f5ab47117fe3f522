// SPDX-License-Identifier: BSD-2-Clause
// The parts of a running gateway. For the files of daemon/ only.
// Decides: Which threads may use the configuration and the list of receivers?
#pragma once

#include "control/control.h"
#include "control/worker.h"
#include "daemon/service.h"
#include "daemon/signals.h"
#include "daemon/trap_recipients.h"
#include "health/parts.h"
#include "ib/umad.h"
#include "ib/verbs_watch.h"
#include "pipeline/role.h"
#include "sink/module.h"

#include <assert.h>
#include <pthread.h>

// The receivers of the configuration, and the trap recipients of managers.
enum { GATEWAY_RECEIVERS_MAX = CONF_RECEIVERS_MAX + 1 + TRAP_RECIPIENTS_MAX };

// Without this rule, a reload that replaces all receivers could run out of cursors.
static_assert(2 * GATEWAY_RECEIVERS_MAX <= JOURNAL_RECEIVERS_MAX, "every receiver has a cursor");

// The parts from the program around the daemon.
struct daemon_options {
    // Reads the configuration anew, for a reload. False with a sentence.
    bool (*load)(void *ctx, struct conf *out, struct error *err);
    void *ctx;
    const struct mad_opener *opener; // of the port; NULL: libibumad's
    struct log *log;
};

// A receiver that is ending, with its configuration.
struct gateway_ending {
    struct receiver *receiver;
    struct conf_receiver *conf;
};

// Work of the thread of reloads that no client asks for. While the work is under way, one request
// for the same work may wait.
struct gateway_task {
    struct worker_job job;
    struct gateway *gateway;
    bool is_asked, again;
};

struct gateway {
    struct parts parts;   // for the control socket, the metrics and the page
    struct conf *conf;    // the pipeline's thread reads and exchanges the configuration
    struct role role;     // the pipeline's thread only
    bool alarm_may_stand; // the last run's, about the journal (own_alarms_may_stand)
    const struct daemon_options *options;
    // The node-name-map's names; NULL: there are none. The pipeline's thread exchanges the map.
    struct names *map;
    struct notice_book *book; // of the site's notices; NULL: there is none. Like `map`.
    struct fabric *restored;  // from the end of the last run; NULL: none, or a sweep has ended
    struct counter_watch *counter_watch;
    struct event_builder_lookup lookup;
    struct module_alarms alarms; // for receivers that keep a state
    struct turns *turns;         // of the receivers' threads with the processors
    struct receiver *receivers[GATEWAY_RECEIVERS_MAX];           // parts.receiver_count of them
    struct conf_receiver *receiver_confs[GATEWAY_RECEIVERS_MAX]; // their configurations, copied
    // Receivers that did not end in time. For the thread that ends receivers (receivers.h).
    struct gateway_ending left[GATEWAY_RECEIVERS_MAX];
    size_t left_count;
    struct text *backlogs; // lines for the answer to a reload; NULL: no reload runs
    // A reload does not change these.
    char directory[CONF_PATH_SIZE], device[CONF_DEVICE_SIZE];
    struct umad_choice choice;
    struct mkeys *mkeys;
    struct sm_log *sm_log;     // NULL: the log of the subnet manager is not read
    struct verbs_watch *watch; // NULL: the SA client relies on polling
    struct event *adapter;     // of the main loop, for `watch`
    struct loop *loop;
    struct signals *signals;
    struct loop_wake *settings_changed;
    struct metrics_source *metrics_source;
    struct control control;
    struct gateway_task at_signal; // the reload at SIGHUP; main thread only
    struct gateway_task settings;  // putting settings in force; main thread only
    struct server *server;
    struct web_server *metrics; // NULL: metrics are off
    struct page *page;          // as well
    struct event *heartbeat;    // NULL: there is none
    struct presence *presence;
    bool lacks_part;           // the last reload could not start all; thread of reloads only
    uint64_t heartbeat_events; // number of events up to the last heartbeat
    struct service *service;
    struct subagents *subagents; // NULL: there is none
    // Locked while the configuration or the list of receivers is exchanged.
    // - The threads of the subagents read both with the lock.
    // - The pipeline's thread exchanges the configuration with the lock, and reads it without the
    //   lock. It reads the list and changes trap groups with the lock.
    // - The main loop's thread exchanges the list with the lock, and reads the list without the
    //   lock. The main loop has the configuration from `parts`.
    // - The thread of reloads asks for both exchanges, and reads both without the lock.
    pthread_mutex_t exchanged;
};
