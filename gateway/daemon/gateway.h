// SPDX-License-Identifier: BSD-2-Clause
// The parts of a running gateway. For the files of daemon/ only.
#ifndef IBTRAPD_DAEMON_GATEWAY_H
#define IBTRAPD_DAEMON_GATEWAY_H

#include "control/control.h"
#include "control/worker.h"
#include "daemon/options.h"
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

// The receivers of the configuration, and the trap recipients that managers added.
enum { GATEWAY_RECEIVERS_MAX = CONF_RECEIVERS_MAX + 1 + TRAP_RECIPIENTS_MAX };

// A reload cannot fail for want of cursors, even if it replaces all receivers by new ones.
static_assert(2 * GATEWAY_RECEIVERS_MAX <= JOURNAL_RECEIVERS_MAX, "every receiver has a cursor");
// A receiver that is ending, with its configuration.
struct gateway_ending {
    struct receiver *receiver;
    struct conf_receiver *conf;
};

// Work of the thread of reloads that no client asks for. While it is under way, it may be asked for
// again once more.
struct gateway_task {
    struct worker_job job;
    struct gateway *gateway;
    bool is_asked, again;
};

struct gateway {
    struct parts parts; // that the control socket, the metrics and the page read
    struct conf *conf;  // the pipeline's thread reads it, too, and exchanges it
    struct role role;   // the pipeline's thread only
    bool was_cut_short; // the last run ended without a word
    const struct daemon_options *options;
    // The node-name-map's names; NULL: there are none. The pipeline's thread exchanges it.
    struct names *map;
    struct expectation *expectation; // the expected topology; as `map`
    struct fabric *restored;         // as the gateway ended, until a sweep has ended; NULL: none
    struct counter_watch *counter_watch;
    struct event_builder_lookup lookup;
    struct module_alarms alarms; // for receivers that keep a state
    struct turns *turns;         // of the receivers' threads with the processors
    struct receiver *receivers[GATEWAY_RECEIVERS_MAX];           // parts.receiver_count of them
    struct conf_receiver *receiver_confs[GATEWAY_RECEIVERS_MAX]; // their configurations, copied
    // Did not end in time. For the thread that ends receivers (receivers.h).
    struct gateway_ending left[GATEWAY_RECEIVERS_MAX];
    size_t left_count;
    struct text *backlogs; // sentences for the answer to a reload, one a line; NULL: none runs
    // A reload does not change these.
    char directory[CONF_PATH_SIZE], device[CONF_DEVICE_SIZE], name[CONF_GATEWAY_NAME_SIZE];
    struct umad_choice choice;
    struct mkeys *mkeys;
    struct verbs_watch *watch; // NULL: the SA client relies on polling
    struct event *adapter;     // of the main loop, for `watch`
    struct loop *loop;
    struct signals *signals;
    struct loop_wake *settings_changed;
    struct control control;
    struct gateway_task at_signal; // a reload that SIGHUP asks for; main thread only
    struct gateway_task settings;  // that are to be put in force; as well
    struct server *server;
    struct web_server *metrics; // NULL: metrics are off
    struct page *page;          // as well
    struct event *heartbeat;    // NULL: there is none
    bool lacks_part;            // the last reload could not start all; thread of reloads only
    uint64_t heartbeat_events;  // number of events made up to the last one
    struct service *service;
    struct subagents *subagents; // NULL: there is none
    // Locked while the configuration or the list of receivers is exchanged: the threads of the
    // subagent and of the pipeline read them; the pipeline's also changes trap groups. The main
    // loop's reads the list, too, but exchanges it itself. The thread of reloads, which asks for
    // that, reads both without the lock. The main loop has the configuration from `parts`.
    pthread_mutex_t exchanged;
};

#endif
