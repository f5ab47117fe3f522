// SPDX-License-Identifier: BSD-2-Clause
// Two verdicts: whether the gateway does its work, and whether something is wrong in the fabric, as
// far as the active alarms tell. Each verdict has its findings, and no finding is in both.
// health_judge is pure.
// Decides: When is the gateway healthy?
// Decides: When is the fabric healthy?
#pragma once

#include "base/text.h"
#include "ib/sa_client.h"
#include "ib/sweeper.h"
#include "journal/journal.h"
#include "sink/receiver.h"

// In the order of the exit statuses of monitoring plugins.
enum health_state {
    HEALTH_OK,
    HEALTH_WARNING,  // the gateway works, and somebody should look
    HEALTH_CRITICAL, // events are not received, not safe, or reach nobody; or an alarm is an error
};

enum health_about { HEALTH_OF_GATEWAY, HEALTH_OF_FABRIC, HEALTH_VERDICTS };

enum {
    HEALTH_FINDINGS_MAX = 16, // the worst ones are kept
    HEALTH_SENTENCE_SIZE = 200,
    HEALTH_LINE_SIZE = 1024,
    HEALTH_START_S = 60, // so long after the start, a missing part is a warning only
};

struct health_receiver {
    const char *name;
    const struct receiver_status *status;
};

// What the verdict is made from. The pointers are the caller's.
struct health_facts {
    int64_t now_us, uptime_us; // UTC; microseconds since the start
    const struct sa_status *sa;
    const struct journal_status *journal;
    const struct sweeper_status *sweep;
    int64_t sweep_interval_us;
    const struct health_receiver *receivers;
    size_t receiver_count;
    const struct alarm_counts *alarms;
    // The worst open alarm, and the worst alarm about the gateway; NULL: there is none.
    const struct alarm *worst, *own;
    const struct maintenance *windows; // some may have ended
    bool standby;                      // another gateway notifies the receivers
    bool reload_refused;               // the file differs from the configuration in force
};

struct health_finding {
    enum health_state state;
    char sentence[HEALTH_SENTENCE_SIZE]; // without capital and full stop; no control characters
};

struct health_verdict {
    enum health_state state;                             // the worst of the findings
    struct health_finding findings[HEALTH_FINDINGS_MAX]; // the worst first
    size_t count;
};

struct health {
    struct health_verdict of[HEALTH_VERDICTS];
    bool ready; // a port is open, the subnet manager answers and confirms subscriptions
    bool standby;
    unsigned subscribed;       // of SUBSCRIPTIONS_COUNT
    int64_t sweep_age_s;       // of the last sweep; -1: none has begun, or sweeps are off
    size_t receivers, failing; // paused ones do not fail
    size_t paused;
    int64_t waiting;                      // events, for the receiver that lacks most
    int64_t events;                       // in the journal
    size_t alarms_of[SEVERITY_DEBUG + 1]; // active ones
    uint32_t open[SEVERITY_DEBUG + 1];    // of ALARM_OPEN
    uint32_t by_standing[ALARM_STANDINGS];
    uint32_t nodes;       // that the last sweep found
    int64_t worst_number; // of the worst open alarm; 0: none
};

void health_judge(const struct health_facts *facts, struct health *out);

// "ok", "warning", "critical"
const char *health_word(enum health_state state);

const char *health_about_word(enum health_about about); // "gateway", "fabric"

// The verdict that is worse; the gateway's if both are equal.
enum health_about health_worse(const struct health *health);

// Adds a verdict in a line without newline: "OK: 17 of 17 subscriptions, ...".
void health_add_line(const struct health *health, enum health_about about, struct text *t);
