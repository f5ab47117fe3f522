// SPDX-License-Identifier: BSD-2-Clause
// The parts of the running gateway for the commands of the control socket.
#pragma once

#include "agent/agent.h"
#include "base/error.h"
#include "base/text.h"
#include "conf/conf.h"
#include "control/peer_credentials.h"
#include "control/worker.h"
#include "health/parts.h"
#include "ib/reads.h"

#include <jansson.h>

enum {
    CONTROL_RESTART_SIZE = 512,
    CONTROL_BACKLOGS_SIZE = 32768,
};

// What handlers in other threads need of the configuration, which the main thread alone may read.
struct control_settings {
    struct filter_list host_names;
    bool vendor_registers;
};

// All parts outlive the server of the control socket. Used by the thread of the control socket
// only.
struct control {
    const struct parts *parts;
    // For commands with a wait for a disk (commands.h).
    struct worker *answers, *changes, *reloads; // `answers` also makes the page
    struct event_builder builder;               // for names and sentences, without the fabric
    // Reads the configuration again, in the thread of `reloads`. `restart`, of
    // CONTROL_RESTART_SIZE, gets the items that need a restart. `backlogs`, of
    // CONTROL_BACKLOGS_SIZE, gets a line for each receiver that came, went or changed: a sentence
    // about its waiting events. False with a sentence: the configuration stays.
    bool (*reload)(void *ctx, struct text *restart, struct text *backlogs, struct error *err);
    void *ctx;

    // Valid while a request is answered.
    struct control_settings settings;
    const char *command;                 // the name in the request
    const struct peer_credentials *user; // the sender of the request
    const struct names *names;           // NULL: no names
    const struct systems *systems;       // of `fabric`, or NULL
    struct fabric *fabric;               // the present fabric; NULL: no sweep has ended yet
    struct event *found; // the event of "explain", a reference, for the second step; else NULL
};
