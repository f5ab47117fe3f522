// Answers what comes in on the control socket, in the main thread.
#ifndef IBTRAPD_CONTROL_CONTROL_H
#define IBTRAPD_CONTROL_CONTROL_H

#include "agent/agent.h"
#include "conf/conf.h"
#include "control/topology_answers.h"
#include "ib/sweeper.h"
#include "pipeline/pipeline.h"
#include "sink/receiver.h"

#include <jansson.h>

enum { CONTROL_RESTART_SIZE = 512 };

// What the answers are made from. All of it outlives the server of the control socket.
struct control {
    const struct conf *conf;
    int64_t started_at; // monotonic
    struct log *log;
    struct names *names; // while a request is answered
    struct topology *topology;
    struct journal *journal;
    struct pipeline *pipeline;
    struct sa_client *client;
    struct sweeper *sweeper;
    struct receiver *const *receivers;
    size_t receiver_count;
    struct agent *tables;         // the subagent; NULL: there is none
    struct event_builder builder; // of the main thread: it knows names, not the fabric
    struct topology_answers answers;
    // Reads the configuration anew; `restart`, of CONTROL_RESTART_SIZE, gets the items that wait
    // for a restart.
    bool (*reload)(void *ctx, struct text *restart, struct error *err);
    void *ctx;
};

// A server_handler (control/server.h) whose context is a struct control.
json_t *control_answer(void *ctx, const char *command, const json_t *request);

// Commands that tell something and change nothing. Every other one, also one that is forgotten
// here, is for those who may change something.
bool control_reads_only(const char *command);

#endif
