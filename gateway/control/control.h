// SPDX-License-Identifier: BSD-2-Clause
// The parts of the running gateway that the commands of the control socket use.
#ifndef IBTRAPD_CONTROL_CONTROL_H
#define IBTRAPD_CONTROL_CONTROL_H

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

// All parts outlive the server of the control socket. Used by the thread of the control socket
// only.
struct control {
    const struct parts *parts;
    // Of commands that wait for a disk (commands.h).
    struct worker *answers, *changes, *reloads; // `answers` also makes the page
    struct event_builder builder; // for names and sentences; it does not know the fabric
    // Reads the configuration again, in the thread of `reloads`. `restart`, of
    // CONTROL_RESTART_SIZE, gets the items that need a restart; `backlogs`, of
    // CONTROL_BACKLOGS_SIZE, what becomes of the events that wait for receivers that came, went or
    // changed, a sentence a line. False with a sentence: the configuration stays as it was.
    bool (*reload)(void *ctx, struct text *restart, struct text *backlogs, struct error *err);
    void *ctx;

    // Valid while a request is answered.
    const struct peer_credentials *user; // who sent it
    const struct names *names;           // NULL: there are none
    struct fabric *fabric; // the fabric as it is known now; NULL: no sweep has ended yet
    struct event *found;   // what "explain" is about, a reference, for its second step; else NULL
};

#endif
