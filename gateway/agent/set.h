// A Set, in the phases of RFC 2741 7.2.4: all that it changes is checked first, and then changed at
// once or not at all.
#ifndef IBTRAPD_AGENT_SET_H
#define IBTRAPD_AGENT_SET_H

#include "agent/table.h"
#include "agentx/client.h"

struct set_options {
    const struct table_list *tables;
    bool writable; // whether anything may be set
    // As in agent/agent.h.
    bool (*change)(void *ctx, const struct setting *changes, size_t n, const char *who,
                   struct error *err);
    void *ctx;
    const char *who; // likewise
    struct log *log;
};

// The one that is under way: AgentX has one at a time in a session.
struct set {
    struct set_options options;
    struct setting changes[AGENTX_SET_MAX], before[AGENTX_SET_MAX]; // in the order of the request
    size_t count;
    bool committed;
};

// What the options point to outlives it.
void set_init(struct set *set, const struct set_options *options);

// As agentx/client.h asks for them. `view` is how things are now.
enum agentx_error set_test(struct set *set, const struct agent_snapshot *snapshot,
                           const struct agentx_varbind *varbinds, size_t n, size_t *failed);
enum agentx_error set_commit(struct set *set);
enum agentx_error set_undo(struct set *set);
void set_cleanup(struct set *set);

#endif
